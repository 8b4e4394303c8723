//! Scores of many boards put together (Agarwal et al. 2021, "Deep reinforcement learning at the edge
//! of the statistical precipice", and their library rliable): scores are normalised board by board,
//! then summed up by the interquartile mean, with intervals by drawing the runs of each board again,
//! and shown as performance profiles.

use quintain_core::Streams;

use crate::bootstrap::percentile_interval;
use crate::summary::Interval;

/// The mean of the middle half of the values, which are sorted: a quarter is left out at each end,
/// rounded down, as scipy's `trim_mean(values, 0.25)` does. None without values.
///
/// ```
/// use quintain_stats::aggregate::interquartile_mean;
///
/// assert_eq!(interquartile_mean(&mut [1.0, 2.0, 4.0, 20_000.0]), Some(3.0));
/// ```
pub fn interquartile_mean(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let cut = values.len() / 4;
    let middle = &values[cut..values.len() - cut];
    (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

/// The interquartile mean of the runs of all boards together, and its 95 % interval by the percentile
/// bootstrap, the runs of each board being drawn again among themselves. The draws come from a fixed
/// stream. None without runs; no interval where every board has one.
pub fn stratified_iqm(boards: &[Vec<f64>], replicates: usize) -> Option<(f64, Option<Interval>)> {
    let mut all: Vec<f64> = boards.iter().flatten().copied().collect();
    let estimate = interquartile_mean(&mut all)?;
    if boards.iter().all(|runs| runs.len() < 2) {
        return Some((estimate, None));
    }
    let mut rng = Streams::new(all.len() as u64).address("aggregate", 0);
    let mut means = Vec::with_capacity(replicates);
    for _ in 0..replicates {
        all.clear();
        for runs in boards {
            all.extend(runs.iter().map(|_| runs[rng.below(runs.len())]));
        }
        means.extend(interquartile_mean(&mut all));
    }
    Some((estimate, percentile_interval(&mut means)))
}

/// The performance profile: for each of `levels`, the mean over boards of the share of a board's runs
/// that score more.
pub fn performance_profile(boards: &[Vec<f64>], levels: &[f64]) -> Vec<f64> {
    let played: Vec<&Vec<f64>> = boards.iter().filter(|runs| !runs.is_empty()).collect();
    let share = |level: f64, runs: &[f64]| {
        runs.iter().filter(|run| **run > level).count() as f64 / runs.len() as f64
    };
    let mean = |level: &f64| {
        played.iter().map(|runs| share(*level, runs)).sum::<f64>() / played.len().max(1) as f64
    };
    levels.iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interquartile_mean_is_scipys() {
        // scipy 1.17.1: trim_mean([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], 0.25)
        let mut values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0];
        let slow: f64 = [2.0, 3.0, 3.0, 4.0, 5.0, 5.0, 5.0].iter().sum::<f64>() / 7.0;
        assert_eq!(interquartile_mean(&mut values), Some(slow));
        assert_eq!(
            (interquartile_mean(&mut []), interquartile_mean(&mut [7.0])),
            (None, Some(7.0))
        );
    }

    #[test]
    fn one_run_in_a_hundred_does_not_move_it() {
        let mut runs: Vec<f64> = (0..99).map(f64::from).collect();
        let without = stratified_iqm(&[runs.clone()], 200).unwrap();
        runs.push(1e9);
        let with = stratified_iqm(&[runs], 200).unwrap();
        assert!((without.0 - with.0).abs() < 1.0);
        let interval = with.1.unwrap();
        assert!(interval.low > 35.0 && interval.high < 65.0, "{interval:?}");
    }

    #[test]
    fn a_profile_is_the_mean_of_the_boards_shares() {
        let boards = [vec![0.0, 1.0], vec![0.5; 10], vec![]];
        let profile = performance_profile(&boards, &[-1.0, 0.0, 0.5, 1.0]);
        assert_eq!(profile, [1.0, 0.75, 0.25, 0.0]);
    }
}
