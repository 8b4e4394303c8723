//! What a strong player makes of a match that was played: how each turn stood, what it would have
//! done, and which moves cost most.
//!
//! The value of a position to a seat is the score that the seat ends with when the player has
//! every seat from there on, and chance does what it does in the match. So it has the unit of the
//! game's scores, and any player of any game can be asked: none has to tell what it expects. It is
//! hindsight, made for people who look back; no player can reach it.

mod analyst;
mod drawn;
mod error;
mod playout;

pub use analyst::{
    Analysis, AnalysisProgress, Analyst, MatchReview, Mistake, MoveReview, TurnReview,
};
pub use drawn::cells_changed;
pub use error::AnalysisError;

use quintain_core::{AnyEntry, Budget};

/// What a decision may cost where nobody said: enough for a champion to play well, and little
/// enough for thousands of decisions.
pub fn usual_budget() -> Budget {
    Budget { iterations: Some(200), nodes: Some(1000), ..Budget::default() }
}

/// The player that looks through matches of a game where nobody chose another: the roster's
/// champion, otherwise the first of the match that is worth watching.
pub fn usual_player(entry: &dyn AnyEntry) -> String {
    const CHAMPION: &str = "champion";
    if entry.players().iter().any(|player| player.name == CHAMPION) {
        return CHAMPION.to_owned();
    }
    let (_, players) = entry.showcase();
    let first = players.first().map_or("random", String::as_str);
    first.split('?').next().unwrap_or_default().to_owned()
}
