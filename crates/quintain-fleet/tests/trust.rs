//! Coordinators and workers in one process, with a real NATS server between them: workers that lie,
//! machines on which programs do not start, and second runs with other stores. Whatever they say,
//! the store holds what one honest machine plays.
#![cfg(target_os = "linux")]

#[path = "../../quintain-arena/tests/arena/count.rs"]
mod count;
#[path = "../../quintain-cli/tests/fleet/nats.rs"]
#[allow(dead_code)]
mod nats;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use count::{Lie, lying_catalog};
use nats::Nats;
use quintain_arena::{RunOptions, RunSummary, Shard, Tournament, run, run_on};
use quintain_core::{
    Answer, Catalog, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind, MatchStart,
    Question,
};
use quintain_fleet::{Fleet, FleetOptions, WorkSummary, WorkerOptions, work};
use quintain_store::{Filter, Store, StoreError};
use serde_json::Value;

const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['random', 'steady', 'steady?add=2']
    seeds = 40
";

fn cup(text: &str, catalog: &Catalog) -> Tournament {
    Tournament::parse(text, "cup.toml", catalog).unwrap()
}

/// All records of a store, in an order of their own.
fn records(store: &Store) -> Vec<String> {
    let mut records = Vec::new();
    let keep = |stored: &quintain_store::StoredRecord| {
        records.push(stored.json.clone());
        Ok::<(), StoreError>(())
    };
    store.stored(&Filter::default(), keep).unwrap();
    assert_eq!(store.losses().unwrap(), [""; 0]);
    records.sort();
    records
}

/// What one honest machine plays.
fn truth(text: &str, catalog: &Catalog) -> Vec<String> {
    let mut store = Store::in_memory().unwrap();
    run(&cup(text, catalog), &mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    records(&store)
}

/// A worker in a thread.
struct Hand {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<WorkSummary>>,
    said: mpsc::Receiver<String>,
}

impl Hand {
    fn start(nats: &Nats, name: &str, catalog: Catalog) -> Hand {
        let (stop, (say, said)) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
        let options = WorkerOptions {
            threads: 1,
            stop: Arc::clone(&stop),
            idle: None,
            name: Some(name.to_owned()),
        };
        let server = nats.address().parse().unwrap();
        let say = move |line: &str| drop(say.send(line.to_owned()));
        let thread = thread::spawn(move || work(&server, &catalog, &options, say).unwrap());
        Hand { stop, thread: Some(thread), said }
    }

    /// Waits until it has said something with these words.
    fn wait_to_hear(&self, words: &str) {
        while !self.said.recv_timeout(nats::BOUND).unwrap().contains(words) {}
    }

    fn end(mut self) -> WorkSummary {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Has workers play the cup into a store of its own.
fn coordinate(
    nats: &Nats,
    text: &str,
    catalog: &Catalog,
    second_looks: f64,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(u64),
) -> (RunSummary, Store) {
    let (tournament, mut store) = (cup(text, catalog), Store::in_memory().unwrap());
    let server = nats.address().parse().unwrap();
    let options = FleetOptions { second_looks, ..FleetOptions::default() };
    let fleet = Fleet::new(server, &tournament, Shard::WHOLE, options);
    let report = &mut |now: &quintain_arena::RunProgress| progress(now.done);
    let summary = run_on(&fleet, &tournament, Shard::WHOLE, &mut store, stop, report).unwrap();
    (summary, store)
}

fn play(nats: &Nats, text: &str, catalog: &Catalog, second_looks: f64) -> (RunSummary, Store) {
    coordinate(nats, text, catalog, second_looks, &Arc::default(), &mut |_| {})
}

#[test]
fn a_second_run_with_a_fresh_store_plays_every_match_once() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = count::catalog();
    let hand = Hand::start(&nats, "a:1", catalog.clone());
    let truth = truth(CUP, &catalog);
    for _ in 0..2 {
        let (summary, store) = play(&nats, CUP, &catalog, 0.0);
        assert_eq!(summary.played, truth.len() as u64);
        assert_eq!(records(&store), truth);
    }
    assert_eq!(hand.end().matches, 2 * truth.len() as u64);
}

#[test]
fn a_takeover_with_another_store_plays_what_that_one_lacks() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = count::catalog();
    let long = CUP.replace("40", "400");
    let hand = Hand::start(&nats, "a:1", catalog.clone());
    let stop = Arc::new(AtomicBool::new(false));
    let (first, _) = coordinate(&nats, &long, &catalog, 0.0, &stop, &mut |done| {
        if done > 0 {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(first.stopped && first.played > 0);
    let (second, store) = play(&nats, &long, &catalog, 0.0);
    assert!(!second.stopped);
    assert_eq!(records(&store), truth(&long, &catalog));
    // Besides what both stores have, only what was on its way when the first one ended.
    let wasted = hand.end().matches - first.played - second.played;
    assert!(wasted <= second.total, "{wasted} matches played for nothing");
}

/// A liar at work first, alone, then an honest worker.
fn a_liar_is_found_out(lie: Lie, second_looks: f64, reason: &str) {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = count::catalog();
    let liar = Hand::start(&nats, "liar:1", lying_catalog(lie));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, CUP, &catalog, second_looks));
        liar.wait_to_hear("its coordinator has shut this worker out");
        let _honest = Hand::start(&nats, "honest:1", catalog.clone());
        played.join().unwrap()
    });
    assert_eq!(records(&store), truth(CUP, &catalog));
    let found = summary.remarks.iter().find(|line| line.contains("was shut out")).unwrap();
    assert!(found.starts_with("liar:1 ") && found.contains(reason), "{found}");
    assert_eq!((summary.conflicts.len(), summary.failed), (0, 0));
}

#[test]
fn a_record_that_the_rules_contradict_is_found_out_at_once() {
    a_liar_is_found_out(Lie::Scores, 0.0, "a record that cannot be true");
}

#[test]
fn a_match_that_other_players_have_played_is_found_out_by_a_second_look() {
    a_liar_is_found_out(Lie::Moves, 1.0, "went otherwise than it does when played here");
}

#[test]
fn of_two_workers_that_contradict_each_other_the_liar_is_shut_out() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = count::catalog();
    let _liar = Hand::start(&nats, "liar:1", lying_catalog(Lie::Moves));
    let _honest = Hand::start(&nats, "honest:1", catalog.clone());
    let (summary, store) = play(&nats, CUP, &catalog, 1.0);
    assert_eq!(records(&store), truth(CUP, &catalog));
    let shut_out = |who: &str| summary.remarks.iter().any(|line| line.starts_with(who));
    assert!(!shut_out("honest:1 was shut out"), "{:?}", summary.remarks);
    // It may have come too late to play anything.
    assert!(shut_out("liar:1 was shut out") || summary.remarks.len() == 1, "{:?}", summary.remarks);
}

#[test]
fn nobody_is_shut_out_where_all_are_honest() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = count::catalog();
    let names = ["a:1", "b:1", "c:1"];
    let _hands = names.map(|name| Hand::start(&nats, name, catalog.clone()));
    let (summary, store) = play(&nats, CUP, &catalog, 1.0);
    let truth = truth(CUP, &catalog);
    assert_eq!(records(&store), truth);
    let twice = format!("{} matches were played twice, and the same again", truth.len());
    assert_eq!(summary.remarks, [twice]);
}

/// A program that does not start on some machines.
struct Program {
    /// So many starts succeed.
    starts: AtomicUsize,
}

impl ExternalSource for Program {
    fn prefix(&self) -> &str {
        "bot"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let left = |left: usize| Some(left.saturating_sub(1));
        let left = self.starts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).unwrap();
        Ok(Box::new(Adder { starts: left > 0 }))
    }
}

struct Adder {
    starts: bool,
}

impl ExternalPlayer for Adder {
    fn start(&mut self, _: &MatchStart, _: &Value) -> Result<(), Fault> {
        let missing = || Fault::new(FaultKind::Crash, "no module named numpy");
        self.starts.then_some(()).ok_or_else(missing)
    }

    fn answer(&mut self, _: &Question) -> Result<Answer, Fault> {
        Ok(Answer::from(Value::from("1")))
    }
}

/// The game with a program that starts so many times.
fn with_program(starts: usize) -> Catalog {
    count::catalog().with_external(Arc::new(Program { starts: AtomicUsize::new(starts) }))
}

const ALWAYS: usize = usize::MAX / 2;
const BOTS: &str = "
    name = 'bots'
    game = 'count'
    players = ['bot:ann', 'steady']
    seeds = 10
";

#[test]
fn a_machine_on_which_a_program_does_not_start_leaves_it_to_others() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = with_program(ALWAYS);
    let broken = Hand::start(&nats, "broken:1", with_program(0));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, BOTS, &catalog, 0.0));
        broken.wait_to_hear("it does not start here: crash: no module named numpy");
        let _sound = Hand::start(&nats, "sound:1", catalog.clone());
        played.join().unwrap()
    });
    assert_eq!(summary.faults, 0);
    assert_eq!(records(&store), truth(BOTS, &catalog));
}

#[test]
fn a_start_up_that_fails_on_one_machine_is_tried_on_another_and_told() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let catalog = with_program(ALWAYS);
    // It starts twice, for the match against itself, and never again.
    let _breaking = Hand::start(&nats, "breaking:1", with_program(2));
    let _sound = Hand::start(&nats, "sound:1", catalog.clone());
    let (summary, store) = play(&nats, BOTS, &catalog, 0.0);
    assert_eq!(summary.faults, 0, "{:?}", summary.remarks);
    assert_eq!(records(&store), truth(BOTS, &catalog));
    let told = summary.remarks.iter().all(|line| line.starts_with("on breaking:1 "));
    assert!(told, "{:?}", summary.remarks);
}

#[test]
fn a_start_up_that_fails_on_three_machines_counts() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let names = ["a:1", "b:1", "c:1"];
    let _hands = names.map(|name| Hand::start(&nats, name, with_program(0)));
    let (summary, _) = play(&nats, BOTS, &with_program(ALWAYS), 0.0);
    assert_eq!((summary.faults, summary.played), (20, 20));
    let told = "bot:ann did not start in 20 matches, on every machine that tried: crash: no module \
                named numpy";
    assert_eq!(summary.remarks, [told]);
}
