//! All positions of a record at once, for stepping back and forth between them.

use quintain_core::{AnyGame, AnyMatch, Record, RecordError, Seat, replay};

/// The position after a turn, and what was played to get there.
pub(crate) struct Position {
    /// Nothing before the first turn.
    pub(crate) played: Vec<(Seat, String)>,
    pub(crate) state: Box<dyn AnyMatch>,
}

/// All positions of a record, the first one included.
///
/// # Errors
/// If the record does not replay as it says.
pub(crate) fn positions(game: &dyn AnyGame, record: &Record) -> Result<Vec<Position>, RecordError> {
    let mut positions = Vec::new();
    replay(game, record, &mut |state, played| {
        let played = played.iter().map(|(seat, action)| (*seat, (*action).to_owned())).collect();
        positions.push(Position { played, state: state.fork() });
    })?;
    Ok(positions)
}
