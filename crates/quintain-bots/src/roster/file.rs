//! The file `bots.toml`: a table for each program.
//!
//! ```toml
//! [alice]
//! command = "python3 alice.py"
//! folder = "students/alice"
//! limits = { memory = "256MB" }
//! ```

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use quintain_core::did_you_mean;
use serde::Deserialize;

use super::OWN_PROTOCOL;
use super::command::Command;
use crate::limits::Limits;

/// A program as the file gives it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotEntry {
    /// What is run.
    pub command: Command,
    /// Where, seen from the file; the program may read what is in it.
    #[serde(default)]
    pub folder: PathBuf,
    /// Variables of its environment, beside PATH, HOME, TMPDIR and LANG.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Further files and folders that it may read, seen from its folder.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// The protocol that it speaks.
    #[serde(default = "own_protocol")]
    pub protocol: String,
    /// Matches that one process plays; any number if absent.
    #[serde(default)]
    pub matches: Option<NonZeroU64>,
    /// What it may use.
    #[serde(default)]
    pub limits: Limits,
}

fn own_protocol() -> String {
    OWN_PROTOCOL.to_owned()
}

impl BotEntry {
    /// A program with nothing but its command.
    pub(super) fn of(command: Command) -> BotEntry {
        BotEntry {
            command,
            folder: PathBuf::new(),
            environment: BTreeMap::new(),
            read: Vec::new(),
            protocol: own_protocol(),
            matches: None,
            limits: Limits::default(),
        }
    }
}

/// The programs of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct BotsFile {
    path: PathBuf,
    bots: BTreeMap<String, BotEntry>,
}

impl BotsFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read: where, and what was expected.
    pub fn load(path: &Path) -> Result<BotsFile, String> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "there is no {}, which names programs; write one, or name a command: exec:\"…\"",
                path.display()
            ),
            _ => format!("cannot read {}: {error}", path.display()),
        })?;
        BotsFile::parse(path, &text)
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// As [`BotsFile::load`].
    pub fn parse(path: &Path, text: &str) -> Result<BotsFile, String> {
        let bots = toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
            let message = error.message().replace('\n', "; ");
            format!("{}:{line}: {message}", path.display())
        })?;
        Ok(BotsFile { path: path.to_owned(), bots })
    }

    /// The program of this name.
    ///
    /// # Errors
    /// If there is none; the text suggests one.
    pub fn named(&self, name: &str) -> Result<&BotEntry, String> {
        self.bots.get(name).ok_or_else(|| {
            let file = self.path.display();
            format!("{file}: {}", did_you_mean("bot", name, self.bots.keys().map(String::as_str)))
        })
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bots.keys().map(String::as_str)
    }
}
