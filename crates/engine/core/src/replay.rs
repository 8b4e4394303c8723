//! Plays a record again, position by position, after [`AnyGame::verify`] has checked that it ends
//! as recorded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::erased::{AnyGame, AnyMatch};
use crate::record::{Record, RecordError};
use crate::seat::Seat;

/// Called with the position before the first turn and after every turn, and with what each seat
/// played to get there.
pub type ReplayVisitor<'a> = dyn FnMut(&dyn AnyMatch, &[(Seat, &str)]) + 'a;

/// Like [`ReplayVisitor`]; it can end the replay.
pub type ReplayStep<'a> = dyn FnMut(&dyn AnyMatch, &[(Seat, &str)]) -> ControlFlow<()> + 'a;

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
    let last = visit(game, record, &mut |state, played| {
        each(state, played);
        ControlFlow::Continue(())
    })?;
    Ok(last.expect("no visit breaks off"))
}

/// Like [`replay`], but `each` can end it, in which case nothing is returned, and the record is
/// checked only at the end: what `each` has made of it until then counts for nothing if that fails.
///
/// # Errors
/// If the record does not replay as recorded.
pub fn replay_while(
    game: &dyn AnyGame,
    record: &Record,
    each: &mut ReplayStep<'_>,
) -> Result<Option<Box<dyn AnyMatch>>, RecordError> {
    let last = visit(game, record, each)?;
    if last.is_some() {
        game.verify(record)?;
    }
    Ok(last)
}

fn visit(
    game: &dyn AnyGame,
    record: &Record,
    each: &mut ReplayStep<'_>,
) -> Result<Option<Box<dyn AnyMatch>>, RecordError> {
    let mut state = game.begin(record.fixture.seed);
    let mut texts = record.action_texts();
    let notes = by_turn(&record.notes, |note| note.turn);
    let log = by_turn(&record.log, |entry| entry.turn);
    if each(state.as_ref(), &[]).is_break() {
        return Ok(None);
    }
    loop {
        let acting = state.acting().to_vec();
        let joint: Vec<&str> = texts.by_ref().take(acting.len()).collect();
        let turn = state.turn();
        if joint.is_empty() || joint.len() < acting.len() {
            return Ok(Some(state));
        }
        state.play(&joint).map_err(|(seat, problem)| record.refused(turn, seat, problem))?;
        state.set_notes(&all_of(&notes, turn));
        state.set_log(&all_of(&log, turn));
        let played: Vec<(Seat, &str)> = acting.into_iter().zip(joint).collect();
        if each(state.as_ref(), &played).is_break() {
            return Ok(None);
        }
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
