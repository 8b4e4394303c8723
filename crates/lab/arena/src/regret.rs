//! Regret: the distance between the score of a match and the bound that the game has proved for it.
//! The bound is a metric of the match's outcome, so records are read.

use quintain_core::Catalog;
use quintain_standings::{Distances, Standings};
use quintain_store::{Filter, Store, StoreError, TournamentInfo};

/// Adds the regret to the standings of a tournament, if its game proves bounds.
///
/// # Errors
/// If the store cannot be read.
pub fn add(
    standings: &mut Standings,
    store: &Store,
    tournament: &TournamentInfo,
    catalog: &Catalog,
) -> Result<(), StoreError> {
    let Ok(entry) = catalog.entry(&tournament.game) else { return Ok(()) };
    let Some(regret) = entry.regret() else { return Ok(()) };
    let mut distances = Distances::default();
    let repeats = &standings.repeats;
    let sets = tournament.scenario_sets();
    store.outcomes(
        &Filter::tournament(tournament.id),
        |(scenario, seed), players, scores, metrics| {
            if !repeats.contains(sets.set_of(scenario), players, seed) {
                let seats = players.iter().zip(scores);
                distances.add(seats.filter_map(|(player, score)| {
                    Some((player.as_str(), regret(*score, metrics)?))
                }));
            }
            Ok::<(), StoreError>(())
        },
    )?;
    standings.add_regret(distances);
    Ok(())
}
