//! Recorded data from outside the project, read when an experiment needs it and never stored: games
//! and scores of the classes and contests that the sources report on.

use quintain_core::data_folder;

use crate::lab::LabError;

/// The text of a file below the [`data_folder`]. `what` describes the file's content, for the
/// finding that has to do without it.
///
/// # Errors
/// [`LabError::Missing`] if it cannot be read.
pub(crate) fn read(path: &str, what: &str) -> Result<String, LabError> {
    std::fs::read_to_string(data_folder().join(path))
        .map_err(|_| LabError::Missing(format!("missing data: {what} (see QUINTAIN_DATA)")))
}
