//! The field as a whole: how
//! steady players are over scenarios, whether ranks differ at all, and rings of players that beat
//! one another.

use quintain_core::Objective;
use quintain_stats::Summary;
use quintain_stats::all_pairs::MIN_SEEDS;
use quintain_stats::clustered::ClusteredSample;
use quintain_stats::cycles::find_cycles;
use quintain_stats::friedman::friedman_test;

use crate::sorted_counts::SortedCounts;
use crate::table::{Blocks, Difference, Robustness, ScenarioStandings, StandingsRow, Superiority};

/// With fewer scenarios than this, ranks are compared over seeds.
const ENOUGH_SCENARIOS: usize = 5;
/// The longest ring of players that is searched for.
const MAX_RING: usize = 5;
/// The most rings that are named.
const MAX_RINGS: usize = 20;

/// The value of a row on its scenario, where more is better: points per game among rivals (`None`
/// without a game), otherwise the mean score.
fn value(objective: Objective, row: &StandingsRow) -> Option<f64> {
    match row.games {
        Some(games) => games.share(),
        None => Some(objective.gain(row.summary.mean)),
    }
}

/// A value as people read it.
fn displayed_value(objective: Objective, row: &StandingsRow, value: f64) -> f64 {
    if row.games.is_some() { 100.0 * value } else { objective.gain(value) }
}

/// How steady `player` is; `None` on fewer than two scenarios.
pub(crate) fn robustness(
    objective: Objective,
    player: &str,
    scenarios: &[ScenarioStandings],
) -> Option<Robustness> {
    let mut played: Vec<(f64, f64, &str)> = Vec::new();
    for scenario in scenarios {
        let Some(row) = scenario.rows.iter().find(|row| row.player == player) else { continue };
        let Some(own) = value(objective, row) else { continue };
        let all: Vec<f64> = scenario.rows.iter().filter_map(|row| value(objective, row)).collect();
        let average = all.iter().sum::<f64>() / all.len() as f64;
        let ahead = own - average;
        // A lead that is only rounding of the average is no lead.
        let ahead = if ahead.abs() <= 1e-9 * average.abs().max(1.0) { 0.0 } else { ahead };
        played.push((ahead, displayed_value(objective, row, own), &scenario.scenario));
    }
    if played.len() < 2 {
        return None;
    }
    let above = played.iter().filter(|(ahead, ..)| *ahead > 0.0).count();
    let above_average = above as f64 / played.len() as f64;
    let worst = played.iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("two were played");
    let (worst_value, worst) = (worst.1, worst.2.to_owned());
    let mut values: Vec<f64> = played.iter().map(|(_, value, _)| *value).collect();
    let median = Summary::of(&mut values)?.median;
    Some(Robustness { worst, worst_value, median, above_average })
}

/// Whether ranks differ over scenarios or, where there are few scenarios, over seeds.
pub(crate) fn difference(
    counted: &SortedCounts<'_>,
    scenarios: &[ScenarioStandings],
    sums: &[ClusteredSample],
) -> Option<Difference> {
    let objective = counted.rule().objective;
    if scenarios.len() >= ENOUGH_SCENARIOS {
        let of = |scenario: &ScenarioStandings, name: &str| {
            let row = scenario.rows.iter().find(|row| row.player == name);
            row.and_then(|row| value(objective, row))
        };
        let everywhere = |name: &str| scenarios.iter().all(|one| of(one, name).is_some());
        let names: Vec<&str> = counted.players().filter(|name| everywhere(name)).collect();
        let of = |scenario, name| of(scenario, name).expect("it played everywhere");
        let merits = scenarios.iter().map(|one| names.iter().map(|name| of(one, name)).collect());
        let test = friedman_test(&merits.collect::<Vec<Vec<f64>>>())?;
        let players = names.into_iter().map(str::to_owned).collect();
        return Some(Difference { blocks_are: Blocks::Scenarios, players, test });
    }
    let everywhere = |player: &usize| sums[*player].counts.iter().all(|count| *count > 0.0);
    let there: Vec<usize> = (0..sums.len()).filter(everywhere).collect();
    let mean = |cluster: usize, player: usize| {
        objective.gain(sums[player].sums[cluster] / sums[player].counts[cluster])
    };
    let clusters = sums.first().map_or(0, |of| of.sums.len());
    if clusters < MIN_SEEDS {
        return None;
    }
    let merits =
        (0..clusters).map(|cluster| there.iter().map(|player| mean(cluster, *player)).collect());
    let test = friedman_test(&merits.collect::<Vec<Vec<f64>>>())?;
    let names: Vec<&str> = counted.players().collect();
    let players = there.into_iter().map(|player| names[player].to_owned()).collect();
    Some(Difference { blocks_are: Blocks::Seeds, players, test })
}

/// Rings of players in which each certainly beats the next, by the sign test over common seeds,
/// corrected for all pairs.
pub(crate) fn rings(superiority: &Superiority) -> Vec<Vec<String>> {
    let players = superiority.players.len();
    let beats = |a: usize, b: usize| superiority.beats(a, b);
    let found = find_cycles(players, MAX_RING.min(players), MAX_RINGS, beats);
    let name = |player: usize| superiority.players[player].clone();
    found.into_iter().map(|ring| ring.into_iter().map(name).collect()).collect()
}
