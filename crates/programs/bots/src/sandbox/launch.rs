//! What is to be run, and how it is to be confined. It is handed from stage to stage as JSON in an
//! environment variable. The stages are separate processes and share nothing else, and arguments
//! can be read by every user of the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::control::ControlEnd;
use super::group::GroupEnd;
use super::protections::Protections;
use crate::launch::{Launch, Readable};
use crate::limits::Limits;
use crate::stage::STAGE;

/// The environment variable that hands a [`SandboxLaunch`] to a stage.
pub(super) const VARIABLE: &str = "QUINTAIN_SANDBOX_LAUNCH";

/// A program to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SandboxLaunch {
    /// The executable of the stages.
    pub launcher: PathBuf,
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Its working folder.
    pub folder: PathBuf,
    /// Its scratch folder, which it may write to: [`crate::launch::SCRATCH`] in a private root,
    /// otherwise a folder of the machine.
    pub scratch: PathBuf,
    /// What it may read besides the system's programs and libraries, its working folder included.
    pub readable: Vec<Readable>,
    /// All of its environment variables.
    pub environment: Vec<(String, String)>,
    /// Its limits.
    pub limits: Limits,
    /// What confines it.
    pub protections: Protections,
    /// Whether it may create sockets that are connected to each other; their buffers are memory
    /// that its limit does not count.
    pub(crate) pairs: bool,
    /// The arena's folder of control groups, if the program is to have one.
    pub(crate) groups: Option<PathBuf>,
    /// The program's control group, once it has been made.
    pub(crate) group: Option<GroupEnd>,
    /// The descriptors through which the supervisor communicates with the arena.
    pub(crate) control: Option<ControlEnd>,
}

/// How the programs of this process are confined by the sandbox.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox {
    /// The executable of the stages.
    pub(crate) launcher: PathBuf,
    /// What confines programs.
    pub(crate) protections: Protections,
    /// The arena's folder of control groups, if programs are to have any.
    pub(crate) groups: Option<PathBuf>,
}

impl Sandbox {
    /// A program to be run in the sandbox. With `pairs`, it may create sockets that are connected
    /// to each other.
    pub(crate) fn launch(&self, program: &Launch, pairs: bool) -> SandboxLaunch {
        let program = program.clone();
        SandboxLaunch {
            launcher: self.launcher.clone(),
            program: program.program,
            arguments: program.arguments,
            folder: program.folder,
            scratch: program.scratch,
            readable: program.readable,
            environment: program.environment,
            limits: program.limits,
            protections: self.protections,
            pairs,
            groups: self.groups.clone(),
            group: None,
            control: None,
        }
    }
}

impl SandboxLaunch {
    /// The command that runs a stage: `hold`, `supervise` or `confine`.
    pub(super) fn stage(&self, stage: &str) -> Command {
        // In a private root, the launcher's file cannot be named any more.
        let inside = stage == "confine" && self.protections.namespaces;
        let launcher = if inside { Path::new("/proc/self/exe") } else { &self.launcher };
        let mut command = Command::new(launcher);
        let launch = serde_json::to_string(self).expect("a launch has a JSON form");
        command.arg(STAGE).arg(stage).env_clear().env(VARIABLE, launch);
        command
    }

    /// The command that runs the first stage.
    pub(crate) fn command(&self) -> Command {
        self.stage(if self.protections.namespaces { "hold" } else { "supervise" })
    }

    /// The number of processes between the arena and the program.
    pub(crate) fn stages(&self) -> u32 {
        if self.protections.namespaces { 2 } else { 1 }
    }
}
