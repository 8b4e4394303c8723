//! The text spoken so far, for whoever draws it. It is no part of a position: two that differ
//! in nothing else are equal, observations have none, and so searches neither keep it nor
//! pay for it. Only matches do, from their start.

use std::hash::{Hash, Hasher};

/// What was spoken, if it is kept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Spoken(Option<String>);

impl Spoken {
    /// One that is kept, with nothing in it.
    pub(crate) fn empty() -> Spoken {
        Spoken(Some(String::new()))
    }

    /// Adds a letter, if it is kept.
    #[inline(always)]
    pub(crate) fn add(&mut self, letter: u8) {
        if let Some(text) = &mut self.0 {
            text.push(char::from(letter));
        }
    }

    /// The text; empty where it is not kept.
    pub(crate) fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// See the head of this file.
impl PartialEq for Spoken {
    fn eq(&self, _: &Spoken) -> bool {
        true
    }
}

impl Eq for Spoken {}

impl Hash for Spoken {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
