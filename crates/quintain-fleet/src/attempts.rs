//! Failures that may be a machine's and not a player's: a program that does not start, a match
//! without a record. They count only once several machines say the same.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use quintain_core::{FaultKind, Record};

use crate::roster::{Roster, WorkerNumber};
use crate::wire::is_program;

/// The number of machines that must say the same.
const MACHINES: usize = 3;
/// The same machine alone says nothing new: only after so long, and several times the longest match,
/// in which others could have taken it, does it count.
const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST_MATCHES: u32 = 3;

/// The fixtures that failed somewhere.
#[derive(Default)]
pub(crate) struct Attempts {
    failed: HashMap<u64, Failed>,
    /// The time of the longest match so far.
    longest: Duration,
}

struct Failed {
    since: Instant,
    /// On whom, each once.
    workers: Vec<WorkerNumber>,
}

impl Attempts {
    /// Notes how long a match took.
    pub(crate) fn record_match(&mut self, elapsed: Duration) {
        self.longest = self.longest.max(elapsed);
    }

    /// Notes that a fixture failed on a worker; whether it counts now, with `present` workers there.
    pub(crate) fn fail(
        &mut self,
        index: u64,
        worker: WorkerNumber,
        roster: &Roster,
        present: usize,
        now: Instant,
    ) -> bool {
        let new = || Failed { since: now, workers: Vec::new() };
        let failed = self.failed.entry(index).or_insert_with(new);
        if !failed.workers.contains(&worker) {
            failed.workers.push(worker);
        }
        let patience = PATIENCE + self.longest.saturating_mul(LONGEST_MATCHES);
        let enough = hosts(&failed.workers, roster).len() >= MACHINES.min(present.max(1))
            || now.duration_since(failed.since) >= patience;
        if enough {
            self.failed.remove(&index);
        }
        enough
    }

    /// A fixture succeeded: the workers on which it had failed.
    pub(crate) fn succeed(&mut self, index: u64) -> Vec<WorkerNumber> {
        self.failed.remove(&index).map_or_else(Vec::new, |failed| failed.workers)
    }

    /// The machines on which a fixture has failed.
    pub(crate) fn hosts_of(&self, index: u64, roster: &Roster) -> Vec<String> {
        self.failed.get(&index).map_or_else(Vec::new, |failed| hosts(&failed.workers, roster))
    }
}

fn hosts(attempts: &[WorkerNumber], roster: &Roster) -> Vec<String> {
    let mut hosts: Vec<String> =
        attempts.iter().map(|&worker| roster.host(worker).to_owned()).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// Whether a program failed before anything was played, as it does on a machine that lacks what it
/// needs.
pub(crate) fn is_failed_start(record: &Record) -> bool {
    let Some(fault) = &record.outcome.fault else { return false };
    let player = record.fixture.seats.get(fault.seat.index());
    record.actions.is_empty()
        && fault.fault.kind != FaultKind::Illegal
        && player.is_some_and(|player| is_program(player))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Sender;

    #[test]
    fn a_failure_counts_when_three_machines_or_all_that_there_are_say_the_same() {
        let mut roster = Roster::default();
        let mut worker = |who: &str| roster.number(Some(Sender::draw(who)));
        let (one, beside, two, three) =
            (worker("a:1"), worker("a:2"), worker("b:1"), worker("c:1"));
        let mut attempts = Attempts::default();
        let begun = Instant::now();
        assert!(!attempts.fail(7, one, &roster, 9, begun));
        assert!(!attempts.fail(7, beside, &roster, 9, begun), "it is the same machine");
        assert!(!attempts.fail(7, two, &roster, 9, begun));
        assert_eq!(attempts.hosts_of(7, &roster), ["a", "b"]);
        assert!(attempts.fail(7, three, &roster, 9, begun));
        assert!(attempts.fail(8, one, &roster, 1, begun), "there is no other");
        assert!(!attempts.fail(9, one, &roster, 2, begun));
        assert_eq!(attempts.succeed(9), [one]);
        attempts.record_match(Duration::from_secs(600));
        assert!(!attempts.fail(5, one, &roster, 9, begun));
        let later = |seconds| begun + Duration::from_secs(seconds);
        assert!(!attempts.fail(5, one, &roster, 9, later(1800)), "others play long matches");
        assert!(attempts.fail(5, one, &roster, 9, later(1860)), "nobody else takes it");
    }
}
