//! Whether one of two players scores more than the other on common seeds, asked again after every
//! pair and answered as soon as the answer is sure: tests and intervals that hold at any time. For
//! wins and losses see [`crate::sprt`].
//!
//! **Betting.** To doubt that the mean difference is m, bet on it: stake a part λ of the fortune on
//! every next difference x, and the fortune is multiplied by 1 + λ(x − m). If the mean is at most m,
//! the bet is fair or worse, and the chance that the fortune ever reaches 1/α is at most α (Ville
//! 1939), however often one looks and whatever the distribution; a fortune that has grown so large
//! refutes m. The means that are not refuted are a confidence sequence (Waudby-Smith & Ramdas 2024,
//! "Estimating means of bounded random variables by betting"). Stakes are spread over several λ, so
//! that none has to be guessed. Skewed differences, which make intervals from the normal
//! distribution err, cost nothing here but patience.
//!
//! **The bound.** A bet must not be able to lose more than there is, so a bound on the differences
//! is needed before each. Where the rules give one, nothing is guessed. Elsewhere it is twice the
//! greatest difference so far, or half of the range of the scores so far if that is more; the first
//! eight pairs only set it and are not bet upon. A difference beyond the bound loses nearly the
//! whole stake, which is the one place where a sound guess stands in for a certainty.

use crate::sprt::{Risks, Verdict};
use crate::summary::Interval;

/// Pairs that only set the scale, where it is not known.
const FIRST: usize = 8;
/// The stakes, as parts of what could be lost: from nine tenths down by the fourth root of eight.
const STAKES: [f64; 11] = {
    let root = 0.594_603_557_501_360_5; // 2^−0.75
    let mut stakes = [0.9; 11];
    let mut at = 1;
    while at < stakes.len() {
        stakes[at] = stakes[at - 1] * root;
        at += 1;
    }
    stakes
};
/// What is left of a fortune at least, even if a difference goes beyond the bound.
const LEAST: f64 = 0.05;

/// One difference, and the bound that was known before it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    difference: f64,
    bound: f64,
}

/// A bet that the mean is above `mean` (or below it, with `sign` −1), by every stake.
#[derive(Clone, Debug)]
struct Bet {
    mean: f64,
    sign: f64,
    fortunes: [f64; STAKES.len()],
}

impl Bet {
    fn new(mean: f64, sign: f64) -> Bet {
        Bet { mean, sign, fortunes: [0.0; STAKES.len()] }
    }

    fn settle(&mut self, Seen { difference, bound }: Seen, certain: bool) {
        // What can be lost at most. A bound that is only guessed is kept away from.
        let farthest = bound + if certain { self.sign * self.mean } else { self.mean.abs() };
        if farthest > 0.0 {
            let gain = self.sign * (difference - self.mean) / farthest;
            for (fortune, stake) in self.fortunes.iter_mut().zip(STAKES) {
                *fortune += (1.0 + stake * gain).max(LEAST).ln();
            }
        }
    }

    /// ln of the whole fortune, the stakes having begun with equal parts.
    fn fortune(&self) -> f64 {
        let highest = self.fortunes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.fortunes.iter().map(|fortune| (fortune - highest).exp()).sum();
        highest + (sum / STAKES.len() as f64).ln()
    }
}

/// A running comparison of two players on common seeds.
#[derive(Clone, Debug)]
pub struct DifferenceTest {
    risks: Risks,
    /// The greatest difference that the rules allow, if they bound it.
    limit: Option<f64>,
    seen: Vec<Seen>,
    greatest: f64,
    range: Option<Interval>,
    /// Of equality: that the first leads, that the second does.
    lead: [Bet; 2],
    /// Of a lead of δ: that the first's is smaller, that the second's is.
    smaller: Option<[Bet; 2]>,
    /// Whether such a lead was refuted.
    refuted: [bool; 2],
    verdict: Option<Verdict>,
}

impl DifferenceTest {
    /// A test of whether one scores more; with `delta`, also of whether the difference is smaller
    /// than that. `limit` is the greatest difference that the rules allow, if they do.
    ///
    /// # Panics
    /// If `delta` is not positive.
    pub fn new(risks: Risks, delta: Option<f64>, limit: Option<f64>) -> DifferenceTest {
        assert!(delta.is_none_or(|delta| delta > 0.0), "a difference to look for is positive");
        DifferenceTest {
            risks,
            limit,
            seen: Vec::new(),
            greatest: 0.0,
            range: None,
            lead: [Bet::new(0.0, 1.0), Bet::new(0.0, -1.0)],
            smaller: delta.map(|delta| [Bet::new(delta, -1.0), Bet::new(-delta, 1.0)]),
            refuted: [false; 2],
            verdict: None,
        }
    }

    /// Counts the next pair of scores and gives the verdict if there is one by now. A verdict is
    /// never taken back. More is better.
    pub fn add(&mut self, first: f64, second: f64) -> Option<Verdict> {
        let scale = self.range.map_or(0.0, |range| (range.high - range.low) / 2.0);
        let bound = self.limit.unwrap_or((2.0 * self.greatest).max(scale));
        let seen = Seen { difference: first - second, bound };
        self.seen.push(seen);
        self.greatest = self.greatest.max(seen.difference.abs());
        let (low, high) = (first.min(second), first.max(second));
        self.range = Some(self.range.map_or(Interval { low, high }, |range| Interval {
            low: range.low.min(low),
            high: range.high.max(high),
        }));
        if self.seen.len() > self.first() && self.verdict.is_none() {
            let certain = self.limit.is_some();
            let smaller = self.smaller.iter_mut().flatten();
            self.lead.iter_mut().chain(smaller).for_each(|bet| bet.settle(seen, certain));
            self.verdict = self.judge();
        }
        self.verdict
    }

    /// How many pairs are not bet upon.
    fn first(&self) -> usize {
        if self.limit.is_some() { 0 } else { FIRST }
    }

    fn judge(&mut self) -> Option<Verdict> {
        let decisive = (2.0 / self.risks.alpha).ln();
        for (bet, verdict) in self.lead.iter().zip([Verdict::Better, Verdict::Worse]) {
            if bet.fortune() >= decisive {
                return Some(verdict);
            }
        }
        let smaller = self.smaller.as_ref()?;
        for (refuted, bet) in self.refuted.iter_mut().zip(smaller) {
            *refuted |= bet.fortune() >= (1.0 / self.risks.beta).ln();
        }
        (self.refuted == [true; 2]).then_some(Verdict::NoDifference)
    }

    /// How many pairs were counted.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether none was counted.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The differences, in the order in which they came.
    pub fn differences(&self) -> impl ExactSizeIterator<Item = f64> {
        self.seen.iter().map(|seen| seen.difference)
    }

    /// ln of the evidence for a lead of the first and of the second, and what it has to reach.
    pub fn evidence(&self) -> ([f64; 2], f64) {
        let [first, second] = &self.lead;
        ([first.fortune(), second.fortune()], (2.0 / self.risks.alpha).ln())
    }

    /// The means that are not refuted: an interval that covers the true mean difference with a
    /// chance of 1 − α at least, whenever one looks. None while nothing could be refuted, unless
    /// the rules bound it.
    pub fn interval(&self) -> Option<Interval> {
        let farthest = self.seen.iter().map(|seen| seen.bound).fold(self.greatest, f64::max);
        // At the very limit there is nothing left to bet with.
        let farthest = self.limit.map_or(farthest * 4.0, |limit| limit * (1.0 - 1e-9));
        let (low, high) = (self.end(1.0, -farthest)?, self.end(-1.0, farthest)?);
        Some(Interval { low, high })
    }

    /// The outermost mean, from `outside` inwards, that a bet with `sign` does not refute.
    fn end(&self, sign: f64, outside: f64) -> Option<f64> {
        let decisive = (2.0 / self.risks.alpha).ln();
        let refuted = |mean: f64| {
            let mut bet = Bet::new(mean, sign);
            let certain = self.limit.is_some();
            self.seen.iter().skip(self.first()).for_each(|&seen| bet.settle(seen, certain));
            bet.fortune() >= decisive
        };
        if !refuted(outside) {
            return self.limit.map(|limit| limit.copysign(outside));
        }
        // From `outside` inwards the fortune falls steadily.
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
        assert!((0..FIRST).all(|_| test.add(100.0, 0.0).is_none()));
        assert_eq!(test.interval(), None);
    }
}
