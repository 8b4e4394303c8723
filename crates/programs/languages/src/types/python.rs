//! Types → Python: dictionaries and lists as `json` reads them, for Python 3.10 and later.

use super::names::{comment, pascal, quote, unique};
use super::{Definition, Field, Model, Shape, Type, Word, words_alone};

const WIDTH: usize = 88;
/// Words that cannot be names of fields in a class.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Writes the module `observation.py`.
pub(crate) fn write(model: &Model, game: &str) -> String {
    let mut text = format!(
        "\"\"\"What a seat sees in {game}, and what it does: types for editors and type \
         checkers.\n\n\
         Made from the schema that `quintain games --schema {game}` prints. If the places of a \
         list\n\
         differ in type, it is typed as a tuple with a type for each place; it comes as a \
         list.\n\"\"\"\n\
         from __future__ import annotations\n\n\
         from typing import Any, Literal, Optional, TypeAlias, TypedDict, Union\n"
    );
    let mut taken = model.names();
    for definition in &model.definitions {
        text += "\n\n";
        text += &define(definition, &mut taken);
    }
    text
}

fn define(Definition { name, about, form }: &Definition, taken: &mut Vec<String>) -> String {
    let above = comment(about, "# ", WIDTH);
    let (classes, of) = match form {
        Shape::Record(fields) => return class(name, about, &class_fields(fields)),
        Shape::Words(words) => (String::new(), literal(words)),
        Shape::Alias(of) => (String::new(), of_type(of, Names::Quoted)),
        Shape::Tuple(places) => (String::new(), tuple(places)),
        Shape::Either(all) => (String::new(), format!("Union[{}]", list(all))),
        Shape::Keyed(all) => {
            let words = words_alone(all);
            let objects = all.iter().filter_map(|one| {
                let (name, required) = (one.word.text.clone(), true);
                let field = Field { name, about: String::new(), of: one.of.clone()?, required };
                Some((&one.word, class_fields(&[field])))
            });
            let (classes, mut members) = one_of(name, objects, taken);
            if !words.is_empty() {
                members.insert(0, literal(&words));
            }
            (classes, format!("Union[{}]", members.join(", ")))
        }
        Shape::Tagged(tag, all) => {
            let objects = all.iter().map(|one| {
                let (name, of) = (tag.clone(), Type::Text);
                let tag = Field { name, about: String::new(), of, required: true };
                let literal = format!("Literal[{}]", quote(&one.word.text));
                let mut fields = vec![ClassField { field: tag, literal: Some(literal) }];
                fields.extend(class_fields(&one.fields));
                (&one.word, fields)
            });
            let (classes, members) = one_of(name, objects, taken);
            (classes, format!("Union[{}]", members.join(", ")))
        }
    };
    format!("{classes}{above}{name}: TypeAlias = {of}\n")
}

/// Writes a class for each case; returns the classes and their names.
fn one_of<'a>(
    name: &str,
    objects: impl Iterator<Item = (&'a Word, Vec<ClassField>)>,
    taken: &mut Vec<String>,
) -> (String, Vec<String>) {
    let (mut classes, mut members) = (String::new(), Vec::new());
    for (word, fields) in objects {
        let member = unique(format!("{name}{}", pascal(&word.name)), taken);
        classes += &class(&member, &word.about, &fields);
        classes += "\n\n";
        members.push(member);
    }
    (classes, members)
}

/// Whether the names of types are already defined where they are used.
#[derive(Clone, Copy)]
enum Names {
    Plain,
    Quoted,
}

fn of_type(of: &Type, names: Names) -> String {
    let inner = |of: &Type| of_type(of, names);
    match of {
        Type::Any => "Any".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(_) => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Text => "str".to_owned(),
        Type::List(of) | Type::Fixed(of, _) => format!("list[{}]", inner(of)),
        Type::Map(of) => format!("dict[str, {}]", inner(of)),
        Type::Nullable(of) => format!("Optional[{}]", inner(of)),
        Type::Named(name) => match names {
            Names::Plain => name.clone(),
            Names::Quoted => format!("\"{name}\""),
        },
    }
}

/// Writes a tuple. If its elements have the same type in Python, such as integers of two sizes, it
/// becomes an ordinary list.
fn tuple(places: &[Type]) -> String {
    let all: Vec<String> = places.iter().map(|of| of_type(of, Names::Quoted)).collect();
    match all.iter().all(|of| *of == all[0]) {
        true => format!("list[{}]", all[0]),
        false => format!("tuple[{}]", all.join(", ")),
    }
}

fn list(all: &[Type]) -> String {
    all.iter().map(|of| of_type(of, Names::Quoted)).collect::<Vec<_>>().join(", ")
}

fn literal(words: &[Word]) -> String {
    let mut text = "Literal[\n".to_owned();
    for word in words {
        text += &comment(&word.about, "    # ", WIDTH);
        text += &format!("    {},\n", quote(&word.text));
    }
    text + "]"
}

/// A field, and its literal if it is a single string.
struct ClassField {
    field: Field,
    literal: Option<String>,
}

fn class_fields(fields: &[Field]) -> Vec<ClassField> {
    fields.iter().map(|field| ClassField { field: field.clone(), literal: None }).collect()
}

/// Returns whether a field with this name is possible in a class.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        // In a class, two leading underscores change a name.
        && !name.starts_with("__")
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
}

/// Writes a class of dictionaries. Optional fields are in a class of their own, since there is no
/// other way before Python 3.11.
fn class(name: &str, about: &str, fields: &[ClassField]) -> String {
    let (always, maybe): (Vec<_>, Vec<_>) = fields.iter().partition(|one| one.field.required);
    if !fields.iter().all(|one| is_name(&one.field.name)) {
        return write_call(name, about, &always, &maybe);
    }
    let lines = |fields: &[&ClassField]| -> String {
        let line = |ClassField { field, literal }: &&ClassField| {
            let of = literal.clone().unwrap_or_else(|| of_type(&field.of, Names::Plain));
            format!("{}    {}: {of}\n", comment(&field.about, "    # ", WIDTH), field.name)
        };
        fields.iter().map(line).collect()
    };
    let mut doc = comment(&about.replace('\\', "/"), "    ", WIDTH);
    if !doc.is_empty() {
        doc = format!("    \"\"\"{}\n    \"\"\"\n\n", doc.trim());
        if doc.lines().count() == 3 {
            doc = doc.replacen("\n    \"\"\"\n", "\"\"\"\n", 1);
        }
    }
    let lead = |base: &str| format!("class {name}({base}):\n{doc}");
    match (always.is_empty(), maybe.is_empty()) {
        (true, true) => lead("TypedDict") + "    pass\n",
        (false, true) => lead("TypedDict") + &lines(&always),
        (true, false) => lead("TypedDict, total=False") + &lines(&maybe),
        (false, false) => format!(
            "class _{name}(TypedDict):\n{}\n\n{}{}",
            lines(&always),
            lead(&format!("_{name}, total=False")),
            lines(&maybe)
        ),
    }
}

/// Writes a typed dictionary by a call, for names that are impossible in a class.
fn write_call(name: &str, about: &str, always: &[&ClassField], maybe: &[&ClassField]) -> String {
    let call = |name: &str, fields: &[&ClassField], total: &str| {
        let line = |ClassField { field, literal }: &&ClassField| {
            let of = literal.clone().unwrap_or_else(|| of_type(&field.of, Names::Quoted));
            format!("{}    {}: {of},\n", comment(&field.about, "    # ", WIDTH), quote(&field.name))
        };
        let lines: String = fields.iter().map(line).collect();
        format!("{name} = TypedDict(\"{name}\", {{\n{lines}}}{total})\n")
    };
    let above = comment(about, "# ", WIDTH);
    match (always.is_empty(), maybe.is_empty()) {
        (false, false) => format!(
            "{}\n\n{}\n\n{above}class {name}(_{name}Always, _{name}Maybe):\n    pass\n",
            call(&format!("_{name}Always"), always, ""),
            call(&format!("_{name}Maybe"), maybe, ", total=False")
        ),
        (true, false) => above + &call(name, maybe, ", total=False"),
        _ => above + &call(name, always, ""),
    }
}
