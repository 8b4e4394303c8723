//! Builds a program by the step that its entry in `bots.toml` names. The step runs as the user, in
//! the program's folder and outside the sandbox, as if the user had typed it: a program is built
//! only when the user asks for it, never by a match.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bots_file::find_folder;
use crate::error::ProgramError;
use crate::programs::Programs;

/// The result of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build {
    /// The step, as written in the entry.
    pub step: String,
    /// Whether it succeeded.
    pub is_good: bool,
    /// What it wrote, to standard output and then to standard error.
    pub said: String,
    /// How long it took.
    pub took: Duration,
}

impl Programs {
    /// Builds a program of the `bots.toml`, which is read again; returns `None` if its entry names
    /// no step.
    ///
    /// # Errors
    /// [`ProgramError`] if there is no such program, or the step cannot be started.
    pub fn build(&self, name: &str) -> Result<Option<Build>, ProgramError> {
        let entry = self.read_entry(name)?;
        let Some(step) = entry.build.clone() else { return Ok(None) };
        let spec = format!("bot:{name}");
        let folder = find_folder(&spec, &entry, &self.base()?)?;
        let begun = Instant::now();
        let mut shell = shell(&step);
        shell.current_dir(folder).stdin(Stdio::null());
        let output = shell.output().map_err(|error| ProgramError::System(error.to_string()))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok(Some(Build { step, is_good: output.status.success(), said, took: begun.elapsed() }))
    }
}

/// The system's shell with a line to run.
#[cfg(unix)]
pub(crate) fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

/// The system's shell with a line to run, which it reads as it is.
#[cfg(windows)]
pub(crate) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;

    let mut shell = Command::new("cmd");
    shell.arg("/C").raw_arg(line);
    shell
}
