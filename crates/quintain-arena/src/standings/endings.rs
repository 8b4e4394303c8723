//! Matches by the reason of their end: where a player wins and loses.

use quintain_core::Scoring;
use quintain_stats::{WinDrawLoss, mean_with_interval};
use serde::Serialize;

use super::counted::Counted;

/// A player's matches that ended for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfEnding {
    /// The reason.
    pub ending: String,
    /// How many matches.
    pub matches: u64,
    /// The mean score in them.
    pub mean: f64,
    /// Games against other players in them (versus contests).
    pub games: Option<WinDrawLoss>,
}

/// The matches of a player, the most frequent reason first.
pub(super) fn of(counted: &Counted<'_>, player: usize) -> Vec<OfEnding> {
    let versus = counted.rule().contest == Scoring::Adversarial;
    let rows = counted.endings(player).into_iter().map(|(ending, mut scores, games)| OfEnding {
        ending: ending.to_owned(),
        matches: scores.len() as u64,
        mean: mean_with_interval(&mut scores).map_or(f64::NAN, |(mean, ..)| mean),
        games: versus.then_some(games),
    });
    let mut rows: Vec<OfEnding> = rows.collect();
    // Stable: equally frequent reasons stay in the order of their words.
    rows.sort_by_key(|row| std::cmp::Reverse(row.matches));
    rows
}
