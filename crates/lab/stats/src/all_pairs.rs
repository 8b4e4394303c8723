//! Which of many players certainly differ, by their values on common seeds: one procedure for the
//! best, for ranks and for differences, so that all statements of a table hold together with 95 %.
//!
//! Every two players are compared by the mean of their differences on common seeds. The variances
//! of these differences are [moderated], since each is estimated from few seeds, and the
//! differences are judged by the [studentised range](crate::studentised_range), which bounds all of
//! them at once. Its degrees of freedom are those of the whole table, reduced by Greenhouse and
//! Geisser's factor (1959) where some players vary more than others or vary together.
//!
//! Below [`MIN_SEEDS`] common seeds this does not hold its level, and nothing is told apart.
//!
//! ```
//! use quintain_stats::all_pairs::{AllPairs, Mark};
//!
//! // Three players on six seeds; the first has the best rank.
//! let values = [
//!     [9.0, 8.0, 9.5, 9.0, 8.5, 9.0],
//!     [5.0, 4.0, 6.0, 5.5, 4.0, 5.0],
//!     [5.0, 4.5, 5.0, 5.5, 4.0, 4.5],
//! ];
//! let values = values.map(|of| of.iter().map(|value| Some(*value)).collect());
//! let pairs = AllPairs::compare(&[1, 2, 3], &values, |_, _| false);
//! assert_eq!(pairs.ranks(), Some(vec![(1, 1), (2, 3), (2, 3)]));
//! assert_eq!(pairs.marks(), Some(vec![Mark::Best, Mark::Behind, Mark::Behind]));
//! ```
//!
//! [moderated]: crate::moderated

use serde::Serialize;

use crate::moderated::Prior;
use crate::simultaneous::sign_test;
use crate::studentised_range;
use crate::summary::{Interval, student_p_value};

/// The number of common seeds from which on the procedure holds its level: in simulations with
/// four, equal players of whom one varies more were told apart in up to 7 % of tables.
pub const MIN_SEEDS: usize = 5;

/// The probability with which all statements about the players hold together.
const LEVEL: f64 = 0.95;

/// No question is answered by a promise of more seeds than this.
const MAX_SEEDS: u64 = 1_000_000;

/// What a table says about a player. Marks follow the ranks: after a player that is not the best
/// for certain, nobody is; after one that is behind, everybody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Certainly better than all others, except those that certainly equal it.
    Best,
    /// Nobody is certainly better.
    CannotTell,
    /// Somebody is certainly better.
    Behind,
}

/// Two players on their common seeds, the one with the better rank first.
#[derive(Clone, Copy, Debug)]
struct Pair {
    seeds: usize,
    /// The mean difference, the first player's value less the second's.
    difference: f64,
    /// The variance of a difference, moderated, with its degrees of freedom.
    variance: f64,
    freedom: f64,
    /// The two-sided p-value of this difference alone.
    alone: f64,
    /// Half of the width of the interval that holds together with those of all other pairs.
    half_width: f64,
    /// Whether no seed would change the difference.
    is_exact: bool,
    /// Whether the difference is certain, with all pairs considered.
    is_certain: bool,
}

/// All players compared with one another.
#[derive(Clone, Debug)]
pub struct AllPairs {
    /// The probability with which all statements hold together.
    level: f64,
    /// The number of players, with and without values.
    all: usize,
    /// The players that have values, best rank first.
    order: Vec<usize>,
    places: Vec<u64>,
    /// By the places in `order` of the two players.
    pairs: Vec<Vec<Pair>>,
    /// `ahead[i][j]`: whether the player at place i certainly ranks before the one at place j.
    ahead: Vec<Vec<bool>>,
    /// The prior of the variances.
    prior: Option<Prior>,
    /// The most degrees of freedom that all the values have together, divided by the seeds less
    /// one: at most the number of players less one.
    dimensions: f64,
    /// The number of seeds that a typical pair has in common.
    seeds: usize,
}

impl AllPairs {
    /// Compares players that have these ranks in a table (1 is first; equal ranks are tied). Each
    /// has a value on every seed, where more is better, or `None` where it has not played. A player
    /// without values is left out. Seeds are independent; players may share the luck of a seed.
    /// `is_exact` says of two players that other seeds would repeat their values.
    ///
    /// A player is told apart from another only in the direction of their ranks.
    pub fn compare(
        ranks: &[u64],
        values: &[Vec<Option<f64>>],
        is_exact: impl Fn(usize, usize) -> bool,
    ) -> AllPairs {
        AllPairs::compare_at(LEVEL, ranks, values, is_exact)
    }

    /// Compares players as [`AllPairs::compare`] does, with statements that all hold together with
    /// this probability instead of 95 %: for those who look several times.
    pub fn compare_at(
        level: f64,
        ranks: &[u64],
        values: &[Vec<Option<f64>>],
        is_exact: impl Fn(usize, usize) -> bool,
    ) -> AllPairs {
        let has_values = |player: &usize| values[*player].iter().any(Option::is_some);
        let mut order: Vec<usize> = (0..values.len()).filter(has_values).collect();
        order.sort_by_key(|&player| ranks[player]);
        let places: Vec<u64> = order.iter().map(|&player| ranks[player]).collect();
        let ordered: Vec<&[Option<f64>]> = order.iter().map(|&at| &values[at][..]).collect();
        let pair = |one: usize, other: usize| {
            Pair::of(ordered[one], ordered[other], is_exact(order[one], order[other]))
        };
        let pairs: Vec<Vec<Pair>> = (0..order.len())
            .map(|one| (0..order.len()).map(|other| pair(one, other.max(one))).collect())
            .collect();
        let mut seeds: Vec<usize> =
            each_pair(order.len()).map(|(i, j)| pairs[i][j].seeds).collect();
        seeds.sort_unstable();
        let seeds = seeds.get(seeds.len() / 2).copied().unwrap_or(0);
        let (dimensions, complete) = dimensions(&ordered);
        let (all, ahead, prior) = (values.len(), Vec::new(), None);
        let mut compared =
            AllPairs { level, all, order, places, pairs, ahead, prior, dimensions, seeds };
        compared.judge(complete);
        compared.order_statements();
        compared
    }

    /// Moderates the variances and decides which differences are certain.
    fn judge(&mut self, complete: usize) {
        let (level, players) = (self.level, self.order.len());
        let judged = |pair: &Pair| pair.seeds >= MIN_SEEDS && !pair.is_exact;
        let varying: Vec<(f64, f64)> = each_pair(players)
            .map(|(i, j)| self.pairs[i][j])
            .filter(judged)
            .map(|pair| (pair.variance, pair.freedom))
            .collect();
        self.prior = Prior::fit(&varying);
        let most = match complete {
            MIN_SEEDS.. => self.dimensions * (complete - 1) as f64,
            _ => 0.0,
        };
        let prior = self.prior;
        let mut known: Vec<(f64, f64)> = Vec::new();
        for (i, j) in each_pair(players) {
            let tied = self.places[i] == self.places[j];
            let pair = &mut self.pairs[i][j];
            if pair.is_exact {
                pair.is_certain = !tied && pair.difference > 0.0;
                pair.alone = 0.0;
                continue;
            }
            if pair.seeds < MIN_SEEDS {
                continue;
            }
            if let Some(prior) = prior {
                let own = pair.freedom;
                let counted = Prior { freedom: prior.freedom * PRIOR_SHARES.0, ..prior };
                pair.variance = counted.moderate((pair.variance, own)).0;
                pair.freedom = freedom(Some(prior), own, most);
            }
            let errors = pair.difference / pair.error();
            if pair.variance <= 0.0 {
                // Equal differences on all seeds say nothing about their variance; the sign test
                // needs none.
                let count = varying.len() as f64;
                pair.is_certain =
                    !tied && pair.difference > 0.0 && pair.alone * count <= 1.0 - level;
                continue;
            }
            pair.alone = pair.alone.min(student_p_value(errors, pair.freedom));
            let q = match known.iter().find(|(freedom, _)| *freedom == pair.freedom) {
                Some((_, q)) => *q,
                None => {
                    let q = critical(level, players, pair.freedom);
                    known.push((pair.freedom, q));
                    q
                }
            };
            pair.half_width = q * pair.error();
            pair.is_certain = !tied && errors > q;
        }
    }

    /// Decides who certainly ranks before whom, so that statements follow the ranks: whoever ranks
    /// before the better and after the worse of two players that differ is as far apart from the
    /// other, or none of these is told apart.
    ///
    /// A player between which and another lies a certain difference needs no further correction for
    /// all pairs, but has to differ from the other by itself; if it does not, because it varies
    /// more than others do, nobody between the two is said to be certain either.
    fn order_statements(&mut self) {
        let players = self.order.len();
        // The first and the last place of the players that are tied with each.
        let is_tied = |one: usize, other: usize| self.places[one] == self.places[other];
        let first = |at: usize| (0..=at).find(|other| is_tied(*other, at)).unwrap_or(at);
        let last = |at: usize| (at..players).rfind(|other| is_tied(*other, at)).unwrap_or(at);
        let ties: Vec<(usize, usize)> = (0..players).map(|at| (first(at), last(at))).collect();

        let mut encloses = vec![vec![false; players]; players];
        for width in 1..players {
            for i in 0..players - width {
                let j = i + width;
                let inner = width > 1 && (encloses[i + 1][j] || encloses[i][j - 1]);
                encloses[i][j] = inner || self.pairs[i][j].is_certain;
            }
        }
        let differs = |i: usize, j: usize| {
            let pair = &self.pairs[i][j];
            let is_better = pair.difference > 0.0 && pair.seeds > 0;
            let by_itself = is_better && pair.alone <= 2.0 * (1.0 - self.level);
            pair.is_certain || encloses[ties[i].0][ties[j].1] && by_itself
        };
        let mut enclosed = vec![vec![false; players]; players];
        for width in (1..players).rev() {
            for i in 0..players - width {
                let j = i + width;
                let outer =
                    (i == 0 || enclosed[i - 1][j]) && (j + 1 == players || enclosed[i][j + 1]);
                enclosed[i][j] = outer && differs(i, j);
            }
        }
        let ahead = |i: usize, j: usize| ties[i].1 < ties[j].0 && enclosed[ties[i].1][ties[j].0];
        self.ahead = (0..players).map(|i| (0..players).map(|j| ahead(i, j)).collect()).collect();
    }

    /// Whether nothing can be said, because the players have too few seeds in common.
    pub fn is_refused(&self) -> bool {
        let can_tell = |(i, j): (usize, usize)| {
            self.pairs[i][j].is_exact || self.pairs[i][j].seeds >= MIN_SEEDS
        };
        !each_pair(self.order.len()).any(can_tell)
    }

    /// Whether a player has a value on any seed.
    pub fn has_values(&self, player: usize) -> bool {
        self.order.contains(&player)
    }

    /// The number of seeds that a typical pair of players has in common.
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// The best and the worst rank that each player may have, all together with 95 %, of the
    /// players that have values. `None` if there are too few seeds.
    pub fn ranks(&self) -> Option<Vec<(u64, u64)>> {
        let players = self.order.len();
        let mut ranks = vec![(1, self.places.len() as u64); self.all];
        for (at, &player) in self.order.iter().enumerate() {
            let before = (0..at).filter(|&other| self.ahead[other][at]).count() as u64;
            let after = (at + 1..players).filter(|&other| self.ahead[at][other]).count() as u64;
            ranks[player] = (1 + before, players as u64 - after);
        }
        (!self.is_refused()).then_some(ranks)
    }

    /// What can be said of each player; `None` if there are too few seeds.
    pub fn marks(&self) -> Option<Vec<Mark>> {
        let players = self.order.len();
        let mut marks = vec![Mark::CannotTell; self.all];
        for (at, &player) in self.order.iter().enumerate() {
            let is_behind = (0..at).any(|other| self.ahead[other][at]);
            let is_best = (0..players).filter(|other| *other != at).all(|other| {
                let pair = &self.pairs[at.min(other)][at.max(other)];
                self.ahead[at][other] || pair.is_exact && pair.difference == 0.0
            });
            marks[player] = match (is_behind, is_best) {
                (true, _) => Mark::Behind,
                (false, true) => Mark::Best,
                (false, false) => Mark::CannotTell,
            };
        }
        (!self.is_refused()).then_some(marks)
    }

    /// Whether the first of two players certainly ranks before the second.
    pub fn is_ahead(&self, one: usize, other: usize) -> bool {
        let place = |player: usize| self.order.iter().position(|at| *at == player);
        place(one).zip(place(other)).is_some_and(|(one, other)| self.ahead[one][other])
    }

    /// The mean difference of two players, the first one's values less the second's, with its
    /// interval; all intervals hold together with 95 %, and leave out zero where the two are told
    /// apart. `None` for the interval where there are too few seeds, or all differences are equal.
    pub fn difference(&self, one: usize, other: usize) -> Option<(f64, Option<Interval>)> {
        let place = |player: usize| self.order.iter().position(|at| *at == player);
        let (at, to) = (place(one)?, place(other)?);
        let (first, second) = (at.min(to), at.max(to));
        let pair = self.pairs.get(first)?.get(second).filter(|pair| pair.seeds > 0)?;
        let half = (pair.half_width > 0.0).then_some(match self.ahead[first][second] {
            true => pair.half_width.min((1.0 - 1e-9) * pair.difference),
            false => pair.half_width.max(pair.difference.abs()),
        });
        let difference = if at < to { pair.difference } else { -pair.difference };
        let interval =
            half.map(|half| Interval { low: difference - half, high: difference + half });
        Some((difference, interval))
    }

    /// The pairs of players that are not told apart, the better rank first, best pairs first.
    pub fn undecided(&self) -> Vec<(usize, usize)> {
        let open = |&(i, j): &(usize, usize)| {
            let pair = &self.pairs[i][j];
            !(self.ahead[i][j] || pair.is_exact && pair.difference == 0.0)
        };
        let open = each_pair(self.order.len()).filter(open);
        open.map(|(i, j)| (self.order[i], self.order[j])).collect()
    }

    /// The smallest difference of two players with typical variance that this many seeds tell;
    /// `None` if there are too few seeds, or nothing is known about the variance.
    pub fn lead_told_by(&self, seeds: u64) -> Option<f64> {
        let prior = self.prior.filter(|_| seeds >= MIN_SEEDS as u64)?;
        Some(self.lead(prior.variance, seeds))
    }

    /// How many seeds a lead this large takes to be told, for two players with typical variance.
    pub fn seeds_telling(&self, lead: f64) -> Option<u64> {
        self.search(self.prior?.variance, lead)
    }

    /// How many seeds it takes to tell these two apart, if their difference stays what it is;
    /// `None` if they do not differ in the direction of their ranks, or nothing is known.
    pub fn seeds_telling_apart(&self, one: usize, other: usize) -> Option<u64> {
        let place = |player: usize| self.order.iter().position(|at| *at == player);
        let (one, other) = (place(one)?, place(other)?);
        let pair = &self.pairs[one.min(other)][one.max(other)];
        let variance = if pair.variance > 0.0 { pair.variance } else { self.prior?.variance };
        self.search(variance, pair.difference)
    }

    /// The smallest lead that is certain on so many seeds.
    fn lead(&self, variance: f64, seeds: u64) -> f64 {
        let own = seeds as f64 - 1.0;
        let freedom = freedom(self.prior, own, self.dimensions * own);
        critical(self.level, self.order.len(), freedom) * (variance / seeds as f64).sqrt()
    }

    fn search(&self, variance: f64, lead: f64) -> Option<u64> {
        if self.order.len() < 2 || lead <= 0.0 || self.lead(variance, MAX_SEEDS) > lead {
            return None;
        }
        // The lead falls with the root of the seeds, and otherwise hardly depends on them.
        let mut seeds = MIN_SEEDS as f64;
        for _ in 0..4 {
            let wanted = (self.lead(variance, seeds as u64) / lead).powi(2) * seeds;
            seeds = wanted.ceil().clamp(MIN_SEEDS as f64, MAX_SEEDS as f64);
        }
        Some(seeds as u64)
    }
}

impl Pair {
    fn of(one: &[Option<f64>], other: &[Option<f64>], is_exact: bool) -> Pair {
        let differences = || one.iter().zip(other).filter_map(|(a, b)| Some((*a)? - (*b)?));
        let (mut seeds, mut sum) = (0, 0.0);
        let (mut better, mut worse) = (0, 0);
        for difference in differences() {
            seeds += 1;
            sum += difference;
            better += u64::from(difference > 0.0);
            worse += u64::from(difference < 0.0);
        }
        let difference = if seeds > 0 { sum / seeds as f64 } else { 0.0 };
        let freedom = seeds as f64 - 1.0;
        let squares: f64 = differences().map(|own| (own - difference).powi(2)).sum();
        // A spread by rounding alone is none.
        let squares =
            if squares <= 1e-20 * seeds as f64 * difference.powi(2) { 0.0 } else { squares };
        let variance = if seeds > 1 { squares / freedom } else { 0.0 };
        let alone = sign_test(better, worse);
        let is_certain = false;
        Pair { seeds, difference, variance, freedom, alone, half_width: 0.0, is_exact, is_certain }
    }

    /// The standard error of the mean difference.
    fn error(&self) -> f64 {
        (self.variance / self.seeds as f64).sqrt()
    }
}

/// The part of the prior's degrees of freedom that counts in a variance, and in the degrees of
/// freedom of the test. Pairs share their players, so that their variances say less about the prior
/// than independent ones would. With the whole prior in both, tables with one erratic player of
/// twenty erred in 7 % on five seeds, with three in 8 %; with these, in 5 % and in 4 %.
const PRIOR_SHARES: (f64, f64) = (0.5, 0.25);

/// The degrees of freedom of a moderated variance that has `own` of them, where the values of the
/// whole table have at most `most`.
fn freedom(prior: Option<Prior>, own: f64, most: f64) -> f64 {
    (prior.map_or(0.0, |prior| prior.freedom * PRIOR_SHARES.1) + own).min(most.max(own))
}

/// The number of standard errors from which on a difference is certain.
fn critical(level: f64, players: usize, freedom: f64) -> f64 {
    studentised_range::quantile(level, players.max(2), freedom) / std::f64::consts::SQRT_2
}

/// Every two of so many, the lower first.
fn each_pair(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

/// In how many independent directions the values of the players vary about the mean of each seed,
/// by Greenhouse and Geisser's estimate, and on how many seeds all have played: (tr S)² / tr S² for
/// the covariances S of the centred values.
fn dimensions(values: &[&[Option<f64>]]) -> (f64, usize) {
    let most = values.len().saturating_sub(1) as f64;
    let seeds = values.first().map_or(0, |first| first.len());
    let mut complete: Vec<Vec<f64>> = (0..seeds)
        .filter_map(|seed| values.iter().map(|of| of[seed]).collect::<Option<Vec<f64>>>())
        .collect();
    for seed in &mut complete {
        let mean = seed.iter().sum::<f64>() / seed.len() as f64;
        seed.iter_mut().for_each(|value| *value -= mean);
    }
    let players = values.len();
    let mut means = vec![0.0; players];
    for seed in &complete {
        means.iter_mut().zip(seed).for_each(|(mean, value)| *mean += value / complete.len() as f64);
    }
    let mut covariances = vec![0.0; players * players];
    for seed in &complete {
        for i in 0..players {
            let own = seed[i] - means[i];
            for j in 0..=i {
                covariances[i * players + j] += own * (seed[j] - means[j]);
            }
        }
    }
    let (mut trace, mut squares) = (0.0, 0.0);
    for i in 0..players {
        trace += covariances[i * players + i];
        let off: f64 = covariances[i * players..i * players + i].iter().map(|c| c * c).sum();
        squares += covariances[i * players + i].powi(2) + 2.0 * off;
    }
    let found =
        if squares > 0.0 { (trace * trace / squares).clamp(1.0, most.max(1.0)) } else { most };
    (found, complete.len())
}

#[cfg(test)]
mod tests;
