//! Names and files of what `quintain new` creates. Nothing that exists is overwritten.

use std::fs;
use std::path::Path;

use quintain_core::file_name_problem;

use crate::failure::{Failure, cannot_write};

/// Maximum length of a name, in letters.
const MAX_NAME: usize = 40;

/// Checks that a name is valid for a file, a table and a crate.
pub(super) fn check_name(name: &str) -> Result<(), Failure> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && name.len() <= MAX_NAME && name.chars().all(is_allowed) && !name.ends_with('-') {
        return match file_name_problem(name) {
            None => Ok(()),
            Some(problem) => {
                Err(Failure::Usage(format!("“{name}”: {problem}; choose another name")))
            }
        };
    }
    Err(Failure::Usage(format!(
        "“{name}”: expected a name of at most {MAX_NAME} lowercase letters, digits and hyphens \
         that begins with a letter and does not end with a hyphen, such as my-bot"
    )))
}

pub(super) fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(_) => {
            Err(Failure::Usage(format!("{} exists already; choose another name", path.display())))
        }
        Err(_) => Ok(()),
    }
}

pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, text)).map_err(|error| cannot_write(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_keeps_for_devices_are_refused_on_every_system() {
        for name in ["con", "aux", "nul", "com1", "lpt9"] {
            let refused = check_name(name).unwrap_err().to_string();
            assert!(refused.contains("Windows keeps this name for a device"), "{refused}");
        }
        for name in ["console", "my-bot", "com10"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        assert!(check_name("My Bot").unwrap_err().to_string().contains("lowercase letters"));
    }
}
