//! Text files that a user names: those of scenarios and those that tools work on. What stands
//! in them is the game's business.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::record::digest;

/// Letters of a digest that a scenario's text keeps.
const KEPT: usize = 12;

/// The text of a file that a scenario names. Its digest is noted in `expected`, or must
/// be the one noted there: a changed file is another scenario.
///
/// # Errors
/// The file, and what is wrong with it.
pub fn scenario_file(path: &Path, expected: &mut String) -> Result<String, String> {
    let shown = path.display();
    let text = read_text(path)?;
    let found = digest(text.as_bytes())[..KEPT].to_owned();
    if expected.is_empty() {
        *expected = found;
    } else if *expected != found {
        return Err(format!(
            "{shown} has changed: its digest is {found}, expected {expected}; leave digest= out to \
             use it as it is"
        ));
    }
    Ok(text)
}

/// The text of a file that a user names.
///
/// # Errors
/// The file, and what is wrong with it.
pub fn read_text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {}", path.display(), reason(&error)))
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
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("has changed"));
        std::fs::write(&file, [0xff]).unwrap();
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("not a text file"));
        assert!(scenario_file(&folder, &mut noted).unwrap_err().contains("a folder"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("no such file"));
    }
}
