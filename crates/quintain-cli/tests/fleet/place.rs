//! A folder in which a tournament is played: by one machine, as the truth, and by a
//! coordinator with workers.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Instant;

use crate::nats::BOUND;

const QUINTAIN: &str = env!("CARGO_BIN_EXE_quintain");

/// A tournament of 400 matches, which take some milliseconds each.
pub const CUP: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["empty?width=9&height=9"]
    players = ["random", "wall-hugger", "space", "uct?iterations=60", "uct?iterations=40"]
    seeds = 20
"#;

/// Kills a process that is still there when a test ends.
pub struct Running(pub Child);

impl Running {
    /// As if its machine had failed.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Its end, within the bound.
    pub fn end(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < BOUND, "it does not end");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Reads its standard error up to a line that has these words.
    pub fn wait_to_hear(&mut self, words: &str) -> BufReader<ChildStderr> {
        let mut errors = BufReader::new(self.0.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(errors.read_line(&mut line).unwrap() > 0, "it ends without saying “{words}”");
        }
        errors
    }

    /// All it says on standard error until it ends.
    pub fn said(&mut self) -> String {
        let mut said = String::new();
        if let Some(mut errors) = self.0.stderr.take() {
            errors.read_to_string(&mut said).unwrap();
        }
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A folder with a tournament in `cup.toml`.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new(tournament: &str) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("cup.toml", tournament);
        place
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
        for name in
            ["QUINTAIN_STORE", "QUINTAIN_BOTS", "QUINTAIN_CREDS", "QUINTAIN_USER", "RUST_LOG"]
        {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed.
    pub fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a command in the background, its standard error to be read.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Running(command.spawn().unwrap())
    }

    /// Starts a worker of one thread.
    pub fn worker(&self, on: &str) -> Running {
        let mut command = self.command(&["worker", "--on", on, "--threads", "1"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().unwrap())
    }

    /// Starts a coordinator of the cup, into `store`; it soon gives up on silent workers.
    pub fn coordinator(&self, on: &str, store: &str) -> Running {
        let mut command = self.command(&["tournament", "cup.toml", "--on", on]);
        command.args(["--patience", "2", "--store", store, "--format", "json"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().unwrap())
    }

    /// All records of a store, in an order of their own.
    pub fn records(&self, store: &str) -> String {
        self.says(&["export", "--what", "records", "--store", store])
    }

    /// Checks that a store holds the cup as one machine plays it: every record, once, and
    /// the same standings.
    pub fn is_the_truth(&self, store: &str) {
        if !self.path().join("truth.sqlite").exists() {
            self.says(&["tournament", "cup.toml", "--store", "truth.sqlite", "--quiet"]);
        }
        let (truth, found) = (self.records("truth.sqlite"), self.records(store));
        assert_eq!(found.lines().count(), truth.lines().count());
        assert!(found == truth, "{store} holds other records than a run on one machine");
        let standings =
            |store: &str| self.says(&["standings", "cup", "--format", "json", "--store", store]);
        assert_eq!(standings(store), standings("truth.sqlite"));
    }
}
