//! People and matches: a match in which a person has a seat, a strong player's review of a finished
//! match, and lines of moves that beat a player. This crate draws nothing and reads no keys:
//! terminals and pages do that.
//!
//! A [`HumanMatch`] waits for the person's move, then plays the moves of the other players, which
//! it asks as advisers, until it is the person's turn again. A finished match gives a record like
//! any other.
//!
//! An [`Analyst`] reviews a finished match: how each turn stood, what the player would have done,
//! and which moves cost most.
//!
//! The value of a position to a seat is the score that the seat ends with if the player plays every
//! seat from there on, and chance does what it does in the match. So it has the unit of the game's
//! scores, and any player of any game can be used, since none has to tell what it expects. The
//! value is hindsight, for people who look back; no player can attain it.
//!
//! An [`Exploiter`] looks for a line of moves that beats a player.

mod analyst;
mod drawn;
mod error;
mod exploit;
mod human_match;
mod line;
mod players;
mod playout;

pub use analyst::{
    Analysis, AnalysisProgress, Analyst, MatchReview, Mistake, MoveReview, MoveWords, TurnReview,
};
pub use drawn::cells_changed;
pub use error::AnalysisError;
pub use exploit::{Exploit, ExploitError, Exploiter, Sample, SearchEnd, Tally};
pub use human_match::{HumanMatch, HumanMatchConfig, OUTSIDE, Patience, PlayError};
pub use line::{LINE, LinePlayers};
pub use players::{HUMAN, HumanPlayers};
pub use playout::{Continuation, Playout};

use quintain_core::{AnyEntry, Budget};

/// The default budget of a decision: enough for a champion to play well, and little enough for
/// thousands of decisions.
pub fn usual_budget() -> Budget {
    Budget { iterations: Some(200), nodes: Some(1000), ..Budget::default() }
}

/// The budget of a decision in a quick look at a match: a tenth of the default one.
pub fn quick_budget() -> Budget {
    Budget { iterations: Some(20), nodes: Some(100), ..Budget::default() }
}

/// The default player for analysing matches of a game: the roster's champion, otherwise the first
/// player of the game's showcase.
pub fn usual_player(entry: &dyn AnyEntry) -> String {
    const CHAMPION: &str = "champion";
    if entry.players().iter().any(|player| player.name() == CHAMPION) {
        return CHAMPION.to_owned();
    }
    let (_, players) = entry.showcase();
    let first = players.first().map_or("random", String::as_str);
    first.split('?').next().unwrap_or_default().to_owned()
}
