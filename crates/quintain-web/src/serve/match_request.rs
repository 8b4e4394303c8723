//! What a request for a new match says, and what a match is kept as.

use serde::{Deserialize, Serialize};

/// The body of a request for a new match; with all that was played, the match as it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMatchRequest {
    pub(super) game: String,
    pub(super) scenario: String,
    #[serde(default)]
    pub(super) opponent: String,
    #[serde(default)]
    pub(super) seat: usize,
    #[serde(default = "guest")]
    pub(super) name: String,
    #[serde(default = "usual_thinking")]
    pub(super) think: u64,
    pub(super) seed: Option<u64>,
    /// What was played before, turn by turn, seat by seat: the match goes on from there.
    #[serde(default)]
    pub(super) actions: Vec<String>,
}

fn guest() -> String {
    "guest".to_owned()
}

fn usual_thinking() -> u64 {
    300
}
