//! Scores aggregated over many boards (Agarwal et al. 2021, "Deep reinforcement learning at the
//! edge of the statistical precipice", and their library rliable): scores are normalised board by
//! board and summarised by the interquartile mean, with intervals by resampling the runs of each
//! board, or shown as performance profiles.

use quintain_core::Streams;

use crate::summary::{Interval, quantile};

/// The mean of the middle half of the values: a quarter is left out at each end, rounded down, as
/// scipy's `trim_mean(values, 0.25)` does. Sorts the values; `None` without any.
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

/// The interquartile mean of the runs of all boards together, and its 95 % interval by the
/// percentile bootstrap, for which the runs are resampled within each board. The draws come from a
/// fixed stream. `None` without runs; no interval if every board has only one.
pub fn stratified_iqm(boards: &[Vec<f64>], replicates: usize) -> Option<(f64, Option<Interval>)> {
    // Runs are sorted once. Draws are counted by position in that order, so that no replicate needs
    // sorting again: with many runs, sorting took most of the time of all standings.
    let order = runs_in_order(boards);
    let mut all: Vec<f64> = order.iter().map(|&(board, run)| boards[board][run]).collect();
    let estimate = interquartile_mean(&mut all)?;
    if boards.iter().all(|runs| runs.len() < 2) {
        return Some((estimate, None));
    }
    let mut places: Vec<Vec<usize>> = boards.iter().map(|runs| vec![0; runs.len()]).collect();
    for (place, &(board, run)) in order.iter().enumerate() {
        places[board][run] = place;
    }
    let mut rng = Streams::new(all.len() as u64).address("aggregate", 0);
    let mut means = Vec::with_capacity(replicates);
    let mut times = vec![0_u32; all.len()];
    for _ in 0..replicates {
        times.fill(0);
        for places in &places {
            for _ in 0..places.len() {
                times[places[rng.below(places.len())]] += 1;
            }
        }
        means.push(interquartile_mean_of_counted(&all, &times));
    }
    Some((estimate, percentile_interval(&mut means)))
}

/// The 95 % interval by the percentile method (Efron 1979): the middle 95 % of the statistic's
/// `replicates`. Sorts them; `None` if there are none.
fn percentile_interval(replicates: &mut [f64]) -> Option<Interval> {
    replicates.sort_unstable_by(f64::total_cmp);
    let end = |p| quantile(replicates, p);
    (!replicates.is_empty()).then(|| Interval { low: end(0.025), high: end(0.975) })
}

/// All runs in ascending order of their values, each as its board and its index there.
fn runs_in_order(boards: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let mut order: Vec<(usize, usize)> = (0..boards.len())
        .flat_map(|board| (0..boards[board].len()).map(move |run| (board, run)))
        .collect();
    order.sort_unstable_by(|a, b| boards[a.0][a.1].total_cmp(&boards[b.0][b.1]));
    order
}

/// The interquartile mean of the values `sorted`, where each occurs the given number of times.
fn interquartile_mean_of_counted(sorted: &[f64], times: &[u32]) -> f64 {
    let cut = sorted.len() / 4;
    let middle = sorted.len() - 2 * cut;
    let drawn = sorted.iter().zip(times).flat_map(|(value, times)| (0..*times).map(move |_| value));
    drawn.skip(cut).take(middle).sum::<f64>() / middle as f64
}

/// The performance profile: for each of `levels`, the mean over boards of the share of a board's
/// runs that score more.
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
    fn counting_the_drawn_is_sorting_them() {
        let mut rng = Streams::new(3).address("test", 0);
        let boards: Vec<Vec<f64>> =
            [1, 7, 30].map(|runs| (0..runs).map(|_| rng.below(20) as f64).collect()).to_vec();
        let replicates = 100;
        let (_, interval) = stratified_iqm(&boards, replicates).unwrap();
        // The straightforward computation, with the same draws.
        let mut rng = Streams::new(38).address("aggregate", 0);
        let mut draw = |runs: &Vec<f64>| -> Vec<f64> {
            runs.iter().map(|_| runs[rng.below(runs.len())]).collect()
        };
        let mut means: Vec<f64> = (0..replicates)
            .map(|_| interquartile_mean(&mut boards.iter().flat_map(&mut draw).collect::<Vec<_>>()))
            .map(Option::unwrap)
            .collect();
        assert_eq!(interval, percentile_interval(&mut means));
    }

    #[test]
    fn a_profile_is_the_mean_of_the_boards_shares() {
        let boards = [vec![0.0, 1.0], vec![0.5; 10], vec![]];
        let profile = performance_profile(&boards, &[-1.0, 0.0, 0.5, 1.0]);
        assert_eq!(profile, [1.0, 0.75, 0.25, 0.0]);
    }
}
