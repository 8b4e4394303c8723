//! Types of what a game's seats see and do, as they are in JSON and in no language yet: read from the
//! game's JSON Schemas, whatever game it is. The languages are below.
//!
//! What a schema says beyond types (bounds, patterns) is left out, and what has no type here is any
//! JSON.

pub(crate) mod fields;
pub(crate) mod go;
pub(crate) mod names;
pub(crate) mod python;
mod reader;
pub(crate) mod rust;
pub(crate) mod typescript;

use std::collections::BTreeMap;

use quintain_core::Schemas;
use serde_json::Value;

/// The name of the type of what a seat sees.
pub(crate) const OBSERVATION: &str = "Observation";
/// The name of the type of an action.
pub(crate) const ACTION: &str = "Action";
/// The name of the type of what is known before the match.
pub(crate) const SETTING: &str = "Setting";

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    /// Any JSON.
    Any,
    Boolean,
    Integer(Integer),
    Number,
    Text,
    /// A list of any length.
    List(Box<Type>),
    /// A list of this length.
    Fixed(Box<Type>, usize),
    /// An object whose names are data.
    Map(Box<Type>),
    /// It, or null.
    Nullable(Box<Type>),
    /// The definition of this name.
    Named(String),
}

/// How large a whole number may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Integer {
    pub(crate) signed: bool,
    /// 8, 16, 32 or 64; none for the size of an index.
    pub(crate) bits: Option<u8>,
}

/// A type with a name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// What the schema says about it; may be empty.
    pub(crate) about: String,
    pub(crate) form: Form,
}

/// What a definition defines.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Form {
    /// An object with these fields.
    Record(Vec<Field>),
    /// One of these texts.
    Words(Vec<Word>),
    /// A list of fixed length whose places differ in type.
    Tuple(Vec<Type>),
    /// A word, or an object whose only name says which one it is: `"reject"`, `{"build": …}`.
    Keyed(Vec<Keyed>),
    /// An object in which the field of this name says which one it is: `{"type": "build", …}`.
    Tagged(String, Vec<Tagged>),
    /// One of these, and nothing says which.
    Either(Vec<Type>),
    /// Another name.
    Alias(Type),
}

/// A field of an object.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) of: Type,
    /// Whether it is always there.
    pub(crate) required: bool,
}

/// A text that stands for something.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// What it is called where words have names.
    pub(crate) name: String,
    pub(crate) about: String,
}

impl Word {
    fn new(text: &str, about: String) -> Word {
        Word { text: text.to_owned(), name: text.to_owned(), about }
    }
}

/// One of several, told by its word or by its only name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Keyed {
    pub(crate) word: Word,
    /// What stands under the name; none for the word alone.
    pub(crate) of: Option<Type>,
}

/// One of several, told by a field, whose other fields these are.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tagged {
    pub(crate) word: Word,
    pub(crate) fields: Vec<Field>,
}

/// All definitions of a game, [`OBSERVATION`] first, [`ACTION`] and [`SETTING`] among them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    pub(crate) definitions: Vec<Definition>,
}

impl Model {
    /// The types of a game.
    pub(crate) fn of(schemas: &Schemas) -> Model {
        let roots = [&schemas.observation, &schemas.action, &schemas.setting];
        Model::read(roots, &schemas.texts)
    }

    /// The same from the schemas of what is seen, done and known, and texts of actions by their words.
    fn read(schemas: [&Value; 3], texts: &BTreeMap<String, String>) -> Model {
        let [observation, action, setting] = schemas;
        let roots = [(OBSERVATION, observation), (ACTION, action), (SETTING, setting)];
        let mut definitions = reader::read(&roots);
        definitions.iter_mut().filter(|one| one.name == ACTION).for_each(|action| {
            action.form.write_as_texts(texts);
            action.about = format!("{} {}", action.about, action.form.note()).trim().to_owned();
        });
        Model { definitions }
    }

    /// The names of all definitions.
    pub(crate) fn names(&self) -> Vec<String> {
        self.definitions.iter().map(|definition| definition.name.clone()).collect()
    }

    /// The definition of this name.
    pub(crate) fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }

    /// Whether a value of the definition `inner` may hold one of `outer` within itself, and not
    /// somewhere else as lists and maps do: then the one must not simply lie in the other.
    pub(crate) fn holds(&self, inner: &str, outer: &str) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut open = vec![inner];
        while let Some(name) = open.pop() {
            if name == outer {
                return true;
            }
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let within = self.definition(name).map(|definition| definition.form.parts());
            open.extend(within.into_iter().flatten().filter_map(Type::within));
        }
        false
    }
}

impl Form {
    /// Of an action: its words become texts as `actions` offers them. Each stays called by its word.
    fn write_as_texts(&mut self, texts: &BTreeMap<String, String>) {
        let words: Vec<&mut Word> = match self {
            Form::Words(words) => words.iter_mut().collect(),
            Form::Keyed(all) => all.iter_mut().map(|one| &mut one.word).collect(),
            _ => Vec::new(),
        };
        for word in words {
            if let Some(text) = texts.get(&word.text) {
                word.text.clone_from(text);
            }
        }
    }

    /// Of an action: in which of its two forms this is.
    fn note(&self) -> &'static str {
        match self {
            Form::Words(_) | Form::Alias(Type::Text) => "In the text form, as `actions` offers it.",
            _ => "As JSON; `actions` offers the text form, and either is an answer.",
        }
    }

    /// The types that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Type> {
        match self {
            Form::Record(fields) => fields.iter().map(|field| &field.of).collect(),
            Form::Words(_) => Vec::new(),
            Form::Tuple(places) | Form::Either(places) => places.iter().collect(),
            Form::Keyed(all) => all.iter().filter_map(|one| one.of.as_ref()).collect(),
            Form::Tagged(_, all) => {
                all.iter().flat_map(|one| &one.fields).map(|field| &field.of).collect()
            }
            Form::Alias(of) => vec![of],
        }
    }
}

impl Type {
    /// The definition of which a value of this type holds one within itself.
    pub(crate) fn within(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::Nullable(of) | Type::Fixed(of, _) => of.within(),
            _ => None,
        }
    }

    /// The definition that is named anywhere in it.
    pub(crate) fn named(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::List(of) | Type::Fixed(of, _) | Type::Map(of) | Type::Nullable(of) => of.named(),
            _ => None,
        }
    }
}

/// The words that stand alone, without anything under them.
pub(crate) fn words_alone(all: &[Keyed]) -> Vec<Word> {
    all.iter().filter(|one| one.of.is_none()).map(|one| one.word.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// All that schemas of a stranger's game may say.
    fn odd() -> Model {
        let observation = json!({
            "type": "object",
            "description": "What is seen.\n*/ \"\"\" `back` \\ slash",
            "properties": {
                "type": { "type": "string", "description": "A word of most languages." },
                "class": { "enum": ["a", "b c", "", "self"] },
                "from-to": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }],
                             "minItems": 2, "maxItems": 2 },
                "pair": { "type": "array", "items": [{ "type": "number" }, { "type": "number" }],
                          "minItems": 2, "maxItems": 2 },
                "maybe": { "type": ["string", "null"] },
                "node": { "$ref": "#/$defs/Node" },
                "event": { "$ref": "#/$defs/Event" },
                "either": { "anyOf": [{ "type": "integer" }, { "type": "string" }, { "type": "null" }] },
                "counts": { "type": "object", "additionalProperties": { "type": "integer", "format": "uint8",
                            "minimum": 0 } },
                "by_number": { "type": "object", "patternProperties": { "^\\d+$": { "type": "boolean" } } },
                "inline": { "type": "object", "properties": { "x": { "type": "integer", "format": "uint",
                            "minimum": 0 } }, "required": ["x"] },
                "open": true,
                "more": { "allOf": [{ "$ref": "#/$defs/Node" }] },
                "mixed": { "properties": { "a": {} }, "oneOf": [{}, {}] },
                "gone": { "$ref": "#/$defs/Gone" },
                "loop": { "$ref": "#/$defs/Loop" },
                "size": { "type": "integer", "format": "uint64", "minimum": 0 }
            },
            "required": ["type", "class", "from-to", "pair", "node", "event", "either", "counts", "inline"],
            "$defs": {
                "Node": { "type": "object", "properties": { "next": { "anyOf": [{ "$ref": "#/$defs/Node" },
                    { "type": "null" }] }, "all": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
                    "required": ["next", "all"] },
                "Event": { "oneOf": [
                    { "type": "object", "description": "It fell.", "properties": { "kind": { "const": "fell" },
                      "at": { "type": "integer" } }, "required": ["kind", "at"] },
                    { "type": "object", "properties": { "kind": { "const": "rose" }, "by": { "type": "string" },
                      "at": { "type": "string" } }, "required": ["kind", "by", "at"] } ] },
                "Loop": { "type": "array", "items": { "$ref": "#/$defs/Loop" } }
            }
        });
        let action = json!({
            "oneOf": [
                { "type": "string", "enum": ["pass", "stop"] },
                { "type": "object", "properties": { "go": { "$ref": "#/$defs/Node" } }, "required": ["go"] },
                { "type": "object", "properties": { "wait": { "$ref": "#/$defs/Vec" } }, "required": ["wait"] }
            ],
            "$defs": { "Node": observation["$defs"]["Node"].clone(),
                       "Vec": { "type": "object", "properties": {} } }
        });
        Model::read([&observation, &action, &Value::Null], &BTreeMap::new())
    }

    #[test]
    fn whatever_a_schema_says_every_language_has_types_for_it() {
        let model = odd();
        insta::assert_snapshot!("odd-python", python::write(&model, "odd"));
        insta::assert_snapshot!("odd-typescript", typescript::write(&model, "odd"));
        insta::assert_snapshot!("odd-rust", rust::write(&model, "odd"));
        insta::assert_snapshot!("odd-go", go::write(&model, "odd"));
        insta::assert_snapshot!("odd-fields", fields::table(&model));
    }

    #[test]
    fn words_of_an_action_are_the_texts_that_are_offered_and_keep_their_names() {
        let action = json!({ "oneOf": [{ "const": "up" }, { "const": "down" }] });
        let texts = BTreeMap::from([("up".to_owned(), "U".to_owned())]);
        let model = Model::read([&Value::Null, &action, &Value::Null], &texts);
        let action = model.definition(ACTION).unwrap();
        assert_eq!(action.about, "In the text form, as `actions` offers it.");
        let Form::Words(words) = &action.form else { panic!("{action:?}") };
        let words: Vec<_> = words.iter().map(|word| (&*word.text, &*word.name)).collect();
        assert_eq!(words, [("U", "up"), ("down", "down")]);
        assert!(rust::write(&model, "x").contains("#[serde(rename = \"U\")]\n    Up,"));
        assert!(go::write(&model, "x").contains("ActionUp Action = \"U\""));
    }

    #[test]
    fn what_both_schemas_define_alike_is_defined_once() {
        let names: Vec<String> = odd().names();
        let count = |name: &str| names.iter().filter(|own| *own == name).count();
        assert_eq!(
            (count("Node"), count("ActionNode"), count("ActionVec")),
            (1, 0, 1),
            "{names:?}"
        );
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "{names:?}");
    }
}
