//! Text files that a user names: those of scenarios and those that tools work on. What stands
//! in them is the game's business.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::record::digest;

/// Letters of a digest that a scenario's text keeps.
const KEPT: usize = 12;

/// Why a text file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextFileError {
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
/// [`TextFileError`] if it cannot be read as text, or is not the one that was noted.
pub fn scenario_file(path: &Path, expected: &mut String) -> Result<String, TextFileError> {
    let text = read_text(path)?;
    let found = digest(text.as_bytes())[..KEPT].to_owned();
    if expected.is_empty() {
        *expected = found;
    } else if *expected != found {
        let (path, expected) = (path.to_owned(), expected.clone());
        return Err(TextFileError::Changed { path, found, expected });
    }
    Ok(text)
}

/// The text of a file that a user names.
///
/// # Errors
/// [`TextFileError`] if it cannot be read as text.
pub fn read_text(path: &Path) -> Result<String, TextFileError> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => TextFileError::Missing(path.to_owned()),
        ErrorKind::IsADirectory => TextFileError::Folder(path.to_owned()),
        ErrorKind::InvalidData => TextFileError::NotText(path.to_owned()),
        _ => TextFileError::Unreadable { path: path.to_owned(), problem: reason(&error) },
    })
}

/// Why a file cannot be read or written, without the number that the system gives it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::IsADirectory => "it is a folder, not a file".to_owned(),
        ErrorKind::InvalidData => "it is not a text file".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_come_without_its_number() {
        assert_eq!(reason(&io::Error::from_raw_os_error(28)), "no space left on device");
    }

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
