//! A folder in which a tournament is played: by a single machine, as the reference, and by a
//! coordinator with workers.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::nats::BOUND;

#[path = "../common/place.rs"]
mod common;

use common::LIFE;
pub use common::Place;

/// A tournament of 400 matches, which take some milliseconds each.
pub const CUP: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["empty?width=9&height=9"]
    players = ["random", "wall-hugger", "space", "uct?iterations=60", "uct?iterations=40"]
    seeds = 20
"#;

/// A process that is killed when the test ends, and in any case after [`LIFE`]: a test that reads
/// its output then fails instead of waiting for ever.
pub struct Running {
    pub child: Child,
    _is_over: mpsc::Sender<()>,
}

impl Running {
    /// Starts it.
    pub fn start(mut command: Command) -> Running {
        let child = command.spawn().unwrap();
        let (id, (is_over, over)) = (child.id().to_string(), mpsc::channel());
        thread::spawn(move || {
            if over.recv_timeout(LIFE) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("killed after {} seconds: {command:?}", LIFE.as_secs());
                let _ = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        Running { child, _is_over: is_over }
    }

    /// Kills it as if its machine had failed.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Waits for its end, within the bound; returns its exit status.
    pub fn end(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < BOUND, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Reads its standard error up to a line that contains these words.
    pub fn wait_to_hear(&mut self, words: &str) -> BufReader<ChildStderr> {
        let mut errors = BufReader::new(self.child.stderr.take().unwrap());
        read_up_to(&mut errors, words);
        errors
    }

    /// Returns everything it writes to standard error until it ends.
    pub fn read_stderr(&mut self) -> String {
        let mut said = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            errors.read_to_string(&mut said).unwrap();
        }
        said
    }
}

/// Reads up to a line that contains these words.
pub fn read_up_to(errors: &mut impl BufRead, words: &str) {
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "it ends without saying “{words}”");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Place {
    /// Makes a folder with a tournament in `cup.toml`.
    pub fn with_cup(tournament: &str) -> Place {
        let place = Place::new();
        place.write("cup.toml", tournament);
        place
    }

    /// Starts a command in the background, with its standard error readable.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Running::start(command)
    }

    /// Starts a worker of one thread.
    pub fn worker(&self, on: &str) -> Running {
        let mut command = self.command(&["worker", "--on", on, "--threads", "1"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Running::start(command)
    }

    /// Starts a coordinator of the cup with `store`, which soon gives up on silent workers.
    pub fn coordinator(&self, on: &str, store: &str) -> Running {
        let mut command = self.command(&["tournament", "cup.toml", "--on", on]);
        command.args(["--patience", "2", "--store", store, "--format", "json"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Running::start(command)
    }

    /// Returns all records of a store in a fixed order.
    pub fn records(&self, store: &str) -> String {
        self.says(&["export", "--what", "records", "--store", store])
    }

    /// Checks that a store holds the cup as one machine plays it: every record, once, and the same
    /// standings.
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
