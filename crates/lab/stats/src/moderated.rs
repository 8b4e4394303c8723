//! Moderated variances (Smyth 2004, "Linear models and empirical Bayes methods for assessing
//! differential expression"): each of many variances that were estimated from few observations is
//! drawn towards what all of them have in common, the more the less they differ.

use statrs::function::gamma::digamma;

use crate::summary::quantile;

/// What many estimated variances have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Their geometric mean, or the mean where they do not differ by more than chance.
    pub variance: f64,
    /// As many degrees of freedom as this common variance is worth in each of them; infinite where
    /// they do not differ by more than chance.
    pub freedom: f64,
}

/// A variance is not taken to be less than this share of the median.
const LEAST: f64 = 0.05;

impl Prior {
    /// Fits a prior to variances, each with its degrees of freedom (at least one), by the moments
    /// of their logarithms. The freedom is Smyth's. The common variance is the geometric mean,
    /// without his reduction of it for variances that differ: with that, tests of all pairs of
    /// players would err too often where one player varies more than the rest. Variances that are
    /// almost zero count as a twentieth of the median, so that a few equal observations do not pass
    /// for a variance of zero. `None` without a variance above zero.
    ///
    /// ```
    /// use quintain_stats::moderated::Prior;
    ///
    /// let prior = Prior::fit(&[(1.0, 4.0), (1.2, 4.0), (0.9, 4.0)]).unwrap();
    /// assert_eq!(prior.freedom, f64::INFINITY);
    /// assert_eq!(prior.moderate((0.9, 4.0)), (prior.variance, f64::INFINITY));
    /// ```
    pub fn fit(variances: &[(f64, f64)]) -> Option<Prior> {
        let count = variances.len() as f64;
        let mean = variances.iter().map(|(variance, _)| variance).sum::<f64>() / count;
        if variances.is_empty() || mean <= 0.0 {
            return None;
        }
        let mut sorted: Vec<f64> = variances.iter().map(|(variance, _)| *variance).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let least = (LEAST * quantile(&sorted, 0.5)).max(1e-9 * mean);
        let log = |&(own, freedom): &(f64, f64)| {
            own.max(least).ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln()
        };
        let logs: Vec<f64> = variances.iter().map(log).collect();
        let middle = logs.iter().sum::<f64>() / count;
        let spread = logs.iter().map(|log| (log - middle).powi(2)).sum::<f64>() / (count - 1.0);
        let by_chance =
            variances.iter().map(|(_, freedom)| trigamma(freedom / 2.0)).sum::<f64>() / count;
        let (freedom, variance) = match spread - by_chance {
            // A single variance has nothing to be drawn to.
            _ if variances.len() < 2 => (0.0, mean),
            excess if excess > 0.0 => (2.0 * inverse_trigamma(excess), middle.exp()),
            _ => (f64::INFINITY, mean),
        };
        Some(Prior { variance, freedom })
    }

    /// A variance with its degrees of freedom, drawn towards the common one.
    pub fn moderate(&self, (variance, freedom): (f64, f64)) -> (f64, f64) {
        if self.freedom.is_infinite() {
            return (self.variance, f64::INFINITY);
        }
        let all = self.freedom + freedom;
        ((self.freedom * self.variance + freedom * variance) / all, all)
    }
}

/// The derivative of the digamma function, above zero: by its recurrence up to 10, then by its
/// asymptotic series (Abramowitz & Stegun 1964, 6.4.12).
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let (inverse, square) = (1.0 / x, 1.0 / (x * x));
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    sum + inverse + square / 2.0 + square * inverse * series
}

/// The number above zero with this trigamma, which falls from infinity to zero.
fn inverse_trigamma(value: f64) -> f64 {
    // Its bounds are 1/x + 1/(2x²) < trigamma(x) < 1/x + 1/x².
    let (mut low, mut high) = (0.5 / value.max(value.sqrt()), 1.0 / value + 1.0 / value.sqrt());
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if trigamma(middle) > value { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trigamma_function_is_that_of_scipy() {
        // scipy 1.17.1: scipy.special.polygamma(1, x)
        for (x, expected) in [
            (0.05, 401.532357342),
            (0.5, 4.934802200),
            (1.0, 1.644934066),
            (2.0, 0.644934066),
            (7.5, 0.142615896),
            (30.0, 0.033895060),
            (1000.0, 0.001000500),
        ] {
            assert!((trigamma(x) - expected).abs() < 1e-6 * expected, "{x}: {}", trigamma(x));
            let back = inverse_trigamma(expected);
            assert!((back - x).abs() < 2e-6 * x, "{x}: {back}");
        }
    }

    #[test]
    fn the_freedom_is_that_of_smyths_moments() {
        // scipy 1.17.1, from the formulas of the paper, section 6.2: with e = log s² − digamma(d/2)
        // + log(d/2), the root of polygamma(1, x/2) = var(e, ddof=1) − polygamma(1, d/2), and
        // exp(mean(e)).
        let variances = [0.2, 0.5, 1.0, 2.5, 9.0, 4.0].map(|variance| (variance, 5.0));
        let prior = Prior::fit(&variances).unwrap();
        assert!((prior.freedom - 2.150590255).abs() < 1e-6, "{prior:?}");
        assert!((prior.variance - 1.784856799).abs() < 1e-8);
        let (variance, freedom) = prior.moderate((0.2, 5.0));
        assert!(variance > 0.2 && variance < prior.variance && freedom > 5.0);
    }

    #[test]
    fn one_variance_is_not_moderated_and_zeros_have_no_prior() {
        let one = Prior::fit(&[(2.0, 4.0)]).unwrap();
        assert_eq!(one.moderate((2.0, 4.0)), (2.0, 4.0));
        assert_eq!((Prior::fit(&[]), Prior::fit(&[(0.0, 4.0), (0.0, 4.0)])), (None, None));
    }
}
