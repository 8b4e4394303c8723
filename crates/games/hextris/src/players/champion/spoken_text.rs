//! What was spoken on the way to a hypothesis, as a chain with one link per unit. Hypotheses that
//! go on from the same one share its chain; a link is dropped when no hypothesis in the beam goes
//! on from it any more. Copying whole texts instead would take most of the time.

use std::sync::Arc;

use crate::rules::units::Position;

/// The letters of one unit (or where it locked, in a silent beam), and what was spoken before.
#[derive(Debug)]
pub(super) struct SpokenText {
    before: Option<Arc<SpokenText>>,
    letters: Box<[u8]>,
}

impl SpokenText {
    pub(super) fn new(before: Option<Arc<SpokenText>>, letters: &[u8]) -> Arc<SpokenText> {
        Arc::new(SpokenText { before, letters: letters.into() })
    }

    /// The letters of all units, from the first one.
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
    /// Drops the links one after the other: dropping a long chain recursively would overflow the
    /// stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(earlier) = before.and_then(Arc::into_inner) {
            let mut earlier = earlier;
            before = earlier.before.take();
        }
    }
}

/// Packs a position into bytes, for the text of a silent beam.
pub(super) fn pack_position(position: Position) -> [u8; 5] {
    let ([a, b], [c, d]) = (position.x.to_le_bytes(), position.y.to_le_bytes());
    [a, b, c, d, position.rotation]
}

/// Unpacks a position from [packed](pack_position) bytes.
pub(super) fn unpack_position(bytes: &[u8]) -> Position {
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    Position { x: number(0), y: number(2), rotation: bytes[4] }
}
