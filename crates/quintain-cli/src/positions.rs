//! A record replayed into its positions, one after every turn.

use quintain_core::{AnyGame, AnyMatch, Record, RecordError, Seat};

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
    game.verify(record)?;
    let mut state = game.begin(record.fixture.seed);
    let mut texts = record.actions.split_ascii_whitespace();
    let mut positions = vec![Position { played: Vec::new(), state: state.fork() }];
    loop {
        let acting = state.acting().to_vec();
        let joint: Vec<&str> = texts.by_ref().take(acting.len()).collect();
        if joint.is_empty() || joint.len() < acting.len() {
            return Ok(positions);
        }
        state.play(&joint).map_err(|(seat, problem)| RecordError::Action {
            id: record.id.clone(),
            turn: state.turn(),
            seat: seat.index(),
            problem,
        })?;
        let played = acting.into_iter().zip(joint.into_iter().map(str::to_owned)).collect();
        positions.push(Position { played, state: state.fork() });
    }
}
