//! Numbers across scenarios and seeds that sources print: duels on common seeds, means over some
//! scenarios, and sums of ranks.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use quintain_core::Objective;
use quintain_stats::WinDrawLoss;

use crate::table::Standings;

/// Players of a game for one player, compared pair by pair on common seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Duels {
    /// `seeds[i][j]`: the seeds on which player `i` scored better than player `j`, as well and
    /// worse.
    pub seeds: Vec<Vec<WinDrawLoss>>,
    /// How many of its duels each player won, drew and lost: a duel is won on more seeds than lost.
    pub records: Vec<WinDrawLoss>,
}

impl Duels {
    /// The duels of players with these scores, by whatever tells seeds apart.
    pub fn of<Seed: Ord>(objective: Objective, scores: &[BTreeMap<Seed, f64>]) -> Duels {
        let duel = |own: &BTreeMap<Seed, f64>, other: &BTreeMap<Seed, f64>| {
            let common = own.iter().filter_map(|(seed, mine)| Some((mine, other.get(seed)?)));
            let mut seeds = WinDrawLoss::default();
            for (mine, theirs) in common {
                let lead = objective.gain(*mine).partial_cmp(&objective.gain(*theirs));
                seeds += WinDrawLoss::of(lead.unwrap_or(Ordering::Equal));
            }
            seeds
        };
        let seeds: Vec<Vec<WinDrawLoss>> = scores
            .iter()
            .map(|own| scores.iter().map(|other| duel(own, other)).collect())
            .collect();
        let record = |(own, duels): (usize, &Vec<WinDrawLoss>)| {
            let mut record = WinDrawLoss::default();
            let others = duels.iter().enumerate().filter(|(other, _)| *other != own);
            others.for_each(|(_, duel)| record += duel.as_duel());
            record
        };
        let records = seeds.iter().enumerate().map(record).collect();
        Duels { seeds, records }
    }
}

/// A player's sum of ranks over problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankSum {
    /// The player.
    pub player: String,
    /// The rank by the sum, from 1; equal players share it.
    pub rank: usize,
    /// The sum of its ranks, which have no gaps: 1, 2, 2, 3.
    pub sum: usize,
}

impl Standings {
    /// The mean of a player's mean scores on some scenarios; `None` if it played none of them.
    pub fn mean_over(&self, player: &str, is_counted: impl Fn(&str) -> bool) -> Option<f64> {
        let here = self.scenarios.iter().filter(|scenario| is_counted(&scenario.scenario));
        let rows = here.filter_map(|one| one.rows.iter().find(|row| row.player == player));
        let means: Vec<f64> = rows.map(|row| row.summary.mean).collect();
        (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
    }

    /// The sums of ranks, the lowest first, and the number of problems. Scenarios of one problem
    /// count as one, with the mean of their scores, rounded down.
    pub fn rank_sums(&self, problem_of: impl Fn(&str) -> String) -> (Vec<RankSum>, usize) {
        let mut scores: BTreeMap<String, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        for scenario in &self.scenarios {
            let here = scores.entry(problem_of(&scenario.scenario)).or_default();
            for row in &scenario.rows {
                here.entry(&row.player).or_default().push(row.summary.mean);
            }
        }
        let mut sums: Vec<(usize, &str)> =
            self.overall.iter().map(|row| (0, row.player.as_str())).collect();
        for here in scores.values() {
            let mean = |list: &Vec<f64>| (list.iter().sum::<f64>() / list.len() as f64).floor();
            let gain = |list: &Vec<f64>| self.rule.objective.gain(mean(list)) as i64;
            let gains: BTreeMap<&str, i64> =
                here.iter().map(|(player, list)| (*player, gain(list))).collect();
            for (sum, player) in &mut sums {
                // A player that did not play ranks behind all that did.
                let own = gains.get(player).copied().unwrap_or(i64::MIN);
                let better = gains.values().filter(|other| **other > own);
                *sum += 1 + better.collect::<BTreeSet<_>>().len();
            }
        }
        sums.sort_unstable();
        let rank = |sum: usize| 1 + sums.iter().filter(|(other, _)| *other < sum).count();
        let rows = sums.iter().map(|&(sum, player)| RankSum {
            player: player.to_owned(),
            rank: rank(sum),
            sum,
        });
        (rows.collect(), scores.len())
    }
}
