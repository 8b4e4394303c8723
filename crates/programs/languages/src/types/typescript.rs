//! Types → TypeScript: declarations, for programs in JavaScript that name them in comments.

use super::names::{comment, quote};
use super::{Definition, Field, Model, Shape, Type, Word};

const WIDTH: usize = 96;
/// Maximum length of a tuple; no one would count the elements of longer ones, which become lists of
/// any length.
const MAX_TUPLE: usize = 4;

/// Writes the declarations `observation.d.ts`.
pub(crate) fn write(model: &Model, game: &str) -> String {
    let mut text = format!(
        "// What a seat sees in {game}, and what it does: types for editors and for `tsc`.\n\
         // Made from the schema that `quintain games --schema {game}` prints.\n\n\
         /** Any JSON. */\n\
         export type Json = null | boolean | number | string | Json[] | {{ [name: string]: Json \
         }};\n"
    );
    for definition in &model.definitions {
        text += "\n";
        text += &define(definition);
    }
    text
}

fn define(Definition { name, about, form }: &Definition) -> String {
    let above = document(about, "");
    let union = |members: Vec<String>| {
        format!("{above}export type {name} =\n{};\n", members.concat().trim_end())
    };
    match form {
        Shape::Record(fields) => {
            format!("{above}export interface {name} {{\n{}}}\n", lines(fields, "  "))
        }
        Shape::Words(words) => {
            union(words.iter().map(|word| member(word, &quote(&word.text))).collect())
        }
        Shape::Alias(of) => format!("{above}export type {name} = {};\n", of_type(of)),
        Shape::Tuple(places) => {
            let places: Vec<String> = places.iter().map(of_type).collect();
            format!("{above}export type {name} = [{}];\n", places.join(", "))
        }
        Shape::Either(all) => {
            let all: Vec<String> = all.iter().map(of_type).collect();
            format!("{above}export type {name} = {};\n", all.join(" | "))
        }
        Shape::Keyed(all) => {
            let one = |one: &super::KeyedCase| match &one.of {
                None => member(&one.word, &quote(&one.word.text)),
                Some(of) => {
                    member(&one.word, &format!("{{ {}: {} }}", quote(&one.word.text), of_type(of)))
                }
            };
            union(all.iter().map(one).collect())
        }
        Shape::Tagged(tag, all) => {
            let one = |one: &super::TaggedCase| {
                let (tag, word) = (field_name(tag), quote(&one.word.text));
                let lines = lines(&one.fields, "      ");
                member(&one.word, &format!("{{\n      {tag}: {word};\n{lines}    }}"))
            };
            union(all.iter().map(one).collect())
        }
    }
}

fn member(word: &Word, of: &str) -> String {
    format!("{}  | {of}\n", document(&word.about, "  "))
}

/// Writes a comment that editors show.
fn document(about: &str, indent: &str) -> String {
    let lines = comment(about, &format!("{indent} * "), WIDTH);
    match lines.lines().count() {
        0 => String::new(),
        1 => format!("{indent}/** {} */\n", lines.trim_start_matches([' ', '*']).trim_end()),
        _ => format!("{indent}/**\n{lines}{indent} */\n"),
    }
}

fn lines(fields: &[Field], indent: &str) -> String {
    let line = |field: &Field| {
        let mark = if field.required { "" } else { "?" };
        let (name, of) = (field_name(&field.name), of_type(&field.of));
        format!("{}{indent}{name}{mark}: {of};\n", document(&field.about, indent))
    };
    fields.iter().map(line).collect()
}

fn field_name(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_plain = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { quote(name) }
}

fn of_type(of: &Type) -> String {
    let list = |of: &Type| match of {
        Type::Nullable(_) => format!("({})[]", of_type(of)),
        of => format!("{}[]", of_type(of)),
    };
    match of {
        Type::Any => "Json".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer(_) | Type::Number => "number".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Fixed(of, length) if *length <= MAX_TUPLE => {
            format!("[{}]", vec![of_type(of); *length].join(", "))
        }
        Type::List(of) | Type::Fixed(of, _) => list(of),
        Type::Map(of) => format!("{{ [name: string]: {} }}", of_type(of)),
        Type::Nullable(of) => format!("{} | null", of_type(of)),
        Type::Named(name) => name.clone(),
    }
}
