//! Files that scenarios are played on. What stands in them is the game's business.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::record::digest;

/// Letters of a digest that a scenario's text keeps.
const KEPT: usize = 12;

/// Why a scenario cannot be played on a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioFileError {
    /// There is none.
    #[error("{path}: there is no such file", path = .0.display())]
    Missing(PathBuf),
    /// It is a folder.
    #[error("{path}: it is a folder, not a file", path = .0.display())]
    Folder(PathBuf),
    /// It is not text in UTF-8.
    #[error("{path}: it is not a text file", path = .0.display())]
    NotText(PathBuf),
    /// It cannot be read.
    #[error("{path}: {problem}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// It is not the one that was noted.
    #[error(
        "{path} has changed: its digest is {found}, expected {expected}; leave digest= out to use \
         it as it is",
        path = .path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// The digest that was noted.
        expected: String,
    },
}

/// The text of a file that a scenario names. Its digest is noted in `expected`, or must
/// be the one noted there: a changed file is another scenario.
///
/// # Errors
/// [`ScenarioFileError`] if it cannot be read as text, or is not the one that was noted.
pub fn scenario_file(path: &Path, expected: &mut String) -> Result<String, ScenarioFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => ScenarioFileError::Missing(path.to_owned()),
        ErrorKind::IsADirectory => ScenarioFileError::Folder(path.to_owned()),
        ErrorKind::InvalidData => ScenarioFileError::NotText(path.to_owned()),
        _ => ScenarioFileError::Unreadable { path: path.to_owned(), problem: error.to_string() },
    })?;
    let found = digest(text.as_bytes())[..KEPT].to_owned();
    if expected.is_empty() {
        *expected = found;
    } else if *expected != found {
        let (path, expected) = (path.to_owned(), expected.clone());
        return Err(ScenarioFileError::Changed { path, found, expected });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_long_as_it_is_the_one_that_was_noted() {
        let folder = std::env::temp_dir().join(format!("quintain-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("map");
        std::fs::write(&file, "a map").unwrap();
        let mut noted = String::new();
        assert_eq!(scenario_file(&file, &mut noted).unwrap(), "a map");
        assert_eq!(noted.len(), KEPT);
        assert_eq!(scenario_file(&file, &mut noted).unwrap(), "a map");
        std::fs::write(&file, "another").unwrap();
        let changed = scenario_file(&file, &mut noted).unwrap_err();
        assert!(changed.to_string().contains("has changed"));
        std::fs::write(&file, [0xff]).unwrap();
        assert!(
            scenario_file(&file, &mut noted).unwrap_err().to_string().contains("not a text file")
        );
        assert!(scenario_file(&folder, &mut noted).unwrap_err().to_string().contains("a folder"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(scenario_file(&file, &mut noted).unwrap_err().to_string().contains("no such file"));
    }
}
