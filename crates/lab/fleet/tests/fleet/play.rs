//! Ordinary tournaments: what workers play, share and refuse, and what comes twice.

use std::sync::atomic::Ordering;
use std::time::Duration;

use quintain_core::Record;
use quintain_fleet::{FleetOptions, NatsServer, status};
use quintain_store::Store;

use crate::count;
use crate::crew::{
    Gate, TestCoordinator, TestWorker, coordinate_at, play, start_nats, start_nats_with,
    tap_records, truth,
};
use crate::cups::{ALWAYS, cup, list_records, records, with_program};
use crate::nats::Tap;

const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['random', 'steady', 'herald']
    seeds = 20
";

#[test]
fn four_workers_leave_what_one_machine_leaves_and_nothing_is_played_again() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let _workers =
        ["a:1", "b:1", "c:1", "c:2"].map(|name| TestWorker::start(&nats, name, &catalog));
    let (summary, mut store) = play(&nats, CUP, &catalog, 0.02);
    let truth = truth(CUP, &catalog);
    assert_eq!(summary.played, truth.len() as u64);
    assert_eq!(records(&store), truth);
    let (server, options) = (nats.address().parse().unwrap(), FleetOptions::default());
    let cup = cup(CUP, &catalog);
    let again =
        coordinate_at(server, options, &cup, &mut store, &Default::default(), &mut |_| {}).unwrap();
    assert_eq!((again.played, again.skipped), (0, truth.len() as u64));
    let run = quintain_arena::run(&cup, &mut store, &Default::default(), &mut |_| {}).unwrap();
    assert_eq!((run.played, run.skipped), (0, truth.len() as u64));
}

#[test]
fn what_a_machine_plays_adds_up_over_tournaments() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let _workers = ["a:1", "a:2"].map(|name| TestWorker::start(&nats, name, &catalog));
    for seeds in ["10", "20"] {
        let text = CUP.replace("20", seeds);
        play(&nats, &text, &catalog, 0.0);
    }
    let seen = status(&nats.address().parse().unwrap()).unwrap();
    let played = truth(CUP, &catalog).len() + truth(&CUP.replace("20", "10"), &catalog).len();
    let [machine] = &seen.contributions[..] else { panic!("{seen:?}") };
    assert_eq!((machine.machine.as_str(), machine.matches), ("a", played as u64));
    assert_eq!(machine.owner.as_deref(), Some("ann"));
}

#[test]
fn a_worker_plays_several_tournaments() {
    let Some((_folder, nats)) = start_nats() else { return };
    let other = CUP.replace("'cup'", "'other'").replace("target=30", "target=20");
    let (gate, catalog) = Gate::after(0);
    let worker = TestWorker::start(&nats, "a:1", &catalog);
    let start = |text| TestCoordinator::start(&nats.address(), text, FleetOptions::default());
    let (first, second) = (start(CUP), start(&other));
    let said = [worker.log.wait_for("plays "), worker.log.wait_for("plays ")];
    assert!(said.contains(&"plays cup (count)".to_owned()), "{said:?}");
    assert!(said.contains(&"plays other (count)".to_owned()), "{said:?}");
    gate.open();
    first.expect_truth(CUP);
    second.expect_truth(&other);
}

#[test]
fn records_longer_than_a_message_are_sent_in_parts() {
    let Some((_folder, nats)) = start_nats_with("max_payload: 2048\n") else { return };
    let long = CUP.replace("target=30", "target=6000").replace("20", "2");
    let mut tap = tap_records(&nats);
    let _worker = TestWorker::start(&nats, "a:1", &count::catalog());
    let coordinator = TestCoordinator::start(&nats.address(), &long, FleetOptions::default());
    loop {
        let message = tap.next();
        assert!(message.headers.len() + message.payload.len() <= 2048);
        if !String::from_utf8(message.headers).unwrap().contains(" 0 1\r") {
            break;
        }
    }
    let (summary, store) = coordinator.join();
    assert_eq!(summary.unwrap().failed, 0);
    assert_eq!(records(&store), truth(&long, &count::catalog()));
    let longest = list_records(&store).into_iter().max_by_key(|record| record.json.len()).unwrap();
    assert!(longest.json.len() > 2048);
    Record::from_json(&longest.json).unwrap();
}

#[test]
fn duplicates_count_once_and_forged_records_do_not_count() {
    let Some((_folder, nats)) = start_nats() else { return };
    let (gate, catalog) = Gate::after(10);
    let mut tap = tap_records(&nats);
    let coordinator = TestCoordinator::start(&nats.address(), CUP, FleetOptions::default());
    let _worker = TestWorker::start(&nats, "a:1", &catalog);
    let genuine = tap.next();
    // Under another id, so that the server lets it through.
    let headers = String::from_utf8(genuine.headers.clone()).unwrap();
    let headers = headers.replace("Nats-Msg-Id: ", "Nats-Msg-Id: again-");
    tap.publish(&genuine.subject, headers.as_bytes(), &genuine.payload);
    tap.publish(&genuine.subject, b"", b"nonsense");
    coordinator.log.wait_for("a message that is not part of a packet");
    let marks = b"NATS/1.0\r\nQuintain-Part: 0123456789abcdef0123456789abcdef 0 1\r\n\r\n";
    tap.publish(&genuine.subject, marks, b"nonsense");
    coordinator.log.wait_for("a packet of records that cannot be read");
    gate.open();
    coordinator.expect_truth(CUP);
}

#[test]
fn a_worker_refuses_versions_that_it_does_not_have() {
    let Some((_folder, nats)) = start_nats() else { return };
    let mut manifests = Tap::on(&nats, "$KV.quintain_tournaments.card.>");
    let coordinator = TestCoordinator::start(&nats.address(), CUP, FleetOptions::default());
    let manifest = String::from_utf8(manifests.next().payload).unwrap();
    let own = manifest.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
    for (from, to, why) in [
        ("[\"steady\",1]", "[\"steady\",99]", "player steady is version 1 here, but 99 is wanted"),
        ("\"steady\"", "\"stedy\"", "did you mean “steady”?"),
        ("\"protocol\":1", "\"protocol\":2", "its messages are of version 2; here"),
        ("\"game\":\"count\"", "\"game\":\"chess\"", "unknown game “chess”"),
    ] {
        // The same manifest under another id, as a newer quintain would write it.
        let id = "0123456789abcdef0123456789abcdef";
        let changed = manifest.replace(own, id).replacen(from, to, 1);
        assert!(changed.contains(to), "{changed}");
        manifests.publish(&format!("$KV.quintain_tournaments.card.{id}"), b"", changed.as_bytes());
        let worker = TestWorker::start(&nats, "a:1", &count::catalog());
        worker.log.wait_for(why);
    }
    let _worker = TestWorker::start(&nats, "b:1", &count::catalog());
    coordinator.expect_truth(CUP);
}

#[test]
fn workers_drop_what_they_play_of_a_tournament_that_is_stopped() {
    let Some((_folder, nats)) = start_nats() else { return };
    let server: NatsServer = nats.address().parse().unwrap();
    let (gate, catalog) = Gate::after(10);
    let mut reports = Tap::on(&nats, "$KV.quintain_workers.>");
    let _worker = TestWorker::start(&nats, "a:1", &catalog);
    // The coordinator plays nothing itself, so that it waits at no gate.
    let options = FleetOptions { second_looks: 0.0, ..FleetOptions::default() };
    let store = Store::in_memory().unwrap();
    let coordinator = TestCoordinator::start_with(server.clone(), CUP, &catalog, options, store);
    let mut wait_until_playing = |wanted: bool| {
        while status(&server).unwrap().workers.iter().any(|one| !one.playing.is_empty()) != wanted {
            reports.next();
        }
    };
    wait_until_playing(true);
    coordinator.stop.store(true, Ordering::Relaxed);
    assert!(coordinator.join().0.unwrap().stopped);
    // The match waits at the gate still: it would never end by itself.
    wait_until_playing(false);
    gate.open();
}

#[test]
fn programs_run_only_on_workers_that_have_them() {
    let Some((_folder, nats)) = start_nats() else { return };
    let with_programs = CUP.replace("'herald'", "'bot:ann'");
    let catalog = with_program(ALWAYS);
    let server: NatsServer = nats.address().parse().unwrap();
    let without = TestWorker::start(&nats, "without:1", &count::catalog());
    let coordinator = TestCoordinator::start_with(
        server.clone(),
        &with_programs,
        &catalog,
        FleetOptions::default(),
        Store::in_memory().unwrap(),
    );
    without.log.wait_for("bot:ann is not one of the programs allowed here");
    let mut leases = Tap::on(&nats, "$KV.quintain_tournaments.lease.>");
    let plain = truth(&CUP.replace(", 'herald'", ""), &count::catalog()).len() as u64;
    let seen = loop {
        leases.next();
        let seen = status(&server).unwrap();
        if seen.coordinators[0].done == plain {
            break seen;
        }
    };
    let refused = &seen.workers[0].refuses[0];
    let words = "matches with programs in cup (count), because bot:ann is not one of the programs";
    assert!(refused.starts_with(words), "{refused}");
    let _with = TestWorker::start(&nats, "with:1", &catalog);
    let (summary, store) = coordinator.join();
    assert_eq!(summary.unwrap().faults, 0);
    assert_eq!(records(&store), truth(&with_programs, &catalog));
}

#[test]
fn a_match_longer_than_the_patience_is_played_once() {
    let Some((_folder, nats)) = start_nats() else { return };
    let single = "name = 'cup'\ngame = 'count'\nscenarios = ['table?seats=1']\n\
                  players = ['herald']\nseeds = 1\n";
    let (gate, catalog) = Gate::after(0);
    let workers = ["a:1", "b:1"].map(|name| TestWorker::start(&nats, name, &catalog));
    let mut acknowledgements = Tap::on(&nats, "$JS.ACK.>");
    let patience = Duration::from_millis(300);
    let options = FleetOptions { patience, second_looks: 0.0, ..FleetOptions::default() };
    let coordinator = TestCoordinator::start(&nats.address(), single, options);
    // A worker reports progress three times within the patience.
    for _ in 0..9 {
        while acknowledgements.next().payload != b"+WPI" {}
    }
    gate.open();
    coordinator.expect_truth(single);
    let played: Vec<u64> = workers.into_iter().map(|worker| worker.end().matches).collect();
    assert_eq!(played.iter().sum::<u64>(), 1, "{played:?}");
}

#[test]
fn a_coordinator_without_workers_says_how_to_start_one() {
    let Some((_folder, nats)) = start_nats() else { return };
    let options = FleetOptions { idle_warning: Duration::ZERO, ..FleetOptions::default() };
    let coordinator = TestCoordinator::start(&nats.address(), CUP, options);
    let command = format!("start a worker with `quintain worker --on {}`", nats.address());
    coordinator.log.wait_for(&format!("nobody is playing: {command}"));
    let seen = status(&nats.address().parse().unwrap()).unwrap();
    let waiting = &seen.coordinators[0];
    assert!(waiting.batches_waiting > 0 && waiting.batches_in_play == 0, "{waiting:?}");
    assert_eq!(waiting.id.len(), 32);
    // No match was measured, but a first worker is needed.
    assert_eq!(seen.thread_seconds_left, 1.0);
    let _worker = TestWorker::start(&nats, "a:1", &count::catalog());
    coordinator.log.wait_for("matches are played again");
    coordinator.expect_truth(CUP);
}
