//! Recorded data from outside the project, read when an experiment needs it and never stored: games
//! and scores of the classes and contests that the sources report on.

use std::path::PathBuf;

use crate::lab::LabError;

/// The text of a file below the folder named by QUINTAIN_DATA, or below `../shared/data` if that is
/// not set. `what` describes the file's content, for the finding that has to do without it.
///
/// # Errors
/// [`LabError::Missing`] if it cannot be read.
pub(crate) fn read(path: &str, what: &str) -> Result<String, LabError> {
    let root = std::env::var_os("QUINTAIN_DATA");
    let root = root.map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    std::fs::read_to_string(root.join(path))
        .map_err(|_| LabError::Missing(format!("missing data: {what} (see QUINTAIN_DATA)")))
}
