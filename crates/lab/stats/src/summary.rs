//! Mean, spread and order statistics of a list of scores. Comparing two lists is the job of
//! `paired`.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

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
#[non_exhaustive]
pub struct Summary {
    /// The number of observations: matches of the player, with repetitions of the same match
    /// counted once.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard error of the mean; `None` below two observations.
    pub standard_error: Option<f64>,
    /// 95 % interval of the mean by Student's t; `None` below two observations, and where all are
    /// equal.
    pub interval: Option<Interval>,
    /// Median; the mean of the middle two when `n` is even.
    pub median: f64,
    /// Interval of the median of at least 95 %, bounded by two observations, whatever the
    /// distribution (by the sign test); `None` below six observations.
    pub median_interval: Option<Interval>,
    /// The least score.
    pub min: f64,
    /// The greatest score.
    pub max: f64,
}

impl Summary {
    /// Summarises `scores`, which it sorts; `None` if there are no scores.
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
        let mut once: Vec<(f64, u64)> = scores.iter().map(|score| (*score, 1)).collect();
        let summary = Self::of_repeated(&mut once);
        scores.sort_unstable_by(f64::total_cmp);
        summary
    }

    /// Summarises observations that each occurred a number of times, which it sorts; `None` if
    /// there are none. Repeating an observation changes the mean, as a larger weight would, but
    /// adds no information: standard error and interval are those of as many observations as there
    /// are different ones.
    ///
    /// ```
    /// use quintain_stats::Summary;
    ///
    /// let thrice = Summary::of_repeated(&mut [(1.0, 3), (2.0, 3), (4.0, 3)]).unwrap();
    /// let once = Summary::of(&mut [1.0, 2.0, 4.0]).unwrap();
    /// assert_eq!((thrice.n, thrice.mean), (once.n, once.mean));
    /// let [thrice, once] = [thrice, once].map(|summary| summary.interval.unwrap().low);
    /// assert!((thrice - once).abs() < 1e-12);
    /// ```
    pub fn of_repeated(scores: &mut [(f64, u64)]) -> Option<Self> {
        let (mean, standard_error, interval) = repeated_mean_with_interval(scores)?;
        let times: u64 = scores.iter().map(|(_, times)| times).sum();
        let at = |place: u64| {
            let mut before = 0;
            let found = scores.iter().find(|(_, times)| {
                before += times;
                before > place
            });
            found.expect("the place is among them").0
        };
        let (below, above) = (at((times - 1) / 2), at(times / 2));
        Some(Self {
            n: scores.len() as u64,
            mean,
            standard_error,
            interval,
            median: if below == above { below } else { f64::midpoint(below, above) },
            median_interval: median_interval(scores).map(|interval| Interval {
                low: interval.low.min(below),
                high: interval.high.max(above),
            }),
            min: scores[0].0,
            max: scores[scores.len() - 1].0,
        })
    }
}

/// The order statistics that enclose the median with at least 95 %: at each end, as many
/// observations are left out as even chances produce with at most 2.5 %.
fn median_interval(sorted: &[(f64, u64)]) -> Option<Interval> {
    let n = sorted.len();
    let out = match n {
        0..6 => return None,
        // The binomial distribution is close to normal; half an observation corrects for its steps.
        1000.. => ((n as f64 - NORMAL_975 * (n as f64).sqrt()) / 2.0 - 0.5).floor() as usize,
        _ => {
            let mut chance = 0.5_f64.powi(n as i32);
            let mut sum = chance;
            let mut out = 0;
            // With this chance, `out` observations are above the median, or below it.
            while sum <= 0.025 {
                out += 1;
                chance *= (n + 1 - out) as f64 / out as f64;
                sum += chance;
            }
            out - 1
        }
    };
    Some(Interval { low: sorted[out].0, high: sorted[n - 1 - out].0 })
}

/// The value below which `share`, from 0 to 1, of the sorted values lies, interpolated linearly
/// between neighbours (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
/// 1996).
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

/// Mean, standard error and 95 % interval of `values` by Student's t (1908). The values are sorted
/// so that their original order cannot show in the last bits. `None` without values; a mean alone
/// if there is only one, and no interval if all are equal.
pub fn mean_with_interval(values: &mut [f64]) -> Option<(f64, Option<f64>, Option<Interval>)> {
    let mut once: Vec<(f64, u64)> = values.iter().map(|value| (*value, 1)).collect();
    values.sort_unstable_by(f64::total_cmp);
    repeated_mean_with_interval(&mut once)
}

/// Mean and interval of values that each occurred a number of times: a value weighs that much but
/// is one observation. The standard error is that of a weighted mean of independent observations,
/// √(C/(C − 1) · Σw²(x − m)²) / Σw for C of them, with C − 1 degrees of freedom.
pub fn repeated_mean_with_interval(
    values: &mut [(f64, u64)],
) -> Option<(f64, Option<f64>, Option<Interval>)> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let n = values.len() as f64;
    let all = values.iter().map(|(_, times)| *times as f64).sum::<f64>();
    // Subtracting the middle value keeps the sum's rounding errors at the size of the spread.
    let origin = values[values.len() / 2].0;
    let shifted = values.iter().map(|(value, times)| (value - origin) * *times as f64);
    let mean = origin + shifted.sum::<f64>() / all;
    if values.len() < 2 {
        return Some((mean, None, None));
    }
    let squares = values.iter().map(|(value, times)| ((value - mean) * *times as f64).powi(2));
    let standard_error = (squares.sum::<f64>() / (n - 1.0) / n).sqrt() * (n / all);
    let half_width = student_t_975(n - 1.0) * standard_error;
    let interval = Interval { low: mean - half_width, high: mean + half_width };
    // Equal observations do not show how others might differ from them.
    Some((mean, Some(standard_error), (standard_error > 0.0).then_some(interval)))
}

/// Wilson's 95 % interval of a share, from 0 to 1, of which `count` in `of` observations were seen
/// (Wilson 1927, "Probable inference, the law of succession, and statistical inference"); `None`
/// without observations.
///
/// ```
/// let interval = quintain_stats::wilson_interval(5, 20).unwrap();
/// assert!((interval.low - 0.112).abs() < 0.001 && (interval.high - 0.469).abs() < 0.001);
/// ```
pub fn wilson_interval(count: u64, of: u64) -> Option<Interval> {
    let (n, z) = (of as f64, NORMAL_975);
    let share = count as f64 / n;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let spread = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends, the square root leaves a rounding error beyond 0 and 1.
    let low = if count == 0 { 0.0 } else { middle - spread };
    let high = if count == of { 1.0 } else { middle + spread };
    (of > 0).then_some(Interval { low, high })
}

/// The two-sided p-value of a figure that is `errors` standard errors from zero, by Student's t
/// with `freedom` degrees of freedom, at least one.
pub fn student_p_value(errors: f64, freedom: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, freedom.max(1.0)).expect("freedom is at least one");
    2.0 * student.sf(errors.abs())
}

/// The two-sided p-value of a figure that is `errors` standard errors from zero, by the normal
/// distribution.
pub fn normal_p_value(errors: f64) -> f64 {
    2.0 * Normal::standard().sf(errors.abs())
}

/// The 97.5 % quantile of the standard normal distribution.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom.
///
/// `statrs` inverts the incomplete beta function, which loses its digits as the freedom grows (1.83
/// for 1.96 at ten million); from a thousand on, the expansion by Abramowitz & Stegun (1964),
/// 26.7.5, is exact to ten digits.
pub fn student_t_975(freedom: f64) -> f64 {
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
    fn the_interval_of_a_share_is_that_of_scipy() {
        // scipy 1.17.1: binomtest(count, of).proportion_ci(method="wilson")
        for (count, of, low, high) in [
            (5, 20, 0.111_861_701_4, 0.468_700_877_6),
            (0, 10, 0.0, 0.277_532_799_9),
            (10, 10, 0.722_467_200_1, 1.0),
        ] {
            let share = wilson_interval(count, of).unwrap();
            assert!((share.low - low).abs() < 1e-9, "{share:?}");
            assert!((share.high - high).abs() < 1e-9, "{share:?}");
        }
        assert_eq!(wilson_interval(0, 0), None);
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
    fn what_was_seen_again_weighs_more_and_tells_no_more() {
        let repeated = Summary::of_repeated(&mut [(2.0, 3), (10.0, 1)]).unwrap();
        assert_eq!((repeated.n, repeated.mean, repeated.median), (2, 4.0, 2.0));
        // √(2/1 · (9·4 + 1·36)) / 4
        assert!((repeated.standard_error.unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(Summary::of_repeated(&mut [(7.0, 50)]).unwrap().interval, None);
        let evenly = Summary::of_repeated(&mut [(2.0, 4), (10.0, 4)]).unwrap();
        assert_eq!(evenly, Summary::of(&mut [2.0, 10.0]).unwrap());
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
    fn the_interval_of_a_median_leaves_out_as_many_as_the_sign_test_allows() {
        let of = |n: u32| Summary::of(&mut (1..=n).map(f64::from).collect::<Vec<_>>()).unwrap();
        assert_eq!(of(5).median_interval, None);
        // 2·(1/64) and 2·(1 + 20 + 190 + 1140 + 4845 + 15504)/2^20 = 0.041
        let interval = |low, high| Some(Interval { low, high });
        assert_eq!(of(6).median_interval, interval(1.0, 6.0));
        assert_eq!(of(20).median_interval, interval(6.0, 15.0));
        let (exact, normal) = (of(999).median_interval.unwrap(), of(1000).median_interval.unwrap());
        assert!((exact.low - normal.low).abs() <= 1.0, "{exact:?} {normal:?}");
    }

    #[test]
    fn equal_observations_say_nothing_about_others() {
        for seen in [2, 24] {
            let summary = Summary::of(&mut vec![1.0; seen]).unwrap();
            assert_eq!((summary.standard_error, summary.interval), (Some(0.0), None));
        }
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
