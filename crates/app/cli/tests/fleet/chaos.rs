//! Processes die, freeze and come back at random points of their communication, drawn from a seed,
//! and the result is the same.

use std::io::Read;
use std::process::Stdio;

use quintain_core::Rng;

use crate::nats::{self, Nats, Tap};
use crate::place::{CUP, Place, Running};

/// Plays one cup of 400 matches while up to `most` faults happen; returns how many did.
fn one_cup(seed: u64, most: usize) -> usize {
    let mut rng = Rng::from_seed(seed);
    let place = Place::with_cup(&format!("{CUP}\nseed = {}", 1 + 1000 * seed));
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut points = Tap::on(&nats, ">");
    let mut records = Tap::on(&nats, "quintain.records.>");
    let mut coordinator = place.coordinator(&on, "fleet.sqlite");
    let mut workers: Vec<Running> = (0..4).map(|_| place.worker(&on)).collect();
    let mut frozen: Vec<Running> = Vec::new();
    let mut happened = 0;
    let ended = loop {
        // Any message is a possible point: a request, a batch, a sign of life, a record, its
        // acknowledgement.
        for _ in 0..1 + rng.below(80) {
            points.next();
        }
        if let Some(status) = coordinator.child.try_wait().unwrap() {
            break status.code();
        }
        if happened == most {
            frozen.drain(..).for_each(|worker| worker.signal("CONT"));
            break Some(coordinator.end());
        }
        let which = rng.below(workers.len());
        match rng.below(10) {
            0..6 => {
                workers[which].kill();
                workers[which] = place.worker(&on);
            }
            6..8 => {
                coordinator.kill();
                coordinator = place.coordinator(&on, "fleet.sqlite");
            }
            8 => {
                let other = std::mem::replace(&mut workers[which], place.worker(&on));
                other.signal("STOP");
                frozen.push(other);
            }
            _ => {
                let heard = records.next();
                let headers = String::from_utf8(heard.headers.clone()).unwrap();
                let again = format!("Nats-Msg-Id: {happened}-");
                let headers = headers.replace("Nats-Msg-Id: ", &again);
                records.publish(&heard.subject, headers.as_bytes(), &heard.payload);
            }
        }
        happened += 1;
    };
    assert_eq!(ended, Some(0), "seed {seed}");
    let count = place.records("fleet.sqlite").lines().count();
    assert_eq!(count, 400, "seed {seed}, {happened} things happened");
    place.is_the_truth("fleet.sqlite");
    happened
}

#[test]
#[ignore = "nightly: minutes of processor time; the tests of quintain-fleet cut and freeze \
            connections"]
fn workers_and_coordinators_killed_at_random_points_change_nothing() {
    if nats::is_here() {
        assert!(one_cup(0, 8) > 0);
    }
}

#[test]
#[ignore = "nightly: minutes of kills and freezes"]
fn over_a_hundred_random_points_change_nothing() {
    if !nats::is_here() {
        return;
    }
    let (mut happened, mut cups) = (0, 0);
    while happened <= 100 {
        cups += 1;
        happened += one_cup(cups, 25);
        println!("{cups} cups of 400 matches, {happened} kills, freezes and repetitions");
    }
}

/// Compares two players on this many workers while workers, coordinators and the server are killed
/// at random points, up to `most` times, and checks that the answer is the one of a single machine,
/// to the last digit. Returns how many were killed of each.
fn one_comparison(seed: u64, count: usize, matches: u64, most: usize) -> [usize; 3] {
    let mut rng = Rng::from_seed(seed);
    let place = Place::new();
    let [first_seed, matches] = [1 + 1000 * seed, matches].map(|number| number.to_string());
    let question = [
        &[
            "compare",
            "uct?iterations=60",
            "uct?iterations=50",
            "--game",
            "tron",
            "--format",
            "json",
        ][..],
        &["--scenario", "empty?width=9&height=9", "--seed", &first_seed, "--matches", &matches],
    ]
    .concat();
    let truth = place.says(&question);
    let mut nats = Nats::start(place.path());
    let on = nats.address();
    let on_workers = [&question[..], &["--on", &on, "--patience", "2"]].concat();
    let coordinate = || {
        let mut command = place.command(&on_workers);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Running::start(command)
    };
    let mut points = Tap::on(&nats, ">");
    let mut coordinator = coordinate();
    let mut workers: Vec<Running> = (0..count).map(|_| place.worker(&on)).collect();
    let mut killed = [0; 3];
    while killed.iter().sum::<usize>() < most {
        for _ in 0..1 + rng.below(40) {
            points.next();
        }
        if coordinator.child.try_wait().unwrap().is_some() {
            break;
        }
        let which = rng.below(workers.len());
        let kind = [0, 0, 1, 2][rng.below(4)];
        killed[kind] += 1;
        match kind {
            0 => {
                workers[which].kill();
                workers[which] = place.worker(&on);
            }
            1 => {
                coordinator.kill();
                coordinator = coordinate();
            }
            _ => {
                nats.kill();
                nats.start_again();
                points = Tap::on(&nats, ">");
            }
        }
    }
    let mut answer = String::new();
    coordinator.child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(coordinator.end(), 0, "seed {seed}");
    assert!(answer == truth, "seed {seed}, killed {killed:?}: {answer} instead of {truth}");
    killed
}

#[test]
fn a_comparison_on_workers_is_the_one_of_a_single_machine() {
    if nats::is_here() {
        one_comparison(0, 2, 400, 2);
    }
}

#[test]
#[ignore = "nightly: minutes of kills"]
fn a_comparison_on_one_two_and_five_workers_survives_twenty_kills() {
    if !nats::is_here() {
        return;
    }
    for count in [1, 2, 5] {
        let [workers, coordinators, servers] = one_comparison(7, count, 2000, 20);
        println!(
            "{count} workers: {workers} workers, {coordinators} coordinators and {servers} servers \
             killed; the answer is the same"
        );
        assert_eq!(workers + coordinators + servers, 20, "it was over before");
        assert!(workers > 0 && coordinators > 0 && servers > 0);
    }
}

#[test]
#[ignore = "nightly: an outage of ten seconds; shorter ones are tested in quintain-fleet"]
fn a_server_that_is_gone_for_ten_seconds_changes_nothing() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let mut nats = Nats::start(place.path());
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let _workers: Vec<Running> = (0..4).map(|_| place.worker(&nats.address())).collect();
    let mut coordinator = place.coordinator(&nats.address(), "fleet.sqlite");
    tap.next();
    nats.kill();
    // The outage itself, not a wait for anything.
    std::thread::sleep(std::time::Duration::from_secs(10));
    nats.start_again();
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
}
