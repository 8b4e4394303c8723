//! The field as a whole: who wins which scenario and who is indistinguishable from the winner, how
//! steady players are over scenarios, whether ranks differ at all, and rings of players that beat
//! one another.

use quintain_core::Objective;
use quintain_stats::cycles::find_cycles;
use quintain_stats::friedman::friedman_test;
use quintain_stats::{Pairs, Summary, paired};

use crate::resampled::Clusters;
use crate::sorted_counts::SortedCounts;
use crate::table::{Blocks, Difference, Robustness, ScenarioStandings, StandingsRow, Versus};

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

/// The risk, over all players of a scenario, of leaving out one that is as good as the first.
const RISK: f64 = 0.05;

/// The first player of a scenario and those that cannot be distinguished from it: those whose mean
/// difference to it on common seeds is not certainly below zero. A difference is certain where each
/// of the two has the same matches on every seed. Since the first is known only by the scores, any
/// pair might have been tested, so all pairs share the risk (Bonferroni).
pub(crate) fn winners(
    counted: &SortedCounts<'_>,
    scenario: usize,
    rows: &[(usize, StandingsRow)],
) -> Vec<String> {
    let objective = counted.rule().objective;
    let Some(((leader, first), others)) = rows.split_first() else { return Vec::new() };
    let pairs = (rows.len() * others.len()) as f64 / 2.0;
    let tied = |(player, _): &&(usize, StandingsRow)| {
        let both = [*player, *leader];
        let all = paired::summarize_repeated(counted.differences(scenario, both));
        let Some(paired) = all else { return true };
        // If no seed changes anything for either, no other seed would have put the worse one first.
        let sure = || both.iter().all(|player| counted.is_unvarying(scenario, *player));
        objective.gain(paired.difference) >= 0.0
            || !sure() && paired.p_value().is_none_or(|p| p * pairs > RISK)
    };
    let tied = others.iter().filter(tied).map(|(_, row)| row.player.clone());
    std::iter::once(first.player.clone()).chain(tied).collect()
}

/// Whether ranks differ over scenarios or, where there are few scenarios, over seeds.
pub(crate) fn difference(
    counted: &SortedCounts<'_>,
    scenarios: &[ScenarioStandings],
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
    let clusters = Clusters::of(counted);
    let sums = clusters.scores(counted);
    let everywhere = |player: &usize| sums[*player].counts.iter().all(|count| *count > 0.0);
    let there: Vec<usize> = (0..sums.len()).filter(everywhere).collect();
    let mean = |cluster: usize, player: usize| {
        objective.gain(sums[player].sums[cluster] / sums[player].counts[cluster])
    };
    let merits = (0..clusters.count)
        .map(|cluster| there.iter().map(|player| mean(cluster, *player)).collect());
    let test = friedman_test(&merits.collect::<Vec<Vec<f64>>>())?;
    let names: Vec<&str> = counted.players().collect();
    let players = there.into_iter().map(|player| names[player].to_owned()).collect();
    Some(Difference { blocks_are: Blocks::Seeds, players, test })
}

/// Rings of players in which each has beaten the next: it took more than half of the points of
/// their games, by more than chance explains (the 95 % interval of the points is above one half).
pub(crate) fn rings(versus: &Versus) -> Vec<Vec<String>> {
    let beats = |a: usize, b: usize| {
        let games = versus.distinct[a][b];
        let counts = [games.losses, games.draws, games.wins];
        let singles = Pairs::from_counts(counts.to_vec());
        singles.elo().is_some_and(|(_, interval)| interval.low > 0.0)
    };
    let players = versus.players.len();
    let found = find_cycles(players, MAX_RING.min(players), MAX_RINGS, beats);
    let name = |player: usize| versus.players[player].clone();
    found.into_iter().map(|ring| ring.into_iter().map(name).collect()).collect()
}
