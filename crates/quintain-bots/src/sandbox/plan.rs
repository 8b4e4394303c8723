//! What is to be run, and how it is to be confined: what the processes between hand
//! on to one another.

use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::STAGE;
use super::probe::Protections;
use crate::limits::Limits;

/// How much protection is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// None but limits: for programs of one's own, under a debugger say.
    Off,
    /// All that the kernel gives.
    #[default]
    Usual,
    /// All there is, or nothing is run.
    Strict,
}

/// A program to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The executable of the processes between.
    pub launcher: PathBuf,
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Its working folder, which it may read.
    pub folder: PathBuf,
    /// Its scratch folder, which it may write.
    pub scratch: PathBuf,
    /// Further files and folders that it may read.
    pub readable: Vec<PathBuf>,
    /// Its environment, whole.
    pub environment: Vec<(String, String)>,
    /// What it may use.
    pub limits: Limits,
    /// What confines it.
    pub protections: Protections,
}

impl Plan {
    /// The command that runs a stage.
    pub(super) fn stage(&self, stage: &str) -> Command {
        let mut command = Command::new(&self.launcher);
        let plan = serde_json::to_string(self).expect("a plan has a JSON form");
        command.arg(STAGE).arg(stage).arg(plan).env_clear();
        command
    }

    /// The command that runs the program with all that stands between.
    pub(crate) fn command(&self) -> Command {
        self.stage(if self.protections.namespaces { "hold" } else { "supervise" })
    }
}
