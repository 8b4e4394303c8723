//! Ranked tables: one row per player, best first, and a player's ranks over all scenarios.

use std::collections::{BTreeMap, HashMap};

use quintain_core::{Objective, Scoring};
use quintain_stats::{Elo, Summary, WinDrawLoss, paired, ranks};

use crate::sorted_counts::SortedCounts;
use crate::table::{Placements, ScenarioStandings, StandingsRow};

/// Ratings that differ by no more are tied: fitting them leaves rounding errors.
pub(crate) const RATING_TOLERANCE: f64 = 1e-7;

/// One table over these scenarios, best player first, each row with the player's index among the
/// players. `ratings`, in the order of the players, and `places`, which rank players without a
/// rating, are empty for the table of a single scenario.
pub(crate) fn table(
    counted: &SortedCounts<'_>,
    scenarios: std::ops::Range<usize>,
    ratings: &[Option<Elo>],
    places: &HashMap<&str, Placements>,
) -> Vec<(usize, StandingsRow)> {
    let rule = counted.rule();
    let versus = rule.scoring == Scoring::Adversarial;
    let mut numbered: Vec<(usize, StandingsRow)> = Vec::new();
    for (at, name) in counted.players().enumerate() {
        let here = || scenarios.clone().filter_map(|scenario| counted.counts(scenario, at));
        let mut scores: Vec<(f64, u64)> =
            here().flat_map(|of| counted.distinct_scores(of)).collect();
        let Some(summary) = Summary::of_repeated(&mut scores) else { continue };
        let matches = scores.iter().map(|(_, times)| times).sum();
        let mut games = WinDrawLoss::default();
        here().for_each(|counts| games += counts.games);
        let mut faults: BTreeMap<String, u64> = BTreeMap::new();
        for (kind, count) in here().flat_map(|counts| &counts.faults) {
            *faults.entry(kind.clone()).or_default() += count;
        }
        let row = StandingsRow {
            rank: 0,
            player: name.to_owned(),
            summary,
            matches,
            games: versus.then_some(games),
            elo: ratings.get(at).cloned().flatten(),
            places: places.get(name).cloned(),
            ranks: None,
            mark: None,
            by_seed: None,
            margin: counted.margin(scenarios.clone(), at),
            normalised: None,
            leagues: None,
            robustness: None,
            endings: Vec::new(),
            to_leader: None,
            forfeits: faults.values().sum(),
            faults,
            truncated: here().map(|counts| counts.truncated).sum(),
        };
        numbered.push((at, row));
    }
    let places = rank_rows(rule.objective, numbered.iter().map(|(_, row)| row));
    for ((_, row), place) in numbered.iter_mut().zip(places) {
        row.rank = place.rank;
    }
    // Stable: tied players stay in the order of their names.
    numbered.sort_by_key(|(_, row)| row.rank);
    if !versus {
        pair_with_leader(&mut numbered, counted, scenarios);
    }
    numbered
}

/// The rank of each row: by rating where there is one, otherwise by points per game. The rest
/// (score contests, and players that met only themselves) are ranked by mean rank over scenarios,
/// whose scores may be on different scales, or by mean score on a single one. Players that met
/// others come before those that did not.
fn rank_rows<'a>(
    objective: Objective,
    rows: impl Iterator<Item = &'a StandingsRow> + Clone,
) -> Vec<ranks::Rank> {
    let contested = rows.clone().filter_map(contested_merit);
    let means = rows.clone().filter(|row| contested_merit(row).is_none());
    let merit = |row: &StandingsRow| match &row.places {
        Some(places) => -places.mean_rank,
        None => objective.gain(row.summary.mean),
    };
    let means: Vec<f64> = means.map(merit).collect();
    let largest = means.iter().fold(0.0_f64, |largest, mean| largest.max(mean.abs()));

    let mut first = ranks::rank(&contested.collect::<Vec<_>>(), RATING_TOLERANCE).into_iter();
    let ahead = first.len();
    let mut second = ranks::rank(&means, largest * 1e-12).into_iter().map(|place| ranks::Rank {
        rank: place.rank + ahead as u64,
        fractional: place.fractional + ahead as f64,
    });
    rows.map(|row| match contested_merit(row) {
        Some(_) => first.next(),
        None => second.next(),
    })
    .map(|place| place.expect("one place was given per row"))
    .collect()
}

fn contested_merit(row: &StandingsRow) -> Option<f64> {
    row.elo.as_ref().map(|elo| elo.rating).or(row.games.and_then(WinDrawLoss::share))
}

/// Compares every row but the first with the first on their common (scenario, seed) pairs.
fn pair_with_leader(
    rows: &mut [(usize, StandingsRow)],
    counted: &SortedCounts<'_>,
    scenarios: std::ops::Range<usize>,
) {
    let [(leader, _), others @ ..] = rows else { return };
    for (player, row) in others {
        let both = [*player, *leader];
        let differences = scenarios.clone().flat_map(|at| counted.differences(at, both));
        row.to_leader = paired::summarize_repeated(differences.collect());
        // Corrected for all players, once these are compared.
        row.to_leader.iter_mut().for_each(|paired| paired.interval = None);
    }
}

/// The ranks of every player over all scenarios.
pub(crate) fn places_over(
    objective: Objective,
    scenarios: &[ScenarioStandings],
) -> HashMap<&str, Placements> {
    let mut all: HashMap<&str, Placements> = HashMap::new();
    for scenario in scenarios {
        let places = rank_rows(objective, scenario.rows.iter());
        for (row, place) in scenario.rows.iter().zip(places) {
            let none = Placements { scenarios: 0, mean_rank: 0.0, first: 0, second: 0, third: 0 };
            let entry = all.entry(&row.player).or_insert(none);
            entry.scenarios += 1;
            // The sum of ranks until all scenarios are added; halves are exact.
            entry.mean_rank += place.fractional;
            match place.rank {
                1 => entry.first += 1,
                2 => entry.second += 1,
                3 => entry.third += 1,
                _ => {}
            }
        }
    }
    all.values_mut().for_each(|places| places.mean_rank /= places.scenarios as f64);
    all
}
