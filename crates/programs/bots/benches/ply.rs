//! What the arbiter spends on a question to a program, in processor time of its own thread: the
//! whole conversation, compared with the same bytes through bare pipes. It also measures how long a
//! program that gives no answer lives beyond its limit.
#![cfg(target_os = "linux")]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use criterion::{Criterion, criterion_group, criterion_main};
use quintain_bots::protocol::ToProgram;
use quintain_bots::sandbox::Protection;
use quintain_bots::{Programs, Settings};
use quintain_core::{Catalog, MatchStart, Question, Seat};

/// Answers every question with the same action, without looking at it.
const PROGRAM: &str = r#"
import sys
for line in sys.stdin:
    if line.startswith('{"type":"turn"'): answer = '{"type":"action","action":"U"}'
    elif line.startswith('{"type":"hello"'): answer = '{"type":"ready"}'
    else: continue
    sys.stdout.write(answer + "\n"); sys.stdout.flush()
"#;

fn question() -> Question {
    let game = Catalog::new().with(quintain_tron::entry()).game("tron", "hackerrank").unwrap();
    let start = game.begin(1);
    let seat = Seat::new(0);
    Question::new(seat, 0, start.observation(seat), start.actions(seat))
        .with_time(Some(Duration::from_secs(1)))
}

/// Says that it is ready and nothing more, and ignores SIGTERM.
const SILENT: &str = r#"
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"type":"ready"}', flush=True)
while True: time.sleep(1000)
"#;

/// The processor time that this thread spends on this many runs of `once`.
fn spent(runs: u64, mut once: impl FnMut()) -> Duration {
    let before = ThreadTime::now();
    for _ in 0..runs {
        once();
    }
    before.elapsed()
}

/// A program with nothing but pipes, and one confined by bubblewrap, if that is installed, in
/// namespaces of its own and with a root that it cannot write to.
fn piped(program: &[&str]) -> Vec<(&'static str, Command)> {
    let confined =
        "bwrap --unshare-all --die-with-parent --new-session --ro-bind / / --proc /proc --dev /dev";
    let confined: Vec<&str> = confined.split(' ').collect();
    let installed = Command::new("bwrap").arg("--version").stdout(Stdio::null()).status().is_ok();
    let ways = [("bare pipes", vec![]), ("pipes of bubblewrap", confined)];
    let ways = ways.into_iter().filter(|(_, before)| before.is_empty() || installed);
    let command = |before: &[&str]| {
        let words = [before, program].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    };
    ways.map(|(name, before)| (name, command(&before))).collect()
}

fn plies(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("program.py");
    std::fs::write(&script, PROGRAM).unwrap();
    let question = question();
    let mut group = criterion.benchmark_group("arbiter's time for a ply");
    group.sample_size(20);

    let text = ToProgram::turn(&question, Duration::from_secs(1)).line();
    let script_path = script.to_str().unwrap();
    for (name, command) in piped(&["python3", script_path]) {
        let mut child = { command }.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut answer = String::new();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|runs| {
                spent(runs, || {
                    stdin.write_all(text.as_bytes()).unwrap();
                    answer.clear();
                    stdout.read_line(&mut answer).unwrap();
                    black_box(&answer);
                })
            });
        });
        drop(stdin);
        child.wait().unwrap();
    }

    let programs = Programs::new(Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: folder.path().join("bots.toml"),
        protection: Protection::Full,
        protocols: Vec::new(),
    });
    let [_, commands] = programs.sources(quintain_bots::Unstarted::Forfeit);
    let spec = commands.resolve(&format!("exec:\"python3 {}\"", script.display()), "tron").unwrap();
    let mut player = commands.open(&spec).unwrap();
    let match_start = MatchStart::new("tron", "hackerrank", 2);
    player.start(&match_start, &serde_json::Value::Null).unwrap();
    group.bench_function("conversation", |bencher| {
        bencher.iter_custom(|runs| {
            spent(runs, || {
                black_box(player.answer(&question).unwrap());
            })
        });
    });
    group.finish();
}

/// Measures from the end of the time for an answer until the program is gone.
fn endings(criterion: &mut Criterion) {
    const LIMIT: Duration = Duration::from_millis(20);
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("silent.py");
    std::fs::write(&script, SILENT).unwrap();
    let question = question().with_time(Some(LIMIT));
    let programs = Programs::new(Settings {
        launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
        file: folder.path().join("bots.toml"),
        protection: Protection::Full,
        protocols: Vec::new(),
    });
    let [_, commands] = programs.sources(quintain_bots::Unstarted::Forfeit);
    let spec = commands.resolve(&format!("exec:\"python3 {}\"", script.display()), "tron").unwrap();
    let mut group = criterion.benchmark_group("a silent program");
    group.sample_size(20);
    group.bench_function("from its limit to its end", |bencher| {
        bencher.iter_custom(|runs| {
            let late = (0..runs).map(|_| {
                let mut player = commands.open(&spec).unwrap();
                let match_start = MatchStart::new("tron", "hackerrank", 2);
                player.start(&match_start, &serde_json::Value::Null).unwrap();
                let asked = Instant::now();
                player.answer(&question).unwrap_err();
                asked.elapsed() - LIMIT
            });
            late.sum()
        });
    });
    group.finish();
}

/// Says that it is ready, and waits for the end.
const READY: &str = r#"read hello; echo '{"type":"ready"}'; read bye"#;

/// Measures from the start of a program until it is ready: half of all starts take less than the
/// first figure, and 19 of 20 less than the second.
fn starts(_: &mut Criterion) {
    // A filter may select another benchmark.
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    if filters.next().is_some_and(|filter| !"start of a program".contains(&filter)) {
        return;
    }
    const STARTS: usize = 200;
    let report = |name: &str, once: &mut dyn FnMut()| {
        let mut times: Vec<Duration> = (0..STARTS)
            .map(|_| {
                let begun = Instant::now();
                once();
                begun.elapsed()
            })
            .collect();
        times.sort();
        let (half, most) = (times[STARTS / 2], times[STARTS * 19 / 20]);
        println!("start of a program, {name}: p50 {half:.2?}, p95 {most:.2?}");
    };
    for (name, mut command) in piped(&["sh", "-c", READY]) {
        report(name, &mut || {
            let mut child = command.spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"hello\n").unwrap();
            let mut answer = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
            drop(stdin);
            child.wait().unwrap();
        });
    }
    for (name, protection) in
        [("under limits only", Protection::Off), ("in the sandbox", Protection::Full)]
    {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ready.sh"), READY).unwrap();
        let programs = Programs::new(Settings {
            launcher: PathBuf::from(env!("CARGO_BIN_EXE_quintain-launch")),
            file: folder.path().join("bots.toml"),
            protection,
            protocols: Vec::new(),
        });
        let file = "[ready]\ncommand = \"sh ready.sh\"\nfolder = \".\"\n";
        std::fs::write(folder.path().join("bots.toml"), file).unwrap();
        let [named, _] = programs.sources(quintain_bots::Unstarted::Forfeit);
        let match_start = MatchStart::new("tron", "hackerrank", 2);
        let mut players = Vec::new();
        report(name, &mut || {
            let mut player = named.open("bot:ready").unwrap();
            player.start(&match_start, &serde_json::Value::Null).unwrap();
            // The player is kept, so that its process does not become the next player's.
            players.push(player);
        });
    }
}

criterion_group!(benches, plies, endings, starts);
criterion_main!(benches);
