//! Tests what a coordinator makes of messages, without a server: honest ones, lies under one name
//! and under many, and unreadable ones.

#[path = "../../../arena/tests/arena/count.rs"]
mod count;
#[path = "../../tests/fleet/cups.rs"]
mod cups;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use count::{Lie, lying_catalog};
use cups::{ALWAYS, Late, cup, list_records, records, with_program};
use quintain_arena::{Executor, RunError, RunSummary, Schedule, Shard, run_on};
use quintain_core::Catalog;
use quintain_store::Store;
use serde_json::value::RawValue;

use super::*;
use crate::wire::{Part, Sender, pack};

/// A stand-in for a fleet, without a server: a function makes the messages.
struct Script<F>(F);

impl<F> Executor for Script<F>
where
    F: Fn(&mut ResultConsumer<'_, '_, '_, ()>, &Schedule),
{
    fn play(
        &self,
        missing: &PendingFixtures<'_>,
        ledger: &Ledger<'_>,
        _: &Arc<AtomicBool>,
        _: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        let mut results = ResultConsumer::new(missing, ledger, 0.02);
        (self.0)(&mut results, missing.schedule());
        results.summarize();
        ledger.write_waiting(true);
        Ok(())
    }
}

/// Two hundred matches.
const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['steady', 'steady?add=2']
    seeds = 100
";

/// Plays a tournament by a script.
fn play(
    text: &str,
    catalog: &Catalog,
    script: impl Fn(&mut ResultConsumer<'_, '_, '_, ()>, &Schedule),
) -> (RunSummary, Store) {
    let (tournament, mut store) = (cup(text, catalog), Store::in_memory().unwrap());
    let stop = Arc::default();
    let summary =
        run_on(&Script(script), &tournament, Shard::WHOLE, &mut store, &stop, &mut |_| {}).unwrap();
    (summary, store)
}

/// The answers of a worker with this schedule to a batch.
fn answers(schedule: &Schedule, indices: &[u64]) -> Vec<Answer> {
    let stop = Arc::default();
    let answer = |&index: &u64| {
        let record = schedule.play(index, &stop).unwrap().to_json();
        let record = Some(RawValue::from_string(record).unwrap());
        Answer { index, elapsed_us: 1, record, log: None, problem: None, starts_here: false }
    };
    indices.iter().map(answer).collect()
}

/// Submits a batch's answers.
fn hand_in(
    results: &mut ResultConsumer<'_, '_, '_, ()>,
    sender: &Sender,
    batch: &str,
    answers: &[Answer],
) {
    for Part { headers, payload } in pack(sender, batch, answers, 1 << 20) {
        results.accept(Some(&headers), &payload, (), &mut |_| {});
    }
}

/// Has the coordinator play the matches that it doubts.
fn judge(results: &mut ResultConsumer<'_, '_, '_, ()>, schedule: &Schedule) {
    for index in results.looks.take_doubts() {
        let played = schedule.play(index, &Arc::default()).map_err(|refused| refused.to_string());
        results.judge(index, played);
    }
}

/// All missing fixtures, as batches of this size.
fn batches(results: &mut ResultConsumer<'_, '_, '_, ()>, size: usize) -> Vec<Vec<u64>> {
    let all: Vec<u64> = std::iter::from_fn(|| results.next()).collect();
    all.chunks(size).map(<[u64]>::to_vec).collect()
}

/// Whether there is nothing left to be played or to be looked at.
fn is_done(results: &ResultConsumer<'_, '_, '_, ()>) -> bool {
    results.count_left() == 0 && !results.looks.is_open()
}

#[test]
fn a_worker_that_is_put_aside_is_named_with_what_it_lost_and_others_play_its_matches() {
    let text = CUP.replace("'steady?add=2'", "'bot:ann'") + "budget = 'move=20ms'";
    let catalog = with_program(ALWAYS);
    let late = cup(&text, &count::catalog().with_external(Arc::new(Late(|| {}))));
    let [slow, sound] = ["slow:1", "sound:1"].map(Sender::draw);
    let (summary, store) = play(&text, &catalog, |results, schedule| {
        results.begin();
        for (number, batch) in batches(results, 20).iter().enumerate() {
            match number {
                0 => hand_in(results, &slow, "slow", &answers(late.schedule(), batch)),
                _ => hand_in(results, &sound, &number.to_string(), &answers(schedule, batch)),
            }
        }
        let [losses] = &results.time_losses()[..] else { panic!("{:?}", results.time_losses()) };
        assert_eq!((losses.who.as_str(), losses.put_aside), ("slow:1", true));
        assert_eq!((losses.matches, losses.lost, losses.expected), (20, 20, 0.0));
        let [line] = results.shut_out_lines() else { panic!("{:?}", results.shut_out_lines()) };
        let said = "slow:1 was put aside, and its 20 matches are played again: it is too slow; \
                    20 of 20 were lost on time there";
        assert!(line.starts_with(said), "{line}");
        assert_eq!(results.count_left(), 20);
        let again = batches(results, 20);
        hand_in(results, &slow, "again", &answers(late.schedule(), &again[0]));
        assert_eq!(results.count_left(), 20, "nothing of its own counts any more");
        let again = batches(results, 20);
        hand_in(results, &sound, "again", &answers(schedule, &again[0]));
        assert!(is_done(results));
    });
    assert_eq!(summary.faults, 0);
    assert!(list_records(&store).iter().all(|record| !record.json.contains("timeout")));
}

#[test]
fn a_liar_with_a_new_name_for_every_packet_gets_nothing_into_the_store() {
    let (catalog, honest) = (count::catalog(), Sender::draw("honest:1"));
    let lying = cup(CUP, &lying_catalog(Lie::Moves));
    let (summary, store) = play(CUP, &catalog, |results, schedule| {
        results.set_present(2, None);
        results.begin();
        let batches = batches(results, 5);
        // Half of all batches go to a liar, who never uses the same name twice and plays every
        // match that it is given again as it did before.
        let fresh = || Sender::draw("liar:1");
        for (number, batch) in batches.iter().enumerate() {
            match number % 2 {
                0 => hand_in(results, &fresh(), "1", &answers(lying.schedule(), batch)),
                _ => hand_in(results, &honest, "1", &answers(schedule, batch)),
            }
        }
        let mut turn = 0;
        while !is_done(results) {
            let again: Vec<u64> = std::iter::from_fn(|| results.next()).collect();
            hand_in(results, &honest, "2", &answers(schedule, &again));
            while let Some(index) = results.next_second_look() {
                turn += 1;
                let batch = format!("look {turn}");
                results.looks.give(index, &batch);
                match turn % 2 {
                    0 => hand_in(results, &honest, &batch, &answers(schedule, &[index])),
                    _ => hand_in(results, &fresh(), &batch, &answers(lying.schedule(), &[index])),
                }
            }
            judge(results, schedule);
        }
    });
    assert_eq!(records(&store), play_honestly(CUP, &catalog));
    assert!(!summary.remarks.iter().any(|line| line.starts_with("honest:1")), "{summary:?}");
    assert_eq!((summary.conflicts.len(), summary.failed), (0, 0));
}

/// What one honest worker submits.
fn play_honestly(text: &str, catalog: &Catalog) -> Vec<String> {
    let honest = Sender::draw("honest:1");
    let (_, store) = play(text, catalog, |results, schedule| {
        results.begin();
        for batch in batches(results, 50) {
            hand_in(results, &honest, "1", &answers(schedule, &batch));
        }
    });
    records(&store)
}

#[test]
fn nobody_confirms_its_own_lie_by_sending_it_again_under_another_name() {
    let catalog = count::catalog();
    let lying = cup(CUP, &lying_catalog(Lie::Moves));
    play(CUP, &catalog, |results, _| {
        results.set_present(2, None);
        results.begin();
        for batch in batches(results, 10) {
            let lies = answers(lying.schedule(), &batch);
            hand_in(results, &Sender::draw("liar:1"), "1", &lies);
            hand_in(results, &Sender::draw("liar:2"), "1", &lies);
        }
        assert_eq!(results.looks.count_confirmed(), 0);
        assert!(results.looks.is_open());
    });
}

#[test]
fn senders_of_unreadable_packets_are_shut_out_by_name() {
    let catalog = count::catalog();
    let truth = play_honestly(CUP, &catalog);
    let (summary, store) = play(CUP, &catalog, |results, schedule| {
        results.begin();
        let (garbled, honest) = (Sender::draw("garbled:1"), Sender::draw("honest:1"));
        let all: Vec<u64> = batches(results, usize::MAX).concat();
        hand_in(results, &garbled, "1", &answers(schedule, &all[..20]));
        for Part { headers, payload } in
            pack(&garbled, "2", &answers(schedule, &all[20..40]), 1 << 20)
        {
            let garbage: Vec<u8> = payload.iter().map(|byte| byte ^ 0x5a).collect();
            results.accept(Some(&headers), &garbage, (), &mut |_| {});
        }
        assert_eq!(results.newly_shut_out().map(|told| told.len()), Some(1));
        // A message without a name belongs to nobody.
        assert_eq!(results.accept(None, b"nonsense", (), &mut |_| {}).len(), 1);
        assert_eq!(results.newly_shut_out(), None);
        hand_in(results, &honest, "3", &answers(schedule, &all));
        assert_eq!(results.count_left(), 0);
    });
    assert_eq!(records(&store), truth);
    let told = summary.remarks.iter().find(|line| line.starts_with("garbled:1 was shut out"));
    let told = told.unwrap_or_else(|| panic!("{:?}", summary.remarks));
    assert!(told.contains("its 20 matches are played again") && told.contains("cannot be read"));
}

#[test]
fn a_time_longer_than_the_run_is_not_believed() {
    play(CUP, &count::catalog(), |results, schedule| {
        results.begin();
        let mut forever = answers(schedule, &[0]);
        forever[0].elapsed_us = u64::MAX;
        let mut longest = Duration::ZERO;
        for Part { headers, payload } in pack(&Sender::draw("a:1"), "1", &forever, 1 << 20) {
            results.accept(Some(&headers), &payload, (), &mut |took| longest = longest.max(took));
        }
        assert!(longest < Duration::from_secs(3600), "{longest:?}");
    });
}

#[test]
fn records_of_an_earlier_run_keep_their_times_and_measure_nothing() {
    let (took, sender) = (Duration::from_secs(5), Sender::draw("a:1"));
    let (_, store) = play(CUP, &count::catalog(), |results, schedule| {
        let mut left = answers(schedule, &[0, 1]);
        left[0].elapsed_us = took.as_micros() as u64;
        left[1].elapsed_us = u64::MAX;
        for Part { headers, payload } in pack(&sender, "1", &left, 1 << 20) {
            results.accept(Some(&headers), &payload, (), &mut |took| panic!("{took:?}"));
        }
        results.begin();
        assert_eq!(results.count_left(), schedule.len() - 2);
    });
    let mut times: Vec<Duration> =
        list_records(&store).iter().map(|stored| stored.elapsed).collect();
    times.sort();
    assert_eq!(times, [took, LONGEST_LEFT]);
}

const BOTS: &str = "
    name = 'bots'
    game = 'count'
    players = ['bot:ann', 'steady']
    seeds = 3
";

#[test]
fn failures_of_an_earlier_run_and_late_ones_do_not_count() {
    let broken = cup(BOTS, &with_program(0));
    let (summary, _) = play(BOTS, &with_program(ALWAYS), |results, schedule| {
        let names = ["a:1", "b:1", "c:1"].map(Sender::draw);
        // The answers wait in the stream when the coordinator starts: which workers are there now
        // is not known.
        for sender in &names {
            hand_in(results, sender, "1", &answers(broken.schedule(), &[0, 1, 2]));
        }
        assert_eq!(results.count_left(), schedule.len());
        results.set_present(3, None);
        results.begin();
        let all: Vec<u64> = batches(results, usize::MAX).concat();
        hand_in(results, &Sender::draw("good:1"), "2", &answers(schedule, &all[1..]));
        // This answer is late, and not even a conflict.
        hand_in(results, &names[0], "3", &answers(broken.schedule(), &all[1..]));
        // Three machines agree on this one, and then another can play it after all.
        for sender in &names {
            hand_in(results, sender, "4", &answers(broken.schedule(), &[0]));
        }
        assert_eq!(results.count_left(), 0);
        hand_in(results, &Sender::draw("good:1"), "5", &answers(schedule, &[0]));
        assert_eq!(results.count_left(), 0);
    });
    assert_eq!((summary.faults, summary.conflicts.len()), (0, 0), "{summary:?}");
    assert!(!summary.remarks.iter().any(|line| line.contains("did not start in")), "{summary:?}");
}

#[test]
fn a_program_that_starts_nowhere_loses_at_once_and_gets_its_matches_back_if_it_starts_after_all() {
    let broken = cup(BOTS, &with_program(0));
    let (summary, store) = play(BOTS, &with_program(ALWAYS), |results, schedule| {
        let [one, two, good] = ["a:1", "b:1", "c:1"].map(Sender::draw);
        results.set_present(3, None);
        results.begin();
        let all: Vec<u64> = batches(results, usize::MAX).concat();
        hand_in(results, &one, "1", &answers(broken.schedule(), &all[..2]));
        let line = results.troubles().next().unwrap().clone();
        let said = "bot:ann crashed on its first move on a:1; asking other workers (no module";
        assert!(line.starts_with(said), "{line}");
        let later = Instant::now() + Duration::from_secs(60);
        results.give_up_programs(later);
        assert_eq!(results.count_left(), schedule.len(), "one worker may be broken");

        hand_in(results, &two, "2", &answers(broken.schedule(), &all[2..4]));
        assert_eq!(results.count_left(), schedule.len(), "others have a moment");
        results.give_up_programs(later);
        assert_eq!(results.count_left(), schedule.len() - 4);
        hand_in(results, &one, "3", &answers(broken.schedule(), &all[4..5]));
        assert_eq!(results.count_left(), schedule.len() - 5);
        let lines: Vec<&String> = results.troubles().collect();
        let said = "bot:ann fails on its first move on a:1, b:1: it loses these matches";
        assert_eq!(lines, [said]);

        // Two broken workers are no proof against one on which it plays.
        hand_in(results, &good, "4", &answers(schedule, &all[5..]));
        assert_eq!(results.count_left(), 5);
        assert_eq!(results.troubles().count(), 0);
        hand_in(results, &one, "5", &answers(broken.schedule(), &all[..1]));
        assert_eq!(results.count_left(), 5, "its failures are tried elsewhere again");
        let again: Vec<u64> = batches(results, usize::MAX).concat();
        hand_in(results, &good, "6", &answers(schedule, &again));
        assert_eq!(results.count_left(), 0);
    });
    assert_eq!((summary.faults, records(&store).len()), (0, 6), "{summary:?}");
}
