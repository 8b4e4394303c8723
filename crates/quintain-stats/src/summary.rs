//! Mean, spread and order statistics of a list of scores. Not the comparison of two lists, which
//! is in `paired`.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The summary statistics of a list of scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The number of observations: matches of the player.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard error of the mean; none below two observations.
    pub standard_error: Option<f64>,
    /// 95 % interval of the mean by Student's t; none below two observations.
    pub interval: Option<Interval>,
    /// Median; the mean of the middle two when `n` is even.
    pub median: f64,
    /// The least score.
    pub min: f64,
    /// The greatest score.
    pub max: f64,
}

impl Summary {
    /// Summarises `scores`, which it sorts; none when there are no scores.
    ///
    /// ```
    /// use quintain_stats::Summary;
    ///
    /// let summary = Summary::of(&mut [4.0, 1.0, 3.0, 2.0]).unwrap();
    /// assert_eq!((summary.n, summary.mean, summary.median, summary.max), (4, 2.5, 2.5, 4.0));
    /// let interval = summary.interval.unwrap();
    /// assert!((interval.low - 0.446).abs() < 0.001);
    /// ```
    pub fn of(scores: &mut [f64]) -> Option<Self> {
        let n = scores.len();
        let (mean, standard_error, interval) = mean_with_interval(scores)?;
        let median = if n % 2 == 1 {
            scores[n / 2]
        } else {
            f64::midpoint(scores[n / 2 - 1], scores[n / 2])
        };
        Some(Self {
            n: n as u64,
            mean,
            standard_error,
            interval,
            median,
            min: scores[0],
            max: scores[n - 1],
        })
    }
}

/// The value below which `share`, from 0 to 1, of the sorted values lies, interpolated linearly
/// between neighbours (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996).
///
/// ```
/// assert_eq!(quintain_stats::quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
/// ```
///
/// # Panics
/// If there are no values, or `share` is not from 0 to 1.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    below + (sorted[position.ceil() as usize] - below) * position.fract()
}

/// Mean, standard error and 95 % interval of `values` by Student's t (1908), which are sorted so that
/// the order in which they came cannot show in the last bits. None without values; a mean alone, if
/// there is only one.
pub fn mean_with_interval(values: &mut [f64]) -> Option<(f64, Option<f64>, Option<Interval>)> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len() as f64;
    // A shift to the middle value keeps the sum's rounding errors at the size of the spread.
    let origin = values[values.len() / 2];
    let mean = origin + values.iter().map(|value| value - origin).sum::<f64>() / n;
    if values.len() < 2 {
        return Some((mean, None, None));
    }
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let standard_error = (squares / (n - 1.0) / n).sqrt();
    let half_width = student_t_975(n - 1.0) * standard_error;
    let interval = Interval { low: mean - half_width, high: mean + half_width };
    Some((mean, Some(standard_error), Some(interval)))
}

/// The 97.5 % quantile of the standard normal distribution.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom.
///
/// `statrs` inverts the incomplete beta function, which loses its digits as the freedom grows (1.83
/// for 1.96 at ten million); from a thousand on, the expansion by Abramowitz & Stegun (1964),
/// 26.7.5, is exact to ten digits.
fn student_t_975(freedom: f64) -> f64 {
    if freedom < 1000.0 {
        StudentsT::new(0.0, 1.0, freedom)
            .expect("freedom is at least one: there are two observations or more")
            .inverse_cdf(0.975)
    } else {
        let z = NORMAL_975;
        z + (z.powi(3) + z) / (4.0 * freedom)
            + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom * freedom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_students_t_equal_those_of_scipy() {
        // scipy 1.17.1: scipy.stats.t.ppf(0.975, freedom)
        for (freedom, expected) in [
            (1.0, 12.706204736175),
            (2.0, 4.302652729749),
            (9.0, 2.262157162798),
            (29.0, 2.045229642133),
            (100.0, 1.983971518524),
            (999.0, 1.962341461133),
            (1e4, 1.960201239891),
            (1e6, 1.959966356814),
            (1e7, 1.959964221767),
        ] {
            let got = student_t_975(freedom);
            assert!((got - expected).abs() < 1e-9, "freedom {freedom}: {got}, not {expected}");
        }
    }

    #[test]
    fn a_list_is_summarised_as_numpy_and_scipy_do() {
        // numpy 2.4.6 and scipy 1.17.1 on x = [3, 1, 4, 1, 5, 9, 2, 6]: x.mean(), median, sem(x),
        // t.interval(0.95, 7, x.mean(), sem(x))
        let summary = Summary::of(&mut [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]).unwrap();
        let interval = summary.interval.unwrap();
        assert_eq!((summary.n, summary.mean, summary.median), (8, 3.875, 3.5));
        assert_eq!((summary.min, summary.max), (1.0, 9.0));
        assert!((summary.standard_error.unwrap() - 0.971_697_704_315_199).abs() < 1e-12);
        assert!(
            (interval.low - 1.577_300_043_159).abs() < 1e-9
                && (interval.high - 6.172_699_956_841).abs() < 1e-9
        );
    }

    #[test]
    fn one_score_has_a_mean_but_no_interval() {
        let summary = Summary::of(&mut [7.0]).unwrap();
        assert_eq!((summary.mean, summary.median), (7.0, 7.0));
        assert_eq!((summary.standard_error, summary.interval), (None, None));
    }

    #[test]
    fn no_scores_have_no_summary() {
        assert_eq!(Summary::of(&mut []), None);
    }

    #[test]
    fn a_far_origin_does_not_cost_the_spread_its_digits() {
        let near = Summary::of(&mut [1.0, 2.0, 4.0]).unwrap();
        let far = Summary::of(&mut [1e12 + 1.0, 1e12 + 2.0, 1e12 + 4.0]).unwrap();
        let (near, far) = (near.standard_error.unwrap(), far.standard_error.unwrap());
        assert!((near - far).abs() < 1e-4, "{near} {far}");
    }

    #[test]
    fn quartiles_are_those_of_numpy() {
        // numpy 2.4.6: numpy.quantile([1, 2, 4, 8, 16], [.25, .5, .75]) and of [3]
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.25, 0.5, 0.75].map(|share| quantile(&sorted, share)), [2.0, 4.0, 8.0]);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 5.0], 0.25), 1.75);
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
    }
}
