//! A folder in which programs play, where they are found, and the beginnings of those in Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use quintain_core::Record;

#[path = "../common/place.rs"]
mod common;

pub use common::{Place, QUINTAIN};

impl Place {
    /// Plays a match of tron and reads its record.
    pub fn record(&self, arguments: &[&str]) -> Record {
        let all = [&["match", "tron"], arguments, &["--save", "record.json"]].concat();
        self.says(&all);
        Record::from_json(&fs::read_to_string(self.path().join("record.json")).unwrap()).unwrap()
    }
}

pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bots").canonicalize().unwrap()
}

/// Returns whether a program can be run here; if not, what needs it is skipped, visibly.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: {program} is not there");
    }
    found
}

/// Returns the Python interpreter itself, not a script that looks for one.
pub fn python() -> String {
    let found =
        Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// Returns processes whose command line or environment contains this text: a program's own, or the
/// plan of a stage of its sandbox.
pub fn running(text: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let holds = |pid: &str, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(text)
    };
    let own = std::process::id().to_string();
    let others = pids.filter(|pid| *pid != own);
    others.filter(|pid| holds(pid, "cmdline") || holds(pid, "environ")).collect()
}

/// Waits until a condition holds; a minute is far more than it takes.
pub fn comes_true(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

/// The beginning of a program that answers `hello`.
pub const HELLO: &str = r#"
import json, os, sys, time
def say(message): print(json.dumps(message), flush=True)
def turns():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello": say({"type": "ready"})
        elif message["type"] == "turn": yield message
        elif message["type"] == "bye": return
"#;

/// Returns a program that answers every turn with what `answer` writes for it.
pub fn answering(answer: &str) -> String {
    format!(
        r#"
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "name": "slips", "games": ["tron"]}}), flush=True)
    if message["type"] == "turn":
        action = message["actions"][0]
        {answer}
"#
    )
}
