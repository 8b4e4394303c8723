//! Why a scenario, a player or an encoding cannot be built.

use crate::files::TextFileError;
use crate::parameters::ParameterError;
use crate::text_error::text_error;

text_error! {
    /// Why a scenario, a player or an encoding cannot be built: what a game's registration says
    /// of values that do not go together, or of rules that it does not fit.
    pub struct BuildError;
}

impl From<ParameterError> for BuildError {
    fn from(error: ParameterError) -> Self {
        BuildError::from(error.to_string())
    }
}

impl From<TextFileError> for BuildError {
    fn from(error: TextFileError) -> Self {
        BuildError::from(error.to_string())
    }
}
