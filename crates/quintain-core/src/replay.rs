//! Plays a record again, position by position, after [`AnyGame::verify`] has checked that it ends
//! as recorded.

use std::collections::BTreeMap;

use crate::erased::{AnyGame, AnyMatch};
use crate::log::LogEntry;
use crate::outcome::Note;
use crate::record::{Record, RecordError};
use crate::seat::Seat;

/// Called with the position before the first turn and after every turn, and with what each seat
/// played to get there.
pub type ReplayVisitor<'a> = dyn FnMut(&dyn AnyMatch, &[(Seat, &str)]) + 'a;

/// Calls `each` with the position before the first turn and after every turn, and with what was
/// played to get there (nothing at first).
///
/// # Errors
/// If the record does not replay as recorded. `each` is then not called.
pub fn replay(
    game: &dyn AnyGame,
    record: &Record,
    each: &mut ReplayVisitor<'_>,
) -> Result<(), RecordError> {
    game.verify(record)?;
    let mut state = game.begin(record.fixture.seed);
    let mut texts = record.action_texts();
    let mut notes: BTreeMap<u32, Vec<Note>> = BTreeMap::new();
    for note in &record.notes {
        notes.entry(note.turn).or_default().push(note.clone());
    }
    let mut log: BTreeMap<u32, Vec<LogEntry>> = BTreeMap::new();
    for entry in &record.log {
        log.entry(entry.turn).or_default().push(entry.clone());
    }
    each(state.as_ref(), &[]);
    loop {
        let acting = state.acting().to_vec();
        let joint: Vec<&str> = texts.by_ref().take(acting.len()).collect();
        let turn = state.turn();
        if joint.is_empty() || joint.len() < acting.len() {
            return Ok(());
        }
        state.play(&joint).map_err(|(seat, problem)| record.refused(turn, seat, problem))?;
        state.set_notes(notes.get(&turn).map_or(&[], Vec::as_slice));
        state.set_log(log.get(&turn).map_or(&[], Vec::as_slice));
        let played: Vec<(Seat, &str)> = acting.into_iter().zip(joint).collect();
        each(state.as_ref(), &played);
    }
}
