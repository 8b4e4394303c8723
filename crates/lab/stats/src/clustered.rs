//! Means of observations that come in clusters: all those that share a seed form one.
//!
//! ```
//! use quintain_stats::clustered::ClusteredSample;
//!
//! // Three seeds, with two observations on the first one.
//! let sample = ClusteredSample { sums: vec![9.0, 6.0, 7.0], counts: vec![2.0, 1.0, 1.0] };
//! assert_eq!(sample.mean(&[1, 1, 1]), Some(5.5));
//! assert_eq!(sample.means_without_each(), [6.5, 16.0 / 3.0, 5.0]);
//! ```

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
