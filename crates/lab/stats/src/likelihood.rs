//! How much likelier a set of scores is under one hypothesis about their mean than under another:
//! the generalised likelihood ratio (M. Van den Bergh 2020, "A practical introduction to the
//! GSPRT"). Neither hypothesis fixes the distribution of the scores; each takes the best-fitting
//! one among those that it allows.
//!
//! ```
//! use quintain_stats::Pairs;
//! use quintain_stats::likelihood::{EloScale, log_likelihood_ratio};
//!
//! // A hundred pairs that brought more than half of the points speak for +10 Elo over 0.
//! let pairs = Pairs::from_counts(vec![4, 20, 40, 28, 8]);
//! assert!(log_likelihood_ratio(&pairs, EloScale::Logistic, 0.0, 10.0) > 0.5);
//! ```

use crate::elo;
use crate::pairs::{NORMALISED_POINTS, Pairs};

/// The scale on which a hypothesis states the difference between two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EloScale {
    /// The mean score, as a difference in Elo points.
    Logistic,
    /// (mean − ½) / σ, in points of normalised Elo.
    Normalised,
}

/// Stands in for the count of a sum of points that has not occurred yet, so that no hypothesis is
/// impossible: the value that engine testing uses.
const UNSEEN: f64 = 1e-3;

/// The natural logarithm of the likelihood of `pairs` at a difference of `second` points over that
/// at `first`, both on `scale`.
pub fn log_likelihood_ratio(pairs: &Pairs, scale: EloScale, first: f64, second: f64) -> f64 {
    let sample = Sample::of(pairs);
    sample.count * (sample.fit(scale, second) - sample.fit(scale, first))
}

/// The log-likelihood ratios of several hypotheses to the same first one, which is fitted once.
pub(crate) fn log_likelihood_ratios(
    pairs: &Pairs,
    scale: EloScale,
    first: f64,
    others: impl Iterator<Item = f64>,
) -> Vec<f64> {
    let sample = Sample::of(pairs);
    let base = sample.fit(scale, first);
    others.map(|points| sample.count * (sample.fit(scale, points) - base)).collect()
}

/// The scores of pairs and how often each occurred, as shares of all.
struct Sample {
    count: f64,
    games: f64,
    scores: Vec<f64>,
    shares: Vec<f64>,
}

impl Sample {
    fn of(pairs: &Pairs) -> Sample {
        let counts = pairs.counts().iter().map(|&count| (count as f64).max(UNSEEN));
        let count: f64 = counts.clone().sum();
        Sample {
            count,
            games: pairs.games_of_one() as f64,
            scores: (0..pairs.counts().len()).map(|half_points| pairs.score(half_points)).collect(),
            shares: counts.map(|one| one / count).collect(),
        }
    }

    /// The greatest mean log-likelihood of a score if the difference is `points`, without the terms
    /// that do not depend on the hypothesis.
    fn fit(&self, scale: EloScale, points: f64) -> f64 {
        let weights = match scale {
            EloScale::Logistic => {
                let mean = elo::expected_score(points);
                self.tilt(self.scores.iter().map(|score| score - mean).collect())
            }
            EloScale::Normalised => {
                self.tilt_to_effect(points * self.games.sqrt() / NORMALISED_POINTS)
            }
        };
        self.shares.iter().zip(&weights).map(|(share, weight)| share * weight.ln()).sum()
    }

    /// The likeliest distribution, relative to the shares, under which the mean of `deviations` is
    /// zero: 1 / (1 + x·dᵢ), where x solves Σ pᵢ·dᵢ / (1 + x·dᵢ) = 0.
    fn tilt(&self, deviations: Vec<f64>) -> Vec<f64> {
        let lowest = deviations.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = deviations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if lowest >= 0.0 || highest <= 0.0 {
            // No distribution over these scores has such a mean.
            return vec![1.0; deviations.len()];
        }
        // The sum falls steadily from +∞ to −∞ between the poles.
        let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
        let mut x = 0.0;
        for _ in 0..100 {
            let (mut value, mut slope) = (0.0, 0.0);
            for (&share, &d) in self.shares.iter().zip(&deviations) {
                let quotient = d / (1.0 + x * d);
                value += share * quotient;
                slope -= share * quotient * quotient;
            }
            if value > 0.0 {
                low = x
            } else {
                high = x
            }
            // Newton's step where it stays within the bracket, bisection otherwise. Close to a pole
            // Newton's steps are as small as at the root.
            let newton = x - value / slope;
            let is_small = |next: f64| (next - x).abs() <= 1e-14 * (1.0 + x.abs());
            let is_stuck = is_small(newton) && value.abs() > 1e-9;
            let next = match newton > low && newton < high && !is_stuck {
                true => newton,
                false => f64::midpoint(low, high),
            };
            if is_small(next) {
                break;
            }
            x = next;
        }
        deviations.iter().map(|d| 1.0 / (1.0 + x * d)).collect()
    }

    /// The likeliest distribution, relative to the shares, with (mean − ½) / σ = `effect`, by
    /// fixed-point iteration: mean and σ of the last round make the condition linear.
    fn tilt_to_effect(&self, effect: f64) -> Vec<f64> {
        let uniform = 1.0 / self.scores.len() as f64;
        let mut weights: Vec<f64> = self.shares.iter().map(|share| uniform / share).collect();
        for _ in 0..100 {
            let of = |value: &dyn Fn(f64) -> f64| -> f64 {
                let weighted = self.shares.iter().zip(&weights).zip(&self.scores);
                weighted.map(|((share, weight), &score)| share * weight * value(score)).sum()
            };
            let mean = of(&|score| score);
            let sigma = of(&|score| (score - mean).powi(2)).sqrt();
            let linear = |score: f64| {
                score - 0.5 - effect * sigma * (1.0 + ((mean - score) / sigma).powi(2)) / 2.0
            };
            let next = self.tilt(self.scores.iter().map(|&score| linear(score)).collect());
            let changes = next.iter().zip(&weights).zip(&self.shares);
            let change = changes.map(|((a, b), share)| share * (a - b).abs()).fold(0.0, f64::max);
            weights = next;
            if change < 1e-12 {
                break;
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(counts: [u64; 6], scale: EloScale, first: f64, second: f64) -> f64 {
        log_likelihood_ratio(&Pairs::pentanomial(counts), scale, first, second)
    }

    #[test]
    fn ratios_are_those_that_fastchess_prints() {
        // Printed by fastchess for these counts.
        let printed = |ratio: f64| format!("{ratio:.2}");
        let counts = [365, 16618, 36029, 200, 16974, 390];
        assert_eq!(printed(ratio(counts, EloScale::Normalised, 0.0, 2.0)), "2.25");
        let counts = [127, 4883, 10311, 401, 5150, 104];
        assert_eq!(printed(ratio(counts, EloScale::Normalised, -1.75, 0.25)), "3.01");
        let counts = [223, 9863, 20279, 1000, 10037, 246];
        assert_eq!(printed(ratio(counts, EloScale::Logistic, 0.5, 2.5)), "-3.07");
    }

    #[test]
    fn a_step_onto_a_pole_does_not_end_the_search() {
        // Here Newton's first step from 0 leads to 2, beside the pole. The value is from bisection.
        let found = ratio([1, 1, 13, 0, 11, 4], EloScale::Logistic, 0.0, 80.0);
        assert!((found - 3.8123).abs() < 1e-3, "{found}");
    }

    #[test]
    fn swapped_hypotheses_change_the_sign() {
        let counts = [3, 20, 31, 12, 25, 9];
        for scale in [EloScale::Logistic, EloScale::Normalised] {
            let (there, back) = (ratio(counts, scale, -3.0, 8.0), ratio(counts, scale, 8.0, -3.0));
            assert!((there + back).abs() < 1e-9, "{there} {back}");
        }
    }

    #[test]
    fn sums_that_never_came_up_leave_the_ratio_finite() {
        for counts in [[0, 0, 0, 0, 0, 1], [0, 0, 0, 9, 0, 0], [0; 6], [1, 0, 0, 0, 0, 0]] {
            for scale in [EloScale::Logistic, EloScale::Normalised] {
                assert!(ratio(counts, scale, 0.0, 10.0).is_finite(), "{counts:?} {scale:?}");
            }
        }
    }
}
