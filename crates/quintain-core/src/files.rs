//! Files that scenarios are played on. What stands in them is the game's business.

use std::io::ErrorKind;
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
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("{shown}: there is no such file"),
        ErrorKind::IsADirectory => format!("{shown}: it is a folder, not a file"),
        ErrorKind::InvalidData => format!("{shown}: it is not a text file"),
        _ => format!("{shown}: {error}"),
    })?;
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
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("has changed"));
        std::fs::write(&file, [0xff]).unwrap();
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("not a text file"));
        assert!(scenario_file(&folder, &mut noted).unwrap_err().contains("a folder"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(scenario_file(&file, &mut noted).unwrap_err().contains("no such file"));
    }
}
