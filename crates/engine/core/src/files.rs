//! Text files that a user names: those of scenarios and those that tools work on. Their content is
//! up to the game.
//!
//! The file of a scenario is known by its digest. Each one that was read or [offered](keep_file)
//! stays in memory, so a scenario with a digest needs no file on disk: a store, a contest or a
//! tournament brings its own copy. A record may come from a stranger, so it must not choose which
//! files are read: see [`FilesOfRecords`].

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::digest::digest;
use crate::spec::Spec;

/// The number of hexadecimal digits of a digest by which the file of a scenario is known.
pub const FILE_DIGITS: usize = 12;
/// The most bytes of a text file that a scenario or a tool reads.
pub const TEXT_LIMIT: u64 = 64 << 20;
/// The most bytes of a file that people write by hand, such as a `bots.toml`, a tournament or a
/// list: each megabyte of TOML can take 0.4 GB of memory and seconds to parse.
pub const SETTINGS_LIMIT: u64 = 1 << 20;

/// What tells UTF-8 from other encodings at the beginning of a text; it is no part of the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The folder of recorded data from outside the project, which no build contains: the one that
/// `QUINTAIN_DATA` names, or `../shared/data`.
pub fn data_folder() -> PathBuf {
    std::env::var_os("QUINTAIN_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from)
}

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
    #[error("{path}: {NOT_TEXT}", path = .0.display())]
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
    /// A record names the file, and its text is not at hand. Does not say whether the file exists,
    /// or what it holds.
    #[error(
        "{path}: the record's file is not in the store, and a file on disk is used only if it is \
         as it was when the match was played",
        path = .0.display()
    )]
    NotKept(PathBuf),
    /// A record names the file without its digest, so it is not read.
    #[error(
        "{path}: the record names a file without its digest, so the file is not read",
        path = .0.display()
    )]
    NoDigest(PathBuf),
}

impl TextFileError {
    /// What is wrong, without the path of the file.
    pub fn problem(&self) -> String {
        let (Self::Missing(path)
        | Self::Folder(path)
        | Self::NotRegular(path)
        | Self::NotText(path)
        | Self::NotKept(path)
        | Self::NoDigest(path)
        | Self::TooLarge { path, .. }
        | Self::Unreadable { path, .. }
        | Self::Changed { path, .. }) = self;
        let (whole, path) = (self.to_string(), format!("{}: ", path.display()));
        whole.strip_prefix(&path).unwrap_or(&whole).to_owned()
    }
}

/// Which files are read to replay a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FilesOfRecords {
    /// None: the store has to hold their texts. For servers, whose visitors see what comes of it.
    Never,
    /// Those that still have the digest that the record gives.
    #[default]
    Unchanged,
}

thread_local! {
    /// Set while a scenario of a record is built.
    static OF_RECORD: Cell<Option<FilesOfRecords>> = const { Cell::new(None) };
}

/// Builds a scenario that a record or another machine names: it reads no other files than `files`
/// allows.
pub fn reading_as_record<T>(files: FilesOfRecords, build: impl FnOnce() -> T) -> T {
    struct Restore(Option<FilesOfRecords>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OF_RECORD.set(self.0);
        }
    }
    let _restore = Restore(OF_RECORD.replace(Some(files)));
    build()
}

thread_local! {
    /// The digests of the files in use since a scenario began to be built, while one is.
    static IN_USE: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

fn note_use(digest: &str) {
    IN_USE.with_borrow_mut(|in_use| {
        if let Some(in_use) = in_use
            && !in_use.iter().any(|known| known == digest)
        {
            in_use.push(digest.to_owned());
        }
    });
}

/// Builds a scenario, and returns the digests of the files that it is made of.
pub(crate) fn noting_files<T>(build: impl FnOnce() -> T) -> (T, Vec<String>) {
    struct Restore(Option<Vec<String>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            IN_USE.set(self.0.take());
        }
    }
    let _restore = Restore(IN_USE.replace(Some(Vec::new())));
    let built = build();
    (built, IN_USE.take().unwrap_or_default())
}

/// The most bytes of scenarios' files that are kept; the oldest are dropped.
const MAX_KEPT_BYTES: usize = 256 << 20;

/// The texts of scenarios' files by their digests, the oldest first.
#[derive(Default)]
struct KeptFiles {
    files: VecDeque<(String, Arc<str>)>,
    bytes: usize,
}

static FILES: Mutex<KeptFiles> = Mutex::new(KeptFiles { files: VecDeque::new(), bytes: 0 });

fn kept_files() -> MutexGuard<'static, KeptFiles> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the text of a scenario's file in memory, and returns its digest: a scenario with this
/// digest uses the text, wherever its file is.
pub fn keep_file(text: &str) -> String {
    let found = digest(text.as_bytes())[..FILE_DIGITS].to_owned();
    note_use(&found);
    let mut kept = kept_files();
    if !kept.files.iter().any(|(known, _)| *known == found) {
        kept.bytes += text.len();
        kept.files.push_back((found.clone(), text.into()));
        while kept.bytes > MAX_KEPT_BYTES && kept.files.len() > 1 {
            let dropped = kept.files.pop_front().map_or(0, |(_, text)| text.len());
            kept.bytes -= dropped;
        }
    }
    found
}

/// Returns the text of a scenario's file, if it was read or offered before.
pub fn kept_file(digest: &str) -> Option<Arc<str>> {
    let kept = kept_files();
    let (known, text) = kept.files.iter().find(|(known, _)| known == digest)?;
    note_use(known);
    Some(Arc::clone(text))
}

/// Returns the digest of the file that a scenario names, if it names one by its digest.
pub fn digest_in(scenario: &str) -> Option<String> {
    if !scenario.contains("digest=") {
        return None;
    }
    let spec: Spec = scenario.parse().ok()?;
    let digest = spec.arguments.into_iter().find(|(key, _)| key == "digest")?.1;
    (!digest.is_empty()).then_some(digest)
}

/// Reads the text of a file that a scenario names. If `expected` is empty, the digest of the file
/// is stored there; otherwise it must match, since a changed file makes a different scenario. A
/// text of this digest that is [kept](keep_file) is used wherever the file is.
///
/// # Errors
/// [`TextFileError`] if the file cannot be read as text, or its digest is not the expected one.
pub fn scenario_file(path: &Path, expected: &mut String) -> Result<String, TextFileError> {
    if let Some(kept) = kept_file(expected) {
        return Ok(kept.as_ref().to_owned());
    }
    let of_record = OF_RECORD.get();
    let text = match of_record {
        None => read_text(path)?,
        Some(_) if expected.is_empty() => return Err(TextFileError::NoDigest(path.to_owned())),
        Some(FilesOfRecords::Never) => return Err(TextFileError::NotKept(path.to_owned())),
        Some(FilesOfRecords::Unchanged) => {
            read_text(path).map_err(|_| TextFileError::NotKept(path.to_owned()))?
        }
    };
    let found = digest(text.as_bytes())[..FILE_DIGITS].to_owned();
    if expected.is_empty() {
        *expected = keep_file(&text);
    } else if *expected == found {
        keep_file(&text);
    } else if of_record.is_some() {
        return Err(TextFileError::NotKept(path.to_owned()));
    } else {
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

/// Reads the text of a file that people write by hand: a regular file of at most
/// [`SETTINGS_LIMIT`] bytes. Somebody else may have put it there.
///
/// # Errors
/// [`TextFileError`] if it cannot be read as text.
pub fn read_settings(path: &Path) -> Result<String, TextFileError> {
    read_text_up_to(path, SETTINGS_LIMIT)
}

/// Like [`read_text`], with another limit in bytes.
///
/// # Errors
/// [`TextFileError`] if it cannot be read as text.
pub fn read_text_up_to(path: &Path, limit: u64) -> Result<String, TextFileError> {
    let mut bytes = read_bytes_up_to(path, limit)?;
    // Some editors begin every file with it, and no format expects it.
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
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
    let file = open_at_once(path).map_err(fail)?;
    check(&file.metadata().map_err(fail)?)?;
    let mut bytes = Vec::new();
    // Some system files report a size of zero, and other files may grow while they are read.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(TextFileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Opens a file for reading. A pipe without a writer does not block.
///
/// # Errors
/// Those of [`File::open`].
pub fn open_at_once(path: &Path) -> io::Result<File> {
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

/// What is wrong with a file that is not text in UTF-8, such as one that a Windows shell wrote.
const NOT_TEXT: &str = "it is not text in UTF-8; save it in that encoding";

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
        (ErrorKind::InvalidData, _) => NOT_TEXT.to_owned(),
        _ => {
            let text = error.to_string();
            let words = text.split(" (os error").next().unwrap_or_default();
            // Windows ends a sentence.
            words.trim_end_matches('.').to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_lose_their_number() {
        let full = io::Error::from_raw_os_error(if cfg!(windows) { 112 } else { 28 });
        let said = reason(&full, Access::Write);
        assert!(cfg!(windows) || said == "no space left on device", "{said}");
        assert!(!said.contains("os error") && !said.ends_with('.'), "{said}");
    }

    #[test]
    fn a_missing_file_reads_differently_for_reading_and_writing() {
        let missing = io::Error::from(ErrorKind::NotFound);
        assert_eq!(reason(&missing, Access::Read), "there is no such file");
        assert_eq!(reason(&missing, Access::Write), "there is no such folder");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let folder = Folder::new("marked");
        let path = folder.0.join("marked.txt");
        std::fs::write(&path, "\u{feff}5 4\n#\u{feff}").unwrap();
        assert_eq!(read_text(&path).unwrap(), "5 4\n#\u{feff}");
    }

    /// An empty folder of this test, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("quintain-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn file(&self, text: &[u8]) -> PathBuf {
            let file = self.0.join("map");
            std::fs::write(&file, text).unwrap();
            file
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_changed_scenario_file_is_refused() {
        let folder = Folder::new("files");
        let file = folder.file(b"a map");
        let mut noted = String::new();
        assert_eq!(scenario_file(&file, &mut noted).unwrap(), "a map");
        assert_eq!(noted.len(), FILE_DIGITS);
        assert_eq!(scenario_file(&file, &mut noted).unwrap(), "a map");
        let read = |expected: &str| scenario_file(&file, &mut expected.to_owned());
        assert!(read("000000000000").unwrap_err().to_string().contains("has changed"));
        folder.file(&[0xff]);
        assert!(read("").unwrap_err().to_string().contains(NOT_TEXT));
        let folder = scenario_file(&folder.0, &mut String::new()).unwrap_err();
        assert!(folder.to_string().contains("a folder"));
        std::fs::remove_file(&file).unwrap();
        assert!(read("").unwrap_err().to_string().contains("no such file"));
    }

    #[test]
    fn a_scenario_with_a_digest_uses_the_text_that_is_kept() {
        let mut digest = keep_file("a map that is nowhere on disk");
        let text = scenario_file(Path::new("nowhere/at/all"), &mut digest).unwrap();
        assert_eq!(text, "a map that is nowhere on disk");
        assert_eq!(digest_in(&format!("file?path=a&digest={digest}")), Some(digest));
        for none in ["file", "file?path=digest", "file?digest=", "?digest=1"] {
            assert_eq!(digest_in(none), None, "{none}");
        }
    }

    #[test]
    fn a_record_reads_no_file_that_it_does_not_know() {
        let folder = Folder::new("records");
        let file = folder.file(b"a secret of somebody");
        let known = digest(b"a secret of somebody")[..FILE_DIGITS].to_owned();
        let read = |path: &Path, expected: &str, files| {
            let mut expected = expected.to_owned();
            reading_as_record(files, || scenario_file(path, &mut expected))
        };
        use FilesOfRecords::{Never, Unchanged};
        for files in [Never, Unchanged] {
            let refused = read(&file, "", files);
            assert_eq!(refused, Err(TextFileError::NoDigest(file.clone())));
            // A wrong digest, a missing file and a folder cannot be told apart.
            for path in [&file, &folder.0, &folder.0.join("missing")] {
                let refused = read(path, "000000000000", files);
                assert_eq!(refused, Err(TextFileError::NotKept(path.clone())));
            }
        }
        assert_eq!(read(&file, &known, Never), Err(TextFileError::NotKept(file.clone())));
        assert_eq!(read(&file, &known, Unchanged).as_deref(), Ok("a secret of somebody"));
        // From now on the text is in memory.
        assert_eq!(read(&file, &known, Never).as_deref(), Ok("a secret of somebody"));
        assert!(scenario_file(&file, &mut String::new()).is_ok(), "the user may read anything");
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
            assert_eq!(read_settings(path), Err(TextFileError::NotRegular(path.to_owned())));
            // Replacing the file between the check and the opening gains nothing.
            assert!(!open_at_once(path).unwrap().metadata().unwrap().is_file());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn large_files_are_refused() {
        let file = std::env::temp_dir().join(format!("quintain-large-{}", std::process::id()));
        File::create(&file).unwrap().set_len(TEXT_LIMIT + 1).unwrap();
        let refused = read_text(&file).unwrap_err();
        assert!(refused.to_string().ends_with("it is larger than 64 MiB"), "{refused}");
        File::create(&file).unwrap().set_len(SETTINGS_LIMIT + 1).unwrap();
        let refused = read_settings(&file).unwrap_err();
        assert!(refused.to_string().ends_with("it is larger than 1 MiB"), "{refused}");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read_text_up_to(&file, 4).unwrap(), "four");
        assert!(matches!(read_text_up_to(&file, 3), Err(TextFileError::TooLarge { .. })));
        std::fs::remove_file(&file).unwrap();
    }
}
