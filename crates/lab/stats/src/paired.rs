//! Paired differences: two players compared on the (scenario, seed) pairs they have in common, so
//! that what a seed gave to both cancels out (common random numbers).
//!
//! ```
//! use quintain_stats::paired::{append_differences, mean_by_seed, summarize};
//!
//! // The first player met seed 2 twice, and seed 4 alone.
//! let ours = mean_by_seed(&[1, 2, 2, 3, 4], &[10.0, 6.0, 8.0, 30.0, 99.0]);
//! let theirs = mean_by_seed(&[1, 2, 3], &[8.0, 6.0, 27.0]);
//! let mut differences = Vec::new();
//! append_differences(&ours, &theirs, &mut differences);
//! assert_eq!(differences, [2.0, 1.0, 3.0]);
//! assert_eq!(summarize(differences).unwrap().difference, 2.0);
//! ```

use serde::Serialize;

use crate::simultaneous::sign_test;
use crate::summary::{Interval, repeated_mean_with_interval, student_p_value};

/// The mean difference of two players on common (scenario, seed) pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairedDifference {
    /// The number of (scenario, seed) pairs that both played, with repetitions of the same pair
    /// counted once.
    pub n: u64,
    /// The mean of the first player's score minus the second's, in units of the score.
    pub difference: f64,
    /// Standard error of the mean difference; `None` below two pairs.
    pub standard_error: Option<f64>,
    /// 95 % interval of the mean difference; `None` below two pairs, and where all differences are
    /// equal.
    pub interval: Option<Interval>,
}

impl PairedDifference {
    /// The two-sided p-value of the paired t-test; `None` below two pairs. Where all differences
    /// are equal, their variance is unknown rather than zero, and the sign test takes its place.
    pub fn p_value(&self) -> Option<f64> {
        let error = self.standard_error?;
        Some(match error > 0.0 {
            true => student_p_value(self.difference / error, self.n as f64 - 1.0),
            false if self.difference == 0.0 => 1.0,
            false => sign_test(self.n, 0),
        })
    }
}

/// One player's scores on one scenario as (seed, mean score), in order of the seeds. `scores[i]`
/// was reached on `seeds[i]`, and a seed may occur several times.
pub fn mean_by_seed(seeds: &[u64], scores: &[f64]) -> Vec<(u64, f64)> {
    let mut plays: Vec<(u64, f64)> = seeds.iter().copied().zip(scores.iter().copied()).collect();
    plays.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    plays
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            let sum: f64 = same.iter().map(|play| play.1).sum();
            (same[0].0, sum / same.len() as f64)
        })
        .collect()
}

/// Appends `ours − theirs` to `differences` for every seed that both have. Both lists are in order
/// of the seeds, as [`mean_by_seed`] returns them.
pub fn append_differences(ours: &[(u64, f64)], theirs: &[(u64, f64)], differences: &mut Vec<f64>) {
    let mut theirs = theirs.iter().peekable();
    for &(seed, score) in ours {
        while theirs.next_if(|other| other.0 < seed).is_some() {}
        if let Some(other) = theirs.next_if(|other| other.0 == seed) {
            differences.push(score - other.1);
        }
    }
}

/// The mean of `differences` with its interval by Student's t; `None` if there are no differences.
pub fn summarize(differences: Vec<f64>) -> Option<PairedDifference> {
    summarize_repeated(differences.into_iter().map(|difference| (difference, 1)).collect())
}

/// Summarizes differences that each occurred a number of times, as [`repeated_mean_with_interval`]
/// takes them.
pub fn summarize_repeated(mut differences: Vec<(f64, u64)>) -> Option<PairedDifference> {
    let (difference, standard_error, interval) = repeated_mean_with_interval(&mut differences)?;
    Some(PairedDifference { n: differences.len() as u64, difference, standard_error, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_played_twice_counts_once_with_its_mean() {
        assert_eq!(mean_by_seed(&[7, 2, 7], &[10.0, 1.0, 20.0]), [(2, 1.0), (7, 15.0)]);
    }

    #[test]
    fn only_common_seeds_are_compared() {
        let mut found = Vec::new();
        append_differences(
            &[(1, 5.0), (3, 6.0), (4, 7.0), (9, 1.0)],
            &[(2, 1.0), (3, 2.0), (4, 9.0), (5, 5.0)],
            &mut found,
        );
        assert_eq!(found, [4.0, -2.0]);
    }

    #[test]
    fn equal_differences_are_as_sure_as_the_sign_test() {
        let p = |n: usize| summarize(vec![3.0; n]).unwrap().p_value();
        assert_eq!(p(1), None);
        assert!((p(2).unwrap() - 0.5).abs() < 1e-12 && (p(6).unwrap() - 0.03125).abs() < 1e-12);
        assert_eq!(summarize(vec![0.0; 6]).unwrap().p_value(), Some(1.0));
        assert_eq!(summarize(vec![3.0; 6]).unwrap().interval, None);
    }

    #[test]
    fn the_interval_is_that_of_a_paired_t_test() {
        // scipy 1.17.1: ttest_rel([12, 15, 11, 18, 14], [10, 14, 12, 13, 11])
        // .confidence_interval(0.95), and scipy.stats.sem of the differences
        let paired = summarize(vec![2.0, 1.0, -1.0, 5.0, 3.0]).unwrap();
        let interval = paired.interval.unwrap();
        assert_eq!((paired.n, paired.difference), (5, 2.0));
        // scipy 1.17.1: ttest_rel(...).pvalue
        assert!((paired.p_value().unwrap() - 0.116_116_523_516_816).abs() < 1e-9);
        assert!((paired.standard_error.unwrap() - 1.0).abs() < 1e-12);
        assert!((interval.low - -0.776_445_105_198).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - 4.776_445_105_198).abs() < 1e-9, "{interval:?}");
    }
}
