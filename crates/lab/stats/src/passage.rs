//! When a random walk with drift crosses a line: what an early verdict says about the difference,
//! how rarely a difference is missed, and how many pairs a verdict takes. Everything is for sums of
//! many small independent terms, which move like Brownian motion.

use statrs::distribution::{ContinuousCDF, Normal};

/// The line that the sum of the differences crosses at a verdict, in the sequential test of a mean
/// of 0 against one of `lead`. Differences are divided by their standard deviation, and
/// `information` is their number then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The number of differences divided by their variance.
    pub(crate) information: f64,
    /// The difference that the test looks for.
    pub(crate) lead: f64,
}

impl Line {
    /// The mean at which half of all tests would have crossed the line by now, where the mean that
    /// was seen, `observed`, is that of a test that ended now.
    pub(crate) fn median_unbiased(self, observed: f64) -> f64 {
        let slope = self.lead / 2.0;
        let height = (observed - slope) * self.information;
        // At the mean seen, more than half have crossed.
        let (mut low, mut high) = (-observed.abs(), observed);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            match crossing_probability(height, middle - slope, self.information) < 0.5 {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }
}

/// The probability that Brownian motion with this drift has been above `height` by `time`
/// (Bachelier's formula; Siegmund 1985, "Sequential Analysis", 3.13).
fn crossing_probability(height: f64, drift: f64, time: f64) -> f64 {
    let spread = time.sqrt();
    let above = normal_cdf((drift * time - height) / spread);
    // The second term is exp(2·height·drift)·Φ(…), whose factors may overflow and vanish.
    let back = normal_cdf((-height - drift * time) / spread);
    let reflected = if back > 0.0 { (2.0 * height * drift + back.ln()).exp() } else { 0.0 };
    (above + reflected).min(1.0)
}

/// The time by which Brownian motion with this drift has been above `height` with the probability
/// `share`.
pub(crate) fn time_to_cross(height: f64, drift: f64, share: f64) -> f64 {
    falling_root(0.0, 1e4, |time| share - crossing_probability(height, drift, time.max(1e-9)))
}

fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The root of a function that falls from above 0 at `low` to below 0 at `high`.
fn falling_root(low: f64, high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if value(middle) > 0.0 { low = middle } else { high = middle }
    }
    high
}

/// How unlikely leads of +δ and of −δ must be made at the same time, as the logarithm of a
/// likelihood ratio, so that a true lead of δ is missed with a probability of at most `beta`.
///
/// A single line at x would be crossed with probability exp(−x). But at least 2x units of
/// information are needed before both leads can be that unlikely at once, so a crossing counts only
/// from then on: with Φ of the normal distribution the probability is at most
/// Φ(−√(2x)) + exp(−x)/2, where a lead of δ is itself one standard deviation of a unit.
pub(crate) fn refutation_level(beta: f64) -> f64 {
    falling_root(0.0, 60.0, |x| normal_cdf(-(2.0 * x).sqrt()) + (-x).exp() / 2.0 - beta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_follows_the_reflection_principle() {
        // Without drift: twice the chance of being above at the end.
        let probability = crossing_probability(1.5, 0.0, 4.0);
        assert!((probability - 2.0 * (1.0 - normal_cdf(0.75))).abs() < 1e-12);
        // Downwards for ever: exp(−2·height·drift).
        assert!((crossing_probability(2.0, -0.5, 1e6) - (-2.0_f64).exp()).abs() < 1e-9);
        assert!(crossing_probability(3.0, 10.0, 1e4) > 0.999_999);
    }

    #[test]
    fn leads_are_refuted_sooner_than_by_a_single_line() {
        for (beta, level) in [(0.05, 2.569), (0.01, 4.137)] {
            let found = refutation_level(beta);
            assert!((found - level).abs() < 0.01, "{beta}: {found}");
            assert!(found < (1.0 / beta).ln());
        }
    }

    #[test]
    fn an_early_verdict_says_less_than_what_was_seen() {
        let line = Line { information: 400.0, lead: 0.05 };
        let likely = line.median_unbiased(0.2);
        assert!(likely > 0.05 && likely < 0.2, "{likely}");
    }
}
