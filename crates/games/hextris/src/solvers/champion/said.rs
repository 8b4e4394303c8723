//! What has been said on the way to a state of the search: a chain of which the beginnings
//! are shared, and forgotten when nothing in the beam goes on from them.

use std::sync::Arc;

/// The letters of a unit, and what was said before.
#[derive(Debug)]
pub(super) struct Said {
    before: Option<Arc<Said>>,
    letters: Box<[u8]>,
}

impl Said {
    pub(super) fn new(before: Option<Arc<Said>>, letters: &[u8]) -> Arc<Said> {
        Arc::new(Said { before, letters: letters.into() })
    }

    /// Everything from the beginning.
    pub(super) fn text(&self) -> String {
        let mut parts = vec![&self.letters];
        let mut before = &self.before;
        while let Some(said) = before {
            parts.push(&said.letters);
            before = &said.before;
        }
        parts.iter().rev().flat_map(|part| part.iter().map(|byte| char::from(*byte))).collect()
    }
}

impl Drop for Said {
    /// One after the other: a long chain would take too much stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(said) = before.and_then(Arc::into_inner) {
            let mut said = said;
            before = said.before.take();
        }
    }
}
