//! Workers that lie, machines on which programs do not start, and second runs with other stores.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use quintain_arena::{Shard, run_on};
use quintain_core::{ExternalError, ExternalPlayer, ExternalSource};
use quintain_fleet::{Artefact, Fleet, FleetOptions, MakePlayer, Rounds, artefact_digest};
use quintain_store::Store;
use serde_json::Value;

use crate::count::{self, Lie, lying_catalog};
use crate::crew::{TestWorker, coordinate, play, start_nats, truth};
use crate::cups::{ALWAYS, cup, program, records, with_program};
use crate::meddler::Meddler;
use crate::nats::Tap;

const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['random', 'steady', 'steady?add=2']
    seeds = 40
";

#[test]
fn a_second_run_with_a_fresh_store_plays_every_match_once() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let hand = TestWorker::start(&nats, "a:1", &catalog);
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
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let long = CUP.replace("40", "400");
    let hand = TestWorker::start(&nats, "a:1", &catalog);
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
    // Besides the matches that both stores have, only those in transit when the first run ended.
    let wasted = hand.end().matches - first.played - second.played;
    assert!(wasted <= second.total, "{wasted} matches played for nothing");
}

/// A liar works first, alone, and then an honest worker.
fn a_liar_is_found_out(lie: Lie, second_looks: f64, reason: &str) {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let liar = TestWorker::start(&nats, "liar:1", &lying_catalog(lie));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, CUP, &catalog, second_looks));
        liar.log.wait_for("its coordinator has shut this worker out");
        let _honest = TestWorker::start(&nats, "honest:1", &catalog);
        played.join().unwrap()
    });
    assert_eq!(records(&store), truth(CUP, &catalog));
    let found = summary.remarks.iter().find(|line| line.contains("was shut out")).unwrap();
    assert!(found.starts_with("liar:1 ") && found.contains(reason), "{found}");
    assert_eq!((summary.conflicts.len(), summary.failed), (0, 0));
}

#[test]
fn a_record_against_the_rules_is_found_at_once() {
    a_liar_is_found_out(Lie::Scores, 0.0, "a record that cannot be true");
}

#[test]
fn a_match_of_other_players_is_found_by_a_second_look() {
    a_liar_is_found_out(Lie::Moves, 1.0, "played by the coordinator, differs from");
}

#[test]
fn of_two_workers_that_contradict_each_other_the_liar_is_shut_out() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let _liar = TestWorker::start(&nats, "liar:1", &lying_catalog(Lie::Moves));
    let _honest = TestWorker::start(&nats, "honest:1", &catalog);
    let (summary, store) = play(&nats, CUP, &catalog, 1.0);
    assert_eq!(records(&store), truth(CUP, &catalog));
    let shut_out = |who: &str| summary.remarks.iter().any(|line| line.starts_with(who));
    assert!(!shut_out("honest:1 was shut out"), "{:?}", summary.remarks);
    // The liar may have come too late to play anything.
    assert!(shut_out("liar:1 was shut out") || summary.remarks.len() == 1, "{:?}", summary.remarks);
}

/// Gives a packet a sender that nobody has seen before.
fn rename(headers: &mut [u8], _: &mut [u8]) {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let name = b"Quintain-Worker: ";
    let at = headers.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    let token = format!("{:032x}", NEXT.fetch_add(1, Ordering::SeqCst));
    headers[at..at + 32].copy_from_slice(token.as_bytes());
}

/// The number of workers that a tournament's manifest names as shut out.
fn count_shut_out(manifest: &[u8]) -> usize {
    let manifest: Value = serde_json::from_slice(manifest).unwrap_or_default();
    manifest["shut_out"].as_array().map_or(0, Vec::len)
}

#[test]
fn lies_under_a_new_name_for_every_packet_are_all_taken_back() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let long = CUP.replace("40", "400");
    let mut manifests = Tap::on(&nats, "$KV.quintain_tournaments.card.>");
    let meddler = Meddler::start(&nats, rename);
    let _liar = TestWorker::start_at(&meddler.address(), "liar:1", &lying_catalog(Lie::Moves));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, &long, &catalog, 0.02));
        // The liar is never told that it is shut out, and goes on.
        while count_shut_out(&manifests.next().payload) < 8 {}
        let _honest = TestWorker::start(&nats, "honest:1", &catalog);
        played.join().unwrap()
    });
    assert_eq!(records(&store), truth(&long, &catalog));
    assert!(!summary.remarks.iter().any(|line| line.starts_with("honest:1")), "{summary:?}");
    assert_eq!((summary.conflicts.len(), summary.failed), (0, 0));
}

fn garble(_: &mut [u8], payload: &mut [u8]) {
    payload.iter_mut().for_each(|byte| *byte ^= 0x5a);
}

#[test]
fn a_worker_with_unreadable_packets_is_shut_out_and_learns_why() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let meddler = Meddler::start(&nats, garble);
    let garbled = TestWorker::start_at(&meddler.address(), "garbled:1", &catalog);
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, CUP, &catalog, 0.02));
        garbled.log.wait_for("its coordinator has shut this worker out");
        let _honest = TestWorker::start(&nats, "honest:1", &catalog);
        played.join().unwrap()
    });
    assert_eq!(records(&store), truth(CUP, &catalog));
    let told = summary.remarks.iter().find(|line| line.starts_with("garbled:1 was shut out"));
    assert!(told.is_some_and(|line| line.contains("cannot be read")), "{:?}", summary.remarks);
}

#[test]
fn a_liar_in_one_round_of_a_contest_is_shut_out_of_the_next() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let rounds = Arc::new(Rounds::new("a contest"));
    let mut manifests = Tap::on(&nats, "$KV.quintain_tournaments.card.>");
    let liar = TestWorker::start(&nats, "liar:1", &lying_catalog(Lie::Scores));
    let play = |name: &str| {
        let tournament = cup(&CUP.replace("'cup'", name), &catalog);
        let server = nats.address().parse().unwrap();
        let fleet = Fleet::new(server, &tournament, Shard::WHOLE, FleetOptions::default());
        let fleet = fleet.in_rounds(Arc::clone(&rounds));
        let mut store = Store::in_memory().unwrap();
        run_on(&fleet, &tournament, Shard::WHOLE, &mut store, &Arc::default(), &mut |_| {})
            .unwrap();
        assert_eq!(records(&store), truth(CUP, &catalog));
    };
    let _honest = thread::scope(|scope| {
        let first = scope.spawn(|| play("'one'"));
        liar.log.wait_for("its coordinator has shut this worker out");
        let honest = TestWorker::start(&nats, "honest:1", &catalog);
        first.join().unwrap();
        honest
    });
    play("'two'");
    let mut first_of_second = None;
    while first_of_second.is_none() {
        let manifest = manifests.next().payload;
        let is_second = String::from_utf8_lossy(&manifest).contains("\"name\":\"two\"");
        first_of_second = is_second.then(|| count_shut_out(&manifest));
    }
    assert_eq!(first_of_second, Some(1), "from the beginning");
}

#[test]
fn a_program_is_fetched_by_its_digest_and_a_forged_one_is_refused() {
    let Some((folder, nats)) = start_nats() else { return };
    let file = folder.path().join("ann");
    // This is more than one message holds.
    let bytes: Vec<u8> = (0..700_000_u32).map(|number| (number / 7) as u8).collect();
    std::fs::write(&file, &bytes).unwrap();
    let catalog = with_program(ALWAYS);
    let coordinate = |digest: String, stop: &Arc<AtomicBool>| {
        let tournament = cup(BOTS, &catalog);
        let artefact = Artefact { player: "bot:ann".to_owned(), digest, file: file.clone() };
        let server = nats.address().parse().unwrap();
        let fleet = Fleet::new(server, &tournament, Shard::WHOLE, FleetOptions::default());
        let fleet = fleet.with_artefacts(vec![artefact]);
        let mut store = Store::in_memory().unwrap();
        run_on(&fleet, &tournament, Shard::WHOLE, &mut store, stop, &mut |_| {}).unwrap();
        records(&store)
    };
    let (tell, told) = mpsc::channel();
    let make: Arc<MakePlayer> = Arc::new(move |player: &str, bytes: &[u8]| {
        tell.send((player.to_owned(), bytes.to_vec())).unwrap();
        Ok(program(ALWAYS))
    });
    let hand = TestWorker::start_with(
        nats.address().parse().unwrap(),
        "a:1",
        &count::catalog(),
        Some(make),
    );
    let stop = Arc::default();
    thread::scope(|scope| {
        let forged = scope.spawn(|| coordinate(artefact_digest(b"another"), &stop));
        hand.log.wait_for("the fetched file has another digest");
        stop.store(true, Ordering::Relaxed);
        forged.join().unwrap();
    });
    assert!(told.try_recv().is_err(), "nobody has seen the forged one");
    let played = coordinate(artefact_digest(&bytes), &Arc::default());
    assert_eq!(played, truth(BOTS, &catalog));
    assert_eq!(told.recv().unwrap(), ("bot:ann".to_owned(), bytes));
}

#[test]
fn nobody_is_shut_out_where_all_are_honest() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let names = ["a:1", "b:1", "c:1"];
    let _hands = names.map(|name| TestWorker::start(&nats, name, &catalog));
    let (summary, store) = play(&nats, CUP, &catalog, 1.0);
    let truth = truth(CUP, &catalog);
    assert_eq!(records(&store), truth);
    let twice = format!("{} matches were played twice, and the same again", truth.len());
    assert_eq!(summary.remarks, [twice]);
}

const BOTS: &str = "
    name = 'bots'
    game = 'count'
    players = ['bot:ann', 'steady']
    seeds = 10
";

#[test]
fn a_machine_on_which_a_program_does_not_start_leaves_it_to_others() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = with_program(ALWAYS);
    let broken = TestWorker::start(&nats, "broken:1", &with_program(0));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, BOTS, &catalog, 0.0));
        broken.log.wait_for("it does not start here: crash: no module named numpy");
        let _sound = TestWorker::start(&nats, "sound:1", &catalog);
        played.join().unwrap()
    });
    assert_eq!(summary.faults, 0);
    assert_eq!(records(&store), truth(BOTS, &catalog));
}

#[test]
fn a_start_that_fails_on_one_machine_is_tried_on_another_and_reported() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = with_program(ALWAYS);
    // It starts twice, for the match against itself, and never again.
    let _breaking = TestWorker::start(&nats, "breaking:1", &with_program(2));
    let _sound = TestWorker::start(&nats, "sound:1", &catalog);
    let (summary, store) = play(&nats, BOTS, &catalog, 0.0);
    assert_eq!(summary.faults, 0, "{:?}", summary.remarks);
    assert_eq!(records(&store), truth(BOTS, &catalog));
    let told = summary.remarks.iter().all(|line| line.starts_with("on breaking:1 "));
    assert!(told, "{:?}", summary.remarks);
}

#[test]
fn a_broken_worker_beside_a_sound_one_causes_no_forfeits_even_after_an_earlier_run() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = with_program(ALWAYS);
    // It starts twice, for the match against itself, and never again.
    let broken = TestWorker::start(&nats, "vm:1", &with_program(2));
    let (mut packets, stop) = (Tap::on(&nats, "quintain.records.>"), Arc::default());
    thread::scope(|scope| {
        let played = scope.spawn(|| coordinate(&nats, BOTS, &catalog, 0.0, &stop, &mut |_| {}));
        packets.next();
        stop.store(true, Ordering::Relaxed);
        let (first, _) = played.join().unwrap();
        assert_eq!((first.played, first.faults), (0, 0));
    });
    drop(broken);
    let _broken = TestWorker::start(&nats, "vm:2", &with_program(2));
    let _sound = TestWorker::start(&nats, "vm:3", &catalog);
    let (summary, store) = play(&nats, BOTS, &catalog, 0.0);
    assert_eq!(summary.faults, 0, "{:?}", summary.remarks);
    assert_eq!(records(&store), truth(BOTS, &catalog));
    assert_eq!(summary.conflicts, [""; 0]);
}

/// A program that crashes on every third start, whatever the machine.
#[derive(Default)]
struct Flaky {
    starts: AtomicUsize,
}

impl ExternalSource for Flaky {
    fn prefix(&self) -> &str {
        "bot"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let number = self.starts.fetch_add(1, Ordering::SeqCst);
        program(usize::from(number % 3 != 2)).open(spec)
    }
}

#[test]
fn a_program_that_crashes_now_and_then_on_its_first_move_forfeits_at_once() {
    let Some((_folder, nats)) = start_nats() else { return };
    let flaky = || count::catalog().with_external(Arc::new(Flaky::default()));
    let _hands = ["a:1", "b:1", "c:1"].map(|name| TestWorker::start(&nats, name, &flaky()));
    let (summary, store) = play(&nats, BOTS, &with_program(ALWAYS), 0.0);
    assert_eq!((summary.played, records(&store).len()), (20, 20));
    assert!(summary.faults > 0, "none of its crashes was hidden by another attempt");
    assert_eq!(summary.remarks, [""; 0], "no machine is to blame");
}

#[test]
fn a_start_that_fails_on_three_machines_counts() {
    let Some((_folder, nats)) = start_nats() else { return };
    let names = ["a:1", "b:1", "c:1"];
    let _hands = names.map(|name| TestWorker::start(&nats, name, &with_program(0)));
    let (summary, _) = play(&nats, BOTS, &with_program(ALWAYS), 0.0);
    assert_eq!((summary.faults, summary.played), (20, 20));
    let told = "bot:ann did not start in 20 matches, on every machine that tried: crash: no module \
                named numpy";
    assert_eq!(summary.remarks, [told]);
}
