//! The text spoken so far, for drawings. It is not part of a position: positions that differ only
//! in it are equal, and observations leave it out. So searches neither keep it nor pay for it; only
//! matches keep it, from their start.

use std::hash::{Hash, Hasher};

/// The spoken text, if it is kept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Spoken(Option<String>);

impl Spoken {
    /// Creates an empty text that is kept.
    pub(crate) fn empty() -> Spoken {
        Spoken(Some(String::new()))
    }

    /// Adds a letter, if the text is kept.
    #[inline(always)]
    pub(crate) fn add(&mut self, letter: u8) {
        if let Some(text) = &mut self.0 {
            text.push(char::from(letter));
        }
    }

    /// The text; empty if it is not kept.
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
