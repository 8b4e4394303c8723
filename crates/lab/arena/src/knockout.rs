//! A knockout: two that meet play all scenarios on all seeds, each from both seats, and the better
//! one goes on ([`quintain_standings::Bracket`]).
//!
//! **The same matches again.** Who meets whom depends on the list of players and on the records of
//! complete rounds alone: not on threads, nor on where a run was stopped.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_standings::{Bracket, game_between};
use quintain_store::{Filter, Store, StoreError, TournamentId};

use crate::executor::{Executor, RunError};
use crate::progress::RunProgress;
use crate::stage::{Played, play_rounds};
use crate::tournament::Tournament;

/// Plays the rounds of a knockout.
pub(crate) fn play(
    executor: &dyn Executor,
    tournament: &Tournament,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<Played, RunError> {
    let mut rounds = 0..;
    play_rounds(executor, tournament, (store, id), stop, progress, |store| {
        let round = rounds.next().unwrap_or(usize::MAX);
        Ok(bracket(store, id, tournament)?.pairs().into_iter().nth(round))
    })
}

/// The bracket, as far as the records of a store decide it.
fn bracket(
    store: &Store,
    id: TournamentId,
    tournament: &Tournament,
) -> Result<Bracket, StoreError> {
    let objective = tournament.objective();
    let numbers: HashMap<&str, usize> = tournament.schedule().players().zip(0..).collect();
    // By pair, the lower number first: the points of both.
    let mut points: HashMap<(usize, usize), [f64; 2]> = HashMap::new();
    store.results(&Filter::tournament(id), |result, _| {
        let seats = result.players.iter().map(|name| numbers.get(name).copied());
        let seats: Option<Vec<usize>> = seats.collect();
        let Some([first, second]) = seats.as_deref() else { return Ok(()) };
        let at_fault = result.fault.map(|(seat, _)| seat);
        let merit = |seat: usize| (objective.gain(result.scores[seat]), at_fault == Some(seat));
        let share = game_between(merit(0), merit(1)).share().unwrap_or(0.5);
        let known = points.entry((*first.min(second), *first.max(second))).or_default();
        known[usize::from(first > second)] += share;
        known[usize::from(first < second)] += 1.0 - share;
        Ok::<(), StoreError>(())
    })?;
    let games = tournament.matches_of_pair() as f64;
    let players = tournament.schedule().players().map(str::to_owned).collect();
    Ok(Bracket::new(players, |one, other| {
        let known = points.get(&(one.min(other), one.max(other)))?;
        let whole = (known[0] + known[1] >= games).then_some(*known)?;
        Some(if one < other { whole } else { [whole[1], whole[0]] })
    }))
}
