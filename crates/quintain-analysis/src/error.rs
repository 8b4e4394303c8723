//! Why there is no analysis.

use quintain_core::{RecordError, SpecError};

/// Why there is no analysis.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The record does not replay as it says.
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
        /// The turn that it was asked about.
        turn: u32,
        /// What went wrong.
        problem: String,
    },
}
