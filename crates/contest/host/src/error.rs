//! Why a contest cannot be begun, opened or run.

use std::path::{Path, PathBuf};

use quintain_bots::ProgramError;
use quintain_store::StoreError;
use quintain_web::ServeError;

/// What went wrong, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The request cannot be fulfilled: an impossible name, for example, or a contest that exists
    /// already.
    #[error("{0}")]
    Usage(String),
    /// What was asked for acts at once, or cannot be taken back, so it wants to be confirmed.
    #[error("{what}; to do it, confirm it with --{option}")]
    Unconfirmed {
        /// What would happen.
        what: String,
        /// The option that confirms it, which is also the name of a form's field.
        option: &'static str,
    },
    /// A contest's host does not answer as one.
    #[error("cannot reach {host}: {problem}")]
    Unreachable {
        /// Its address.
        host: String,
        /// What the system says, or it.
        problem: String,
    },
    /// The contest's file cannot be used.
    #[error("{file}: {problem}", file = file.display())]
    Config {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// A record is not of the match that counts, so nothing is published of the contest.
    #[error(
        "nothing is exported, since the records do not give the results that count: {0}; \
         `quintain host verify` lists all; records come back from a backup, and a match of the \
         ladder can be struck out"
    )]
    FalseRecord(String),
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The contest's database cannot be read or written.
    #[error("the contest's database: {0}")]
    State(#[from] rusqlite::Error),
    /// The contest's database was written by a newer version.
    #[error(
        "the contest's database has schema {found}; this version of quintain knows {known}: update \
         quintain"
    )]
    Newer {
        /// Its schema version.
        found: i64,
        /// The version that this program knows.
        known: i64,
    },
    /// The store of matches cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Programs cannot be confined as the contest wants it.
    #[error(
        "{0}; or set sandbox = \"basic\" or \"off\" in host.toml, if you know every participant"
    )]
    Sandbox(#[from] ProgramError),
    /// Only Linux has our sandbox.
    #[error(
        "a contest runs on Linux: this system has no sandbox for the programs that participants \
         submit; on Windows, run it in WSL 2, and submit from any system"
    )]
    NoSandbox,
    /// The pages cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

/// The option that confirms what acts at once, or cannot be taken back.
pub(crate) const CONFIRM: &str = "confirm";

/// Returns a function that turns a system error about a file into a [`HostError`].
pub(crate) fn file_error(path: &Path) -> impl Fn(std::io::Error) -> HostError + '_ {
    |source| HostError::File { path: path.to_owned(), source }
}
