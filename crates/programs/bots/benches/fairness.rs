//! What programs that misbehave while it is not their turn take from the others: measures a
//! champion's nodes per move on the clock, and the forfeits of an innocent program, with no such
//! programs, with spinners, with programs that hold memory, and with programs that write. Each
//! figure stands beside the one without them, taken in the same run.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_bots::sandbox::Protection;
use quintain_bots::{Programs, Settings};
use quintain_core::{Catalog, Setup};

/// Answers with the first action; its first argument says what else it does while it is idle.
const PROGRAM: &str = r#"
import json, os, sys, threading
def spin():
    while True: pass
def write():
    while True:
        with open(os.environ["HOME"] + "/file", "wb") as file:
            for _ in range(20): file.write(bytes(1 << 20))
kept = []
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello": answer = {"type": "ready"}
    elif message["type"] == "turn":
        answer = {"type": "action", "action": message["actions"][0]}
        if message["turn"] == 0 and not kept:
            kept.append(bytearray(b"x") * (200 << 20 if sys.argv[1] == "hog" else 1))
            work = {"spin": spin, "write": write}.get(sys.argv[1])
            if work: threading.Thread(target=work, daemon=True).start()
    else: continue
    sys.stdout.write(json.dumps(answer) + "\n"); sys.stdout.flush()
"#;

/// The matches of a row and round, and the rounds.
const MATCHES: u64 = 4;
const ROUNDS: usize = 3;

fn programs(folder: &Path) -> (Catalog, Arc<Programs>) {
    let programs = Programs::new(Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: folder.join("bots.toml"),
        protection: Protection::Full,
        protocols: Vec::new(),
    });
    let catalog = Catalog::new().with(quintain_tron::entry());
    let sources = programs.sources(quintain_bots::Unstarted::Forfeit);
    let catalog = sources.into_iter().fold(catalog, Catalog::with_external);
    (catalog, programs)
}

/// Plays a match of two players. Returns the notes of the first, and whether the second forfeited.
fn play(catalog: &Catalog, players: [&str; 2], budget: &str, seed: u64) -> (Vec<f64>, bool) {
    let game = catalog.game("tron", "hackerrank").unwrap();
    let players = players.map(|player| catalog.player("tron", player).unwrap());
    let setup = Setup::new(seed).with_budget(budget.parse().unwrap()).with_notes(true);
    let record = game.play(&setup, &[&players[0], &players[1]], None).unwrap();
    let nodes = record.notes.iter().filter(|note| note.name == "nodes").map(|note| note.value);
    (nodes.collect(), record.outcome.fault.is_some())
}

/// The champion's mean nodes per move beside `count` idle programs of a kind, and the forfeits of
/// an innocent program against it.
fn measure(kind: &str, count: usize) -> (f64, usize) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program.py"), PROGRAM).unwrap();
    let limits = "limits = { memory = \"256MB\", answer = \"1s\" }";
    let entry = |name: &str, kind: &str| {
        format!("[{name}]\ncommand = \"python3 program.py {kind}\"\n{limits}\n")
    };
    let mut file = entry("innocent", "none");
    for number in 0..count {
        file += &entry(&format!("other{number}"), kind);
    }
    std::fs::write(folder.path().join("bots.toml"), file).unwrap();
    let (catalog, _programs) = programs(folder.path());
    for number in 0..count {
        // From then on its process waits for the next match, and misbehaves meanwhile.
        play(&catalog, [&format!("bot:other{number}"), "basic"], "", 1);
    }
    let matches: Vec<(Vec<f64>, bool)> = (0..MATCHES)
        .map(|seed| play(&catalog, ["champion", "bot:innocent"], "move=100ms", seed))
        .collect();
    let nodes: Vec<f64> = matches.iter().flat_map(|(nodes, _)| nodes).copied().collect();
    let forfeits = matches.iter().filter(|(_, forfeit)| *forfeit).count();
    (nodes.iter().sum::<f64>() / nodes.len().max(1) as f64, forfeits)
}

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let rows = [("none", 0), ("spin", 1), ("spin", 60), ("hog", 5), ("write", 5)];
    println!("{:<10} {:>14} {:>8} {:>9}", "beside", "nodes a move", "ratio", "forfeits");
    let mut sums = [(0.0, 0); 5];
    for _ in 0..ROUNDS {
        for (sum, (kind, count)) in sums.iter_mut().zip(rows) {
            let (nodes, forfeits) = measure(kind, count);
            *sum = (sum.0 + nodes / ROUNDS as f64, sum.1 + forfeits);
        }
    }
    for ((nodes, forfeits), (kind, count)) in sums.iter().zip(rows) {
        let ratio = nodes / sums[0].0;
        println!("{:<10} {nodes:>14.0} {ratio:>8.2} {forfeits:>9}", format!("{count} {kind}"));
    }
}
