//! Types → Rust: structs and enums that serde reads and writes.

use super::names::{comment, pascal, snake, unique};
use super::{Definition, Field, Integer, Model, Shape, Type, Word};

const WIDTH: usize = 96;
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
const DERIVE: &str = "#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]\n";
const DERIVE_WORDS: &str =
    "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]\n";

/// Writes the module `src/observation.rs`.
pub(crate) fn write(model: &Model, game: &str) -> String {
    let mut text = format!(
        "//! What a seat sees in {game}, and what it does.\n\
         //! Made from the schema that `quintain games --schema {game}` prints.\n\n\
         // Not every player uses everything.\n\
         #![allow(dead_code)]\n\n"
    );
    let definitions = model.definitions.iter().map(|definition| define(model, definition));
    let definitions: Vec<String> = definitions.collect();
    let definitions = definitions.join("\n");
    if definitions.contains("BTreeMap<") {
        text += "use std::collections::BTreeMap;\n\n";
    }
    if definitions.contains(DERIVE) || definitions.contains(DERIVE_WORDS) {
        text += "use serde::{Deserialize, Serialize};\n";
    }
    text += "\n";
    text + &definitions
}

fn define(model: &Model, Definition { name, about, form }: &Definition) -> String {
    let above = comment(about, "/// ", WIDTH);
    let of = |of: &Type| of_type(of, name, model);
    match form {
        Shape::Record(all) => {
            let fields = fields(all, "    ", "pub ", &of);
            let lead = format!("{above}{DERIVE}pub struct {name}");
            match fields.is_empty() {
                true => format!("{lead} {{}}\n"),
                false => format!("{lead} {{\n{fields}}}\n"),
            }
        }
        Shape::Words(words) => {
            let mut taken = vec!["Self".to_owned()];
            let variants = words.iter().map(|word| variant(word, &mut taken, ""));
            let variants: String = variants.collect();
            format!("{above}{DERIVE_WORDS}pub enum {name} {{\n{variants}}}\n")
        }
        Shape::Alias(alias) => format!("{above}pub type {name} = {};\n", of(alias)),
        Shape::Tuple(places) => {
            let places: Vec<String> =
                places.iter().map(|place| format!("pub {}", of(place))).collect();
            format!("{above}{DERIVE}pub struct {name}({});\n", places.join(", "))
        }
        Shape::Keyed(all) => {
            let mut taken = vec!["Self".to_owned()];
            let variants = all.iter().map(|one| {
                let inner =
                    one.of.as_ref().map_or(String::new(), |inner| format!("({})", of(inner)));
                variant(&one.word, &mut taken, &inner)
            });
            let variants: String = variants.collect();
            format!("{above}{DERIVE}pub enum {name} {{\n{variants}}}\n")
        }
        Shape::Tagged(tag, all) => {
            let mut taken = vec!["Self".to_owned()];
            let variants = all.iter().map(|one| {
                let fields = fields(&one.fields, "        ", "", &of);
                let inner = if fields.is_empty() {
                    " {}".to_owned()
                } else {
                    format!(" {{\n{fields}    }}")
                };
                variant(&one.word, &mut taken, &inner)
            });
            let variants: String = variants.collect();
            format!("{above}{DERIVE}#[serde(tag = {tag:?})]\npub enum {name} {{\n{variants}}}\n")
        }
        Shape::Either(all) => {
            let mut taken = vec!["Self".to_owned()];
            let variants = all
                .iter()
                .map(|one| format!("    {}({}),\n", unique(case(one), &mut taken), of(one)));
            let variants: String = variants.collect();
            format!("{above}{DERIVE}#[serde(untagged)]\npub enum {name} {{\n{variants}}}\n")
        }
    }
}

fn variant(word: &Word, taken: &mut Vec<String>, inner: &str) -> String {
    let name = unique(pascal(&word.name), taken);
    let rename = match name == word.text {
        true => String::new(),
        false => format!("    #[serde(rename = {:?})]\n", word.text),
    };
    format!("{}{rename}    {name}{inner},\n", comment(&word.about, "    /// ", WIDTH))
}

fn fields(all: &[Field], indent: &str, public: &str, of: &dyn Fn(&Type) -> String) -> String {
    let mut taken = Vec::new();
    let mut text = String::new();
    for field in all {
        let mut name = snake(&field.name);
        if KEYWORDS.contains(&name.as_str()) {
            name.push('_');
        }
        let name = unique(name, &mut taken);
        text += &comment(&field.about, &format!("{indent}/// "), WIDTH);
        let mut serde = Vec::new();
        if name != field.name {
            serde.push(format!("rename = {:?}", field.name));
        }
        let of = match (&field.of, field.required) {
            (of_field, true) => of(of_field),
            (of_field @ Type::Nullable(_), false) => of(of_field),
            (of_field, false) => format!("Option<{}>", of(of_field)),
        };
        if !field.required {
            serde.push("default".to_owned());
            serde.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        if !serde.is_empty() {
            text += &format!("{indent}#[serde({})]\n", serde.join(", "));
        }
        text += &format!("{indent}{public}{name}: {of},\n");
    }
    text
}

/// Returns the variant's name for a type that is one of several.
fn case(of: &Type) -> String {
    match of {
        Type::Any => "Any".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Integer(_) => "Integer".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Text => "Text".to_owned(),
        Type::List(of) | Type::Fixed(of, _) => format!("{}List", case(of)),
        Type::Map(of) => format!("{}Map", case(of)),
        Type::Nullable(of) => format!("{}OrNull", case(of)),
        Type::Named(name) => name.clone(),
    }
}

/// Writes a type within the definition of `outer`.
fn of_type(of: &Type, outer: &str, model: &Model) -> String {
    let inner = |of: &Type| of_type(of, outer, model);
    // The values of a list or a map are stored separately.
    let apart = |of: &Type| of_type(of, "", model);
    match of {
        Type::Any => "serde_json::Value".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(Integer { signed, bits }) => {
            let letter = if *signed { "i" } else { "u" };
            bits.map_or(format!("{letter}size"), |bits| format!("{letter}{bits}"))
        }
        Type::Number => "f64".to_owned(),
        Type::Text => "String".to_owned(),
        Type::List(of) => format!("Vec<{}>", apart(of)),
        Type::Fixed(of, length) => format!("[{}; {length}]", inner(of)),
        Type::Map(of) => format!("BTreeMap<String, {}>", apart(of)),
        Type::Nullable(of) => format!("Option<{}>", inner(of)),
        Type::Named(name) if !outer.is_empty() && model.contains(name, outer) => {
            format!("Box<{name}>")
        }
        Type::Named(name) => name.clone(),
    }
}
