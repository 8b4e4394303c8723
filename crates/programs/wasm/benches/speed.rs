//! How fast modules are: a search in C compared with the same search built natively by the same
//! compiler, the cost of a question and of a match's start, and the cost of a thread for every
//! instance instead of a fiber.
//!
//! The search needs the compiler of Zig (`pip install ziglang`, for the `python3` of PATH).

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use quintain_core::{
    Catalog, ExternalPlayer, ExternalSource, MatchStart, NumberedQuestion, Question, Seat,
};
use quintain_wasm::Modules;
use serde_json::Value;

/// Positions that the search visits in a run, and the number of runs, of which the fastest counts.
const NODES: u64 = 3_000_000;
const RUNS: usize = 7;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    search(folder.path());
    questions(folder.path());
    numbers(folder.path());
    threads();
}

fn question() -> (MatchStart, Question) {
    let game = Catalog::new().with(quintain_tron::entry()).game("tron", "hackerrank").unwrap();
    let start = game.begin(1);
    let question = {
        let seat = Seat::new(0);
        Question::new(seat, 0, start.observation(seat), start.actions(seat))
    };
    (MatchStart::new("tron", "hackerrank", 2), question)
}

fn open(file: &Path, limits: &str) -> Box<dyn ExternalPlayer> {
    let modules = Modules::new();
    let player = modules.resolve(&format!("wasm:{}{limits}", file.display()), "tron").unwrap();
    modules.open(&player).unwrap()
}

/// Builds the search with Zig's compiler.
fn build(folder: &Path, target: &[&str], name: &str) -> bool {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/search.c");
    let mut command = Command::new("python3");
    command.args(["-m", "ziglang", "cc", "-O3", "-s", "-o", name]).args(target);
    command.arg(format!("-DNODES={NODES}")).arg(source).current_dir(folder);
    command.status().is_ok_and(|status| status.success())
}

fn search(folder: &Path) {
    let wasm = ["-target", "wasm32-wasi", "-mexec-model=reactor"];
    // `baseline` builds for any machine, as modules are built.
    let built = build(folder, &["-mcpu=baseline"], "native") && build(folder, &wasm, "search.wasm");
    if !built {
        eprintln!("skipped: there is no ziglang here to build the search with");
        return;
    }
    let (start, question) = question();
    let begun = Instant::now();
    let mut player = open(&folder.join("search.wasm"), "?fuel=100G");
    println!("search: compiled in {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    player.start(&start, &Value::Null).unwrap();
    let (mut native, mut module, mut fuel) = (f64::INFINITY, f64::INFINITY, 0.0);
    // The two alternate, so that anything else that runs here affects both.
    for _ in 0..RUNS {
        let output = Command::new(folder.join("native")).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let words: Vec<f64> = output.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let begun = Instant::now();
        let answer = player.answer(&question).unwrap();
        let seconds = begun.elapsed().as_secs_f64();
        let note = |name: &str| answer.notes.iter().find(|note| note.0 == name).unwrap().1;
        assert_eq!((note("nodes"), note("check")), (words[0], words[1]), "both search the same");
        native = native.min(words[2] / words[0]);
        module = module.min(seconds / words[0]);
        fuel = note("fuel") / words[0];
    }
    println!(
        "search: native {:.2} M nodes/s, module {:.2} M nodes/s: {:.0} %; {fuel:.0} units of fuel \
         a node, {:.2} units a nanosecond",
        1e-6 / native,
        1e-6 / module,
        native / module * 100.0,
        fuel / (module * 1e9),
    );
}

const DIRECT: &str = r#"(module (memory (export "memory") 1) (data (i32.const 64) "U")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64)
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#;

const PACKED: &str = r#"(module (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide_packed") (param i32 i32) (result i32) (i32.const 1)))"#;

/// Reads all that there is and answers according to the tenth letter.
const LINES: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 64) "{\"type\":\"ready\"}\0a")
  (data (i32.const 128) "{\"type\":\"action\",\"action\":\"U\"}\0a")
  (data (i32.const 16) "\00\04\00\00\00\00\01\00\40\00\00\00\11\00\00\00\80\00\00\00\1f\00\00\00")
  (func (export "_start") (local $kind i32)
    (loop $next
      (drop (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 8)))
      (local.set $kind (i32.load8_u (i32.const 1033)))
      (if (i32.eq (local.get $kind) (i32.const 104))
        (then (drop (call $write (i32.const 1) (i32.const 24) (i32.const 1) (i32.const 8)))))
      (if (i32.eq (local.get $kind) (i32.const 116))
        (then (drop (call $write (i32.const 1) (i32.const 32) (i32.const 1) (i32.const 8)))))
      (br $next))))"#;

/// The shortest time of a few batches, per run.
fn least(runs: u32, mut once: impl FnMut()) -> Duration {
    let batch = || {
        let begun = Instant::now();
        (0..runs).for_each(|_| once());
        begun.elapsed() / runs
    };
    std::iter::repeat_with(batch).take(RUNS).min().expect("there are runs")
}

fn questions(folder: &Path) {
    let (start, question) = question();
    let line = least(10_000, || {
        let message = quintain_protocol::ToProgram::turn(black_box(&question), Duration::ZERO);
        drop(black_box(message.line()));
    });
    println!("a question of tron as a line: {line:?}");
    for (name, text) in [("direct", DIRECT), ("lines", LINES)] {
        let file = folder.join(format!("{name}.wasm"));
        std::fs::write(&file, wat::parse_str(text).unwrap()).unwrap();
        let modules = Modules::new();
        let spec = modules.resolve(&format!("wasm:{}", file.display()), "tron").unwrap();
        let mut player = modules.open(&spec).unwrap();
        player.start(&start, &Value::Null).unwrap();
        let asked = least(10_000, || drop(black_box(player.answer(&question).unwrap())));
        let begun = least(1000, || {
            let mut player = modules.open(&spec).unwrap();
            player.start(&start, &Value::Null).unwrap();
        });
        let rest = asked.saturating_sub(line);
        println!(
            "{name}: a question {asked:?}, without its line {rest:?}; a match begins and ends in \
             {begun:?}"
        );
    }
}

/// Measures a question in the packed encoding, with a board as large as tron's, without the cost of
/// writing the encoding.
fn numbers(folder: &Path) {
    let (start, _) = question();
    let file = folder.join("packed.wasm");
    std::fs::write(&file, wat::parse_str(PACKED).unwrap()).unwrap();
    let mut player = open(&file, "");
    player.start(&start, &Value::Null).unwrap();
    let (board, features, mask) = ([0; 15 * 30], [0], [1; 4]);
    let question = NumberedQuestion {
        seat: Seat::new(0),
        turn: 0,
        sides: [15, 30],
        board: &board,
        features: &features,
        mask: &mask,
        time: None,
        stop: None,
    };
    let asked = least(10_000, || drop(black_box(player.answer_by_number(&question).unwrap())));
    println!("numbers: a question {asked:?}");
}

/// What a question would cost if every instance had a thread: two handovers.
fn threads() {
    let (ask, asked) = channel::<()>();
    let (answer, answered) = channel::<()>();
    std::thread::spawn(move || {
        for () in asked {
            if answer.send(()).is_err() {
                return;
            }
        }
    });
    let handed = least(10_000, || {
        ask.send(()).unwrap();
        answered.recv().unwrap();
    });
    let started = least(1000, || std::thread::spawn(|| ()).join().unwrap());
    println!("a thread instead: there and back {handed:?}, started and ended {started:?}");
}
