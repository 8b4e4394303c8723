//! Why a scenario, a player or an encoding cannot be built.

use crate::external_error::ExternalError;
use crate::files::TextFileError;
use crate::parameters::ParameterError;

/// Why a scenario, a player or an encoding cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A parameter is unknown, or its value does not fit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A text file that it names cannot be used.
    #[error(transparent)]
    File(#[from] TextFileError),
    /// It is an external player that is not available.
    #[error(transparent)]
    External(#[from] ExternalError),
    /// The message of a game's registration about values that do not go together, or about rules
    /// that the item does not fit; made from a text by `.into()`.
    #[error("{0}")]
    Unfit(String),
}

impl From<String> for BuildError {
    fn from(text: String) -> Self {
        BuildError::Unfit(text)
    }
}

impl From<&str> for BuildError {
    fn from(text: &str) -> Self {
        BuildError::Unfit(text.to_owned())
    }
}
