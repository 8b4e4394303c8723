//! Definitions of types: what the reader of schemas makes and the languages write.

use std::collections::BTreeMap;

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
    pub(crate) form: Shape,
}

/// What a definition defines.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    /// An object with these fields.
    Record(Vec<Field>),
    /// One of these texts.
    Words(Vec<Word>),
    /// A list of fixed length whose places differ in type.
    Tuple(Vec<Type>),
    /// A word, or an object whose only name says which one it is: `"reject"`, `{"build": …}`.
    Keyed(Vec<KeyedCase>),
    /// An object in which the field of this name says which one it is: `{"type": "build", …}`.
    Tagged(String, Vec<TaggedCase>),
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
    pub(crate) fn new(text: &str, about: String) -> Word {
        Word { text: text.to_owned(), name: text.to_owned(), about }
    }
}

/// One of several, told by its word or by its only name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct KeyedCase {
    pub(crate) word: Word,
    /// What stands under the name; none for the word alone.
    pub(crate) of: Option<Type>,
}

/// One of several, told by a field, whose other fields these are.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TaggedCase {
    pub(crate) word: Word,
    pub(crate) fields: Vec<Field>,
}

impl Shape {
    /// Of an action: its words become texts as `actions` offers them. Each stays called by its word.
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

    /// Of an action: in which of its two forms this is.
    pub(crate) fn note(&self) -> &'static str {
        match self {
            Shape::Words(_) | Shape::Alias(Type::Text) => {
                "In the text form, as `actions` offers it."
            }
            _ => "As JSON; `actions` offers the text form, and either is an answer.",
        }
    }

    /// The types that it is made of.
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
    /// The definition of which a value of this type holds one within itself.
    pub(crate) fn contained_definition(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::Nullable(of) | Type::Fixed(of, _) => of.contained_definition(),
            _ => None,
        }
    }

    /// The definition that is named anywhere in it.
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

/// The words that stand alone, without anything under them.
pub(crate) fn words_alone(all: &[KeyedCase]) -> Vec<Word> {
    all.iter().filter(|one| one.of.is_none()).map(|one| one.word.clone()).collect()
}
