//! Sequential tests on the Elo scale: whether one of two rivals is stronger, with as few pairs of
//! matches as the question needs. Tests for scores of matches without rivals are in
//! [`crate::difference_test`].
//!
//! ```
//! use quintain_stats::likelihood::EloScale;
//! use quintain_stats::{Risks, ThreeWayTest, Verdict};
//!
//! // Pairs of two games; the first player wins one game and draws the other, again and again.
//! let risks = Risks { alpha: 0.05, beta: 0.05 };
//! let mut test = ThreeWayTest::new(EloScale::Logistic, 20.0, risks, 2);
//! let verdict = (0..1000).find_map(|_| test.add(3));
//! assert_eq!(verdict, Some(Verdict::Better));
//! assert!(test.pairs().len() < 50);
//! ```

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::elo;
use crate::likelihood::{EloScale, log_likelihood_ratio, log_likelihood_ratios};
use crate::pairs::{NORMALISED_POINTS, Pairs};
use crate::passage::{Line, refutation_level};
use crate::summary::Interval;

/// The outcome of a comparison of two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The first is better.
    Better,
    /// The first is worse.
    Worse,
    /// Neither is better by as much as the difference asked about.
    NoDifference,
}

impl Verdict {
    /// The verdict with the two players exchanged.
    pub fn reversed(self) -> Verdict {
        match self {
            Verdict::Better => Verdict::Worse,
            Verdict::Worse => Verdict::Better,
            Verdict::NoDifference => Verdict::NoDifference,
        }
    }
}

/// The error probabilities that a test allows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Risks {
    /// The probability of calling equal players different, in both directions together.
    pub alpha: f64,
    /// The probability of calling two players equal that differ by the difference asked about.
    pub beta: f64,
}

impl Risks {
    /// The risks of each of so many tests of one version against the one before it, where an answer
    /// of worse is an alarm: with them, equal versions raise one in all these tests together with a
    /// probability of at most this α. A test is wrong in one of two directions, so each may use
    /// twice its share. β stays that of each test.
    ///
    /// ```
    /// let risks = quintain_stats::Risks { alpha: 0.05, beta: 0.05 };
    /// assert_eq!(risks.of_each_step(10).alpha, 0.01);
    /// ```
    #[must_use]
    pub fn of_each_step(self, tests: usize) -> Risks {
        let alpha = (2.0 * self.alpha / tests.max(1) as f64).min(0.5);
        Risks { alpha, beta: self.beta }
    }
}

/// The sequential probability ratio test of two simple hypotheses (Wald 1945, "Sequential tests of
/// statistical hypotheses"), as engine testing runs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The scale on which the two hypotheses are given.
    pub scale: EloScale,
    /// The difference under the null hypothesis, in points (`elo0` of engine testing).
    pub first: f64,
    /// The difference under the alternative, in points (`elo1`).
    pub second: f64,
    /// α is the probability of wrongly accepting the alternative, β that of wrongly accepting the
    /// null hypothesis.
    pub risks: Risks,
}

impl Sprt {
    /// The log-likelihood ratio of `pairs`, and the difference under the hypothesis that it
    /// accepts, if any.
    ///
    /// ```
    /// use quintain_stats::likelihood::EloScale;
    /// use quintain_stats::{Pairs, Risks, Sprt};
    ///
    /// let risks = Risks { alpha: 0.05, beta: 0.05 };
    /// let sprt = Sprt { scale: EloScale::Normalised, first: 0.0, second: 5.0, risks };
    /// let (ratio, accepted) = sprt.judge(&Pairs::pentanomial([10, 90, 50, 150, 95, 12]));
    /// assert!(ratio > 0.0 && accepted.is_none());
    /// ```
    pub fn judge(&self, pairs: &Pairs) -> (f64, Option<f64>) {
        let Risks { alpha, beta } = self.risks;
        let ratio = log_likelihood_ratio(pairs, self.scale, self.first, self.second);
        let (low, high) = ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln());
        let accepted = match ratio {
            ratio if ratio >= high => Some(self.second),
            ratio if ratio <= low => Some(self.first),
            _ => None,
        };
        (ratio, accepted)
    }
}

/// The differences that a [`ThreeWayTest`] can look for, in points. A smaller one takes more pairs
/// than anybody plays, and ever more leads in the mixture; beyond the largest, 99.7 % of the points
/// are won anyway.
pub const DIFFERENCES: RangeInclusive<f64> = 0.01..=1000.0;
/// The largest difference in the mixture, in points.
const FARTHEST: f64 = *DIFFERENCES.end();
/// The share of the evidence that is staked on a lead of exactly δ.
pub(crate) const ON_DELTA: f64 = 0.9;
/// The quotient of neighbouring leads in the mixture.
const SPREAD: f64 = 3.0;
/// The share of β for missing a lead of δ if the variance of pairs was known; the rest is for its
/// being estimated.
const FOR_MISSING: f64 = 0.8;
/// From fewer pairs than this, the variance is not estimated well enough to say that there is no
/// difference.
const LEAST_PAIRS: u64 = 20;
/// No interval reaches further than this, in points; what is not refuted there is unbounded.
const UNBOUNDED: f64 = 1600.0;

/// Decides between better, worse and no difference as large as δ, by two tests at once: of equality
/// against +δ and against −δ (Sobel & Wald 1949, "A sequential decision procedure for choosing one
/// of three hypotheses").
///
/// A player that is stronger by far more than δ should not have to play until δ is certain: the
/// alternative is a mixture, nine tenths of it δ, the rest 3δ, 9δ, … up to 1000 points. A mixture
/// of likelihood ratios is a martingale under equality like each of them, so the probability that
/// it ever passes 2/α is at most α/2, however often one looks (Ville 1939).
///
/// [`ThreeWayTest::interval`] is made of the same tests, moved from 0 to every other difference, so
/// it never contradicts the verdict.
#[derive(Clone, Debug)]
pub struct ThreeWayTest {
    scale: EloScale,
    delta: f64,
    risks: Risks,
    /// How small the log-likelihood ratio of a lead of δ must be, of either side, for the verdict
    /// that there is none.
    refuted: f64,
    pairs: Pairs,
    verdict: Option<Verdict>,
}

impl ThreeWayTest {
    /// A test of whether the difference is as large as `delta` points on `scale`, on pairs of
    /// `games_of_a_pair` games.
    ///
    /// # Panics
    /// If `delta` is not in [`DIFFERENCES`].
    pub fn new(scale: EloScale, delta: f64, risks: Risks, games_of_a_pair: usize) -> ThreeWayTest {
        assert!(DIFFERENCES.contains(&delta), "no difference to look for: {delta}");
        let pairs = Pairs::of_games(games_of_a_pair);
        let refuted = -refutation_level(FOR_MISSING * risks.beta);
        ThreeWayTest { scale, delta, risks, refuted, pairs, verdict: None }
    }

    /// Counts the next pair, in which the first player got `half_points` half-points. Returns the
    /// verdict once there is one. A verdict is never withdrawn.
    ///
    /// # Panics
    /// If there are more half-points than the games of a pair can bring.
    pub fn add(&mut self, half_points: usize) -> Option<Verdict> {
        self.count(half_points);
        self.judge()
    }

    /// Counts the next pair without judging. Where pairs come in cycles whose members differ, on
    /// several scenarios for example, only whole cycles are judged.
    ///
    /// # Panics
    /// If there are more half-points than the games of a pair can bring.
    pub fn count(&mut self, half_points: usize) {
        self.pairs.add(half_points);
    }

    /// Returns the verdict on the pairs counted so far, once there is one.
    pub fn judge(&mut self) -> Option<Verdict> {
        if self.verdict.is_none() {
            self.verdict = self.find_verdict();
        }
        self.verdict
    }

    /// The pairs counted so far.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The natural logarithm of the evidence for a lead of the first player and of the second, and
    /// the value that either must reach for a verdict.
    pub fn evidence(&self) -> ([f64; 2], f64) {
        ([1.0, -1.0].map(|sign| self.evidence_beyond(0.0, sign)), self.decisive())
    }

    /// The differences that the pairs counted so far do not refute, in points of the test's scale:
    /// an interval that covers the true one with a probability of at least 1 − α at all times
    /// together. It leaves out 0 where the verdict is better or worse, and all of δ and more where
    /// it is that there is no such difference. `None` before any pair.
    pub fn interval(&self) -> Option<Interval> {
        let observed = self.observed()?.clamp(-UNBOUNDED, UNBOUNDED);
        let (low, high) = (self.end(observed, 1.0), self.end(observed, -1.0));
        Some(match self.verdict {
            Some(Verdict::NoDifference) => {
                Interval { low: low.max(-self.delta), high: high.min(self.delta) }
            }
            _ => Interval { low, high },
        })
    }

    /// The difference to expect in the long run, in points of the test's scale. A test that ends
    /// at a verdict of better or worse ends at a lucky moment, so the difference observed is too
    /// large: the estimate is then the difference at which the test would have ended as early as
    /// it did in half of all runs (Kim & DeMets 1987, "Confidence intervals following group
    /// sequential tests in clinical trials"). Without such a verdict it is the difference observed;
    /// `None` before any pair.
    pub fn long_run(&self) -> Option<f64> {
        let observed = self.observed()?;
        let sign = match self.verdict {
            Some(Verdict::Better) => 1.0,
            Some(Verdict::Worse) => -1.0,
            Some(Verdict::NoDifference) => return Some(observed.clamp(-self.delta, self.delta)),
            None => return Some(observed),
        };
        // The line that ended the test is that of the lead for which most spoke.
        let weighted = self.weighted_ratios(0.0, sign);
        let (lead, _) = weighted.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        // A pair drawn by both keeps the variance above 0 where everything was won.
        let mut pairs = self.pairs.clone();
        pairs.add(pairs.games_of_one());
        let (mean, variance) = pairs.mean_and_variance()?;
        let spread = match self.scale {
            EloScale::Logistic => 1.0,
            EloScale::Normalised => variance.sqrt(),
        };
        let lead = match self.scale {
            EloScale::Logistic => elo::expected_score(lead) - 0.5,
            EloScale::Normalised => lead * (pairs.games_of_one() as f64).sqrt() / NORMALISED_POINTS,
        };
        let line = Line { information: pairs.len() as f64 / variance * spread * spread, lead };
        let likely = line.median_unbiased(sign * (mean - 0.5) / spread);
        let likely = sign
            * match self.scale {
                EloScale::Logistic => elo::difference_at_score(0.5 + likely),
                EloScale::Normalised => {
                    likely * NORMALISED_POINTS / (pairs.games_of_one() as f64).sqrt()
                }
            };
        // The line is that of a normal distribution, and scores of few pairs may have another.
        self.interval().map(|Interval { low, high }| likely.clamp(low, high))
    }

    /// The difference of the pairs counted so far, in points of the test's scale.
    fn observed(&self) -> Option<f64> {
        match self.scale {
            EloScale::Logistic => self.pairs.elo().map(|(elo, _)| elo),
            EloScale::Normalised => {
                let (mean, variance) = self.pairs.mean_and_variance()?;
                let per_game = NORMALISED_POINTS / (self.pairs.games_of_one() as f64).sqrt();
                match mean - 0.5 {
                    0.0 => Some(0.0),
                    lead => Some(lead / variance.sqrt() * per_game),
                }
            }
        }
    }

    /// The outermost difference below `observed` (with `sign` 1) or above it (−1) that is not
    /// refuted: searched outwards in growing steps, then by bisection.
    fn end(&self, observed: f64, sign: f64) -> f64 {
        let decisive = self.decisive();
        let is_refuted = |points: f64| self.evidence_beyond(points, sign) >= decisive;
        let (mut within, mut step) = (observed, self.delta / 2.0);
        // 0 comes first: what the verdict excludes is outside, whatever lies beyond.
        let mut out = if sign * observed > 0.0 && is_refuted(0.0) {
            0.0
        } else {
            loop {
                let next = within - sign * step;
                if next.abs() > UNBOUNDED {
                    return -sign * f64::INFINITY;
                }
                if is_refuted(next) {
                    break next;
                }
                (within, step) = (next, 2.0 * step);
            }
        };
        for _ in 0..40 {
            let middle = f64::midpoint(out, within);
            if is_refuted(middle) { out = middle } else { within = middle }
        }
        out
    }

    fn decisive(&self) -> f64 {
        (2.0 / self.risks.alpha).ln()
    }

    /// The log evidence that the difference lies beyond `null` points: above (with `sign` 1) or
    /// below (−1).
    fn evidence_beyond(&self, null: f64, sign: f64) -> f64 {
        let weighted: Vec<f64> = self.weighted_ratios(null, sign).map(|(_, ratio)| ratio).collect();
        // ln Σ exp(ratio), with the largest factored out so that nothing overflows.
        let highest = weighted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        highest + weighted.iter().map(|ratio| (ratio - highest).exp()).sum::<f64>().ln()
    }

    /// The leads of the mixture, the first of them δ, each with the log-likelihood ratio of a
    /// difference that lies that far beyond `null`, and the logarithm of its share added.
    fn weighted_ratios(&self, null: f64, sign: f64) -> impl Iterator<Item = (f64, f64)> {
        let further = std::iter::successors(Some(SPREAD * self.delta), |lead| Some(lead * SPREAD));
        let mut leads = vec![self.delta];
        leads.extend(further.take_while(|lead| *lead <= FARTHEST));
        let beyond = leads.iter().map(|lead| null + sign * lead);
        let ratios = log_likelihood_ratios(&self.pairs, self.scale, null, beyond);
        let others = (leads.len() - 1) as f64;
        leads.into_iter().zip(ratios).enumerate().map(move |(at, (lead, ratio))| {
            let share = match at {
                0 if others == 0.0 => 1.0,
                0 => ON_DELTA,
                _ => (1.0 - ON_DELTA) / others,
            };
            (lead, ratio + share.ln())
        })
    }

    fn find_verdict(&self) -> Option<Verdict> {
        let decisive = self.decisive();
        let sides = [(1.0, Verdict::Better), (-1.0, Verdict::Worse)];
        let found = sides.iter().find(|(sign, _)| self.evidence_beyond(0.0, *sign) >= decisive);
        if let Some((_, verdict)) = found {
            return Some(*verdict);
        }
        if self.pairs.len() < LEAST_PAIRS {
            return None;
        }
        // Neither lead of δ is likely now; not one at one time and the other at another, so that
        // the difference observed is smaller than δ.
        let leads = [self.delta, -self.delta].into_iter();
        let ratios = log_likelihood_ratios(&self.pairs, self.scale, 0.0, leads);
        ratios.iter().all(|ratio| *ratio <= self.refuted).then_some(Verdict::NoDifference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };

    const RUNS: u64 = 200;

    /// Counts of verdicts (better, worse, none, undecided) and the mean number of pairs, of tests
    /// on pairs drawn with these chances of LL, LD, WL or DD, WD, WW.
    fn verdicts(chances: [f64; 5], delta: f64, most: usize) -> ([u64; 4], u64) {
        let (mut counts, mut pairs) = ([0; 4], 0);
        for run in 0..RUNS {
            let mut rng = Rng::from_seed(run);
            let mut test = ThreeWayTest::new(EloScale::Logistic, delta, RISKS, 2);
            let verdict = (0..most).find_map(|_| test.add(rng.weighted(&chances)));
            counts[verdict.map_or(3, |verdict| verdict as usize)] += 1;
            pairs += test.pairs().len();
        }
        (counts, pairs / RUNS)
    }

    #[test]
    fn equals_are_called_different_no_more_often_than_alpha_at_two_hundred_looks() {
        // Balanced; skewed with the same mean; mostly drawn; only decided games.
        for chances in [
            [0.1, 0.2, 0.4, 0.2, 0.1],
            [0.0, 0.6, 0.1, 0.0, 0.3],
            [0.01, 0.02, 0.94, 0.02, 0.01],
            [0.5, 0.0, 0.0, 0.0, 0.5],
        ] {
            let ([better, worse, ..], _) = verdicts(chances, 40.0, 200);
            assert!(better + worse <= RUNS / 20, "{chances:?}: {better} + {worse}");
        }
    }

    #[test]
    fn a_lead_of_delta_is_missed_no_more_often_than_beta() {
        // A mean score of 0.56 is 42 Elo points.
        let (counts, pairs) = verdicts([0.06, 0.18, 0.37, 0.24, 0.15], 40.0, 2000);
        let [better, worse, _, undecided] = counts;
        assert!(better >= RUNS * 19 / 20 && worse + undecided == 0, "{counts:?}");
        assert!(pairs < 200, "{pairs}");
    }

    #[test]
    fn who_wins_nearly_all_is_known_within_fifteen_pairs() {
        let ([better, ..], pairs) = verdicts([0.0, 0.0, 0.1, 0.1, 0.8], 10.0, 100);
        assert!(better == RUNS && pairs <= 15, "{better} {pairs}");
    }

    #[test]
    fn equals_are_soon_called_equal_where_delta_is_large() {
        let ([_, _, none, _], pairs) = verdicts([0.05, 0.2, 0.5, 0.2, 0.05], 60.0, 2000);
        assert!(none >= RUNS * 19 / 20 && pairs < 150, "{none} {pairs}");
    }

    #[test]
    fn swapped_names_swap_the_verdict() {
        let mut rng = Rng::from_seed(9);
        for _ in 0..20 {
            let chances: [f64; 5] = std::array::from_fn(|_| rng.unit());
            let mut tests = [(); 2].map(|()| ThreeWayTest::new(EloScale::Logistic, 30.0, RISKS, 2));
            for _ in 0..300 {
                let half_points = rng.weighted(&chances);
                let one = tests[0].add(half_points);
                let other = tests[1].add(4 - half_points);
                assert_eq!(one, other.map(Verdict::reversed));
            }
        }
    }

    #[test]
    fn the_plain_test_ends_where_wald_says() {
        let sprt = Sprt { scale: EloScale::Normalised, first: 0.0, second: 2.0, risks: RISKS };
        let undecided = Pairs::pentanomial([365, 16618, 36029, 200, 16974, 390]);
        assert_eq!(sprt.judge(&undecided).1, None);
        let sprt = Sprt { first: -1.75, second: 0.25, ..sprt };
        let passed = Pairs::pentanomial([127, 4883, 10311, 401, 5150, 104]);
        assert_eq!(sprt.judge(&passed).1, Some(0.25));
    }
}
