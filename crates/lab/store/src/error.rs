//! What can go wrong with a store, in one clear line each.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use quintain_core::RecordError;
use rusqlite::{ErrorCode, ffi};

/// Why two records of one match may differ, as part of a message.
pub const DIFFERENCE_CAUSES: &str = "usually a player does not repeat itself: a program that draws \
    random numbers without the \"seed\" of the message start, or thinks until a time is up \
    (quintain bot check plays a match twice); otherwise two versions of quintain were running";

/// A store that cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store.
    #[error("{path}: no such store; running a tournament creates one: `quintain tournament \
             quick`", path = .0.display())]
    Missing(PathBuf),
    /// Another process has locked it for longer than we wait.
    #[error(
        "{path}: the store is locked by another process; try again when that has finished",
        path = .0.display()
    )]
    Locked(PathBuf),
    /// Another process plays the same matches.
    #[error(
        "{path}: another process is playing {name} there, and would play everything twice; run \
         the same command again when that has finished, or name another --store",
        path = path.display()
    )]
    Running {
        /// The file.
        path: PathBuf,
        /// What it plays.
        name: String,
    },
    /// No space left.
    #[error(
        "{path}: the disk is full; what was committed is safe: free some space and run the same \
         command again, and it goes on where it stopped",
        path = .0.display()
    )]
    Full(PathBuf),
    /// The system's limit on file sizes was reached, such as one set by `ulimit -f`.
    #[error(
        "{path}: the store cannot grow: files may have {limit} bytes here (ulimit -f); what was \
         committed is safe: raise the limit and run the same command again, and it goes on where \
         it stopped",
        path = path.display()
    )]
    FileLimit {
        /// The file.
        path: PathBuf,
        /// Bytes that a file may have.
        limit: u64,
    },
    /// The store is read-only.
    #[error("{path}: the store cannot be written: it or its directory is \
             read-only", path = .0.display())]
    ReadOnly(PathBuf),
    /// The system does not let us open the file.
    #[error("{path}: the store cannot be opened: {source}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is something else than a store.
    #[error("{path}: it is not a quintain store ({what})", path = path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What the file is.
        what: &'static str,
    },
    /// The store was made by a newer version.
    #[error(
        "{path}: the store has schema {found}, but this version of quintain knows up to {known}; \
         use a newer quintain",
        path = path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// The database's own structure is broken.
    #[error(
        "{path}: the database file is damaged ({detail}); `sqlite3 FILE .recover` may save its \
         rows",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// A record whose text is not as it was written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record whose columns disagree with its text.
    #[error("record {id}: its column {column} says {says}, but the record says {truth}")]
    Column {
        /// The record's id.
        id: String,
        /// The column that differs.
        column: &'static str,
        /// The value there.
        says: String,
        /// What it should hold.
        truth: String,
    },
    /// A tournament that is not as it was written.
    #[error("{path}: {detail}; `quintain verify` lists what is damaged", path = path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// What differs.
        detail: String,
    },
    /// A record that contradicts the one that is to be stored in addition.
    #[error(
        "{path}: record {id} ends otherwise than the one to be stored; {DIFFERENCE_CAUSES}",
        path = path.display()
    )]
    Contradicted {
        /// The file.
        path: PathBuf,
        /// The record's id.
        id: String,
    },
    /// No record of that id.
    #[error("{0}")]
    UnknownRecord(String),
    /// More than one record has an id that begins so.
    #[error("more than one record begins with {prefix}: {}, …; give more digits", .ids.join(", "))]
    AmbiguousRecord {
        /// What was asked for.
        prefix: String,
        /// Some of the ids that match.
        ids: Vec<String>,
    },
    /// No tournament of that name.
    #[error("{0}")]
    UnknownTournament(String),
    /// No test of that number.
    #[error("{0}")]
    UnknownTest(String),
    /// Anything else.
    #[error("{path}: {source}", path = path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}

/// Asks the system for the reason of an error that SQLite cannot express.
fn explain_refusal(path: PathBuf, error: rusqlite::Error) -> StoreError {
    let known = path.exists();
    if let (true, Err(source)) = (known, File::open(&path)) {
        return StoreError::Open { path, source };
    }
    let tried = OpenOptions::new().read(true).write(true).create_new(!known).open(&path);
    if !known && tried.is_ok() {
        let _ = std::fs::remove_file(&path);
    }
    match tried {
        Err(source) => match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly(path)
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(path),
            _ => StoreError::Open { path, source },
        },
        Ok(_) => StoreError::Database { path, source: error },
    }
}

/// The limit on file sizes, if the store has come close to it.
fn file_limit(path: &Path) -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max file size"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    // SQLite's largest step: its shared memory grows by this much.
    const STEP: u64 = 64 << 10;
    let append = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::fs::metadata(name).map_or(0, |file| file.len())
    };
    let largest = ["", "-wal", "-shm"].map(append).into_iter().max()?;
    (largest + STEP >= limit).then_some(limit)
}

impl StoreError {
    /// An SQLite error, in words.
    pub(crate) fn new(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        let failed = error.sqlite_error_code();
        if let (Some(ErrorCode::SystemIoFailure), Some(limit)) = (failed, file_limit(&path)) {
            return StoreError::FileLimit { path, limit };
        }
        match failed {
            // There is no room for the file through which processes agree on who writes.
            _ if error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE) => {
                StoreError::Full(path)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(path),
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(path),
            Some(ErrorCode::NotADatabase) => {
                StoreError::NotAStore { path, what: "not an SQLite database" }
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                StoreError::Damaged { path, detail: error.to_string() }
            }
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
                explain_refusal(path, error)
            }
            _ => StoreError::Database { path, source: error },
        }
    }
}
