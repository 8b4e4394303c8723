//! One kept version of a program: where its files and its entry are, and what it is called as a
//! player.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::bots_file::{BotEntry, BotsFile};
use crate::error::ProgramError;

/// The entry of a version.
pub(crate) const ENTRY: &str = "bots.toml";

/// The files of a version.
pub(crate) const FILES: &str = "files";

/// A kept version of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    pub(crate) name: String,
    pub(crate) hash: String,
    pub(crate) saved: SystemTime,
    pub(crate) folder: PathBuf,
}

impl Version {
    /// Eight hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// When it was last saved.
    pub fn saved_at(&self) -> SystemTime {
        self.saved
    }

    /// The text that names it as a player.
    pub fn player(&self) -> String {
        format!("bot:{}@{}", self.name, self.hash)
    }

    /// The name of its program.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where it is kept.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where its files are: programs refer to them by this path in what they write.
    pub fn files(&self) -> PathBuf {
        let files = self.folder.join(FILES);
        crate::open::resolve(&files).unwrap_or(files)
    }

    /// Its entry; the folder in it is relative to the version's own folder.
    pub(crate) fn entry(&self) -> Result<BotEntry, ProgramError> {
        BotsFile::load(&self.folder.join(ENTRY))?.bot(&self.name).cloned()
    }
}
