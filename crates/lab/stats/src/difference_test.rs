//! Whether one of two players scores more than the other on common seeds, tested again after every
//! pair and answered as soon as the answer is certain enough: tests and intervals that hold at any
//! time, whatever the distribution of the scores. For wins and losses see [`crate::sprt`].
//!
//! **Testing by betting.** To test the hypothesis that the mean of a bounded quantity is at most m,
//! bet against it: put a fraction λ of the wealth on every next value x, which multiplies the
//! wealth by 1 + λ(x − m)/f, where f is the most that a bet can lose. Under the hypothesis the
//! wealth is a supermartingale, so the probability that it ever reaches 1/α times its initial value
//! is at most α (Ville 1939), however often one looks; wealth that has grown that large refutes m.
//! The means that are not refuted form a confidence sequence (Waudby-Smith & Ramdas 2024,
//! "Estimating means of bounded random variables by betting"). The wealth is spread over several λ,
//! so that none has to be guessed. At the mean of the values seen no bet has gained anything, so
//! the interval always contains its own estimate.
//!
//! **What is measured.** The guarantee needs a bound that is known before the bet, and differences
//! of scores often have none, or one so wide that nothing can be concluded within it. A bound
//! guessed from the differences so far is no bound: one difference in a hundred that is a thousand
//! times as large breaks every guarantee. So the quantity is chosen such that its bound is certain,
//! see [`Measure`]. Differences are formed within pairs, so luck that a seed gives to both players
//! costs nothing.
//!
//! ```
//! use quintain_stats::{DifferenceTest, Measure, Risks, Verdict};
//!
//! // The first player scores 2 to 4 points more on every seed.
//! let risks = Risks { alpha: 0.05, beta: 0.05 };
//! let mut test = DifferenceTest::new(risks, Measure::Chance, None);
//! let verdict = (0..100).find_map(|seed| {
//!     let luck = f64::from(seed * 7 % 10);
//!     test.add(luck + 2.0 + f64::from(seed % 3), &[luck])
//! });
//! assert_eq!(verdict, Some(Verdict::Better));
//! assert_eq!(test.estimate(), Some(1.0));
//! let interval = test.interval().unwrap();
//! assert!(interval.low > 0.0 && interval.high == 1.0);
//! ```

use serde::Serialize;

use crate::passage::Line;
use crate::sprt::{Risks, Verdict};
use crate::summary::{Interval, quantile};

/// The quantity of two players' scores that is compared. Each is about the differences on common
/// seeds, and its guarantees hold whatever the distribution of the scores.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The probability of scoring more than the other minus that of scoring less, from −1 to 1.
    Chance,
    /// The mean difference, with differences beyond a bound counted as the bound. The bound is
    /// three times the median size of the first differences that are not 0, which only set it and
    /// are not counted; it is fixed from then on. For equal players this mean is 0, like the
    /// unclipped one.
    Clipped,
    /// The median difference.
    Median,
    /// The mean difference of scores that the rules bound.
    Mean {
        /// The greatest difference that the rules allow.
        limit: f64,
    },
}

/// The least number of pairs that only set the bound of [`Measure::Clipped`].
const WARM_UP: usize = 10;
/// The least number of these pairs that must differ.
const WARM_UP_DIFFERENT: usize = 3;
/// The bound, in median sizes of these differences; for normal ones, two standard deviations.
const CLIP: f64 = 3.0;
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

/// What the next value means to a bet: a mean of values from −`bound` to `bound`, or a median.
#[derive(Clone, Copy, Debug)]
enum Quantity {
    Mean { bound: f64 },
    Median,
}

impl Quantity {
    /// The gain from `observed` of a bet that the quantity is above `value` (with `sign` 1) or
    /// below it (−1), in units of the greatest possible loss.
    fn gain(self, observed: f64, value: f64, sign: f64) -> f64 {
        match self {
            Quantity::Mean { bound } => {
                let farthest = bound + sign * value;
                if farthest > 0.0 { sign * (observed - value) / farthest } else { 0.0 }
            }
            Quantity::Median => {
                if sign * (observed - value) > 0.0 {
                    1.0
                } else {
                    -1.0
                }
            }
        }
    }
}

/// The wealth process of a bet that the quantity is above `value` (with `sign` 1) or below it (−1),
/// for every betting fraction.
#[derive(Clone, Debug)]
struct WealthProcess {
    value: f64,
    sign: f64,
    /// The natural logarithm of the wealth for each fraction, which began at 1.
    log_wealth: [f64; FRACTIONS.len()],
}

impl WealthProcess {
    fn new(value: f64, sign: f64) -> WealthProcess {
        WealthProcess { value, sign, log_wealth: [0.0; FRACTIONS.len()] }
    }

    /// Bets on the next observation.
    fn update(&mut self, quantity: Quantity, observed: f64) {
        let gain = quantity.gain(observed, self.value, self.sign);
        for (log_wealth, fraction) in self.log_wealth.iter_mut().zip(FRACTIONS) {
            *log_wealth += (fraction * gain).ln_1p();
        }
    }

    /// The natural logarithm of the whole wealth, of which each fraction began with an equal part.
    /// The mean of martingales is a martingale too.
    fn total_log_wealth(&self) -> f64 {
        let highest = self.log_wealth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.log_wealth.iter().map(|one| (one - highest).exp()).sum();
        highest + (sum / FRACTIONS.len() as f64).ln()
    }
}

/// A running comparison of two players on common seeds, or of one with several others.
#[derive(Clone, Debug)]
pub struct DifferenceTest {
    risks: Risks,
    measure: Measure,
    delta: Option<f64>,
    /// The quantity bet on; `None` while the bound is being set.
    quantity: Option<Quantity>,
    /// Differences that only set the bound.
    warm_up: Vec<f64>,
    /// The values bet on, in the order in which they came.
    observed: Vec<f64>,
    /// Bets against equality: that the first player leads, and that the second does.
    lead: [WealthProcess; 2],
    /// Bets against a lead of δ: that the first player's lead is smaller, and that the second's is.
    smaller: Option<[WealthProcess; 2]>,
    verdict: Option<Verdict>,
}

impl DifferenceTest {
    /// A test of whether one player scores more; with `delta`, in units of the measure, also of
    /// whether the difference is smaller than `delta`.
    ///
    /// # Panics
    /// If `delta` is not positive, or so large that the measure is always smaller.
    pub fn new(risks: Risks, measure: Measure, delta: Option<f64>) -> DifferenceTest {
        assert!(delta.is_none_or(|delta| delta > 0.0), "a difference to look for is positive");
        let quantity = match measure {
            Measure::Chance => Some(Quantity::Mean { bound: 1.0 }),
            Measure::Mean { limit } => Some(Quantity::Mean { bound: limit }),
            Measure::Median => Some(Quantity::Median),
            Measure::Clipped => None,
        };
        if let (Some(delta), Some(Quantity::Mean { bound })) = (delta, quantity) {
            assert!(delta < bound, "a difference to look for is possible");
        }
        DifferenceTest {
            risks,
            measure,
            delta,
            quantity,
            warm_up: Vec::new(),
            observed: Vec::new(),
            lead: [WealthProcess::new(0.0, 1.0), WealthProcess::new(0.0, -1.0)],
            smaller: delta
                .map(|delta| [WealthProcess::new(delta, -1.0), WealthProcess::new(-delta, 1.0)]),
            verdict: None,
        }
    }

    /// Counts the score of the first player on the next seed and the scores of the others there
    /// (usually just one); more is better. Returns the verdict once there is one. A verdict is
    /// never withdrawn.
    pub fn add(&mut self, first: f64, others: &[f64]) -> Option<Verdict> {
        self.count(first, others);
        self.judge()
    }

    /// Counts scores like [`DifferenceTest::add`], without judging. Where seeds come in cycles
    /// whose members differ, on several scenarios for example, only whole cycles are judged: the
    /// wealth may grow by chance of the order within a cycle, but not from one cycle to the next.
    pub fn count(&mut self, first: f64, others: &[f64]) {
        let mean = |of: &dyn Fn(f64) -> f64| {
            others.iter().map(|other| of(first - other)).sum::<f64>() / others.len() as f64
        };
        let observed = match self.measure {
            Measure::Chance => mean(&|difference| match difference {
                0.0 => 0.0,
                other => other.signum(),
            }),
            _ => mean(&|difference| difference),
        };
        let Some(quantity) = self.quantity else {
            self.warm_up.push(observed);
            self.quantity = self.clipped_mean();
            return;
        };
        let observed = match quantity {
            Quantity::Mean { bound } => observed.clamp(-bound, bound),
            Quantity::Median => observed,
        };
        self.observed.push(observed);
        if self.verdict.is_none() {
            let smaller = self.smaller.iter_mut().flatten();
            self.lead.iter_mut().chain(smaller).for_each(|bet| bet.update(quantity, observed));
        }
    }

    /// Returns the verdict on everything counted so far, once there is one.
    pub fn judge(&mut self) -> Option<Verdict> {
        if self.verdict.is_none() {
            self.verdict = self.find_verdict();
        }
        self.verdict
    }

    /// The clipped mean, once there are enough differences to set its bound, or where there are too
    /// few and δ alone can set it.
    fn clipped_mean(&self) -> Option<Quantity> {
        let mut sizes: Vec<f64> =
            self.warm_up.iter().map(|one| one.abs()).filter(|size| *size > 0.0).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let seen = match sizes.len() {
            enough if enough >= WARM_UP_DIFFERENT => CLIP * quantile(&sizes, 0.5),
            _ if self.delta.is_some() => 0.0,
            _ => return None,
        };
        let bound = seen.max(2.0 * self.delta.unwrap_or(0.0));
        (self.warm_up.len() >= WARM_UP).then_some(Quantity::Mean { bound })
    }

    fn find_verdict(&self) -> Option<Verdict> {
        let decisive = self.decisive();
        for (bet, verdict) in self.lead.iter().zip([Verdict::Better, Verdict::Worse]) {
            if bet.total_log_wealth() >= decisive {
                return Some(verdict);
            }
        }
        // Both leads are refuted now, not one at one time and the other at another, so that the
        // estimate is smaller than δ.
        let level = (1.0 / self.risks.beta).ln();
        let smaller = self.smaller.as_ref()?.iter();
        let are_refuted = smaller.map(WealthProcess::total_log_wealth).all(|one| one >= level);
        are_refuted.then_some(Verdict::NoDifference)
    }

    /// What the log wealth must reach: two bets against equality share the risk α.
    fn decisive(&self) -> f64 {
        (2.0 / self.risks.alpha).ln()
    }

    /// The bound on each difference of [`Measure::Clipped`] and [`Measure::Mean`], once it is
    /// known.
    pub fn bound(&self) -> Option<f64> {
        match (self.measure, self.quantity) {
            (Measure::Clipped | Measure::Mean { .. }, Some(Quantity::Mean { bound })) => {
                Some(bound)
            }
            _ => None,
        }
    }

    /// The natural logarithm of the evidence for a lead of the first player and of the second, and
    /// the value that either must reach for a verdict.
    pub fn evidence(&self) -> ([f64; 2], f64) {
        let [first, second] = &self.lead;
        ([first.total_log_wealth(), second.total_log_wealth()], self.decisive())
    }

    /// The measure in the pairs counted so far, which the interval always contains; `None` before
    /// any.
    pub fn estimate(&self) -> Option<f64> {
        if self.observed.is_empty() {
            return None;
        }
        if let Measure::Median = self.measure {
            let mut sorted = self.observed.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            return Some(quantile(&sorted, 0.5));
        }
        Some(self.observed.iter().sum::<f64>() / self.observed.len() as f64)
    }

    /// The measure to expect in the long run. A test that ends at a verdict of better or worse ends
    /// at a lucky moment, so what was observed is too large, see
    /// [`ThreeWayTest::long_run`](crate::ThreeWayTest::long_run). Without such a verdict, and for
    /// the median, it is [`DifferenceTest::estimate`].
    pub fn long_run(&self) -> Option<f64> {
        let estimate = self.estimate()?;
        let (bet, sign) = match self.verdict {
            Some(Verdict::Better) => (&self.lead[0], 1.0),
            Some(Verdict::Worse) => (&self.lead[1], -1.0),
            _ => return Some(estimate),
        };
        let Some(Quantity::Mean { bound }) = self.quantity else { return Some(estimate) };
        // The line that ended the test is that of the fraction which won most.
        let most = bet.log_wealth.iter().zip(FRACTIONS).max_by(|a, b| a.0.total_cmp(b.0));
        let (_, fraction) = most?;
        // One difference of 0 keeps the variance above 0 where all are equal.
        let count = self.observed.len() as f64 + 1.0;
        let mean = self.observed.iter().sum::<f64>() / count;
        let square = self.observed.iter().map(|one| one * one).sum::<f64>() / count;
        let lead = fraction * square / bound;
        let line = Line { information: count / (square - mean * mean), lead };
        let likely = sign * line.median_unbiased(sign * mean);
        self.interval().map(|Interval { low, high }| likely.clamp(low, high))
    }

    /// The confidence sequence at this point: the values of the measure that are not refuted, an
    /// interval that covers the true value with a probability of at least 1 − α at all times
    /// together. It leaves out 0 where the verdict is better or worse, and all of δ and more where
    /// it is that there is no such difference. `None` while nothing is known: before the first pair
    /// that counts, or while any median is still possible.
    pub fn interval(&self) -> Option<Interval> {
        let interval = self.unrefuted()?;
        Some(match (self.verdict, self.delta) {
            (Some(Verdict::NoDifference), Some(delta)) => {
                Interval { low: interval.low.max(-delta), high: interval.high.min(delta) }
            }
            _ => interval,
        })
    }

    /// The values of the measure that bets against them have not refuted.
    fn unrefuted(&self) -> Option<Interval> {
        match self.quantity? {
            Quantity::Mean { bound } => {
                let estimate = self.estimate()?;
                let low = self.end(1.0, -bound, estimate);
                Some(Interval { low, high: self.end(-1.0, bound, estimate) })
            }
            Quantity::Median => {
                let mut sorted = self.observed.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted.dedup();
                // A bet that the median is above a value loses for every observation up to that
                // value: the more of them, the less is refuted. The first value that is not refuted
                // is the end.
                let low = sorted.partition_point(|value| self.bet_refutes(*value, 1.0));
                let high = sorted.partition_point(|value| !self.bet_refutes(*value, -1.0));
                let beyond = |value: f64, sign: f64| self.bet_refutes(value - sign, sign);
                let low = match low {
                    0 if !beyond(*sorted.first()?, 1.0) => f64::NEG_INFINITY,
                    at => sorted[at],
                };
                let high = match high {
                    all if all == sorted.len() && !beyond(*sorted.last()?, -1.0) => f64::INFINITY,
                    at => sorted[at - 1],
                };
                (low.is_finite() || high.is_finite()).then_some(Interval { low, high })
            }
        }
    }

    /// Whether `value` is outside [`DifferenceTest::interval`].
    pub fn refutes(&self, value: f64) -> bool {
        self.bet_refutes(value, 1.0) || self.bet_refutes(value, -1.0)
    }

    /// Whether a bet that the measure is above `value` (with `sign` 1) or below it (−1) has refuted
    /// it.
    fn bet_refutes(&self, value: f64, sign: f64) -> bool {
        let Some(quantity) = self.quantity else { return false };
        let mut bet = WealthProcess::new(value, sign);
        self.observed.iter().for_each(|&observed| bet.update(quantity, observed));
        bet.total_log_wealth() >= self.decisive()
    }

    /// The outermost mean between the bound `outside` and the estimate that a bet with `sign` does
    /// not refute. Found by bisection, as the wealth falls steadily from `outside` inwards.
    fn end(&self, sign: f64, outside: f64, estimate: f64) -> f64 {
        // At the bound itself there is nothing left to bet with.
        let (mut out, mut within) = (outside * (1.0 - 1e-9), estimate);
        if sign * estimate > 0.0 && self.bet_refutes(0.0, sign) {
            // What the verdict excludes is outside.
            out = 0.0;
        } else if !self.bet_refutes(out, sign) {
            return outside;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(out, within);
            if self.bet_refutes(middle, sign) { out = middle } else { within = middle }
        }
        out
    }
}

#[cfg(test)]
mod tests;
