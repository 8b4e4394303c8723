//! Why the game, scenario, player or encoding that a text names cannot be found or built.

use crate::build_error::BuildError;
use crate::external_error::ExternalError;
use crate::outcome::Fault;
use crate::spec::SpecSyntaxError;

/// The reason why what a text names cannot be found or built: one line for the author of the text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is not of the form `path?key=value`.
    #[error(transparent)]
    Syntax(#[from] SpecSyntaxError),
    /// No game has this name.
    #[error("{0}")]
    UnknownGame(String),
    /// The game has no scenario of this name.
    #[error("{0}")]
    UnknownScenario(String),
    /// There is no player of this name.
    #[error("{0}")]
    UnknownPlayer(String),
    /// The game has no encoding of this name, or none at all.
    #[error("{0}")]
    UnknownEncoding(String),
    /// The scenario cannot be built: a parameter is unknown or a value is not valid.
    #[error("scenario {scenario}: {problem}")]
    Scenario {
        /// The scenario, as `GAME:SPEC`.
        scenario: String,
        /// Why not.
        problem: BuildError,
    },
    /// The player cannot be built or refuses the game: a parameter is unknown, a value is not
    /// valid, or it does not play there.
    #[error("player {player}: {problem}")]
    Player {
        /// The player, and where it should play if that matters.
        player: String,
        /// Why not.
        problem: BuildError,
    },
    /// The external player is not available.
    #[error(transparent)]
    External(#[from] ExternalError),
    /// Something else in the request does not fit: the number of players, a seat, a budget.
    #[error("{0}")]
    Mismatch(String),
    /// The match ended by a fault that makes it [void](crate::FaultKind::is_void).
    #[error("no result: {player}: {fault}")]
    Void {
        /// The player at the seat of the fault.
        player: String,
        /// What happened.
        fault: Box<Fault>,
    },
}
