//! The records are the same however they are played: on one thread or two, before and after a stop.
//! The players of a record decide the same when they are asked again.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{Bench, direct, program};
use quintain_arena::{RunOptions, RunProgress, RunSummary, Tournament, run};
use quintain_core::{Budget, Catalog, Record, ReplayVerdict, Setup};
use quintain_store::{Filter, Store, StoreError};
use quintain_wasm::Modules;

/// A tournament with a program, a module that is called, and one that runs out of fuel in some
/// matches.
fn cup(bench: &Bench, seeds: u32) -> Tournament {
    let lines = bench.player("lines", &program("", "", "", ""));
    let calls = bench.player("calls", &direct("", ""));
    // The length of its loop on a turn is given by the random byte.
    let turn = "(local.set $kind (i32.mul (i32.load8_u (i32.const 16)) (i32.const 100)))
      (loop $more
        (local.set $kind (i32.sub (local.get $kind) (i32.const 1)))
        (br_if $more (i32.gt_s (local.get $kind) (i32.const 0))))";
    let greedy = bench.player("greedy", &program("", "", turn, ""));
    // The fuel that suffices for nearly all of its decisions.
    let records = (0..4).map(|seed| bench.record(&greedy, seed));
    let mut fuel: Vec<u64> = records
        .flat_map(|record| record.notes)
        .filter(|note| note.name == "fuel" && note.seat.index() == 0)
        .map(|note| note.value as u64)
        .collect();
    fuel.sort_unstable();
    let enough = fuel[fuel.len() * 19 / 20];
    let text = format!(
        r#"
        name = "cup"
        game = "tron"
        scenarios = ["hackerrank"]
        players = ["{lines}?fuel=1M", "{calls}?match-fuel=100M", "{greedy}?fuel={enough}", "random"]
        seeds = {seeds}
        "#
    );
    Tournament::parse(&text, "cup.toml", &bench.catalog).unwrap_or_else(|error| panic!("{error}"))
}

fn play(cup: &Tournament, store: &mut Store, threads: usize) -> RunSummary {
    let options = RunOptions { threads, stop: Arc::default() };
    run(cup, store, &options, &mut |_: &RunProgress| {}).unwrap()
}

fn records(store: &Store) -> Vec<String> {
    let mut texts = Vec::new();
    let filter = Filter { sorted: true, ..Filter::default() };
    store
        .for_each_record(&filter, |stored| {
            texts.push(stored.json.clone());
            Ok::<(), StoreError>(())
        })
        .unwrap();
    texts
}

#[test]
fn one_thread_and_two_leave_the_same_records_byte_for_byte() {
    let bench = Bench::default();
    let cup = cup(&bench, 8);
    let (mut one, mut two) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    let summary = play(&cup, &mut one, 1);
    assert_eq!((summary.failed, summary.played), (0, summary.total));
    assert!((1..summary.played).contains(&summary.faults), "some run out of fuel, not all");
    play(&cup, &mut two, 2);
    assert_eq!(records(&one), records(&two));
}

/// Runs `work` while this many threads take all the time that they can get.
fn run_under_load<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

#[test]
fn heavy_load_leaves_the_same_records_byte_for_byte() {
    let bench = Bench::default();
    let cup = cup(&bench, 4);
    let (mut idle, mut loaded) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    play(&cup, &mut idle, 2);
    run_under_load(16, || play(&cup, &mut loaded, 2));
    assert_eq!(records(&idle), records(&loaded));
}

#[test]
fn a_tournament_that_was_stopped_goes_on_to_the_same_records() {
    let bench = Bench::default();
    let cup = cup(&bench, 4);
    let (mut whole, mut halves) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    play(&cup, &mut whole, 2);
    let stop = Arc::new(AtomicBool::new(false));
    let options = RunOptions { threads: 2, stop: Arc::clone(&stop) };
    let mut halt = |_: &RunProgress| stop.store(true, Ordering::Relaxed);
    run(&cup, &mut halves, &options, &mut halt).unwrap();
    play(&cup, &mut halves, 1);
    assert_eq!(records(&whole), records(&halves));
}

#[test]
fn modules_decide_the_same_when_they_are_asked_again() {
    let bench = Bench::default();
    let mut store = Store::in_memory().unwrap();
    play(&cup(&bench, 2), &mut store, 2);
    // This is like another process: modules are compiled again.
    let later = Catalog::new().with(quintain_tron::entry()).with_external(Arc::new(Modules::new()));
    for text in records(&store) {
        let record = Record::from_json(&text).unwrap();
        assert_eq!(later.verify_players(&record, None), Ok(ReplayVerdict::Same));
    }
}

#[test]
fn changed_decisions_are_reported() {
    let bench = Bench::default();
    let player = bench.player("lines", &program("", "", "", ""));
    let mut record = bench.record(&player, 1);
    // Another match, consistent in itself, to be put into the first one's fixture.
    let other = bench.record(&player, 2);
    record.actions.clone_from(&other.actions);
    record.outcome.clone_from(&other.outcome);
    record.notes.clone_from(&other.notes);
    bench.catalog.verify(&record).unwrap();
    let said = bench.catalog.verify_players(&record, None).unwrap_err().to_string();
    assert!(
        said.contains("its players decide differently when they are asked again: action"),
        "{said}"
    );
}

#[test]
fn players_of_the_roster_are_asked_again_where_their_budget_is_work() {
    let bench = Bench::default();
    for budget in ["", "nodes=200"] {
        let budget: Budget = budget.parse().unwrap();
        let setup = Setup::new(3).with_budget(budget).with_notes(true);
        let mut record = bench.play(["contest2010", "random"], &setup).unwrap();
        assert_eq!(bench.catalog.verify_players(&record, None), Ok(ReplayVerdict::Same));
        record.notes.pop();
        let said = bench.catalog.verify_players(&record, None).unwrap_err().to_string();
        assert!(record.notes.is_empty() || said.ends_with("their notes differ"), "{said}");
    }
}

#[test]
fn players_that_are_not_at_hand_or_play_by_time_are_not_asked() {
    let not_possible =
        |bench: &Bench, record: &Record| match bench.catalog.verify_players(record, None) {
            Ok(ReplayVerdict::NotPossible(why)) => why,
            asked => panic!("{asked:?}"),
        };
    let bench = Bench::default();
    let player = bench.player("calls", &direct("", ""));
    let record = bench.record(&player, 1);
    let mut older = record.clone();
    older.fixture.versions.players[0] ^= 1;
    assert!(not_possible(&bench, &older).contains("has version"));
    let mut gone = record;
    gone.fixture.seats[0] = "wasm:gone.wasm".to_owned();
    assert!(not_possible(&bench, &gone).contains("there is no such file"));
    // A module's time is its fuel; a player of the roster looks at the clock.
    let budget: Budget = "move=20ms".parse().unwrap();
    let setup = Setup::new(1).with_budget(budget);
    let timed = bench.play([&player, "random"], &setup).unwrap();
    assert_eq!(not_possible(&bench, &timed), "random may decide differently each time");
    let timed = bench.play([&player, &player], &setup).unwrap();
    assert_eq!(bench.catalog.verify_players(&timed, None), Ok(ReplayVerdict::Same));
}
