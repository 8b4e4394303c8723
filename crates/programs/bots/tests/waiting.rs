//! Processes that wait for their next match end, the one that has waited longest first, when all of
//! them hold more memory than they may. It is one test, since the bound is the whole process's.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use common::{Bench, running};
use quintain_bots::limit_waiting_memory;

/// Holds 60 MB from its start on.
const HOARDER: &str = "
held = bytearray(b'x') * (60 << 20)
for turn in turns(): act(turn)
";

#[test]
fn of_the_waiting_processes_the_one_that_has_waited_longest_ends_and_no_result_changes() {
    let bench = Bench::new();
    for name in ["first", "second", "third"] {
        bench.bot(name, HOARDER, "");
    }
    // Room for two of them.
    limit_waiting_memory(160 << 20);
    let alive = || ["first", "second", "third"].map(|name| is_alive(&bench, name));
    let outcome = bench.play("first", "move=5s");
    assert_eq!(alive(), [true, false, false]);
    bench.play("second", "move=5s");
    assert_eq!(alive(), [true, true, false]);
    bench.play("third", "move=5s");
    assert_eq!(alive(), [false, true, true]);
    // The second plays again, and so the third has waited longest.
    bench.play("second", "move=5s");
    assert_eq!(alive(), [false, true, true]);
    let again = bench.play("first", "move=5s");
    assert_eq!(alive(), [true, true, false]);
    assert_eq!(again, outcome);
}

/// Whether a process of this program runs.
fn is_alive(bench: &Bench, name: &str) -> bool {
    let folder = bench.folder.path().display().to_string();
    let script = format!("{name}.py");
    let of_it = running(&script);
    let of_this_test = running(&folder);
    of_it.iter().any(|process| of_this_test.contains(process))
}
