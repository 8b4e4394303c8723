//! An empty folder in which the command runs, for test programs that need one; each adds what only
//! it needs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

pub const QUINTAIN: &str = env!("CARGO_BIN_EXE_quintain");

/// Maximum lifetime of a process in a test.
pub const LIFE: Duration = Duration::from_secs(300);

pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(QUINTAIN);
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1");
        for name in ["STORE", "BOTS", "CREDS", "USER", "ON"] {
            command.env_remove(format!("QUINTAIN_{name}"));
        }
        command.env_remove("RUST_LOG");
        command
    }

    /// Runs a command to its end, or kills it after [`LIFE`].
    pub fn run(&self, arguments: &[&str]) -> Output {
        let command = self.command(arguments);
        assert_cmd::Command::from_std(command).timeout(LIFE).output().unwrap()
    }

    /// Runs a command that must succeed.
    pub fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }
}
