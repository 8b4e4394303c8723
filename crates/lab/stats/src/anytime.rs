//! An interval for a mean that holds however often one looks, where nothing bounds the values:
//! exact only in the limit of many values, like Student's. Where a bound is known, see
//! [`crate::difference_test`].
//!
//! ```
//! use quintain_stats::anytime::mean_interval;
//!
//! // A hundred differences with mean 12 and variance 400.
//! let interval = mean_interval(100, 12.0, 400.0, 0.05);
//! assert!(interval.low > 5.0 && interval.high < 19.0);
//! ```

use crate::summary::Interval;

/// The number of values at which the interval is narrowest beside Student's.
const NARROWEST_AT: f64 = 100.0;

/// The asymptotic confidence sequence of a mean at level 1 − `alpha`, after `count` values with
/// this mean and variance (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, "Time-uniform
/// central limit theory and asymptotic confidence sequences", theorem 2.2 and equation 25).
///
/// # Panics
/// If there are no values.
pub fn mean_interval(count: u64, mean: f64, variance: f64, alpha: f64) -> Interval {
    assert!(count > 0, "a mean is of values");
    let n = count as f64;
    let spent = -2.0 * alpha.ln();
    let rho_squared = (spent + spent.ln_1p()) / NARROWEST_AT;
    let grown = n * rho_squared + 1.0;
    let half =
        (variance * 2.0 * grown / (n * n * rho_squared) * (grown.sqrt() / alpha).ln()).sqrt();
    Interval { low: mean - half, high: mean + half }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    #[test]
    fn equals_are_covered_at_every_look_as_often_as_promised() {
        const RUNS: u64 = 400;
        let mut missed = 0;
        for run in 0..RUNS {
            let mut rng = Rng::from_seed(run);
            let (mut sum, mut squares) = (0.0, 0.0);
            missed += u64::from((1..=500_u64).any(|count| {
                let value = rng.unit() + rng.unit() - 1.0;
                (sum, squares) = (sum + value, squares + value * value);
                let mean = sum / count as f64;
                let variance = squares / count as f64 - mean * mean;
                let interval = mean_interval(count, mean, variance, 0.05);
                count >= 20 && (interval.low > 0.0 || interval.high < 0.0)
            }));
        }
        // 5 % and two standard errors of so many runs.
        assert!(missed <= 28, "{missed}");
    }
}
