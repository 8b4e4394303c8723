//! Types of a game's observations and actions as they are in JSON, independent of any language.
//! They are read from the JSON Schemas of any game. The submodules write them in each language.
//!
//! Whatever a schema says beyond types (bounds, patterns) is left out, and whatever has no type
//! here becomes any JSON.

mod definition;
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

pub(crate) use definition::{
    Definition, Field, Integer, KeyedCase, Shape, TaggedCase, Type, Word, words_alone,
};

/// The name of the observation type.
pub(crate) const OBSERVATION: &str = "Observation";
/// The name of the action type.
pub(crate) const ACTION: &str = "Action";
/// The name of the type of what is known before the match.
pub(crate) const SETTING: &str = "Setting";

/// All definitions of a game: [`OBSERVATION`] first, and [`ACTION`] and [`SETTING`] among them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    pub(crate) definitions: Vec<Definition>,
}

impl Model {
    /// Returns the types of a game.
    pub(crate) fn of(schemas: &Schemas) -> Model {
        let roots = [&schemas.observation, &schemas.action, &schemas.setting];
        Model::read(roots, &schemas.texts)
    }

    /// Reads types from the schemas of observation, action and setting, and the texts of actions by
    /// their words.
    fn read(schemas: [&Value; 3], texts: &BTreeMap<String, String>) -> Model {
        let [observation, action, setting] = schemas;
        let roots = [(OBSERVATION, observation), (ACTION, action), (SETTING, setting)];
        let mut definitions = reader::read(&roots);
        definitions.iter_mut().filter(|one| one.name == ACTION).for_each(|action| {
            action.form.write_as_texts(texts);
            action.about = format!("{} {}", action.about, action.form.hint()).trim().to_owned();
        });
        Model { definitions }
    }

    /// Returns the names of all definitions.
    pub(crate) fn names(&self) -> Vec<String> {
        self.definitions.iter().map(|definition| definition.name.clone()).collect()
    }

    /// Returns the definition with this name.
    pub(crate) fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }

    /// Returns whether a value of the definition `inner` may hold one of `outer` directly, and not
    /// in separate storage as lists and maps do. If so, a value of `outer` must not directly hold
    /// one of `inner`.
    pub(crate) fn contains(&self, inner: &str, outer: &str) -> bool {
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
            open.extend(within.into_iter().flatten().filter_map(Type::contained_definition));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns everything that the schemas of a stranger's game may say.
    fn odd() -> Model {
        let observation = json!({
            "type": "object",
            "description": "What is seen.\n*/ \"\"\" `back` \\ slash",
            "properties": {
                "type": { "type": "string", "description": "A word of most languages." },
                "class": { "enum": ["a", "b c", "", "self"] },
                "from-to": { "type": "array", "prefixItems": [{ "type": "string" },
                    { "type": "integer" }],
                             "minItems": 2, "maxItems": 2 },
                "pair": { "type": "array", "items": [{ "type": "number" }, { "type": "number" }],
                          "minItems": 2, "maxItems": 2 },
                "maybe": { "type": ["string", "null"] },
                "node": { "$ref": "#/$defs/Node" },
                "event": { "$ref": "#/$defs/Event" },
                "either": { "anyOf": [{ "type": "integer" }, { "type": "string" },
                    { "type": "null" }] },
                "counts": { "type": "object", "additionalProperties": { "type": "integer",
                    "format": "uint8",
                            "minimum": 0 } },
                "by_number": { "type": "object",
                    "patternProperties": { "^\\d+$": { "type": "boolean" } } },
                "inline": { "type": "object", "properties": { "x": { "type": "integer",
                    "format": "uint",
                            "minimum": 0 } }, "required": ["x"] },
                "open": true,
                "more": { "allOf": [{ "$ref": "#/$defs/Node" }] },
                "mixed": { "properties": { "a": {} }, "oneOf": [{}, {}] },
                "gone": { "$ref": "#/$defs/Gone" },
                "loop": { "$ref": "#/$defs/Loop" },
                "size": { "type": "integer", "format": "uint64", "minimum": 0 }
            },
            "required": ["type", "class", "from-to", "pair", "node", "event", "either",
                "counts", "inline"],
            "$defs": {
                "Node": { "type": "object",
                    "properties": { "next": { "anyOf": [{ "$ref": "#/$defs/Node" },
                    { "type": "null" }] }, "all": { "type": "array",
                        "items": { "$ref": "#/$defs/Node" } } },
                    "required": ["next", "all"] },
                "Event": { "oneOf": [
                    { "type": "object", "description": "It \
                        fell.", "properties": { "kind": { "const": "fell" },
                      "at": { "type": "integer" } }, "required": ["kind", "at"] },
                    { "type": "object", "properties": { "kind": { "const": "rose" },
                        "by": { "type": "string" },
                      "at": { "type": "string" } }, "required": ["kind", "by", "at"] } ] },
                "Loop": { "type": "array", "items": { "$ref": "#/$defs/Loop" } }
            }
        });
        let action = json!({
            "oneOf": [
                { "type": "string", "enum": ["pass", "stop"] },
                { "type": "object", "properties": { "go": { "$ref": "#/$defs/Node" } },
                    "required": ["go"] },
                { "type": "object", "properties": { "wait": { "$ref": "#/$defs/Vec" } },
                    "required": ["wait"] }
            ],
            "$defs": { "Node": observation["$defs"]["Node"].clone(),
                       "Vec": { "type": "object", "properties": {} } }
        });
        Model::read([&observation, &action, &Value::Null], &BTreeMap::new())
    }

    #[test]
    fn every_schema_has_types_in_every_language() {
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
        let Shape::Words(words) = &action.form else { panic!("{action:?}") };
        let words: Vec<_> = words.iter().map(|word| (&*word.text, &*word.name)).collect();
        assert_eq!(words, [("U", "up"), ("down", "down")]);
        assert!(rust::write(&model, "x").contains("#[serde(rename = \"U\")]\n    Up,"));
        assert!(go::write(&model, "x").contains("ActionUp Action = \"U\""));
    }

    #[test]
    fn equal_definitions_are_written_once() {
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
