//! A figure with its 95 % interval, the number of observations behind it, and the distribution that
//! the interval comes from.

use std::fmt;

use quintain_stats::summary::{NORMAL_975, normal_p_value, student_p_value, student_t_975};
use quintain_stats::{Interval, Summary, wilson_interval};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// How an interval was computed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Counted or computed in full: there is no uncertainty.
    Counted,
    /// Student's t with this many degrees of freedom.
    Student(f64),
    /// Student's t on the logarithms of ratios, with this many degrees of freedom.
    LogRatio(f64),
    /// Wilson's interval of a share.
    Wilson,
    /// Order statistics about a median.
    OrderStatistics,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Counted => "counted",
            Method::Student(_) => "Student's t",
            Method::LogRatio(_) => "Student's t on log ratios",
            Method::Wilson => "Wilson's interval",
            Method::OrderStatistics => "order statistics",
        })
    }
}

/// The units of figures.
const UNITS: [&str; 3] = ["", " %", " s"];

/// A figure with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of observations; 0 if it was counted or computed in full.
    pub n: u64,
    /// The unit, as written after the figure.
    pub unit: &'static str,
    /// How the interval was computed.
    pub method: Method,
}

impl Estimate {
    /// A figure and its interval, by Student's t over `n` observations.
    pub fn new(value: f64, low: f64, high: f64, n: u64) -> Estimate {
        let method = Method::Student(n.saturating_sub(1) as f64);
        Estimate { value, low, high, n, unit: "", method }
    }

    /// A figure without uncertainty.
    pub fn exact(value: f64) -> Estimate {
        Estimate { method: Method::Counted, ..Estimate::new(value, value, value, 0) }
    }

    /// The mean of independent observations with its interval by Student's t; with one observation
    /// the interval is infinite, and without any the value is NaN.
    pub fn mean(values: impl IntoIterator<Item = f64>) -> Estimate {
        let mut values: Vec<f64> = values.into_iter().collect();
        let Some(summary) = Summary::of(&mut values) else {
            return Estimate::new(f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0);
        };
        let (low, high) = ends(summary.interval);
        Estimate::new(summary.mean, low, high, summary.n)
    }

    /// The median of independent observations, with the order statistics between which the true
    /// median lies in 95 of 100 samples; below six observations the interval is infinite.
    pub fn median(values: impl IntoIterator<Item = f64>) -> Estimate {
        let mut values: Vec<f64> = values.into_iter().collect();
        let Some(summary) = Summary::of(&mut values).filter(|summary| summary.n > 1) else {
            return Estimate::mean(values);
        };
        let (low, high) = ends(summary.median_interval);
        let method = Method::OrderStatistics;
        Estimate { method, ..Estimate::new(summary.median, low, high, summary.n) }
    }

    /// The geometric mean of ratios with its interval by Student's t on their logarithms, so that a
    /// ratio and its inverse count alike. Ratios that are not positive are left out.
    pub fn mean_ratio(ratios: impl IntoIterator<Item = f64>) -> Estimate {
        let logarithms = Estimate::mean(ratios.into_iter().filter(|r| *r > 0.0).map(f64::ln));
        let method = Method::LogRatio(logarithms.n.saturating_sub(1) as f64);
        let [value, low, high] = [logarithms.value, logarithms.low, logarithms.high].map(f64::exp);
        Estimate { method, ..Estimate::new(value, low, high, logarithms.n) }
    }

    /// The mean difference of pairs, the first minus the second.
    pub fn difference(pairs: impl IntoIterator<Item = (f64, f64)>) -> Estimate {
        Estimate::mean(pairs.into_iter().map(|(a, b)| a - b))
    }

    /// A share in percent, with Wilson's interval (1927).
    pub fn share(count: u64, of: u64) -> Estimate {
        let Some(interval) = wilson_interval(count, of) else {
            return Estimate { unit: " %", ..Estimate::mean([]) };
        };
        let share = 100.0 * count as f64 / of as f64;
        let (low, high) = (100.0 * interval.low, 100.0 * interval.high);
        let method = Method::Wilson;
        Estimate { unit: " %", method, ..Estimate::new(share, low, high, of) }
    }

    /// The share of `true`, in percent.
    pub fn share_of(holds: impl IntoIterator<Item = bool>) -> Estimate {
        let (mut count, mut of) = (0, 0);
        for holds in holds {
            of += 1;
            count += u64::from(holds);
        }
        Estimate::share(count, of)
    }

    /// This minus another estimate that was measured independently.
    pub fn minus(self, other: Estimate) -> Estimate {
        let value = self.value - other.value;
        let below = (self.value - self.low).hypot(other.high - other.value);
        let above = (self.high - self.value).hypot(other.value - other.low);
        // The smaller number of observations decides how heavy the tails are.
        let (n, method) = match (self.method, other.method) {
            (Method::Counted, method) => (other.n, method),
            (method, Method::Counted) => (self.n, method),
            _ if self.n <= other.n => (self.n, self.method),
            _ => (other.n, other.method),
        };
        let (low, high) = (value - below, value + above);
        Estimate { unit: self.unit, method, ..Estimate::new(value, low, high, n) }
    }

    /// The two-sided probability of a figure at least as far from this bound if the true value is
    /// at the bound: 0.05 where the bound is an end of the interval, elsewhere by the tails of the
    /// interval's distribution.
    pub fn p_value(&self, bound: f64) -> f64 {
        // Ratios are as far apart as their logarithms.
        let scale = |value: f64| match (self.method, self.unit) {
            (Method::LogRatio(_), " %") => (value / 100.0).ln_1p(),
            (Method::LogRatio(_), _) => value.ln(),
            _ => value,
        };
        let end = if bound < self.value { self.low } else { self.high };
        let [value, end, bound] = [self.value, end, bound].map(scale);
        if value == bound {
            return 1.0;
        }
        let apart = (value - bound).abs() / (value - end).abs();
        match self.method {
            Method::Student(freedom) | Method::LogRatio(freedom) if freedom >= 1.0 => {
                student_p_value(apart * student_t_975(freedom), freedom)
            }
            Method::Wilson | Method::OrderStatistics => normal_p_value(apart * NORMAL_975),
            Method::Counted => 0.0,
            // One observation says nothing.
            Method::Student(_) | Method::LogRatio(_) => 1.0,
        }
    }

    /// This minus a number.
    pub fn less(self, number: f64) -> Estimate {
        let Estimate { value, low, high, .. } = self;
        Estimate { value: value - number, low: low - number, high: high - number, ..self }
    }

    /// This times a positive number.
    pub fn times(self, factor: f64) -> Estimate {
        let Estimate { value, low, high, .. } = self;
        Estimate { value: value * factor, low: low * factor, high: high * factor, ..self }
    }

    /// Sets the unit of the figure.
    pub fn in_unit(self, unit: &'static str) -> Estimate {
        Estimate { unit, ..self }
    }

    /// A ratio as a change in percent: 1.05 is +5 %.
    pub fn as_change(self) -> Estimate {
        self.less(1.0).as_percent()
    }

    /// A share of one in percent.
    pub fn as_percent(self) -> Estimate {
        self.times(100.0).in_unit(" %")
    }
}

impl fmt::Display for Estimate {
    /// `1858 ± 7`; both ends where the interval is lopsided. Prints as many digits as the interval
    /// leaves certain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Estimate { value, low, high, unit, .. } = self;
        if value.is_nan() {
            return f.write_str("nothing to measure");
        }
        let half = (high - low) / 2.0;
        if !half.is_finite() {
            return write!(f, "{}{unit} (one observation)", plain(value, 2));
        }
        if half == 0.0 {
            let digits = if value.abs() < 100.0 { 2 } else { 0 };
            return write!(f, "{}{unit}", plain(value, digits));
        }
        // Two digits of the interval, and as many decimals for the figure.
        let digits = (1.0 - half.log10().floor()).clamp(0.0, 6.0) as usize;
        let digits = if half >= 3.0 && digits > 0 { digits - 1 } else { digits };
        let (below, above) = (value - low, high - value);
        if (below - above).abs() > 0.05 * half {
            write!(f, "{value:.digits$}{unit} ({low:.digits$} to {high:.digits$})")
        } else {
            write!(f, "{value:.digits$} ± {half:.digits$}{unit}")
        }
    }
}

/// An estimate as JSON has it: `null` for a number that is not finite.
#[derive(Deserialize)]
struct Written {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    n: u64,
    unit: String,
    method: Method,
}

impl<'de> Deserialize<'de> for Estimate {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Estimate, D::Error> {
        let Written { value, low, high, n, unit, method } = Written::deserialize(input)?;
        let known = UNITS.into_iter().find(|known| *known == unit);
        Ok(Estimate {
            value: value.unwrap_or(f64::NAN),
            low: low.unwrap_or(f64::NEG_INFINITY),
            high: high.unwrap_or(f64::INFINITY),
            n,
            unit: known.ok_or_else(|| D::Error::custom(format!("unknown unit “{unit}”")))?,
            method,
        })
    }
}

/// The ends of an interval; infinite where there is none.
fn ends(interval: Option<Interval>) -> (f64, f64) {
    interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |interval| (interval.low, interval.high))
}

/// A number without trailing zeros after the point.
fn plain(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_lies_between_order_statistics() {
        // Ranks by the binomial distribution for n = 100, p = 1/2: the 40th and 61st
        // (David & Nagaraja, Order Statistics, 2003, 7.1).
        let hundred = Estimate::median((1..=100).rev().map(f64::from));
        assert_eq!((hundred.value, hundred.low, hundred.high, hundred.n), (50.5, 40.0, 61.0, 100));
        let few = Estimate::median([1.0, 2.0, 9.0]);
        assert_eq!((few.value, few.low), (2.0, f64::NEG_INFINITY));
    }

    #[test]
    fn a_difference_of_independent_means_has_the_root_of_the_sum_of_squares() {
        let a = Estimate::new(10.0, 7.0, 13.0, 20);
        let b = Estimate::new(4.0, 0.0, 8.0, 10);
        assert_eq!(a.minus(b), Estimate::new(6.0, 1.0, 11.0, 10));
    }

    #[test]
    fn a_figure_shows_as_many_digits_as_its_interval_leaves_certain() {
        let shown =
            |value: f64, half: f64| Estimate::new(value, value - half, value + half, 9).to_string();
        assert_eq!(shown(1858.234, 7.31), "1858 ± 7");
        assert_eq!(shown(1858.234, 1.31), "1858.2 ± 1.3");
        assert_eq!(shown(0.12345, 0.0213), "0.123 ± 0.021");
        assert_eq!(shown(1302.7, 930.7), "1303 ± 931");
        assert_eq!(Estimate::exact(3.0).to_string(), "3");
        assert_eq!(Estimate::share(10, 10).to_string(), "100 % (72 to 100)");
        assert_eq!(Estimate::mean([]).to_string(), "nothing to measure");
    }

    #[test]
    fn the_ends_of_an_interval_have_a_probability_of_a_twentieth() {
        for estimate in [
            Estimate::mean([1.0, 4.0, 2.0, 7.0]),
            Estimate::share(13, 40),
            Estimate::median((0..80).map(f64::from)),
            Estimate::mean_ratio([1.2, 0.9, 2.0]).as_change(),
        ] {
            for end in [estimate.low, estimate.high] {
                assert!((estimate.p_value(end) - 0.05).abs() < 1e-3, "{estimate:?}");
            }
            assert_eq!(estimate.p_value(estimate.value), 1.0);
        }
        // scipy 1.17.1: ttest_1samp([1, 4, 2, 7], 0).pvalue
        assert!((Estimate::mean([1.0, 4.0, 2.0, 7.0]).p_value(0.0) - 0.077_3).abs() < 1e-3);
        assert_eq!(Estimate::exact(3.0).p_value(2.0), 0.0);
        assert_eq!(Estimate::mean([5.0]).p_value(0.0), 1.0);
    }

    #[test]
    fn a_ratio_and_its_inverse_are_as_far_from_one() {
        let ratios = [1.5, 3.0, 0.8, 2.0];
        let there = Estimate::mean_ratio(ratios);
        let back = Estimate::mean_ratio(ratios.map(f64::recip));
        assert!((there.value * back.value - 1.0).abs() < 1e-12);
        assert!((there.low * back.high - 1.0).abs() < 1e-12);
        assert!((there.p_value(1.0) - back.p_value(1.0)).abs() < 1e-12);
    }

    #[test]
    fn one_observation_decides_nothing() {
        let one = Estimate::mean([5.0]);
        assert_eq!((one.value, one.n), (5.0, 1));
        assert!(one.low < -1e300 && one.high > 1e300);
    }
}
