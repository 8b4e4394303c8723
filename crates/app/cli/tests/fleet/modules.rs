//! WebAssembly modules decide the same wherever they are played: on one machine, by one worker, and
//! by four beside other processes that keep the machine busy.

use std::fs;
use std::process::{Command, Stdio};

use crate::nats::{self, Nats};
use crate::place::{Place, Running};

/// The modules burn up to a quarter of their fuel in loops of random length, and some run out of
/// it.
const CUP: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["empty?width=9&height=9"]
    players = ["wasm:mods/calls.wasm?fuel=400k", "wasm:mods/calls.wasm?fuel=40M", "random", "space"]
    seeds = 3
"#;

/// Takes one of U, R, D, L by a random byte, after a loop whose length depends on another random
/// byte.
const CALLS: &str = r#"(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 64) "URDL")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64) (local $left i32)
    (drop (call $random (i32.const 16) (i32.const 2)))
    (local.set $left (i32.mul (i32.load8_u (i32.const 16)) (i32.const 420)))
    (loop $more
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $more (i32.gt_s (local.get $left) (i32.const 0))))
    (i64.or
      (i64.shl
        (i64.extend_i32_u
          (i32.add (i32.const 64) (i32.and (i32.load8_u (i32.const 17)) (i32.const 3))))
        (i64.const 32))
      (i64.const 1))))"#;

/// Starts processes that take all the time they can get.
fn hogs(count: usize) -> Vec<Running> {
    let hog = || {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
        Running::start(command)
    };
    (0..count).map(|_| hog()).collect()
}

#[test]
fn workers_in_an_empty_folder_play_modules_that_the_coordinator_sends() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(&CUP.replace("seeds = 3", "seeds = 1"));
    fs::create_dir(place.path().join("mods")).unwrap();
    fs::write(place.path().join("mods/calls.wasm"), wat::parse_str(CALLS).unwrap()).unwrap();
    let nats = Nats::start(place.path());
    let on = nats.address();
    let (empty, misled) = (Place::new(), Place::new());
    // Another module of the same name.
    let another = CALLS.replace("URDL", "UUUU");
    fs::create_dir(misled.path().join("mods")).unwrap();
    fs::write(misled.path().join("mods/calls.wasm"), wat::parse_str(another).unwrap()).unwrap();
    let _workers = [empty.worker(&on), misled.worker(&on)];
    assert_eq!(place.coordinator(&on, "fleet.sqlite").end(), 0);
    place.is_the_truth("fleet.sqlite");

    let compare = ["compare", "wasm:mods/calls.wasm", "random", "--game", "tron", "--seed", "1"];
    let options = ["--scenario", "empty?width=9&height=9", "--matches", "8", "--format", "json"];
    let compare = [&compare[..], &options[..]].concat();
    let here = place.says(&compare);
    let there = ["--on", &on, "--store", "compared.sqlite"];
    assert_eq!(place.says(&[&compare[..], &there[..]].concat()), here);
}

#[test]
#[ignore = "nightly: eight processes keep the machine busy; fuel is counted the same in \
            quintain-wasm's tests"]
fn modules_leave_the_same_records_by_one_worker_and_by_four_under_load() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    fs::create_dir(place.path().join("mods")).unwrap();
    fs::write(place.path().join("mods/calls.wasm"), wat::parse_str(CALLS).unwrap()).unwrap();
    for (count, load) in [(1, 0), (4, 8)] {
        let nats = Nats::start(place.path());
        let _hogs = hogs(load);
        let on = nats.address();
        let worker = || place.start(&["worker", "--on", &on, "--threads", "1"]);
        let mut workers: Vec<Running> = (0..count).map(|_| worker()).collect();
        let store = format!("by-{count}-beside-{load}.sqlite");
        assert_eq!(place.coordinator(&on, &store).end(), 0);
        // Workers report while they wait for a module to be compiled.
        let _said = workers[0].wait_to_hear("prepares 2 programs of cup (tron)");
        place.is_the_truth(&store);
        let verified = place.says(&["verify", "--players", "--store", &store]);
        assert!(verified.ends_with("the players made the same decisions again\n"), "{verified}");
    }
    let records = place.records("truth.sqlite");
    let out_of_fuel = records.matches("no answer within 400k of fuel").count();
    assert!((1..records.lines().count()).contains(&out_of_fuel), "{out_of_fuel}");
}
