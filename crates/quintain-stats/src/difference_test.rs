//! Whether one of two players scores more than the other on common seeds, asked again after every
//! pair and answered as soon as the answer is sure: tests and intervals that hold at any time. For
//! wins and losses see [`crate::sprt`].
//!
//! **Testing by betting.** To test the hypothesis that the mean difference is at most m, bet against
//! it: put a fraction λ of the wealth on every next difference x, which multiplies the wealth by
//! 1 + λ(x − m). Under the hypothesis the wealth is a supermartingale, so the probability that it
//! ever reaches 1/α times what it began with is at most α (Ville 1939), however often one looks and
//! whatever the distribution; a wealth that has grown so large refutes m. The means that are not
//! refuted form a confidence sequence (Waudby-Smith & Ramdas 2024, "Estimating means of bounded
//! random variables by betting"). The wealth is spread over several λ, so that none has to be
//! guessed. Skewed differences, for which intervals from the normal distribution are wrong, only
//! make the test take longer.
//!
//! **The bound.** A bet must not be able to lose more than the wealth, so a bound on the differences
//! is needed before each. Where the rules give one, nothing is guessed. Elsewhere it is twice the
//! greatest difference so far, or half of the range of the scores so far if that is more; the first
//! eight pairs only set it and are not bet upon. A difference beyond the bound loses nearly the
//! whole bet; this is the one place where the guarantee rests on a guess.
//!
//! ```
//! use quintain_stats::{DifferenceTest, Risks, Verdict};
//!
//! // The first player scores 2 to 4 points more on every seed.
//! let mut test = DifferenceTest::new(Risks { alpha: 0.05, beta: 0.05 }, None, None);
//! let verdict = (0..100).find_map(|seed| {
//!     let luck = f64::from(seed * 7 % 10);
//!     test.add(luck + 2.0 + f64::from(seed % 3), luck)
//! });
//! assert_eq!(verdict, Some(Verdict::Better));
//! let interval = test.interval().unwrap();
//! assert!(interval.low > 0.0 && interval.low < 3.0 && 3.0 < interval.high);
//! ```

use crate::sprt::{Risks, Verdict};
use crate::summary::Interval;

/// The number of pairs that only set the bound, where the rules give none.
const WARM_UP: usize = 8;
/// The betting fractions λ, as shares of what could be lost: from 0.9 down by factors of 2^−0.75.
const FRACTIONS: [f64; 11] = {
    let root = 0.594_603_557_501_360_5; // 2^−0.75
    let mut fractions = [0.9; 11];
    let mut at = 1;
    while at < fractions.len() {
        fractions[at] = fractions[at - 1] * root;
        at += 1;
    }
    fractions
};
/// The least factor of the wealth, which a difference beyond the bound gives.
const MIN_FACTOR: f64 = 0.05;

/// One difference, and the bound on its size that was known before it.
#[derive(Clone, Copy, Debug)]
struct Observed {
    difference: f64,
    bound: f64,
}

/// The wealth process of a bet that the mean is above `mean` (with `sign` 1) or below it (−1), for
/// every betting fraction.
#[derive(Clone, Debug)]
struct WealthProcess {
    mean: f64,
    sign: f64,
    /// The natural logarithm of the wealth by each fraction, which began at 1.
    log_wealth: [f64; FRACTIONS.len()],
}

impl WealthProcess {
    fn new(mean: f64, sign: f64) -> WealthProcess {
        WealthProcess { mean, sign, log_wealth: [0.0; FRACTIONS.len()] }
    }

    /// Bets on the next difference. `certain` says whether the bound comes from the rules.
    fn update(&mut self, Observed { difference, bound }: Observed, certain: bool) {
        // The greatest possible loss. A bound that is only guessed is used with a margin: with it,
        // the bet stays away from betting everything on either side.
        let farthest = bound + if certain { self.sign * self.mean } else { self.mean.abs() };
        if farthest > 0.0 {
            let gain = self.sign * (difference - self.mean) / farthest;
            for (log_wealth, fraction) in self.log_wealth.iter_mut().zip(FRACTIONS) {
                *log_wealth += (1.0 + fraction * gain).max(MIN_FACTOR).ln();
            }
        }
    }

    /// The natural logarithm of the whole wealth, of which each fraction began with an equal part.
    /// A mean of martingales is one too.
    fn total_log_wealth(&self) -> f64 {
        let highest = self.log_wealth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.log_wealth.iter().map(|one| (one - highest).exp()).sum();
        highest + (sum / FRACTIONS.len() as f64).ln()
    }
}

/// A running comparison of two players on common seeds.
#[derive(Clone, Debug)]
pub struct DifferenceTest {
    risks: Risks,
    /// The greatest difference that the rules allow, if they bound it.
    limit: Option<f64>,
    observed: Vec<Observed>,
    /// The greatest absolute difference so far.
    greatest: f64,
    /// The range of all scores so far.
    range: Option<Interval>,
    /// Bets against equality: that the first player leads, and that the second does.
    lead: [WealthProcess; 2],
    /// Bets against a lead of δ: that the first player's is smaller, and that the second's is.
    smaller: Option<[WealthProcess; 2]>,
    /// Whether a lead of δ has been refuted: of the first player, and of the second.
    refuted: [bool; 2],
    verdict: Option<Verdict>,
}

impl DifferenceTest {
    /// A test of whether one player scores more; with `delta`, in units of the score, also of whether
    /// the difference is smaller than that. `limit` is the greatest difference that the rules allow,
    /// if they bound it.
    ///
    /// # Panics
    /// If `delta` is not positive.
    pub fn new(risks: Risks, delta: Option<f64>, limit: Option<f64>) -> DifferenceTest {
        assert!(delta.is_none_or(|delta| delta > 0.0), "a difference to look for is positive");
        DifferenceTest {
            risks,
            limit,
            observed: Vec::new(),
            greatest: 0.0,
            range: None,
            lead: [WealthProcess::new(0.0, 1.0), WealthProcess::new(0.0, -1.0)],
            smaller: delta
                .map(|delta| [WealthProcess::new(delta, -1.0), WealthProcess::new(-delta, 1.0)]),
            refuted: [false; 2],
            verdict: None,
        }
    }

    /// Counts the scores of both players on the next seed, more being better, and returns the verdict
    /// if there is one by now. A verdict is never taken back.
    pub fn add(&mut self, first: f64, second: f64) -> Option<Verdict> {
        let scale = self.range.map_or(0.0, |range| (range.high - range.low) / 2.0);
        let bound = self.limit.unwrap_or((2.0 * self.greatest).max(scale));
        let observed = Observed { difference: first - second, bound };
        self.observed.push(observed);
        self.greatest = self.greatest.max(observed.difference.abs());
        let (low, high) = (first.min(second), first.max(second));
        self.range = Some(self.range.map_or(Interval { low, high }, |range| Interval {
            low: range.low.min(low),
            high: range.high.max(high),
        }));
        if self.observed.len() > self.warm_up() && self.verdict.is_none() {
            let certain = self.limit.is_some();
            let smaller = self.smaller.iter_mut().flatten();
            self.lead.iter_mut().chain(smaller).for_each(|bet| bet.update(observed, certain));
            self.verdict = self.judge();
        }
        self.verdict
    }

    /// The number of pairs that are not bet upon.
    fn warm_up(&self) -> usize {
        if self.limit.is_some() { 0 } else { WARM_UP }
    }

    fn judge(&mut self) -> Option<Verdict> {
        // Two bets against equality share the risk α.
        let decisive = (2.0 / self.risks.alpha).ln();
        for (bet, verdict) in self.lead.iter().zip([Verdict::Better, Verdict::Worse]) {
            if bet.total_log_wealth() >= decisive {
                return Some(verdict);
            }
        }
        let smaller = self.smaller.as_ref()?;
        for (refuted, bet) in self.refuted.iter_mut().zip(smaller) {
            *refuted |= bet.total_log_wealth() >= (1.0 / self.risks.beta).ln();
        }
        (self.refuted == [true; 2]).then_some(Verdict::NoDifference)
    }

    /// The number of pairs counted.
    pub fn len(&self) -> usize {
        self.observed.len()
    }

    /// Whether none was counted.
    pub fn is_empty(&self) -> bool {
        self.observed.is_empty()
    }

    /// The differences, in the order in which they came.
    pub fn differences(&self) -> impl ExactSizeIterator<Item = f64> {
        self.observed.iter().map(|observed| observed.difference)
    }

    /// The natural logarithm of the evidence for a lead of the first player and of the second, and
    /// the value that either has to reach for a verdict.
    pub fn evidence(&self) -> ([f64; 2], f64) {
        let [first, second] = &self.lead;
        ([first.total_log_wealth(), second.total_log_wealth()], (2.0 / self.risks.alpha).ln())
    }

    /// The confidence sequence as it stands: the means that are not refuted, an interval that covers
    /// the true mean difference with a probability of at least 1 − α at all times together. None
    /// while no mean could be refuted, unless the rules bound the difference.
    pub fn interval(&self) -> Option<Interval> {
        let farthest =
            self.observed.iter().map(|observed| observed.bound).fold(self.greatest, f64::max);
        // At the very limit there is nothing left to bet with.
        let farthest = self.limit.map_or(farthest * 4.0, |limit| limit * (1.0 - 1e-9));
        let (low, high) = (self.end(1.0, -farthest)?, self.end(-1.0, farthest)?);
        Some(Interval { low, high })
    }

    /// The outermost mean, from `outside` inwards, that a bet with `sign` does not refute; found by
    /// bisection, as the wealth falls steadily from `outside` inwards.
    fn end(&self, sign: f64, outside: f64) -> Option<f64> {
        let decisive = (2.0 / self.risks.alpha).ln();
        let refuted = |mean: f64| {
            let mut bet = WealthProcess::new(mean, sign);
            let certain = self.limit.is_some();
            self.observed
                .iter()
                .skip(self.warm_up())
                .for_each(|&observed| bet.update(observed, certain));
            bet.total_log_wealth() >= decisive
        };
        if !refuted(outside) {
            return self.limit.map(|limit| limit.copysign(outside));
        }
        let (mut out, mut within) = (outside, -outside);
        for _ in 0..60 {
            let middle = f64::midpoint(out, within);
            if refuted(middle) { out = middle } else { within = middle }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };
    const RUNS: u64 = 200;

    /// A standard normal number (Box & Muller 1958).
    fn normal(rng: &mut Rng) -> f64 {
        let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * rng.unit()).cos()
    }

    /// Counts of verdicts (better, worse, none, undecided), the mean number of pairs, and how many
    /// of every fourth run's intervals at the end do not hold `truth`.
    fn verdicts(
        difference: Noise,
        truth: f64,
        delta: Option<f64>,
        most: usize,
    ) -> ([u64; 4], u64, u64) {
        let (mut counts, mut pairs, mut missed) = ([0; 4], 0, 0);
        for run in 0..RUNS {
            let mut rng = Rng::from_seed(run);
            let mut test = DifferenceTest::new(RISKS, delta, None);
            let verdict = (0..most).find_map(|_| {
                // What the seed gives to both.
                let luck = 2.0 * normal(&mut rng);
                test.add(luck + truth + difference(&mut rng), luck)
            });
            counts[verdict.map_or(3, |verdict| verdict as usize)] += 1;
            pairs += test.len() as u64;
            let misses = |interval: Interval| truth < interval.low || interval.high < truth;
            missed += u64::from(run % 4 == 0 && test.interval().is_some_and(misses));
        }
        (counts, pairs / RUNS, missed)
    }

    type Noise = fn(&mut Rng) -> f64;

    /// Noise of mean 0 and deviation 1, from harmless to badly skewed.
    const NOISES: [(&str, Noise); 5] = [
        ("normal", normal),
        ("exponential", |rng| -(1.0 - rng.unit()).ln() - 1.0),
        ("lognormal", |rng| (normal(rng).exp() - 0.5_f64.exp()) / 2.161),
        ("one in ten", |rng| if rng.chance(0.1) { 3.0 } else { -1.0 / 3.0 }),
        ("nine in ten", |rng| if rng.chance(0.9) { 1.0 / 3.0 } else { -3.0 }),
    ];

    #[test]
    fn equals_are_called_different_no_more_often_than_alpha_at_hundreds_of_looks() {
        for (name, noise) in NOISES {
            let ([better, worse, ..], _, missed) = verdicts(noise, 0.0, None, 400);
            assert!(better + worse <= RUNS / 20, "{name}: {better} + {worse}");
            assert!(missed <= RUNS / 4 / 20, "{name}: {missed}");
        }
    }

    #[test]
    fn a_difference_is_found_and_its_interval_holds_it_wherever_the_test_stops() {
        for (name, noise) in NOISES {
            let ([better, worse, ..], pairs, missed) = verdicts(noise, 0.5, None, 1000);
            assert!(better >= RUNS * 19 / 20 && worse == 0, "{name}: {better} {worse}");
            assert!(pairs < 250 && missed <= RUNS / 4 / 20, "{name}: {pairs} {missed}");
        }
    }

    #[test]
    fn equals_are_called_equal_and_a_lead_of_delta_is_not() {
        let ([_, _, none, _], pairs, _) = verdicts(normal, 0.0, Some(0.5), 1500);
        assert!(none >= RUNS * 19 / 20 && pairs < 300, "{none} {pairs}");
        let ([better, _, none, _], ..) = verdicts(normal, 0.5, Some(0.5), 1500);
        assert!(better >= RUNS * 19 / 20 && none <= RUNS / 20, "{better} {none}");
    }

    #[test]
    fn players_that_never_differ_are_called_equal_if_a_difference_was_asked_for() {
        let mut test = DifferenceTest::new(RISKS, Some(1.0), None);
        let verdict = (0..100).find_map(|_| test.add(7.0, 7.0));
        assert_eq!(verdict, Some(Verdict::NoDifference));
        let mut test = DifferenceTest::new(RISKS, None, None);
        assert_eq!((0..100).find_map(|_| test.add(7.0, 7.0)), None);
    }

    #[test]
    fn swapped_names_swap_the_verdict_and_a_constant_added_to_both_changes_nothing() {
        let mut rng = Rng::from_seed(5);
        let test = || DifferenceTest::new(RISKS, Some(0.4), None);
        let (mut plain, mut swapped, mut moved) = (test(), test(), test());
        for _ in 0..300 {
            // Quarters, so that the constant costs no digits.
            let score = |rng: &mut Rng| (4.0 * normal(rng)).round() / 4.0;
            let (a, b) = (score(&mut rng) + 0.5, score(&mut rng));
            let verdict = plain.add(a, b);
            assert_eq!(verdict, swapped.add(b, a).map(Verdict::reversed));
            assert_eq!(verdict, moved.add(a + 1000.0, b + 1000.0));
        }
        let (plain, swapped, moved) =
            (plain.interval().unwrap(), swapped.interval().unwrap(), moved.interval());
        assert_eq!(Some(plain), moved);
        assert!((plain.low + swapped.high).abs() < 1e-9, "{plain:?} {swapped:?}");
    }

    #[test]
    fn the_first_pairs_alone_refute_nothing() {
        let mut test = DifferenceTest::new(RISKS, Some(1.0), None);
        assert!((0..WARM_UP).all(|_| test.add(100.0, 0.0).is_none()));
        assert_eq!(test.interval(), None);
    }
}
