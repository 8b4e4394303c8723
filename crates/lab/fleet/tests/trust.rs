//! Coordinators and workers in one process, with a real NATS server between them: workers that lie,
//! machines on which programs do not start, and second runs with other stores. Whatever they say,
//! the store holds what one honest machine plays.
#![cfg(target_os = "linux")]

#[path = "../../arena/tests/arena/count.rs"]
mod count;
#[path = "trust/cups.rs"]
mod cups;
#[path = "trust/meddler.rs"]
mod meddler;
#[allow(dead_code)]
mod nats;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use count::{Lie, lying_catalog};
use cups::{ALWAYS, cup, program, records, with_program};
use meddler::Meddler;
use nats::{Nats, Tap};
use quintain_arena::{RunError, RunOptions, RunSummary, Shard, Tournament, run, run_on};
use quintain_core::Catalog;
use quintain_fleet::{
    Artefact, Fleet, FleetOptions, MakePlayer, NatsServer, Rounds, WorkSummary, WorkerOptions,
    artefact_digest, status, work,
};
use quintain_store::Store;
use serde_json::Value;
use tempfile::TempDir;

const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['random', 'steady', 'steady?add=2']
    seeds = 40
";

/// Starts a server, if there is one to test with. Its folder is deleted after it.
fn start_nats() -> Option<(TempDir, Nats)> {
    start_nats_by(Nats::start)
}

fn start_nats_by(start: impl FnOnce(&Path) -> Nats) -> Option<(TempDir, Nats)> {
    nats::is_here().then(|| {
        let folder = tempfile::tempdir().unwrap();
        let nats = start(folder.path());
        (folder, nats)
    })
}

/// The records that one honest machine plays.
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
        Hand::start_at(&nats.address(), name, catalog)
    }

    fn start_at(address: &str, name: &str, catalog: Catalog) -> Hand {
        Hand::start_with(address, name, catalog, None)
    }

    /// Starts a worker that plays programs which are sent to it, if it is told how.
    fn start_with(
        address: &str,
        name: &str,
        catalog: Catalog,
        make_player: Option<Arc<MakePlayer>>,
    ) -> Hand {
        let (stop, (say, said)) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
        let options = WorkerOptions {
            threads: 1,
            stop: Arc::clone(&stop),
            idle: None,
            name: Some(name.to_owned()),
            make_player,
        };
        let server = address.parse().unwrap();
        let say = move |line: &str| drop(say.send(line.to_owned()));
        let thread = thread::spawn(move || work(&server, &catalog, &options, say).unwrap());
        Hand { stop, thread: Some(thread), said }
    }

    /// Waits until the worker has said something that contains these words.
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

/// Has workers play a tournament into a store of its own.
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
    coordinate_at(server, options, &tournament, &mut store, stop, progress)
        .map(|summary| (summary, store))
        .unwrap()
}

fn coordinate_at(
    server: NatsServer,
    options: FleetOptions,
    tournament: &Tournament,
    store: &mut Store,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(u64),
) -> Result<RunSummary, RunError> {
    let fleet = Fleet::new(server, tournament, Shard::WHOLE, options);
    let report = &mut |now: &quintain_arena::RunProgress| progress(now.done);
    run_on(&fleet, tournament, Shard::WHOLE, store, stop, report)
}

fn play(nats: &Nats, text: &str, catalog: &Catalog, second_looks: f64) -> (RunSummary, Store) {
    coordinate(nats, text, catalog, second_looks, &Arc::default(), &mut |_| {})
}

#[test]
fn a_second_run_with_a_fresh_store_plays_every_match_once() {
    let Some((_folder, nats)) = start_nats() else { return };
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
    let Some((_folder, nats)) = start_nats() else { return };
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
    // Besides the matches that both stores have, only those in transit when the first run ended.
    let wasted = hand.end().matches - first.played - second.played;
    assert!(wasted <= second.total, "{wasted} matches played for nothing");
}

/// A liar works first, alone, and then an honest worker.
fn a_liar_is_found_out(lie: Lie, second_looks: f64, reason: &str) {
    let Some((_folder, nats)) = start_nats() else { return };
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
    a_liar_is_found_out(Lie::Moves, 1.0, "played by the coordinator, differs from");
}

#[test]
fn of_two_workers_that_contradict_each_other_the_liar_is_shut_out() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let _liar = Hand::start(&nats, "liar:1", lying_catalog(Lie::Moves));
    let _honest = Hand::start(&nats, "honest:1", catalog.clone());
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
    let _liar = Hand::start_at(&meddler.address(), "liar:1", lying_catalog(Lie::Moves));
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, &long, &catalog, 0.02));
        // The liar is never told that it is shut out, and goes on.
        while count_shut_out(&manifests.next().payload) < 8 {}
        let _honest = Hand::start(&nats, "honest:1", catalog.clone());
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
fn a_worker_whose_packets_cannot_be_read_is_shut_out_and_told() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let meddler = Meddler::start(&nats, garble);
    let garbled = Hand::start_at(&meddler.address(), "garbled:1", catalog.clone());
    let (summary, store) = thread::scope(|scope| {
        let played = scope.spawn(|| play(&nats, CUP, &catalog, 0.02));
        garbled.wait_to_hear("its coordinator has shut this worker out");
        let _honest = Hand::start(&nats, "honest:1", catalog.clone());
        played.join().unwrap()
    });
    assert_eq!(records(&store), truth(CUP, &catalog));
    let told = summary.remarks.iter().find(|line| line.starts_with("garbled:1 was shut out"));
    assert!(told.is_some_and(|line| line.contains("cannot be read")), "{:?}", summary.remarks);
}

/// A server with the accounts as deployed.
fn with_accounts(folder: &Path) -> Nats {
    let accounts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/nats/accounts.conf");
    std::fs::copy(accounts, folder.join("accounts.conf")).unwrap();
    let passwords = "COORDINATOR_PASSWORD: \"first\"\nWORKER_PASSWORD: \"second\"\n";
    std::fs::write(folder.join("passwords.conf"), passwords).unwrap();
    Nats::start_with(folder, &["-c", folder.join("accounts.conf").to_str().unwrap()])
}

fn sign_in(nats: &Nats, user: &str, password: &str) -> NatsServer {
    let mut server: NatsServer = nats.address().parse().unwrap();
    server.user = Some((user.to_owned(), password.to_owned()));
    server
}

#[test]
fn no_worker_can_read_by_what_secret_another_is_known() {
    let Some((_folder, nats)) = start_nats_by(with_accounts) else { return };
    let tap = |subject: &str| Tap::on_as(&nats, subject, "worker", "second");
    for subject in ["quintain.records.>", "_INBOX_coordinator.>", ">", "$JS.ACK.>"] {
        assert!(!tap(subject).is_allowed, "{subject}");
    }
    let mut spy = tap("_INBOX.>");
    assert!(spy.is_allowed);
    let catalog = count::catalog();
    let address = format!("nats://worker:second@127.0.0.1:{}", nats.port);
    let _hand = Hand::start_at(&address, "a:1", catalog.clone());
    let (tournament, mut store) = (cup(CUP, &catalog), Store::in_memory().unwrap());
    let server = sign_in(&nats, "coordinator", "first");
    let (options, stop) = (FleetOptions::default(), Arc::default());
    coordinate_at(server, options, &tournament, &mut store, &stop, &mut |_| {}).unwrap();
    assert_eq!(records(&store), truth(CUP, &catalog));
    let seen = status(&sign_in(&nats, "worker", "second")).unwrap();
    assert_eq!(seen.workers.iter().map(|worker| worker.who.as_str()).collect::<Vec<_>>(), ["a:1"]);
    assert_eq!(seen.thread_seconds_left, 0.0, "nothing is handed out any more");
    Tap::on_as(&nats, "nothing", "coordinator", "first").publish("_INBOX.end", b"", b"end");
    let mut heard = 0;
    loop {
        let message = spy.next();
        if message.subject == "_INBOX.end" {
            break;
        }
        heard += 1;
        let headers = String::from_utf8_lossy(&message.headers).into_owned();
        assert!(!headers.contains("Quintain-Worker"), "{}: {headers}", message.subject);
    }
    assert!(heard > 0, "it hears what other workers are told");
}

#[test]
fn who_may_not_coordinate_is_told_so_at_once() {
    let Some((_folder, nats)) = start_nats_by(with_accounts) else { return };
    let catalog = count::catalog();
    let (tournament, mut store) = (cup(CUP, &catalog), Store::in_memory().unwrap());
    let server = sign_in(&nats, "worker", "second");
    let (options, stop) = (FleetOptions::default(), Arc::default());
    let refused = coordinate_at(server, options, &tournament, &mut store, &stop, &mut |_| {});
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("does not let this user do that"), "{refused}");
    let refused = status(&sign_in(&nats, "worker", "second")).unwrap_err().to_string();
    assert!(refused.contains("no tournament has been handed out"), "{refused}");
}

#[test]
fn a_server_that_does_not_speak_tls_is_told_as_that() {
    let Some((_folder, nats)) = start_nats() else { return };
    let server = format!("tls://127.0.0.1:{}", nats.port).parse().unwrap();
    let said = status(&server).unwrap_err().to_string();
    assert!(said.contains("does not speak TLS"), "{said}");
}

#[test]
fn who_lies_in_one_round_of_a_contest_is_shut_out_of_the_next() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let rounds = Arc::new(Rounds::new("a contest"));
    let mut manifests = Tap::on(&nats, "$KV.quintain_tournaments.card.>");
    let liar = Hand::start(&nats, "liar:1", lying_catalog(Lie::Scores));
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
        liar.wait_to_hear("its coordinator has shut this worker out");
        let honest = Hand::start(&nats, "honest:1", catalog.clone());
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
fn a_program_is_fetched_by_its_digest_and_nothing_else_is_taken_for_it() {
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
    let hand = Hand::start_with(&nats.address(), "a:1", count::catalog(), Some(make));
    let stop = Arc::default();
    thread::scope(|scope| {
        let forged = scope.spawn(|| coordinate(artefact_digest(b"another"), &stop));
        hand.wait_to_hear("the fetched file has another digest");
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
    let _hands = names.map(|name| Hand::start(&nats, name, catalog.clone()));
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
    let Some((_folder, nats)) = start_nats() else { return };
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
fn a_broken_worker_beside_a_sound_one_makes_no_forfeits_whatever_an_earlier_run_has_left() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = with_program(ALWAYS);
    // It starts twice, for the match against itself, and never again.
    let broken = Hand::start(&nats, "vm:1", with_program(2));
    let (mut packets, stop) = (Tap::on(&nats, "quintain.records.>"), Arc::default());
    thread::scope(|scope| {
        let played = scope.spawn(|| coordinate(&nats, BOTS, &catalog, 0.0, &stop, &mut |_| {}));
        packets.next();
        stop.store(true, Ordering::Relaxed);
        let (first, _) = played.join().unwrap();
        assert_eq!((first.played, first.faults), (0, 0));
    });
    drop(broken);
    let _broken = Hand::start(&nats, "vm:2", with_program(2));
    let _sound = Hand::start(&nats, "vm:3", catalog.clone());
    let (summary, store) = play(&nats, BOTS, &catalog, 0.0);
    assert_eq!(summary.faults, 0, "{:?}", summary.remarks);
    assert_eq!(records(&store), truth(BOTS, &catalog));
    assert_eq!(summary.conflicts, [""; 0]);
}

#[test]
fn a_start_up_that_fails_on_three_machines_counts() {
    let Some((_folder, nats)) = start_nats() else { return };
    let names = ["a:1", "b:1", "c:1"];
    let _hands = names.map(|name| Hand::start(&nats, name, with_program(0)));
    let (summary, _) = play(&nats, BOTS, &with_program(ALWAYS), 0.0);
    assert_eq!((summary.faults, summary.played), (20, 20));
    let told = "bot:ann did not start in 20 matches, on every machine that tried: crash: no module \
                named numpy";
    assert_eq!(summary.remarks, [told]);
}
