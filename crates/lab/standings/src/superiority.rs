//! Who does better than whom on a common seed, pair by pair and corrected for the number of pairs,
//! and the α-rank that follows, for players that beat one another in rings.

use std::collections::BTreeMap;

use quintain_core::Scoring;
use quintain_stats::alpha_rank::alpha_rank;
use quintain_stats::simultaneous::{holm, sign_test};

use crate::sorted_counts::SortedCounts;
use crate::table::{StandingsRow, Superiority};

/// With more players than this, pairs are not compared.
const MAX_PLAYERS: usize = 60;
/// The risk of calling any two equal players different.
const RISK: f64 = 0.05;

/// For two players: seeds on which the first did better, equally well, and worse.
type Seeds = [u64; 3];

/// The superiority of the players in the order of `rows`; each row comes with the player's index in
/// the order of names.
pub(crate) fn superiority(
    counted: &SortedCounts<'_>,
    rows: &[(usize, StandingsRow)],
) -> Option<Superiority> {
    let players = rows.len();
    if !(2..=MAX_PLAYERS).contains(&players) {
        return None;
    }
    let seeds = match counted.rule().scoring {
        Scoring::Independent => by_scores(counted, rows),
        Scoring::Adversarial => by_games(counted, rows),
    };
    let pairs: Vec<(usize, usize)> =
        (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other))).collect();
    let test =
        |&(one, other): &(usize, usize)| sign_test(seeds[one][other][0], seeds[one][other][2]);
    let corrected = holm(&pairs.iter().map(test).collect::<Vec<f64>>());
    let mut p_values = vec![vec![1.0; players]; players];
    for (&(one, other), p) in pairs.iter().zip(corrected) {
        p_values[one][other] = p;
        p_values[other][one] = p;
    }
    let chance = |[better, same, worse]: Seeds| {
        let all = better + same + worse;
        (all > 0).then(|| (better as f64 + same as f64 / 2.0) / all as f64)
    };
    let chances: Vec<Vec<Option<f64>>> =
        seeds.iter().map(|row| row.iter().map(|seeds| chance(*seeds)).collect()).collect();
    let players = rows.iter().map(|(_, row)| row.player.clone()).collect();
    let mut superiority = Superiority { players, alpha_rank: None, chances, p_values };
    let count = rows.len();
    let lead = |one: usize, other: usize| match superiority.beats(one, other) {
        true => 1.0,
        false if superiority.beats(other, one) => -1.0,
        false => 0.0,
    };
    let is_certain = |&(one, other): &(usize, usize)| lead(one, other) != 0.0;
    superiority.alpha_rank = pairs.iter().any(is_certain).then(|| alpha_rank(count, lead));
    Some(superiority)
}

impl Superiority {
    /// Whether one player certainly does better than another on common seeds, with all pairs of
    /// players considered.
    pub(crate) fn beats(&self, one: usize, other: usize) -> bool {
        let is_better = self.chances[one][other].is_some_and(|chance| chance > 0.5);
        is_better && self.p_values[one][other] <= RISK
    }
}

fn by_scores(counted: &SortedCounts<'_>, rows: &[(usize, StandingsRow)]) -> Vec<Vec<Seeds>> {
    let objective = counted.rule().objective;
    let compare = |one: usize, other: usize| {
        let mut seeds = [0; 3];
        if one == other {
            return seeds;
        }
        for scenario in 0..counted.scenario_count() {
            for (difference, _) in counted.differences(scenario, [one, other]) {
                seeds[outcome(objective.gain(difference))] += 1;
            }
        }
        seeds
    };
    let row = |(one, _): &(usize, StandingsRow)| {
        rows.iter().map(|(other, _)| compare(*one, *other)).collect()
    };
    rows.iter().map(row).collect()
}

/// Among rivals, a seed goes to the player with more points over all games of the two on it.
fn by_games(counted: &SortedCounts<'_>, rows: &[(usize, StandingsRow)]) -> Vec<Vec<Seeds>> {
    let mut leads: BTreeMap<(usize, usize, usize, u64), i64> = BTreeMap::new();
    for games in counted.meetings().filter(|games| games.is_first) {
        // A match that is the same on every seed is one observation, with the sides taken together.
        let seed = if games.times > 1 { 0 } else { games.seed };
        let lead = leads.entry((games.first, games.second, games.scenario, seed)).or_default();
        *lead += games.games.wins as i64 - games.games.losses as i64;
    }
    let mut row_of = vec![0; counted.players().len()];
    rows.iter().enumerate().for_each(|(row, (player, _))| row_of[*player] = row);
    let mut seeds = vec![vec![[0; 3]; rows.len()]; rows.len()];
    for ((first, second, ..), lead) in leads {
        let (first, second, at) = (row_of[first], row_of[second], outcome(lead as f64));
        seeds[first][second][at] += 1;
        seeds[second][first][2 - at] += 1;
    }
    seeds
}

fn outcome(difference: f64) -> usize {
    match difference {
        better if better > 0.0 => 0,
        worse if worse < 0.0 => 2,
        _ => 1,
    }
}
