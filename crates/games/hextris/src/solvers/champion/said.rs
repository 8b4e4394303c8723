//! What has been said on the way to a state of the search: a chain of which the beginnings
//! are shared, and forgotten when nothing in the beam goes on from them.

use std::sync::Arc;

use crate::units::Position;

/// The letters of a unit (or where it locked), and what was said before.
#[derive(Debug)]
pub(super) struct Said {
    before: Option<Arc<Said>>,
    letters: Box<[u8]>,
}

impl Said {
    pub(super) fn new(before: Option<Arc<Said>>, letters: &[u8]) -> Arc<Said> {
        Arc::new(Said { before, letters: letters.into() })
    }

    /// Everything from the beginning, by unit.
    pub(super) fn parts(&self) -> Vec<&[u8]> {
        let mut parts: Vec<&[u8]> = vec![&self.letters];
        let mut before = &self.before;
        while let Some(said) = before {
            parts.push(&said.letters);
            before = &said.before;
        }
        parts.reverse();
        parts
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

/// A position in bytes.
pub(super) fn packed(position: Position) -> [u8; 5] {
    let ([a, b], [c, d]) = (position.x.to_le_bytes(), position.y.to_le_bytes());
    [a, b, c, d, position.rotation]
}

/// A position of [`packed`] bytes.
pub(super) fn unpacked(bytes: &[u8]) -> Position {
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    Position { x: number(0), y: number(2), rotation: bytes[4] }
}
