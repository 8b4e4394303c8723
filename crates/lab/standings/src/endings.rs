//! Matches by the reason why they ended: where a player wins and loses.

use quintain_core::Scoring;
use quintain_stats::mean_with_interval;

use crate::sorted_counts::SortedCounts;
use crate::table::EndingStats;

/// The matches of a player, the most frequent reason first.
pub(crate) fn summarize(counted: &SortedCounts<'_>, player: usize) -> Vec<EndingStats> {
    let versus = counted.rule().scoring == Scoring::Adversarial;
    let rows = counted.endings(player).into_iter().map(|(ending, mut scores, games)| EndingStats {
        ending: ending.to_owned(),
        matches: scores.len() as u64,
        mean: mean_with_interval(&mut scores).map_or(f64::NAN, |(mean, ..)| mean),
        games: versus.then_some(games),
    });
    let mut rows: Vec<EndingStats> = rows.collect();
    // Stable: equally frequent reasons stay in the order of their words.
    rows.sort_by_key(|row| std::cmp::Reverse(row.matches));
    rows
}
