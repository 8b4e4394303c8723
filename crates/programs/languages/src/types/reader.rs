//! JSON Schema → types. The reader knows the keywords by which schemas express types, as written by
//! schemars and most others; anything else becomes any JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::definition::{Definition, Field, Integer, KeyedCase, Shape, TaggedCase, Type, Word};
use super::names::{pascal, unique};

/// Names with another meaning in one of the languages.
const RESERVED: &[&str] = &[
    "Any",
    "Array",
    "BTreeMap",
    "Boolean",
    "Box",
    "Deserialize",
    "Err",
    "Function",
    "Json",
    "Literal",
    "Match",
    "None",
    "Number",
    "Object",
    "Ok",
    "Option",
    "Optional",
    "Random",
    "Record",
    "Result",
    "Self",
    "Serialize",
    "Some",
    "String",
    "TypeAlias",
    "TypedDict",
    "Union",
    "Value",
    "Vec",
];
/// Maximum length of a fixed list. A longer one becomes a list of any length, since arrays do not
/// help then in any language.
const MAX_FIXED: usize = 32;
/// Maximum depth to which schemas are followed; anything deeper becomes any JSON.
const DEEPEST: usize = 32;

/// Reads the definitions of schemas, each under its name. If several schemas give the same name to
/// the same thing, it becomes a single definition.
pub(super) fn read(roots: &[(&'static str, &Value)]) -> Vec<Definition> {
    let mut taken: Vec<String> = RESERVED.iter().map(|&name| name.to_owned()).collect();
    taken.extend(roots.iter().map(|(name, _)| (*name).to_owned()));
    let mut definitions = Vec::new();
    let mut before: Vec<(&Value, BTreeMap<String, String>)> = Vec::new();
    for &(name, root) in roots {
        let mut reader = Reader::new(root, name, taken);
        reader.definitions = definitions;
        for (other, names) in &before {
            for (path, name) in names {
                if path != "#" && is_same(other, root, path, &mut Vec::new()) {
                    reader.names.entry(path.clone()).or_insert_with(|| name.clone());
                }
            }
        }
        reader.read_root();
        before.push((root, reader.names));
        (taken, definitions) = (reader.taken, reader.definitions);
    }
    remove_endless_aliases(&mut definitions);
    definitions
}

/// Returns whether two schemas have the same content under a path, including everything that it
/// refers to.
fn is_same(one: &Value, other: &Value, path: &str, seen: &mut Vec<String>) -> bool {
    if seen.iter().any(|known| known == path) {
        return true;
    }
    seen.push(path.to_owned());
    let at = |root: &Value| root.pointer(path.trim_start_matches('#')).cloned();
    let Some(schema) = at(one) else { return false };
    at(other).as_ref() == Some(&schema)
        && references(&schema).iter().all(|path| path != "#" && is_same(one, other, path, seen))
}

/// Returns everything that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// Turns names that stand for themselves, directly or via others, into any JSON, since they are not
/// types.
fn remove_endless_aliases(definitions: &mut [Definition]) {
    let aliases: BTreeMap<String, String> = definitions
        .iter()
        .filter_map(|definition| match &definition.form {
            Shape::Alias(of) => {
                Some((definition.name.clone(), of.referenced_definition()?.to_owned()))
            }
            _ => None,
        })
        .collect();
    for definition in definitions {
        let mut seen = Vec::new();
        let mut name = &definition.name;
        while let Some(next) = aliases.get(name) {
            if seen.contains(&next) {
                definition.form = Shape::Alias(Type::Any);
                break;
            }
            seen.push(next);
            name = next;
        }
    }
}

struct Reader<'a> {
    root: &'a Value,
    root_name: &'static str,
    /// Names that are in use.
    taken: Vec<String>,
    /// Names of referenced schemas, by path.
    names: BTreeMap<String, String>,
    definitions: Vec<Definition>,
    depth: usize,
}

/// What a schema describes.
enum TypeOrShape {
    Plain(Type),
    /// A shape, which needs a name.
    Formed(Shape),
}

impl<'a> Reader<'a> {
    fn new(root: &'a Value, root_name: &'static str, taken: Vec<String>) -> Reader<'a> {
        let names = BTreeMap::from([("#".to_owned(), root_name.to_owned())]);
        Reader { root, root_name, taken, names, definitions: Vec::new(), depth: 0 }
    }

    fn read_root(&mut self) {
        self.define(self.root_name.to_owned(), self.root);
    }

    /// Reads a schema under a name, before anything that it refers to.
    fn define(&mut self, name: String, schema: &'a Value) {
        let place = self.definitions.len();
        let form = Shape::Alias(Type::Any);
        self.definitions.push(Definition { name: name.clone(), about: about(schema), form });
        self.definitions[place].form = match self.find(schema, &name) {
            TypeOrShape::Plain(of) => Shape::Alias(of),
            TypeOrShape::Formed(form) => form,
        };
    }

    /// Returns the type of a schema. If it needs a name, it gets `hint` or a similar name.
    fn type_of(&mut self, schema: &'a Value, hint: &str) -> Type {
        self.depth += 1;
        let found = match self.depth > DEEPEST {
            true => TypeOrShape::Plain(Type::Any),
            false => self.find(schema, hint),
        };
        self.depth -= 1;
        self.settle(found, hint)
    }

    fn find(&mut self, schema: &'a Value, hint: &str) -> TypeOrShape {
        let Value::Object(says) = schema else { return TypeOrShape::Plain(Type::Any) };
        if let Some(path) = says.get("$ref").and_then(Value::as_str) {
            return TypeOrShape::Plain(self.refer(path));
        }
        if let Some(only) = says.get("allOf").and_then(Value::as_array) {
            return match &only[..] {
                [only] if !says.contains_key("properties") => self.find(only, hint),
                _ => TypeOrShape::Plain(Type::Any),
            };
        }
        if let Some(texts) = texts_of(schema) {
            return TypeOrShape::Formed(Shape::Words(texts));
        }
        let several = ["oneOf", "anyOf"].iter().find_map(|word| says.get(*word)?.as_array());
        if let Some(several) = several {
            // An object that has fields beside the alternatives is more than any of them.
            return match says.contains_key("properties") {
                true => TypeOrShape::Plain(Type::Any),
                false => self.one_of(several, hint),
            };
        }
        self.find_by_type(says, hint)
    }

    fn find_by_type(&mut self, says: &'a Map<String, Value>, hint: &str) -> TypeOrShape {
        let kinds: Vec<&str> = match says.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ if says.contains_key("properties") => vec!["object"],
            _ => match says.get("const").or(says.get("enum").and_then(|of| of.get(0))) {
                Some(Value::Bool(_)) => vec!["boolean"],
                Some(Value::Number(number)) if !number.is_f64() => vec!["integer"],
                _ => Vec::new(),
            },
        };
        let own: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != "null").collect();
        let found = match own[..] {
            ["boolean"] => TypeOrShape::Plain(Type::Boolean),
            ["integer"] => TypeOrShape::Plain(Type::Integer(integer(says))),
            ["number"] => TypeOrShape::Plain(Type::Number),
            ["string"] => TypeOrShape::Plain(Type::Text),
            ["array"] => self.list(says, hint),
            ["object"] => self.object(says, hint),
            _ => return TypeOrShape::Plain(Type::Any),
        };
        match kinds.len() > own.len() {
            true => TypeOrShape::Plain(nullable(self.settle(found, hint))),
            false => found,
        }
    }

    /// Returns the type of what was found, defining it under a name if it needs one.
    fn settle(&mut self, found: TypeOrShape, hint: &str) -> Type {
        match found {
            TypeOrShape::Plain(of) => of,
            TypeOrShape::Formed(form) => {
                let name = unique(hint.to_owned(), &mut self.taken);
                // The description belongs to the field.
                let about = String::new();
                self.definitions.push(Definition { name: name.clone(), about, form });
                Type::Named(name)
            }
        }
    }

    fn refer(&mut self, path: &str) -> Type {
        if let Some(name) = self.names.get(path) {
            return Type::Named(name.clone());
        }
        let found = path.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(schema) = found else { return Type::Any };
        let own = pascal(path.rsplit('/').next().unwrap_or_default());
        let name = match self.taken.contains(&own) {
            true => unique(format!("{}{own}", self.root_name), &mut self.taken),
            false => unique(own, &mut self.taken),
        };
        self.names.insert(path.to_owned(), name.clone());
        self.define(name.clone(), schema);
        Type::Named(name)
    }

    fn list(&mut self, says: &'a Map<String, Value>, hint: &str) -> TypeOrShape {
        let length = |word: &str| Some(says.get(word)?.as_u64()? as usize);
        // Older schemas list the elements' types under `items`.
        let old = says.get("items").and_then(Value::as_array);
        let places = says.get("prefixItems").and_then(Value::as_array).or(old);
        let Some(places) = places else {
            let Some(item) = says.get("items") else {
                return TypeOrShape::Plain(Type::List(Box::new(Type::Any)));
            };
            let item = Box::new(self.type_of(item, &format!("{hint}Item")));
            let fixed = length("minItems").filter(|least| length("maxItems") == Some(*least));
            return TypeOrShape::Plain(match fixed {
                Some(length @ 1..=MAX_FIXED) => Type::Fixed(item, length),
                _ => Type::List(item),
            });
        };
        let closed = [says.get("items"), says.get("additionalItems")];
        let is_closed =
            length("maxItems") == Some(places.len()) || closed.contains(&Some(&Value::Bool(false)));
        let is_whole = length("minItems").unwrap_or(0) >= places.len();
        if !is_closed || !is_whole || places.is_empty() {
            return TypeOrShape::Plain(Type::List(Box::new(Type::Any)));
        }
        let places: Vec<Type> = places
            .iter()
            .enumerate()
            .map(|(at, place)| self.type_of(place, &format!("{hint}Place{at}")))
            .collect();
        let first = &places[0];
        if places.len() <= MAX_FIXED && places.iter().all(|place| place == first) {
            return TypeOrShape::Plain(Type::Fixed(Box::new(first.clone()), places.len()));
        }
        TypeOrShape::Formed(Shape::Tuple(places))
    }

    fn object(&mut self, says: &'a Map<String, Value>, hint: &str) -> TypeOrShape {
        if let Some(properties) = says.get("properties").and_then(Value::as_object) {
            return TypeOrShape::Formed(Shape::Record(self.fields(says, properties, None, hint)));
        }
        let patterns = says.get("patternProperties").and_then(Value::as_object);
        let only = patterns.filter(|patterns| patterns.len() == 1);
        let only = only.and_then(|patterns| patterns.values().next());
        let others = says.get("additionalProperties").filter(|others| others.is_object());
        let of = match (patterns, only, others) {
            (None, _, Some(value)) | (Some(_), Some(value), None) => {
                self.type_of(value, &format!("{hint}Value"))
            }
            _ => Type::Any,
        };
        TypeOrShape::Plain(Type::Map(Box::new(of)))
    }

    fn fields(
        &mut self,
        says: &'a Map<String, Value>,
        properties: &'a Map<String, Value>,
        tag: Option<&str>,
        hint: &str,
    ) -> Vec<Field> {
        let required = says.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
        };
        properties
            .iter()
            .filter(|(name, _)| tag != Some(name.as_str()))
            .map(|(name, schema)| Field {
                of: self.type_of(schema, &format!("{hint}{}", pascal(name))),
                about: about(schema),
                required: is_required(name),
                name: name.clone(),
            })
            .collect()
    }

    fn one_of(&mut self, several: &'a [Value], hint: &str) -> TypeOrShape {
        let is_null = |schema: &&Value| {
            schema["type"] == "null"
                || schema["const"] == Value::Null && schema.get("const").is_some()
        };
        let own: Vec<&Value> = several.iter().filter(|schema| !is_null(schema)).collect();
        let found = match own[..] {
            [] => return TypeOrShape::Plain(Type::Any),
            [only] => self.find(only, hint),
            _ => {
                let form = self.read_keyed(&own, hint).or_else(|| self.read_tagged(&own, hint));
                let form = form.unwrap_or_else(|| self.read_either(&own, hint));
                TypeOrShape::Formed(form)
            }
        };
        match own.len() < several.len() {
            true => TypeOrShape::Plain(nullable(self.settle(found, hint))),
            false => found,
        }
    }

    /// Reads cases that are words, or objects with a single key.
    fn read_keyed(&mut self, several: &[&'a Value], hint: &str) -> Option<Shape> {
        enum Case<'a> {
            Words(Vec<Word>),
            Object(&'a str, &'a Value, &'a Value),
        }
        let case = |schema: &'a Value| {
            if let Some(words) = texts_of(schema) {
                return Some(Case::Words(words));
            }
            let properties = schema["properties"].as_object()?;
            let (name, of) = properties.iter().next().filter(|_| properties.len() == 1)?;
            let is_required = schema["required"].get(0)?.as_str() == Some(name);
            (is_required && fixed_text(of).is_none()).then_some(Case::Object(name, of, schema))
        };
        let cases = several.iter().map(|schema| case(schema)).collect::<Option<Vec<_>>>()?;
        let mut all: Vec<KeyedCase> = Vec::new();
        for case in cases {
            match case {
                Case::Words(words) => {
                    all.extend(words.into_iter().map(|word| KeyedCase { word, of: None }));
                }
                Case::Object(name, of, schema) => {
                    let word = Word::new(name, about(schema));
                    let of = self.type_of(of, &format!("{hint}{}", pascal(name)));
                    all.push(KeyedCase { word, of: Some(of) });
                }
            }
        }
        let is_plain = all.iter().all(|one| one.of.is_none());
        Some(match is_plain {
            true => Shape::Words(all.into_iter().map(|one| one.word).collect()),
            false => Shape::Keyed(all),
        })
    }

    /// Reads cases that are objects and differ by a field.
    fn read_tagged(&mut self, several: &[&'a Value], hint: &str) -> Option<Shape> {
        let first = several.first()?["properties"].as_object()?;
        let tells = |name: &String| {
            let words: Vec<&str> = several
                .iter()
                .filter_map(|schema| fixed_text(schema["properties"].get(name)?))
                .collect();
            let differ = words.iter().enumerate().all(|(at, word)| !words[..at].contains(word));
            words.len() == several.len() && differ
        };
        let tag = first.keys().find(|name| tells(name))?.clone();
        let mut all = Vec::new();
        for schema in several {
            let (says, properties) = (schema.as_object()?, schema["properties"].as_object()?);
            let text = fixed_text(&properties[&tag])?.to_owned();
            let fields =
                self.fields(says, properties, Some(&tag), &format!("{hint}{}", pascal(&text)));
            all.push(TaggedCase { word: Word::new(&text, about(schema)), fields });
        }
        Some(Shape::Tagged(tag, all))
    }

    fn read_either(&mut self, several: &[&'a Value], hint: &str) -> Shape {
        let mut all: Vec<Type> = Vec::new();
        for (at, schema) in several.iter().enumerate() {
            let of = self.type_of(schema, &format!("{hint}Case{at}"));
            if !all.contains(&of) {
                all.push(of);
            }
        }
        match all.contains(&Type::Any) {
            true => Shape::Alias(Type::Any),
            false => Shape::Either(all),
        }
    }
}

fn nullable(of: Type) -> Type {
    match of {
        Type::Any | Type::Nullable(_) => of,
        of => Type::Nullable(Box::new(of)),
    }
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

/// Returns the only string that a schema allows.
fn fixed_text(schema: &Value) -> Option<&str> {
    let single = schema["enum"].as_array().filter(|all| all.len() == 1).map(|all| &all[0]);
    schema.get("const").or(single)?.as_str()
}

/// Returns the strings that a schema allows, if it allows nothing else.
fn texts_of(schema: &Value) -> Option<Vec<Word>> {
    let word = |text: &Value, about: String| Some(Word::new(text.as_str()?, about));
    if let Some(text) = schema.get("const") {
        return Some(vec![word(text, about(schema))?]);
    }
    let all = schema["enum"].as_array().filter(|all| !all.is_empty())?;
    all.iter().map(|text| word(text, String::new())).collect()
}

/// Returns the range of a whole number by the schema's format, or else by its bounds.
fn integer(says: &Map<String, Value>) -> Integer {
    let least = says.get("minimum").and_then(Value::as_f64);
    let signed = least.is_none_or(|least| least < 0.0);
    let format = says.get("format").and_then(Value::as_str).unwrap_or_default();
    let (signed, digits) = match (format.strip_prefix("uint"), format.strip_prefix("int")) {
        (Some(digits), _) => (false, digits),
        (_, Some(digits)) => (true, digits),
        _ => return Integer { signed, bits: Some(64) },
    };
    match digits.parse() {
        Ok(bits @ (8 | 16 | 32 | 64)) => Integer { signed, bits: Some(bits) },
        _ if digits.is_empty() => Integer { signed, bits: None },
        _ => Integer { signed, bits: Some(64) },
    }
}
