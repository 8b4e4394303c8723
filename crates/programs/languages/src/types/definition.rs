//! Definitions of types, which the schema reader makes and the languages write.

use std::collections::BTreeMap;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    /// Any JSON value.
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
    /// A value of this type, or null.
    Nullable(Box<Type>),
    /// The definition with this name.
    Named(String),
}

/// The range of a whole number.
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
    /// The schema's description; may be empty.
    pub(crate) about: String,
    pub(crate) form: Shape,
}

/// The shape of a definition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    /// An object with these fields.
    Record(Vec<Field>),
    /// One of these strings.
    Words(Vec<Word>),
    /// A list of fixed length whose elements differ in type.
    Tuple(Vec<Type>),
    /// A word, or an object whose only key says which case it is: `"reject"`, `{"build": …}`.
    Keyed(Vec<KeyedCase>),
    /// An object in which the field with this name says which case it is: `{"type": "build", …}`.
    Tagged(String, Vec<TaggedCase>),
    /// One of these types, without anything that says which.
    Either(Vec<Type>),
    /// Another name for a type.
    Alias(Type),
}

/// A field of an object.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) of: Type,
    /// Whether it is always present.
    pub(crate) required: bool,
}

/// A string with a meaning.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Its name, for languages in which words have names.
    pub(crate) name: String,
    pub(crate) about: String,
}

impl Word {
    pub(crate) fn new(text: &str, about: String) -> Word {
        Word { text: text.to_owned(), name: text.to_owned(), about }
    }
}

/// A case that is recognised by its word or by its only key.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct KeyedCase {
    pub(crate) word: Word,
    /// The value under the key; none for the word alone.
    pub(crate) of: Option<Type>,
}

/// A case that is recognised by a field; these are its other fields.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TaggedCase {
    pub(crate) word: Word,
    pub(crate) fields: Vec<Field>,
}

impl Shape {
    /// For an action: turns its words into the texts that `actions` offers. Each keeps its word as
    /// its name.
    pub(crate) fn write_as_texts(&mut self, texts: &BTreeMap<String, String>) {
        let words: Vec<&mut Word> = match self {
            Shape::Words(words) => words.iter_mut().collect(),
            Shape::Keyed(all) => all.iter_mut().map(|one| &mut one.word).collect(),
            _ => Vec::new(),
        };
        for word in words {
            if let Some(text) = texts.get(&word.text) {
                word.text.clone_from(text);
            }
        }
    }

    /// For an action: says which of its two forms this is.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Shape::Words(_) | Shape::Alias(Type::Text) => {
                "In the text form, as `actions` offers it."
            }
            _ => "As JSON; `actions` offers the text form, and either is an answer.",
        }
    }

    /// Returns the types that it consists of.
    pub(crate) fn parts(&self) -> Vec<&Type> {
        match self {
            Shape::Record(fields) => fields.iter().map(|field| &field.of).collect(),
            Shape::Words(_) => Vec::new(),
            Shape::Tuple(places) | Shape::Either(places) => places.iter().collect(),
            Shape::Keyed(all) => all.iter().filter_map(|one| one.of.as_ref()).collect(),
            Shape::Tagged(_, all) => {
                all.iter().flat_map(|one| &one.fields).map(|field| &field.of).collect()
            }
            Shape::Alias(of) => vec![of],
        }
    }
}

impl Type {
    /// Returns the definition of which a value of this type directly contains one.
    pub(crate) fn contained_definition(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::Nullable(of) | Type::Fixed(of, _) => of.contained_definition(),
            _ => None,
        }
    }

    /// Returns the definition that is named anywhere in this type.
    pub(crate) fn referenced_definition(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::List(of) | Type::Fixed(of, _) | Type::Map(of) | Type::Nullable(of) => {
                of.referenced_definition()
            }
            _ => None,
        }
    }
}

/// Returns the words that stand alone, without a value.
pub(crate) fn words_alone(all: &[KeyedCase]) -> Vec<Word> {
    all.iter().filter(|one| one.of.is_none()).map(|one| one.word.clone()).collect()
}
