//! What is to be run, and how it is to be confined. It is handed from stage to stage as JSON
//! in an argument: the stages are processes of their own and share nothing else.

use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::protections::Protections;
use crate::limits::Limits;

/// The first argument of our executable when it is one of the processes between the arena and
/// a program.
pub(super) const STAGE: &str = "__quintain_sandbox";

/// How much protection is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// Nothing but limits: for one's own programs, for example under a debugger.
    Off,
    /// Whatever the kernel offers.
    #[default]
    Usual,
    /// Everything, or the program is not run.
    Strict,
}

/// A program to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The executable of the stages.
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
    /// All of its environment variables.
    pub environment: Vec<(String, String)>,
    /// Its limits.
    pub limits: Limits,
    /// What confines it.
    pub protections: Protections,
}

impl Plan {
    /// The command that runs a stage: `hold`, `supervise` or `confine`.
    pub(super) fn stage(&self, stage: &str) -> Command {
        let mut command = Command::new(&self.launcher);
        let plan = serde_json::to_string(self).expect("a plan has a JSON form");
        command.arg(STAGE).arg(stage).arg(plan).env_clear();
        command
    }

    /// The command that runs the first stage.
    pub(crate) fn command(&self) -> Command {
        self.stage(if self.protections.namespaces { "hold" } else { "supervise" })
    }
}
