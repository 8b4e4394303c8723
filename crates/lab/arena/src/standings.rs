//! Computes standings from the records in a store.

use quintain_standings::{BadResult, MatchResult, ScoringRule, Standings, StandingsBuilder};
use quintain_store::{Filter, Store, StoreError, TournamentInfo};

use crate::swiss;
use crate::tournament::{GAUNTLET, KNOCKOUT, SWISS};

/// Why standings cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StandingsError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A result in it cannot be counted.
    #[error(transparent)]
    Result(#[from] BadResult),
}

/// The standings of a tournament, from the records now in the store.
///
/// # Errors
/// If the store cannot be read, or a result in it cannot be counted.
pub fn standings_of(
    store: &Store,
    tournament: &TournamentInfo,
) -> Result<Standings, StandingsError> {
    standings_and_results_of(store, tournament, |_| {})
}

/// As [`standings_of`]; also calls `each` with every result that is counted, whose scenario is the
/// set that it belongs to.
///
/// # Errors
/// As [`standings_of`].
pub fn standings_and_results_of(
    store: &Store,
    tournament: &TournamentInfo,
    mut each: impl FnMut(&MatchResult<'_>),
) -> Result<Standings, StandingsError> {
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: tournament.objective,
        scoring: tournament.scoring,
    });
    // Standings do not depend on the order of results, so the quicker order will do.
    let sets = tournament.scenario_sets();
    store.results(&Filter::tournament(tournament.id), |result, course| {
        let result = MatchResult { scenario: sets.set_of(result.scenario), ..result };
        tally.add_with_course(&result, course)?;
        each(&result);
        Ok::<(), StandingsError>(())
    })?;
    let mut standings = tally.standings();
    let definition: serde_json::Value =
        serde_json::from_str(&tournament.definition).unwrap_or_default();
    // Results decided who met whom, unless there was only one opponent to meet.
    let is_knockout = definition["pairing"] == KNOCKOUT;
    let listed = definition["players"].as_array().into_iter().flatten();
    let players: Vec<&str> = listed.filter_map(|player| player[0].as_str()).collect();
    if (definition["pairing"] == SWISS || is_knockout) && players.len() > 2 {
        standings.withhold_certainty();
    }
    let scenarios = definition["scenarios"].as_array().map_or(0, Vec::len) as u64;
    let games = 2 * scenarios * definition["seeds"].as_u64().unwrap_or(1);
    if is_knockout {
        standings.set_bracket(players.iter().map(|name| (*name).to_owned()).collect(), games);
    }
    if definition["pairing"] == SWISS {
        let number = |key: &str| definition[key].as_u64();
        let (rounds, seed) = (number("rounds").unwrap_or(0), number("seed").unwrap_or(1));
        let count = players.len();
        let players = players.iter().map(|player| (*player).to_owned()).collect();
        standings.set_rounds(players, rounds, games, |points| {
            swiss::meetings((count, seed), rounds, games, points)
        });
    } else if definition["pairing"] == GAUNTLET {
        let challengers = definition["challengers"].as_u64().unwrap_or(1) as usize;
        let challengers = players.iter().take(challengers).map(|player| (*player).to_owned());
        standings.set_challengers(challengers.collect());
    }
    // What is open is for the tournament's own looks to say, which know what was played for whom.
    if !definition["allocate"].is_null() {
        standings.certainty.open = None;
    }
    Ok(standings)
}
