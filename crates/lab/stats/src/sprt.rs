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

use serde::Serialize;

use crate::likelihood::{EloScale, log_likelihood_ratio, log_likelihood_ratios};
use crate::pairs::Pairs;

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

/// The largest difference in the mixture, in points: beyond it nearly all games are won anyway.
const FARTHEST: f64 = 800.0;

/// Decides between better, worse and no difference as large as δ, by two tests at once: of equality
/// against +δ and against −δ (Sobel & Wald 1949, "A sequential decision procedure for choosing one
/// of three hypotheses").
///
/// A player that is stronger by far more than δ should not have to play until δ is certain: the
/// alternative is a mixture, half of it δ, the other half 2δ, 4δ, … up to 800 points. A mixture of
/// likelihood ratios is a martingale under equality like each of them, so the probability that it
/// ever passes 2/α is at most α/2, however often one looks (Ville 1939).
#[derive(Clone, Debug)]
pub struct ThreeWayTest {
    scale: EloScale,
    delta: f64,
    risks: Risks,
    pairs: Pairs,
    /// Whether a lead of δ has been refuted: of the first player, and of the second.
    refuted: [bool; 2],
    verdict: Option<Verdict>,
}

impl ThreeWayTest {
    /// A test of whether the difference is as large as `delta` points on `scale`, on pairs of
    /// `games_of_a_pair` games.
    ///
    /// # Panics
    /// If `delta` is not positive.
    pub fn new(scale: EloScale, delta: f64, risks: Risks, games_of_a_pair: usize) -> ThreeWayTest {
        assert!(delta > 0.0, "a difference to look for is positive");
        let pairs = Pairs::of_games(games_of_a_pair);
        ThreeWayTest { scale, delta, risks, pairs, refuted: [false; 2], verdict: None }
    }

    /// Counts the next pair, in which the first player got `half_points` half-points. Returns the
    /// verdict once there is one. A verdict is never withdrawn.
    ///
    /// # Panics
    /// If there are more half-points than the games of a pair can bring.
    pub fn add(&mut self, half_points: usize) -> Option<Verdict> {
        self.pairs.add(half_points);
        if self.verdict.is_none() {
            self.verdict = self.judge();
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
        let [(first, _), (second, _)] = [1.0, -1.0].map(|sign| self.side(sign));
        ([first, second], (2.0 / self.risks.alpha).ln())
    }

    /// The log evidence for a lead of the first player (`sign` 1) or the second (−1): that of the
    /// mixture, and that of a lead of exactly δ, which is refuted when this evidence is small.
    fn side(&self, sign: f64) -> (f64, f64) {
        let leads = std::iter::successors(Some(self.delta), |lead| Some(lead * 2.0));
        let further = leads.skip(1).take_while(|lead| *lead <= FARTHEST);
        let leads = std::iter::once(self.delta).chain(further).map(|lead| sign * lead);
        let ratios = log_likelihood_ratios(&self.pairs, self.scale, 0.0, leads);
        let Some(others) = std::num::NonZeroUsize::new(ratios.len() - 1) else {
            return (ratios[0], ratios[0]);
        };
        // ln Σ w·exp(ratio), with the largest factored out so that nothing overflows.
        let highest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weighted = ratios.iter().enumerate().map(|(at, ratio)| {
            let weight = if at == 0 { 0.5 } else { 0.5 / others.get() as f64 };
            weight * (ratio - highest).exp()
        });
        (highest + weighted.sum::<f64>().ln(), ratios[0])
    }

    fn judge(&mut self) -> Option<Verdict> {
        let decisive = (2.0 / self.risks.alpha).ln();
        for (at, (sign, verdict)) in
            [(1.0, Verdict::Better), (-1.0, Verdict::Worse)].into_iter().enumerate()
        {
            let (evidence, for_delta) = self.side(sign);
            if evidence >= decisive {
                return Some(verdict);
            }
            self.refuted[at] |= for_delta <= self.risks.beta.ln();
        }
        (self.refuted == [true; 2]).then_some(Verdict::NoDifference)
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
    fn who_wins_nearly_all_is_known_within_a_dozen_pairs() {
        let ([better, ..], pairs) = verdicts([0.0, 0.0, 0.1, 0.1, 0.8], 10.0, 100);
        assert!(better == RUNS && pairs <= 12, "{better} {pairs}");
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
