//! Programs for tests: small Python scripts, seated at tron.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_bots::Protection;
use quintain_bots::programs::{Programs, Settings};
use quintain_core::{Catalog, Fault, Outcome, Record, Setup};

/// A folder with programs, and the catalog that seats them.
pub struct Bench {
    pub folder: tempfile::TempDir,
    pub catalog: Catalog,
    pub programs: Arc<Programs>,
}

/// The beginning of every program here: `turns()` answers each message except `turn`, and passes
/// those to the script.
const COMMON: &str = r#"
import json, os, sys, time
def say(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def turns():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello": say({"type": "ready", "name": "test"})
        elif message["type"] == "turn": yield message
        elif message["type"] == "bye": return
def act(message, action=None):
    say({"type": "action", "action": action or message["actions"][0]})
"#;

impl Bench {
    /// Creates programs that are fully confined. Where this machine lacks something for that, they
    /// are confined by what there is, and the test says so.
    pub fn new() -> Bench {
        let games = Catalog::new().with(quintain_tron::entry()).with(quintain_polymer::entry());
        Bench::of(tempfile::tempdir().unwrap(), games)
    }

    /// Creates programs that nothing confines, as on systems without a sandbox.
    pub fn unconfined() -> Bench {
        let games = Catalog::new().with(quintain_tron::entry()).with(quintain_polymer::entry());
        let folder = tempfile::tempdir().unwrap();
        let programs = programs(folder.path(), Protection::Unconfined, &games);
        Bench::with(folder, games, programs)
    }

    /// The same for the programs of a folder, and for these games.
    pub fn of(folder: tempfile::TempDir, games: Catalog) -> Bench {
        let mut confined = programs(folder.path(), Protection::Full, &games);
        if let Err(missing) = confined.protections() {
            eprintln!("left out: the full sandbox ({missing})");
            confined = programs(folder.path(), Protection::Basic, &games);
        }
        Bench::with(folder, games, confined)
    }

    fn with(folder: tempfile::TempDir, games: Catalog, programs: Arc<Programs>) -> Bench {
        let [named, commands] = programs.sources(quintain_bots::Unstarted::Forfeit);
        Bench { folder, catalog: games.with_external(named).with_external(commands), programs }
    }

    /// Adds a program to `bots.toml`.
    pub fn bot(&self, name: &str, script: &str, more: &str) {
        std::fs::write(self.folder.path().join(format!("{name}.py")), COMMON.to_owned() + script)
            .unwrap();
        let file = self.folder.path().join("bots.toml");
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        let entry = format!("[{name}]\ncommand = \"{} {name}.py\"\n{more}\n", python());
        std::fs::write(file, known + &entry).unwrap();
    }

    /// Plays a match of tron: a program against a player of ours.
    pub fn play(&self, name: &str, budget: &str) -> Outcome {
        let setup = Setup::new(1).with_budget(budget.parse().unwrap());
        self.record(name, &setup).outcome
    }

    /// Plays such a match with a program that must lose by a fault; no process may remain.
    pub fn fault_of(self, name: &str, script: &str, more: &str, budget: &str) -> Fault {
        self.bot(name, script, more);
        let outcome = self.play(name, budget);
        let fault = outcome.fault.unwrap_or_else(|| panic!("{name} played to the end"));
        assert_eq!(fault.seat.index(), 0, "{name} is at fault: {}", fault.fault);
        let folder = self.folder.path().display().to_string();
        drop(self);
        assert_eq!(running(&folder), [0u32; 0], "{name} is gone");
        fault.fault
    }

    /// Returns the record of such a match.
    pub fn record(&self, name: &str, setup: &Setup) -> Record {
        let game = self.catalog.game("tron", "hackerrank").unwrap();
        let ours = self.catalog.player("tron", "basic").unwrap();
        let theirs = self.catalog.player("tron", &format!("bot:{name}")).unwrap();
        game.play(setup, &[&theirs, &ours], None).unwrap()
    }

    /// Plays a match of polymer, in which a program is alone and not every step is legal.
    pub fn play_alone(&self, name: &str) -> Outcome {
        let game = self.catalog.game("polymer", "L08_s01").unwrap();
        let program = self.catalog.player("polymer", &format!("bot:{name}")).unwrap();
        game.play(&Setup::new(1), &[&program], None).unwrap().outcome
    }
}

/// The programs of a folder, for these games.
fn programs(folder: &Path, protection: Protection, games: &Catalog) -> Arc<Programs> {
    let protocols = games.entries().flat_map(|entry| {
        let name = entry.name();
        entry.protocols().iter().map(move |protocol| (name, *protocol))
    });
    Programs::new(Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: folder.join("bots.toml"),
        protection,
        protocols: protocols.collect(),
    })
}

/// The path of the interpreter itself, not of a script that looks for one.
pub fn python() -> String {
    let found = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .expect("python3 runs");
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// The processes whose command line or environment contains this text: a program's own, or the
/// launch data of a stage of its sandbox.
pub fn running(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let file = |pid: &u32, name: &str| PathBuf::from(format!("/proc/{pid}/{name}"));
    let others = pids.filter(|pid| *pid != std::process::id());
    others
        .filter(|pid| holds(&file(pid, "cmdline"), text) || holds(&file(pid, "environ"), text))
        .collect()
}

fn holds(file: &Path, text: &str) -> bool {
    std::fs::read(file).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
}
