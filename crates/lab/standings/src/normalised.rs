//! Scores from scenarios with different scales, combined: on each scenario, 0 is the mean score of
//! the worst player there and 1 that of the best.

use std::iter::repeat_n;

use quintain_core::Scoring;
use quintain_stats::aggregate::{performance_profile, stratified_iqm};

use crate::sorted_counts::SortedCounts;
use crate::table::{NormalisedScores, ScenarioStandings};

/// The number of resamples for an interval is chosen so that they draw this many scores, within
/// these bounds.
const DRAWN: usize = 1_000_000;
const REPLICATES: (usize, usize) = if cfg!(test) { (10, 20) } else { (50, 500) };
/// Players with more scores than this get no aggregate: means are good enough then.
const MAX_SCORES: usize = 200_000;
/// The profile's levels, in twentieths, from −1/2 to 3/2.
const LEVELS: std::ops::RangeInclusive<i32> = -10..=30;

/// A player's aggregate; `None` among rivals, whose points share one scale, and where all scored
/// alike.
pub(crate) fn normalise(
    counted: &SortedCounts<'_>,
    player: usize,
    scenarios: &[ScenarioStandings],
) -> Option<NormalisedScores> {
    if counted.rule().scoring != Scoring::Independent {
        return None;
    }
    let objective = counted.rule().objective;
    let mut varies = false;
    let boards = scenarios.iter().enumerate().filter_map(|(at, scenario)| {
        let means = scenario.rows.iter().map(|row| objective.gain(row.summary.mean));
        let (worst, best) = means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| {
            (low.min(mean), high.max(mean))
        });
        let counts = counted.counts(at, player).filter(|_| best > worst)?;
        // A match that was repeated counts as that many runs, so that every board weighs alike.
        // Resampling does not change them.
        varies |= counted.distinct_scores(counts).nth(1).is_some();
        let mut runs: Vec<f64> = counted
            .distinct_scores(counts)
            .flat_map(|(score, times)| repeat_n(score, times as usize))
            .map(|score| (objective.gain(score) - worst) / (best - worst))
            .collect();
        // The order of results must not show.
        runs.sort_unstable_by(f64::total_cmp);
        Some(runs)
    });
    let boards: Vec<Vec<f64>> = boards.collect();
    let runs: usize = boards.iter().map(Vec::len).sum();
    if runs > MAX_SCORES {
        return None;
    }
    let (iqm, interval) =
        stratified_iqm(&boards, (DRAWN / runs.max(1)).clamp(REPLICATES.0, REPLICATES.1))?;
    let interval = interval.filter(|_| varies);
    let levels: Vec<f64> = LEVELS.map(|twentieth| f64::from(twentieth) / 20.0).collect();
    let shares = performance_profile(&boards, &levels);
    Some(NormalisedScores { iqm, interval, profile: levels.into_iter().zip(shares).collect() })
}
