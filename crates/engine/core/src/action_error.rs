//! Why an action in text cannot be played.

use crate::rules::Illegal;
use crate::seat::Seat;

/// The reason why a seat cannot take an action, given in text, now.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The seat does not move now.
    #[error("it is not the turn of seat {0}")]
    NotTurn(Seat),
    /// The text is not an action of the game; says what it should be.
    #[error("{0}")]
    Unreadable(String),
    /// The rules refuse it.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}
