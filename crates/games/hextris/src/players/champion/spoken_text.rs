//! What was spoken on the way to a state of the search: a chain of which the beginnings
//! are shared, and forgotten when nothing in the beam goes on from them.

use std::sync::Arc;

use crate::rules::units::Position;

/// The letters of a unit (or where it locked), and what was spoken before.
#[derive(Debug)]
pub(super) struct SpokenText {
    before: Option<Arc<SpokenText>>,
    letters: Box<[u8]>,
}

impl SpokenText {
    pub(super) fn new(before: Option<Arc<SpokenText>>, letters: &[u8]) -> Arc<SpokenText> {
        Arc::new(SpokenText { before, letters: letters.into() })
    }

    /// Everything from the beginning, by unit.
    pub(super) fn parts(&self) -> Vec<&[u8]> {
        let mut parts: Vec<&[u8]> = vec![&self.letters];
        let mut before = &self.before;
        while let Some(earlier) = before {
            parts.push(&earlier.letters);
            before = &earlier.before;
        }
        parts.reverse();
        parts
    }
}

impl Drop for SpokenText {
    /// One after the other: a long chain would take too much stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(earlier) = before.and_then(Arc::into_inner) {
            let mut earlier = earlier;
            before = earlier.before.take();
        }
    }
}

/// A position in bytes.
pub(super) fn pack_position(position: Position) -> [u8; 5] {
    let ([a, b], [c, d]) = (position.x.to_le_bytes(), position.y.to_le_bytes());
    [a, b, c, d, position.rotation]
}

/// A position of [`pack_position`] bytes.
pub(super) fn unpack_position(bytes: &[u8]) -> Position {
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    Position { x: number(0), y: number(2), rotation: bytes[4] }
}
