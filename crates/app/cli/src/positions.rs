//! All positions of a record at once, for stepping back and forth.

use quintain_core::{AnyGame, AnyMatch, Record, RecordError, Seat, replay};

/// The position after a turn, and the actions that led to it.
pub(crate) struct Position {
    /// Empty before the first turn.
    pub(crate) played: Vec<(Seat, String)>,
    pub(crate) state: Box<dyn AnyMatch>,
}

/// Returns all positions of a record, including the initial one.
///
/// # Errors
/// If the record does not replay to its own result.
pub(crate) fn positions(game: &dyn AnyGame, record: &Record) -> Result<Vec<Position>, RecordError> {
    let mut positions = Vec::new();
    replay(game, record, &mut |state, played| {
        let played = played.iter().map(|(seat, action)| (*seat, (*action).to_owned())).collect();
        positions.push(Position { played, state: state.fork() });
    })?;
    Ok(positions)
}
