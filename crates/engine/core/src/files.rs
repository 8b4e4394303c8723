//! Text files that a user names: those of scenarios and those that tools work on. Their content is
//! up to the game.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::digest::digest;

/// The number of hexadecimal digits of a digest that a scenario's text keeps.
const KEPT: usize = 12;
/// The most bytes of a text file that a scenario or a tool reads.
pub const TEXT_LIMIT: u64 = 64 << 20;

/// Why a text file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextFileError {
    /// There is no such file.
    #[error("{path}: there is no such file", path = .0.display())]
    Missing(PathBuf),
    /// It is a folder.
    #[error("{path}: it is a folder, not a file", path = .0.display())]
    Folder(PathBuf),
    /// It is a device, a pipe or a socket, which may never end.
    #[error("{path}: it is not a regular file", path = .0.display())]
    NotRegular(PathBuf),
    /// It is larger than the limit.
    #[error("{path}: it is larger than {limit} MiB", path = .path.display(), limit = .limit >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes are read at most.
        limit: u64,
    },
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
    /// It is not the file whose digest was noted.
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

/// Reads the text of a file that a scenario names. If `expected` is empty, the digest of the file
/// is stored there; otherwise it must match, since a changed file makes a different scenario.
///
/// # Errors
/// [`TextFileError`] if the file cannot be read as text, or its digest is not the expected one.
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

/// Reads the text of a file that a user or a record names: a regular file of at most [`TEXT_LIMIT`]
/// bytes.
///
/// # Errors
/// [`TextFileError`] if it cannot be read as text.
pub fn read_text(path: &Path) -> Result<String, TextFileError> {
    read_text_up_to(path, TEXT_LIMIT)
}

/// Like [`read_text`], with another limit in bytes.
///
/// # Errors
/// [`TextFileError`] if it cannot be read as text.
pub fn read_text_up_to(path: &Path, limit: u64) -> Result<String, TextFileError> {
    let bytes = read_bytes_up_to(path, limit)?;
    String::from_utf8(bytes).map_err(|_| TextFileError::NotText(path.to_owned()))
}

/// Reads the bytes of a file that a user or a record names: a regular file of at most `limit`
/// bytes.
///
/// # Errors
/// [`TextFileError`] if it cannot be read.
pub fn read_bytes_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, TextFileError> {
    let fail = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => TextFileError::Missing(path.to_owned()),
        ErrorKind::IsADirectory => TextFileError::Folder(path.to_owned()),
        _ => TextFileError::Unreadable {
            path: path.to_owned(),
            problem: reason(&error, Access::Read),
        },
    };
    let check = |metadata: &std::fs::Metadata| match metadata {
        metadata if metadata.is_dir() => Err(TextFileError::Folder(path.to_owned())),
        metadata if !metadata.is_file() => Err(TextFileError::NotRegular(path.to_owned())),
        metadata if metadata.len() > limit => {
            Err(TextFileError::TooLarge { path: path.to_owned(), limit })
        }
        _ => Ok(()),
    };
    // Checked before opening, since opening some devices has an effect, and again after, since the
    // file may have been replaced.
    check(&path.metadata().map_err(fail)?)?;
    let file = open(path).map_err(fail)?;
    check(&file.metadata().map_err(fail)?)?;
    let mut bytes = Vec::new();
    // Some system files report a size of zero, and other files may grow while they are read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(TextFileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Opens a file for reading. A pipe without a writer does not block.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        /// The kernel's value on these architectures.
        const O_NONBLOCK: i32 = 0o4000;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NONBLOCK);
    }
    options.open(path)
}

/// The kind of access that was tried on a file, which decides what an error means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Its content was wanted.
    Read,
    /// It was to be made or changed.
    Write,
}

/// Why a file cannot be read or written, without the number that the system gives it.
pub fn reason(error: &io::Error, access: Access) -> String {
    match (error.kind(), access) {
        (ErrorKind::NotFound, Access::Read) => "there is no such file".to_owned(),
        (ErrorKind::NotFound, Access::Write) => "there is no such folder".to_owned(),
        (ErrorKind::IsADirectory, _) => "it is a folder, not a file".to_owned(),
        (ErrorKind::InvalidData, _) => "it is not a text file".to_owned(),
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
    fn system_errors_lose_their_number() {
        let full = io::Error::from_raw_os_error(28);
        assert_eq!(reason(&full, Access::Write), "no space left on device");
    }

    #[test]
    fn a_missing_file_reads_differently_for_reading_and_writing() {
        let missing = io::Error::from(ErrorKind::NotFound);
        assert_eq!(reason(&missing, Access::Read), "there is no such file");
        assert_eq!(reason(&missing, Access::Write), "there is no such folder");
    }

    #[test]
    fn a_changed_scenario_file_is_refused() {
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

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_pipes_are_not_read() {
        let folder = std::env::temp_dir().join(format!("quintain-endless-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [Path::new("/dev/zero"), &link, &pipe] {
            assert_eq!(read_text(path), Err(TextFileError::NotRegular(path.to_owned())));
            // Replacing the file between the check and the opening gains nothing.
            assert!(!open(path).unwrap().metadata().unwrap().is_file());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn large_files_are_refused() {
        let file = std::env::temp_dir().join(format!("quintain-large-{}", std::process::id()));
        File::create(&file).unwrap().set_len(TEXT_LIMIT + 1).unwrap();
        let refused = read_text(&file).unwrap_err();
        assert!(refused.to_string().ends_with("it is larger than 64 MiB"), "{refused}");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read_text_up_to(&file, 4).unwrap(), "four");
        assert!(matches!(read_text_up_to(&file, 3), Err(TextFileError::TooLarge { .. })));
        std::fs::remove_file(&file).unwrap();
    }
}
