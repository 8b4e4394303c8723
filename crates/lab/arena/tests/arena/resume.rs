//! An interrupted tournament continues where it stopped; nothing is lost, nothing is counted twice,
//! and no number of threads changes a record.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintain_arena::{RunOptions, RunProgress, Tournament, run, standings_of};
use quintain_store::{Filter, MatchRow, Store, StoreError};

use crate::count::{catalog, catalog_with};
use crate::{catalog_with_once, play, records, stop_and_resume, tournament, tournament_in};

const CUP: &str = r#"
    name = "cup"
    game = "count"
    scenarios = ["table", "table?target=40"]
    players = ["random", "steady", "steady?add=2"]
    seeds = 40
"#;

fn store_in(directory: &Path) -> Store {
    Store::open(&directory.join("store.db")).unwrap()
}

fn matches(store: &Store) -> Vec<MatchRow> {
    let mut rows = Vec::new();
    let filter = Filter { sorted: true, ..Filter::default() };
    store
        .matches(&filter, |row| {
            rows.push(row.clone());
            Ok::<(), StoreError>(())
        })
        .unwrap();
    rows
}

#[test]
fn one_thread_and_four_leave_the_same_records() {
    let (mut one, mut four) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    let cup = tournament(CUP);
    let summary = play(&cup, &mut one, 1);
    assert_eq!((summary.played, summary.skipped, summary.total), (480, 0, 480));
    assert!(!summary.stopped);
    play(&cup, &mut four, 4);
    assert_eq!(records(&one).len(), 480);
    assert_eq!(records(&one), records(&four));
    let standings =
        |store: &Store| standings_of(store, &store.tournament(Some("cup")).unwrap()).unwrap();
    assert_eq!(standings(&one), standings(&four));
    assert_eq!(standings(&one).matches, 480);
}

#[test]
fn every_record_is_the_one_of_its_fixture() {
    let mut store = Store::in_memory().unwrap();
    let cup = tournament(CUP);
    play(&cup, &mut store, 2);
    let wanted: BTreeSet<String> = cup.schedule().fixtures().map(|f| f.id()).collect();
    let found: BTreeSet<String> = matches(&store).into_iter().map(|row| row.id).collect();
    assert_eq!(wanted, found);
    for text in records(&store) {
        catalog().verify(&quintain_core::Record::from_json(&text).unwrap()).unwrap();
    }
}

#[test]
fn a_second_run_plays_nothing() {
    let mut store = Store::in_memory().unwrap();
    play(&tournament(CUP), &mut store, 2);
    let before = records(&store);
    let again = play(&tournament(CUP), &mut store, 2);
    assert_eq!((again.played, again.skipped, again.stopped), (0, 480, false));
    assert_eq!(records(&store), before);
}

#[test]
fn another_player_or_more_seeds_play_only_what_is_missing() {
    let mut store = Store::in_memory().unwrap();
    play(&tournament(CUP), &mut store, 2);

    let with_another = CUP.replace("[\"random\"", "[\"steady?add=3\", \"random\"");
    let summary = play(&tournament(&with_another), &mut store, 2);
    // Of six pairs, three are new.
    assert_eq!((summary.played, summary.skipped, summary.total), (480, 480, 960));

    let longer = with_another.replace("seeds = 40", "seeds = 50");
    let summary = play(&tournament(&longer), &mut store, 2);
    assert_eq!((summary.played, summary.skipped), (240, 960));

    // Reverting the change plays nothing, and the standings are those of the first run.
    let summary = play(&tournament(CUP), &mut store, 2);
    assert_eq!((summary.played, summary.skipped), (0, 480));
    let info = store.tournament(Some("cup")).unwrap();
    assert_eq!((info.fixtures, info.played), (480, 480));
    let mut fresh = Store::in_memory().unwrap();
    play(&tournament(CUP), &mut fresh, 1);
    assert_eq!(
        standings_of(&store, &info).unwrap(),
        standings_of(&fresh, &fresh.tournament(None).unwrap()).unwrap()
    );
    assert_eq!(store.records().unwrap(), 1200);
}

#[test]
fn other_seats_are_other_matches() {
    let mut store = Store::in_memory().unwrap();
    play(&tournament(CUP), &mut store, 2);
    let wider = CUP.replace("\"table\",", "\"table\", \"table?seats=3\",");
    let summary = play(&tournament(&wider), &mut store, 2);
    assert_eq!((summary.played, summary.skipped), (40 * 3, 480));
}

#[test]
fn who_panics_or_answers_illegally_loses_and_the_rest_goes_on() {
    let mut store = Store::in_memory().unwrap();
    let cup = tournament(
        "game = 'count'\nname = 'cup'\nseeds = 5\nplayers = ['random', 'greedy', 'panics']",
    );
    let summary = play(&cup, &mut store, 2);
    assert_eq!((summary.played, summary.faults, summary.failed), (30, 30, 0));
    for row in matches(&store) {
        let (seat, why) = row.fault.clone().expect("in every pair one is at fault");
        assert_eq!(row.scores[seat], 0.0, "{row:?}");
        assert_eq!(row.ending, "forfeit");
        match row.players[seat].as_str() {
            "greedy" => assert!(why.starts_with("illegal action: turn "), "{why}"),
            "panics" => assert_eq!(why, "panic: lost count"),
            other => panic!("{other} has done nothing wrong"),
        }
    }
    let standings = standings_of(&store, &store.tournament(None).unwrap()).unwrap();
    assert_eq!(standings.overall[0].player, "random");
    let forfeits: u64 = standings.overall.iter().map(|row| row.forfeits).sum();
    assert_eq!(forfeits, 30);
}

#[test]
fn rules_that_panic_fail_their_match_and_no_other() {
    let mut store = Store::in_memory().unwrap();
    let cup = tournament(
        "game = 'count'\nseeds = 8\nscenarios = ['broken', 'table']\n\
         players = ['random', 'steady']",
    );
    let summary = play(&cup, &mut store, 2);
    assert_eq!((summary.played, summary.failed, summary.stopped), (16, 16, false));
    assert_eq!(summary.failures.len(), 10, "ten are described, all are counted");
    let text = &summary.failures[0];
    assert!(text.contains("count:broken, seed 1, "), "{text}");
    assert!(text.contains("the table collapses") && text.contains("count.rs:"), "{text}");
}

#[test]
fn progress_tells_how_far_it_is_and_who_leads() {
    let mut store = Store::in_memory().unwrap();
    let file = "game = 'count'\nscenarios = ['table?seats=1']\nseeds = 30\n\
        players = ['steady?add=3', 'steady', 'steady?add=2']";
    let last = |store: &mut Store| {
        let mut last = None;
        run(&tournament(file), store, &RunOptions::default(), &mut |progress: &RunProgress| {
            last = Some(progress.clone());
        })
        .unwrap();
        last.unwrap()
    };
    let first = last(&mut store);
    assert_eq!((first.done, first.skipped, first.total), (90, 0, 90));
    let leader = first.leader.unwrap();
    assert_eq!((leader.player.as_str(), leader.mean, leader.seats), ("steady", 10.0, 30));
    let again = last(&mut store);
    assert_eq!((again.done, again.skipped, again.total), (0, 90, 90));
    assert_eq!(again.leader.unwrap(), leader);
}

#[test]
fn a_stop_keeps_what_is_finished_and_the_next_run_does_the_rest() {
    let file = CUP.replace("\"random\"", "\"hooked\"");
    for stop_at in [1, 50, 700] {
        let (store, first, second) = stop_and_resume(&file, stop_at);
        assert_eq!(first.played + second.played, store.records().unwrap());
        assert_eq!(second.skipped, first.played);
        assert_eq!(first.stopped, second.played > 0);
    }
}

#[test]
fn a_stop_before_the_start_plays_nothing() {
    let mut store = Store::in_memory().unwrap();
    let options = RunOptions { threads: 2, stop: Arc::new(AtomicBool::new(true)) };
    let summary = run(&tournament(CUP), &mut store, &options, &mut |_| {}).unwrap();
    assert!(summary.stopped);
    assert_eq!((summary.played, store.records().unwrap()), (0, 0));
}

/// A tournament long enough to be killed in the middle.
const LONG: &str = r#"
    name = "long"
    game = "count"
    scenarios = ["table?target=60", "table?target=80&seats=3"]
    players = ["hooked", "random", "steady", "steady?add=2"]
    seeds = 250
"#;

/// Tells the child where the store is and at which decision to ask for its death.
const CHILD: &str = "QUINTAIN_ARENA_TEST_CHILD";

#[test]
#[ignore = "run by the test of kill -9, in a separate process"]
fn the_process_that_is_killed() {
    let child = std::env::var(CHILD).expect("only run as a child");
    let (kill_at, path) = child.split_once(' ').unwrap();
    let kill_at: u64 = kill_at.parse().unwrap();
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    let catalog = catalog_with_once(kill_at, move || {
        say("kill me".to_owned());
    });
    let mut store = Store::open(Path::new(path)).unwrap();
    let options = RunOptions { threads: 2, ..RunOptions::default() };
    run(&tournament_in(&catalog, LONG), &mut store, &options, &mut |progress| {
        say(format!("stored {}", progress.done + progress.skipped));
    })
    .unwrap();
}

/// Runs the child until it asks to be killed; returns how many records it said were stored.
fn kill_at(decision: u64, path: &Path) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "resume::the_process_that_is_killed", "--ignored", "--nocapture"])
        .env(CHILD, format!("{decision} {}", path.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stored = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some(count) = line.strip_prefix("stored ") {
            stored = count.parse().unwrap();
        } else if line.ends_with("kill me") {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    stored
}

#[test]
fn kill_9_at_any_moment_loses_nothing_and_counts_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let long: Tournament = tournament(LONG);
    let mut whole = Store::in_memory().unwrap();
    play(&long, &mut whole, 2);

    // The moments are drawn over the whole run; the child is killed again and again on one store.
    let path = directory.path().join("store.db");
    let mut rng = quintain_core::Rng::from_seed(9);
    let mut killed = 0;
    for _ in 0..12 {
        let stored = kill_at(rng.below(6_000) as u64, &path);
        let store = Store::open(&path).unwrap();
        let found = store.records().unwrap();
        assert!(found >= stored, "{stored} records were said to be stored, {found} are there");
        killed += u64::from(found < long.schedule().len());
    }
    assert!(killed > 0, "the run was over before the first kill");
    let mut store = store_in(directory.path());
    let before = store.records().unwrap();
    let rest = play(&long, &mut store, 2);
    assert_eq!((rest.skipped, rest.played), (before, long.schedule().len() - before));
    assert_eq!(records(&store), records(&whole));
    let info = store.tournament(Some("long")).unwrap();
    assert_eq!(info.played, long.schedule().len());
}

/// A tournament whose look-up alone takes longer than the run is allowed to live.
const VAST: &str = r#"
    name = "vast"
    game = "count"
    players = ["random", "steady"]
    seeds = 10_000_000
"#;

#[test]
#[ignore = "run by the test of a look-up, in a separate process"]
fn the_vast_one_that_is_killed() {
    let path = std::env::var(CHILD).expect("only run as a child");
    let mut store = Store::open(Path::new(&path)).unwrap();
    let options = RunOptions { threads: 2, ..RunOptions::default() };
    let cup = tournament(VAST);
    println!("\nbegun");
    std::io::stdout().flush().unwrap();
    run(&cup, &mut store, &options, &mut |_| {}).unwrap();
}

#[test]
fn a_run_that_is_killed_while_it_looks_up_makes_progress() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let mut before = 0;
    for life in 0..6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "resume::the_vast_one_that_is_killed", "--ignored", "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "begun"));
        let count = || Store::open_to_read(&path).map_or(0, |store| store.records().unwrap_or(0));
        let begun = Instant::now();
        while count() <= before {
            assert!(begun.elapsed() < Duration::from_secs(60), "life {life}: no more records");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let store = Store::open_to_read(&path).unwrap();
        let now = store.records().unwrap();
        assert_eq!(store.losses().unwrap(), [""; 0]);
        before = now;
    }
}

/// A match of 400 games, some milliseconds each.
const FOUR_HUNDRED: &str = r#"
    name = "four hundred"
    game = "count"
    scenarios = ["table?target=40&work=100000"]
    players = ["herald", "steady"]
    seeds = 200
"#;

#[test]
#[ignore = "run by the test of a match of 400, in a separate process"]
fn the_match_of_400_that_is_killed() {
    let path = std::env::var(CHILD).expect("only run as a child");
    let say = |line: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    let catalog = catalog_with(Arc::new(move || say("begun")));
    let mut store = Store::open(Path::new(&path)).unwrap();
    let options = RunOptions { threads: 2, ..RunOptions::default() };
    run(&tournament_in(&catalog, FOUR_HUNDRED), &mut store, &options, &mut |progress| {
        say(&format!("stored {}", progress.done + progress.skipped));
    })
    .unwrap();
}

/// Kills a match of 400 at that many moments, resuming after each, and then runs it to its end.
fn killed_at(moments: u64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let cup = tournament(FOUR_HUNDRED);
    let mut whole = Store::in_memory().unwrap();
    play(&cup, &mut whole, 2);
    let mut rng = quintain_core::Rng::from_seed(moments);
    for _ in 0..moments {
        let before = Store::open(&path).unwrap().records().unwrap();
        let mut stored = before;
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "resume::the_match_of_400_that_is_killed", "--ignored"])
            .arg("--nocapture")
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let kill_after = 1 + rng.below(7) as u64;
        let mut begun = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            if let Some(count) = line.strip_prefix("stored ") {
                stored = count.parse().unwrap();
            } else if line.ends_with("begun") {
                begun += 1;
                if begun == kill_after {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        // How many of the matches that were begun are stored depends on how long the machine takes
        // to write (`ledger.rs` tests that); whatever was reported as stored is there.
        let found = Store::open(&path).unwrap().records().unwrap();
        assert!(found >= stored, "{stored} were said to be stored, {found} are there");
    }
    let mut store = Store::open(&path).unwrap();
    play(&cup, &mut store, 2);
    assert_eq!(store.records().unwrap(), 400);
    assert_eq!(records(&store), records(&whole));
}

#[test]
fn a_match_of_400_killed_at_100_moments_ends_with_400() {
    killed_at(100);
}
