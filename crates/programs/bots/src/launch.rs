//! A program to be run: what does not depend on how it is confined.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// The scratch folder of a program that has a private root; it is its `HOME` and `TMPDIR`.
pub(crate) const SCRATCH: &str = "/tmp";

/// A program to be run.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Launch {
    /// The program's file.
    pub(crate) program: PathBuf,
    /// Its arguments, without its own name.
    pub(crate) arguments: Vec<String>,
    /// Its working folder.
    pub(crate) folder: PathBuf,
    /// Its scratch folder.
    pub(crate) scratch: PathBuf,
    /// What it may read besides the system's programs and libraries, its working folder included.
    /// Where nothing confines it, this is not enforced.
    pub(crate) readable: Vec<Readable>,
    /// Its environment variables.
    pub(crate) environment: Vec<(String, String)>,
    /// Its limits.
    pub(crate) limits: Limits,
}

/// A file or folder that a program may read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Readable {
    /// Where it is.
    pub source: PathBuf,
    /// Where the program sees it, if it has a private root.
    pub at: PathBuf,
}

impl Readable {
    /// A file or folder that the program sees where it is.
    pub(crate) fn in_place(path: &Path) -> Readable {
        Readable { source: path.to_owned(), at: path.to_owned() }
    }
}
