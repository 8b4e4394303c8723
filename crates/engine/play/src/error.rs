//! Why there is no analysis.

use quintain_core::{RecordError, SpecError};

/// Why there is no analysis.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The record does not replay as recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The player refuses the game.
    #[error(transparent)]
    Refused(#[from] SpecError),
    /// The player failed.
    #[error("{player} fails on turn {turn}: {problem}")]
    Player {
        /// The player.
        player: String,
        /// The turn about which it was asked.
        turn: u32,
        /// What went wrong.
        problem: String,
    },
}
