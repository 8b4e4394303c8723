//! Plays a record again, position by position, after [`AnyGame::verify`] has checked that it ends
//! as recorded.

use std::collections::BTreeMap;

use crate::erased::{AnyGame, AnyMatch};
use crate::record::{Record, RecordError};
use crate::seat::Seat;

/// Called with the position before the first turn and after every turn, and with what each seat
/// played to get there.
pub type ReplayVisitor<'a> = dyn FnMut(&dyn AnyMatch, &[(Seat, &str)]) + 'a;

/// Calls `each` with the position before the first turn and after every turn, and with what was
/// played to get there (nothing at first). Returns the last position.
///
/// # Errors
/// If the record does not replay as recorded. `each` is then not called.
pub fn replay(
    game: &dyn AnyGame,
    record: &Record,
    each: &mut ReplayVisitor<'_>,
) -> Result<Box<dyn AnyMatch>, RecordError> {
    game.verify(record)?;
    let mut state = game.begin(record.fixture.seed);
    let mut texts = record.action_texts();
    let notes = by_turn(&record.notes, |note| note.turn);
    let log = by_turn(&record.log, |entry| entry.turn);
    each(state.as_ref(), &[]);
    loop {
        let acting = state.acting().to_vec();
        let joint: Vec<&str> = texts.by_ref().take(acting.len()).collect();
        let turn = state.turn();
        if joint.is_empty() || joint.len() < acting.len() {
            return Ok(state);
        }
        state.play(&joint).map_err(|(seat, problem)| record.refused(turn, seat, problem))?;
        state.set_notes(&all_of(&notes, turn));
        state.set_log(&all_of(&log, turn));
        let played: Vec<(Seat, &str)> = acting.into_iter().zip(joint).collect();
        each(state.as_ref(), &played);
    }
}

/// Groups entries by their turn, in which they need not be in order.
fn by_turn<T>(entries: &[T], turn: impl Fn(&T) -> u32) -> BTreeMap<u32, Vec<&T>> {
    let mut groups: BTreeMap<u32, Vec<&T>> = BTreeMap::new();
    for entry in entries {
        groups.entry(turn(entry)).or_default().push(entry);
    }
    groups
}

fn all_of<T: Clone>(groups: &BTreeMap<u32, Vec<&T>>, turn: u32) -> Vec<T> {
    groups.get(&turn).into_iter().flatten().copied().cloned().collect()
}
