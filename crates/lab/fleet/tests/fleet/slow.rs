//! Where players have limited time: slow machines, and machines on which matches are lost on time.

use std::sync::Arc;
use std::time::Duration;

use quintain_core::Catalog;
use quintain_fleet::{FleetOptions, NatsServer, Worker, status};
use quintain_store::Store;

use crate::count;
use crate::crew::{Gate, TestCoordinator, TestWorker, start_nats, tap_records, truth};
use crate::cups::{ALWAYS, Late, list_records, records, with_program};
use crate::nats::Tap;

const TIMED: &str = "
    name = 'timed'
    game = 'count'
    players = ['bot:ann', 'steady']
    seeds = 100
    budget = 'move=20ms'
";

/// The game with a program that is always late, on a machine that stops after so many starts.
fn late_after(starts: usize) -> (Arc<Gate>, Catalog) {
    let gate = Gate::closing_after(starts);
    let own = Arc::clone(&gate);
    let late = Late(move || own.pass());
    (gate, count::catalog().with_external(Arc::new(late)))
}

#[test]
fn a_worker_on_which_matches_are_lost_on_time_is_put_aside_and_nobody_loses_by_it() {
    let Some((_folder, nats)) = start_nats() else { return };
    let sound = with_program(ALWAYS);
    let mut packets = tap_records(&nats);
    // Two starts are for the match against itself.
    let (gate, late) = late_after(2 + 10);
    let _slow = TestWorker::start(&nats, "slow:1", &late);
    let (server, store) = (nats.address().parse().unwrap(), Store::in_memory().unwrap());
    let options = FleetOptions::default();
    let coordinator = TestCoordinator::start_with(server, TIMED, &sound, options, store);
    packets.next();
    let _others = ["a:1", "b:1"].map(|name| TestWorker::start(&nats, name, &sound));
    let said = coordinator.log.wait_for("was put aside");
    assert!(said.contains("slow:1 was put aside, and its "), "{said}");
    assert!(
        said.contains("it is too slow; ") && said.contains("were lost on time there"),
        "{said}"
    );
    gate.open();
    let (summary, store) = coordinator.join();
    let summary = summary.unwrap();
    assert_eq!(summary.faults, 0, "{:?}", summary.remarks);
    assert_eq!(records(&store), truth(TIMED, &sound));
    assert!(list_records(&store).iter().all(|record| !record.json.contains("timeout")));
}

#[test]
fn a_program_that_is_late_everywhere_loses_everywhere() {
    let Some((_folder, nats)) = start_nats() else { return };
    let (gate, late) = late_after(0);
    gate.open();
    let _workers = ["a:1", "b:1", "c:1"].map(|name| TestWorker::start(&nats, name, &late));
    let (server, store) = (nats.address().parse().unwrap(), Store::in_memory().unwrap());
    let options = FleetOptions::default();
    let coordinator = TestCoordinator::start_with(server, TIMED, &late, options, store);
    let (summary, store) = coordinator.join();
    let summary = summary.unwrap();
    assert_eq!(summary.remarks, [""; 0]);
    assert_eq!((summary.faults, list_records(&store).len()), (200, 200));
}

#[test]
fn a_slow_machine_leaves_matches_with_limited_time_to_others_and_plays_the_rest() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let hour = Duration::from_secs(3600);
    let mut reports = Tap::on(&nats, "$KV.quintain_workers.>");
    let slow = TestWorker::start_slow(&nats, "slow:1", &catalog, hour);
    let timed = TIMED.replace("'bot:ann'", "'random'");
    let coordinator = TestCoordinator::start(&nats.address(), &timed, FleetOptions::default());
    let said = slow.log.wait_for("times as long as the coordinator's");
    assert!(
        said.starts_with("refuses timed (count), because its players have limited time"),
        "{said}"
    );
    let server: NatsServer = nats.address().parse().unwrap();
    let mut wait_until_refused = |refused: &[&str]| {
        let lists = |workers: &[Worker]| workers.iter().any(|one| one.refuses == refused);
        while !lists(&status(&server).unwrap().workers) {
            reports.next();
        }
    };
    wait_until_refused(&[&said[8..]]);
    let sound = TestWorker::start(&nats, "a:1", &catalog);
    coordinator.expect_truth(&timed);
    assert_eq!(sound.end().matches, 200);
    // A tournament that is over is not refused any more.
    wait_until_refused(&[]);

    let untimed = timed.replace("budget = 'move=20ms'", "");
    TestCoordinator::start(&nats.address(), &untimed, FleetOptions::default())
        .expect_truth(&untimed);
    assert!(slow.end().matches > 0);
}
