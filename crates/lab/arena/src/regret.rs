//! Regret: the distance between the score of a match and the bound that the game has proved for it.
//! The bound is a metric of the match's outcome, so records are read.

use std::collections::BTreeMap;

use quintain_core::{Catalog, Effort, GivenAway, JudgeError, Record, Seat};
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

/// Matches that were not judged, by the reason.
pub type LeftOut = BTreeMap<String, usize>;

/// Adds what players gave away compared with perfect play, in the matches whose positions can be
/// solved with this effort. Returns the others; none where the game has no exact values.
///
/// # Errors
/// If the store cannot be read.
pub fn add_exact(
    standings: &mut Standings,
    store: &Store,
    tournament: &TournamentInfo,
    catalog: &Catalog,
    effort: Effort,
) -> Result<Option<LeftOut>, StoreError> {
    let Ok(entry) = catalog.entry(&tournament.game) else { return Ok(None) };
    let Some(make) = entry.exact() else { return Ok(None) };
    let sets = tournament.scenario_sets();
    let mut records: Vec<Record> = Vec::new();
    store.for_each_record(&Filter::tournament(tournament.id), |stored| {
        let record = stored.record()?;
        let fixture = &record.fixture;
        let set = sets.set_of(&fixture.scenario);
        if !standings.repeats.contains(set, &fixture.seats, fixture.seed) {
            records.push(record);
        }
        Ok::<(), StoreError>(())
    })?;
    // Matches on the same board follow each other, so that its values are found once.
    records.sort_by(|a, b| a.fixture.scenario.cmp(&b.fixture.scenario));
    let mut judge = make(effort);
    let mut distances = Distances::exact();
    let mut left_out = LeftOut::new();
    for record in &records {
        match judge.judge(record) {
            Ok(turns) => {
                let players = &record.fixture.seats;
                let seats = Seat::all(players.len()).zip(players);
                distances.add(
                    seats.map(|(seat, name)| (name.as_str(), GivenAway::of(&turns, seat).all)),
                );
            }
            Err(JudgeError::Refused(reason)) => *left_out.entry(reason).or_default() += 1,
            Err(_) => {
                *left_out.entry("stopped".to_owned()).or_default() += 1;
            }
        }
    }
    standings.add_regret(distances);
    Ok(Some(left_out))
}
