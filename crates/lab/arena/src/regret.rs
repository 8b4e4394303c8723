//! Regret: the distance between the score of a match and the bound that the game has proved for it.
//! The bound is a metric of the match's outcome, so records are read.

use std::collections::BTreeMap;

use quintain_core::Catalog;
use quintain_stats::mean_with_interval;

use quintain_standings::{Regret, Standings};
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
    let mut distances: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let repeats = &standings.repeats;
    let sets = tournament.scenario_sets();
    store.outcomes(
        &Filter::tournament(tournament.id),
        |(scenario, seed), players, scores, metrics| {
            if repeats.contains(sets.set_of(scenario), players, seed) {
                return Ok(());
            }
            // A player with several seats counts once, as in the standings.
            let mut of_match: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
            for (player, score) in players.iter().zip(scores) {
                if let Some(distance) = regret(*score, metrics) {
                    let (sum, seats) = of_match.entry(player).or_default();
                    *sum += distance;
                    *seats += 1.0;
                }
            }
            for (player, (sum, seats)) in of_match {
                distances.entry(player.to_owned()).or_default().push(sum / seats);
            }
            Ok::<(), StoreError>(())
        },
    )?;
    let of = |player: &String| {
        let mut distances = distances.remove(player)?;
        let reached = distances.iter().filter(|distance| **distance <= 1e-9).count() as u64;
        let (mean, _, interval) = mean_with_interval(&mut distances)?;
        // Sorted by now.
        let (n, worst) = (distances.len() as u64, distances[distances.len() - 1]);
        Some(Regret { player: player.clone(), n, mean, interval, worst, reached })
    };
    standings.regret = standings.overall.iter().map(|row| &row.player).filter_map(of).collect();
    Ok(())
}
