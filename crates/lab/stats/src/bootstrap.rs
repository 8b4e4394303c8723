//! Intervals by resampling (Efron 1979): the clusters of a sample are drawn again with replacement
//! many times, the statistic is computed from each resample, and the interval is read off its
//! spread. All observations that share a seed form one cluster and are drawn together, and all
//! players are resampled with the same draws, so that they keep sharing the luck of a seed. The
//! draws come from a fixed stream: the same sample gives the same interval.
//!
//! ```
//! use quintain_stats::bootstrap::{ClusteredSample, bca_interval, for_each_resample};
//!
//! // Three seeds, with two observations on the first one.
//! let sample = ClusteredSample { sums: vec![9.0, 6.0, 7.0], counts: vec![2.0, 1.0, 1.0] };
//! let mut replicates = Vec::new();
//! for_each_resample(3, 1000, |times| replicates.extend(sample.mean(times)));
//! let mean = sample.mean(&[1, 1, 1]).unwrap();
//! let interval = bca_interval(mean, &mut replicates, &sample.means_without_each()).unwrap();
//! assert!(interval.low < mean && mean < interval.high);
//! ```

use quintain_core::Streams;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::summary::{Interval, NORMAL_975, quantile};

/// Draws `replicates` resamples of `clusters` clusters and calls `each` with each of them:
/// `times[c]` is how often cluster `c` was drawn. Without clusters `each` is not called.
pub fn for_each_resample(clusters: usize, replicates: usize, mut each: impl FnMut(&[u32])) {
    if clusters == 0 {
        return;
    }
    let mut rng = Streams::new(clusters as u64).address("bootstrap", 0);
    let mut times = vec![0; clusters];
    for _ in 0..replicates {
        times.fill(0);
        for _ in 0..clusters {
            times[rng.below(clusters)] += 1;
        }
        each(&times);
    }
}

/// The 95 % interval by the percentile method: the middle 95 % of the statistic's `replicates`.
/// Sorts them; `None` if there are none.
pub fn percentile_interval(replicates: &mut [f64]) -> Option<Interval> {
    replicates.sort_unstable_by(f64::total_cmp);
    let end = |p| quantile(replicates, p);
    (!replicates.is_empty()).then(|| Interval { low: end(0.025), high: end(0.975) })
}

/// The 95 % interval by the bias-corrected and accelerated method (BCa; Efron 1987, "Better
/// bootstrap confidence intervals"), from the statistic, its replicates, and its values with each
/// cluster left out in turn (the jackknife). Sorts the replicates. `None` without replicates or
/// with fewer than two clusters.
pub fn bca_interval(
    statistic: f64,
    replicates: &mut [f64],
    without_each: &[f64],
) -> Option<Interval> {
    if replicates.is_empty() || without_each.len() < 2 {
        return None;
    }
    replicates.sort_unstable_by(f64::total_cmp);
    let normal = Normal::standard();
    let below = replicates.iter().filter(|value| **value < statistic).count();
    let equal = replicates.iter().filter(|value| **value == statistic).count();
    let share = (below as f64 + equal as f64 / 2.0) / replicates.len() as f64;
    let bias = normal.inverse_cdf(share);
    let mean = without_each.iter().sum::<f64>() / without_each.len() as f64;
    let power = |n: i32| without_each.iter().map(|value| (mean - value).powi(n)).sum::<f64>();
    let spread = power(2);
    let acceleration = if spread > 0.0 { power(3) / (6.0 * spread.powf(1.5)) } else { 0.0 };
    let end = |z: f64| {
        let moved = bias + z;
        let p = normal.cdf(bias + moved / (1.0 - acceleration * moved));
        quantile(replicates, if p.is_finite() { p.clamp(0.0, 1.0) } else { share })
    };
    Some(Interval { low: end(-NORMAL_975), high: end(NORMAL_975) })
}

/// The observations of one player, summed up cluster by cluster; each list has one entry per
/// cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusteredSample {
    /// The sum of the observations of each cluster.
    pub sums: Vec<f64>,
    /// The number of observations of each cluster.
    pub counts: Vec<f64>,
}

impl ClusteredSample {
    /// The mean of all observations, with cluster `c` counted `times[c]` times; `None` if there are
    /// none.
    pub fn mean(&self, times: &[u32]) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for ((&times, value), n) in times.iter().zip(&self.sums).zip(&self.counts) {
            let times = f64::from(times);
            sum += times * value;
            count += times * n;
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The means with one cluster left out, for each cluster that has observations and is not the
    /// only one that does.
    pub fn means_without_each(&self) -> Vec<f64> {
        let (sum, count): (f64, f64) = (self.sums.iter().sum(), self.counts.iter().sum());
        let clusters = self.sums.iter().zip(&self.counts);
        let others = clusters.filter(|(_, n)| **n > 0.0 && **n < count);
        others.map(|(value, n)| (sum - value) / (count - n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f64; 12] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 20.0];

    fn means(replicates: usize) -> (ClusteredSample, Vec<f64>) {
        let player = ClusteredSample { sums: SCORES.to_vec(), counts: vec![1.0; SCORES.len()] };
        let mut means = Vec::new();
        for_each_resample(SCORES.len(), replicates, |times| {
            means.push(player.mean(times).unwrap())
        });
        (player, means)
    }

    #[test]
    fn intervals_of_a_skewed_sample_are_those_of_scipy() {
        // scipy 1.17: bootstrap((x,), np.mean, n_resamples=200000, method=...), the mean of
        // three runs: percentile 3.083 to 8.5, BCa 3.417 to 9.917.
        let (player, mut means) = means(200_000);
        let near = |interval: Interval, low: f64, high: f64| {
            (interval.low - low).abs() < 0.09 && (interval.high - high).abs() < 0.09
        };
        let plain = percentile_interval(&mut means).unwrap();
        assert!(near(plain, 3.083, 8.5), "{plain:?}");
        let mean = SCORES.iter().sum::<f64>() / 12.0;
        let corrected = bca_interval(mean, &mut means, &player.means_without_each()).unwrap();
        assert!(near(corrected, 3.417, 9.917), "{corrected:?}");
    }

    #[test]
    fn the_same_sample_gives_the_same_interval() {
        let (mut one, mut other) = (means(500).1, means(500).1);
        assert_eq!(percentile_interval(&mut one), percentile_interval(&mut other));
    }

    #[test]
    fn a_constant_added_moves_the_interval_by_as_much() {
        let (player, mut means) = means(2000);
        let moved = ClusteredSample {
            sums: player.sums.iter().map(|sum| sum + 64.0).collect(),
            counts: player.counts.clone(),
        };
        let mut moved_means = Vec::new();
        for_each_resample(SCORES.len(), 2000, |times| moved_means.push(moved.mean(times).unwrap()));
        let mean = SCORES.iter().sum::<f64>() / 12.0;
        let one = bca_interval(mean, &mut means, &player.means_without_each()).unwrap();
        let other =
            bca_interval(mean + 64.0, &mut moved_means, &moved.means_without_each()).unwrap();
        assert!((one.low + 64.0 - other.low).abs() < 1e-9, "{one:?} {other:?}");
        assert!((one.high + 64.0 - other.high).abs() < 1e-9, "{one:?} {other:?}");
    }

    #[test]
    fn equal_scores_have_an_interval_without_width_and_no_scores_none() {
        let player = ClusteredSample { sums: vec![2.0; 5], counts: vec![1.0; 5] };
        let mut means = Vec::new();
        for_each_resample(5, 100, |times| means.push(player.mean(times).unwrap()));
        let interval = bca_interval(2.0, &mut means, &player.means_without_each());
        assert_eq!(interval, Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!((percentile_interval(&mut []), bca_interval(0.0, &mut [], &[])), (None, None));
    }
}
