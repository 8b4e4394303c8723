//! Which ladder is played now. A phase with other scenarios has a ladder of its own, and so has a
//! contest after a reset. The seeds that everybody plays alone come in sequences: nobody knows the
//! seeds of the running one, since they and its records are secret until it is retired.

use crate::contest::Contest;
use crate::error::HostError;
use crate::lock::lock;
use crate::state::now;
use crate::stores::Stores;
use quintain_store::RecordRow;

/// Number of records revealed at a time.
const REVEALED: u32 = 200;

/// Follows what has changed: the phase, a reset, matches that were struck out; and retires a
/// sequence of seeds whose time is over, or that nobody plays any more.
pub(crate) fn follow(contest: &Contest) -> Result<(), HostError> {
    let phase = contest.phase()?;
    // Locked in this order, as everywhere.
    let mut state = contest.write_state();
    let id = contest.config.ladder_of(&mut state, phase)?;
    let played = phase.has_ladder().then_some(id);
    state.retire_sequences(played, now() - contest.config.new_seeds.0.as_secs() as i64)?;
    let revision = state.ladder_revision()?;
    let mut ladder = lock(&contest.ladder);
    if !ladder.is(id, revision.as_ref()) {
        *ladder = ladder.load(&state, id)?;
    }
    Ok(())
}

/// Moves records of retired sequences to the store that everybody sees; returns whether there were
/// any. If the host is killed meanwhile, they are moved again.
pub(crate) fn reveal(contest: &Contest, stores: &mut Stores) -> Result<bool, HostError> {
    let due = contest.read_state().list_to_reveal(REVEALED)?;
    if due.is_empty() {
        return Ok(false);
    }
    let usage = HostError::Usage;
    let mut rows = Vec::new();
    for played in &due {
        let found = stores.open_hidden(contest).map_err(usage)?.find(&played.record)?;
        if let Some(stored) = found {
            rows.push(RecordRow::new(&stored.record()?, stored.elapsed));
        }
    }
    stores.open_shown(contest).map_err(usage)?.insert(None, &rows)?;
    contest.write_state().mark_revealed(&due)?;
    let moved: Vec<String> = due.into_iter().map(|played| played.record).collect();
    stores.open_hidden(contest).map_err(usage)?.retract(&moved)?;
    Ok(true)
}
