//! The workers that have answered a coordinator: who has played which fixtures, and who was caught
//! and may not play on. This module knows nothing of records.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::wire::{Sender, ShutOut};

/// The most shut-out workers that are named to workers; the latest are named. An unbounded list
/// would not fit a message.
const NAMED: usize = 100;

/// A worker's number in its coordinator's roster.
pub(crate) type WorkerNumber = usize;

/// All workers that have answered.
#[derive(Default)]
pub(crate) struct Roster {
    numbers: HashMap<Option<Sender>, WorkerNumber>,
    workers: Vec<KnownWorker>,
}

struct KnownWorker {
    /// `None` means all workers from before senders had names.
    sender: Option<Sender>,
    /// The fixtures whose records are this worker's. Batches are runs of neighbours, so there are
    /// few ranges.
    kept: Vec<Range<u64>>,
    /// How many of its records were ever kept.
    count: u64,
    /// Why it may not play on, if it was shut out.
    shut_out: Option<String>,
    /// The number of program start-ups that failed there and succeeded elsewhere.
    failed_starts: u64,
}

impl Roster {
    /// The number of a sender; a new sender gets a new one.
    pub(crate) fn number(&mut self, sender: Option<Sender>) -> WorkerNumber {
        let Roster { numbers, workers } = self;
        *numbers.entry(sender.clone()).or_insert_with(|| {
            let (kept, count, shut_out) = (Vec::new(), 0, None);
            workers.push(KnownWorker { sender, kept, count, shut_out, failed_starts: 0 });
            workers.len() - 1
        })
    }

    /// Its host and process.
    pub(crate) fn who(&self, worker: WorkerNumber) -> &str {
        let sender = self.workers[worker].sender.as_ref();
        sender.map_or("a worker of an earlier version", |sender| &sender.who)
    }

    /// Whether it says who it is.
    pub(crate) fn has_name(&self, worker: WorkerNumber) -> bool {
        self.workers[worker].sender.is_some()
    }

    /// Its machine.
    pub(crate) fn host(&self, worker: WorkerNumber) -> &str {
        self.workers[worker].sender.as_ref().map_or("unknown", Sender::host)
    }

    /// Notes that a fixture's record is this worker's, and returns how many records it had before.
    pub(crate) fn keep(&mut self, worker: WorkerNumber, index: u64) -> u64 {
        let KnownWorker { kept, count, .. } = &mut self.workers[worker];
        match kept.last_mut() {
            Some(last) if last.end == index => last.end += 1,
            _ => kept.push(index..index + 1),
        }
        *count += 1;
        *count - 1
    }

    /// All fixtures that have a worker's record: the fixture, the worker, and the record's position
    /// among the worker's own, from 0.
    pub(crate) fn list_records(&self) -> impl Iterator<Item = (u64, WorkerNumber, u64)> {
        self.workers.iter().enumerate().flat_map(|(worker, known)| {
            let own = known.kept.iter().cloned().flatten().zip(0..);
            own.map(move |(index, number)| (index, worker, number))
        })
    }

    /// Notes that a fixture's record no longer belongs to any worker.
    pub(crate) fn release(&mut self, index: u64) {
        for worker in &mut self.workers {
            let Some(at) = worker.kept.iter().position(|range| range.contains(&index)) else {
                continue;
            };
            let range = worker.kept.remove(at);
            let parts = [range.start..index, index + 1..range.end];
            worker.kept.extend(parts.into_iter().filter(|part| !part.is_empty()));
        }
    }

    /// The worker whose record of a fixture was kept.
    pub(crate) fn owner(&self, index: u64) -> Option<WorkerNumber> {
        let has = |worker: &KnownWorker| worker.kept.iter().any(|range| range.contains(&index));
        self.workers.iter().position(|worker| worker.shut_out.is_none() && has(worker))
    }

    pub(crate) fn is_shut_out(&self, worker: WorkerNumber) -> bool {
        self.workers[worker].shut_out.is_some()
    }

    /// Shuts a worker out, and returns the fixtures whose records were its own.
    pub(crate) fn shut_out(&mut self, worker: WorkerNumber, reason: &str) -> Vec<u64> {
        let known = &mut self.workers[worker];
        known.shut_out.get_or_insert_with(|| reason.to_owned());
        std::mem::take(&mut known.kept).into_iter().flatten().collect()
    }

    /// Shuts out workers that were shut out in an earlier round, and so have played nothing here.
    pub(crate) fn shut_out_again(&mut self, before: Vec<(Sender, String)>) {
        for (sender, reason) in before {
            let worker = self.number(Some(sender));
            self.shut_out(worker, &reason);
        }
    }

    /// The workers that were shut out, by the token that only they and coordinators know, and why.
    pub(crate) fn senders_shut_out(&self) -> Vec<(Sender, String)> {
        let of = |worker: &KnownWorker| Some((worker.sender.clone()?, worker.shut_out.clone()?));
        self.workers.iter().filter_map(of).collect()
    }

    /// The workers that were shut out recently, as the manifest names them.
    pub(crate) fn all_shut_out(&self) -> Vec<ShutOut> {
        let of = |worker: &KnownWorker| {
            let (sender, reason) = (worker.sender.as_ref()?, worker.shut_out.clone()?);
            Some(ShutOut { worker: sender.public(), reason })
        };
        self.workers.iter().rev().filter_map(of).take(NAMED).collect()
    }

    /// How many records of each worker were ever kept, without those of workers that were shut out.
    /// Workers are named by host and process.
    pub(crate) fn count_by_worker(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for worker in self.workers.iter().filter(|worker| worker.shut_out.is_none()) {
            if let Some(sender) = worker.sender.as_ref().filter(|_| worker.count > 0) {
                *counts.entry(sender.who.clone()).or_default() += worker.count;
            }
        }
        counts
    }

    /// The workers' names as they write them: host and process.
    pub(crate) fn whos<'a>(&'a self, workers: &'a [WorkerNumber]) -> impl Iterator<Item = &'a str> {
        workers.iter().map(|&worker| self.who(worker))
    }

    /// Counts a start-up of a program that failed there and succeeded elsewhere.
    pub(crate) fn count_failed_start(&mut self, worker: WorkerNumber) {
        self.workers[worker].failed_starts += 1;
    }

    /// The workers on which programs failed to start that started elsewhere, with how often.
    pub(crate) fn failed_starts(&self) -> impl Iterator<Item = (&str, u64)> {
        let failed = self.workers.iter().enumerate().filter(|(_, worker)| worker.failed_starts > 0);
        failed.map(|(number, worker)| (self.who(number), worker.failed_starts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_is_shut_out_loses_what_it_has_played() {
        let mut roster = Roster::default();
        let (ann, bob) = (Sender::draw("a:1"), Sender::draw("b:1"));
        let (one, other) = (roster.number(Some(ann.clone())), roster.number(Some(bob)));
        assert_eq!(roster.number(Some(ann.clone())), one);
        let numbers = [4, 5, 6, 9].map(|index| roster.keep(one, index));
        assert_eq!((numbers, roster.keep(other, 7)), ([0, 1, 2, 3], 0));
        assert_eq!(roster.list_records().nth(3), Some((9, one, 3)));
        assert_eq!(
            (roster.owner(6), roster.owner(7), roster.owner(8)),
            (Some(one), Some(other), None)
        );
        roster.release(5);
        let workers = |of: &[(&str, u64)]| -> BTreeMap<String, u64> {
            of.iter().map(|(worker, count)| ((*worker).to_owned(), *count)).collect()
        };
        assert_eq!(roster.count_by_worker(), workers(&[("a:1", 4), ("b:1", 1)]));
        assert_eq!(roster.shut_out(one, "it lied"), [9, 4, 6]);
        assert_eq!(roster.owner(6), None);
        assert_eq!(roster.count_by_worker(), workers(&[("b:1", 1)]));
        assert!(roster.is_shut_out(one) && !roster.is_shut_out(other));
        let told = ShutOut { worker: ann.public(), reason: "it lied".to_owned() };
        assert_eq!(roster.all_shut_out(), [told]);
        assert_eq!(roster.shut_out(one, "again"), [0; 0]);
    }
}
