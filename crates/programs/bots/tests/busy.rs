//! A busy machine: programs that answer at once are never late, however long they and the arena
//! wait for a core.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{Bench, python};
use quintain_core::Setup;

/// Answers at once, with the first action that it is offered.
const ECHO: &str = r#"
import sys
for line in sys.stdin:
    if line.startswith('{"type":"turn"'):
        action = line.split('"actions":["', 1)[1].split('"', 1)[0]
        answer = '{"type":"action","action":"' + action + '"}'
    elif line.startswith('{"type":"hello"'): answer = '{"type":"ready"}'
    else: continue
    sys.stdout.write(answer + "\n"); sys.stdout.flush()
"#;

/// Lets a child play, as scripts that start a program do.
const PARENT: &str = "import os, sys
os.spawnv(os.P_WAIT, sys.executable, [sys.executable, 'echo.py'])
";

/// Processes that compute without end.
struct Spinners(Vec<Child>);

impl Spinners {
    fn start(count: usize) -> Spinners {
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Spinners((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Plays matches between two programs, each of which may think for 5 ms a move, 16 matches at a
/// time beside eight spinners, and returns the faults.
fn play_beside_spinners(matches: u64) -> Vec<String> {
    let bench = Bench::new();
    let folder = bench.folder.path().join("echo");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("echo.py"), ECHO).unwrap();
    std::fs::write(folder.join("parent.py"), PARENT).unwrap();
    let python = python();
    let bots = format!(
        "[echo]\ncommand = \"{python} echo.py\"\nfolder = \"echo\"\n\
         [again]\ncommand = \"{python} parent.py\"\nfolder = \"echo\"\n"
    );
    std::fs::write(bench.folder.path().join("bots.toml"), bots).unwrap();
    let game = bench.catalog.game("tron", "hackerrank").unwrap();
    let [echo, again] =
        ["bot:echo", "bot:again"].map(|spec| bench.catalog.player("tron", spec).unwrap());
    let _spinners = Spinners::start(8);
    let (next, faults) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= matches {
                        return;
                    }
                    let setup = Setup::new(seed).with_budget("move=5ms".parse().unwrap());
                    let seats = if seed % 2 == 0 { [&echo, &again] } else { [&again, &echo] };
                    let outcome = game.play(&setup, &seats, None).unwrap().outcome;
                    if let Some(fault) = outcome.fault {
                        let fault = format!("seed {seed}, seat {}: {}", fault.seat, fault.fault);
                        faults.lock().unwrap().push(fault);
                    }
                }
            });
        }
    });
    faults.into_inner().unwrap()
}

#[test]
fn programs_that_answer_at_once_are_not_late_on_a_busy_machine() {
    let faults = play_beside_spinners(6);
    assert!(faults.is_empty(), "{} faults: {}", faults.len(), faults.join("\n"));
}

#[test]
#[ignore = "nightly: 50 000 matches"]
fn programs_that_answer_at_once_are_never_late_in_50_000_matches() {
    let matches = std::env::var("MATCHES").ok().and_then(|count| count.parse().ok());
    let faults = play_beside_spinners(matches.unwrap_or(50_000));
    assert!(faults.is_empty(), "{} faults: {}", faults.len(), faults.join("\n"));
}
