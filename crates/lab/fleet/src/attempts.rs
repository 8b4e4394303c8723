//! Failures that may be a machine's fault and not a player's: a program that does not start, a
//! match without a record. They count only once several machines report the same, or every worker
//! at the server does. A program that has started nowhere is given up sooner, as a whole: two
//! workers on different machines are enough, or two of one machine if there is no other.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use quintain_core::{FaultKind, Record};

use crate::roster::{Roster, WorkerNumber};
use crate::wire::{is_program, worker_key};

/// The number of machines that must report the same failure.
const MACHINES: usize = 3;
/// The number of workers on which a program must fail that has started nowhere.
const WORKERS: usize = 2;
/// How long others have to show that such a program starts there.
const GRACE: Duration = Duration::from_secs(2);
/// How long the set of workers must have been unchanged: a worker that has just come may succeed.
const SETTLED: Duration = Duration::from_secs(6);
/// Repeated failures on the same machine say nothing new. They count only after this long plus
/// several times the longest match, in which others could have taken the fixture.
const SAME_MACHINE_DELAY: Duration = Duration::from_secs(60);
const LONGEST_MATCHES: u32 = 3;

/// The fixtures that failed somewhere.
#[derive(Default)]
pub(crate) struct Attempts {
    failed: HashMap<u64, Failed>,
    /// How programs start, by player.
    programs: HashMap<String, Starts>,
    /// The time of the longest match so far.
    longest: Duration,
}

/// How a program starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StartState {
    /// It has failed, and others are asked.
    Suspected,
    /// It fails wherever it was tried, so its failures count.
    GivenUp,
    /// It starts somewhere.
    Works,
}

struct Starts {
    state: StartState,
    /// Since when it is known, and the workers on which it has failed.
    failures: Failed,
}

/// The workers at the server, as far as is known.
#[derive(Default)]
pub(crate) struct Presence {
    /// The number of workers.
    pub(crate) count: usize,
    /// Their keys in the server's list; `None` if there are too many to be listed.
    keys: Option<Vec<String>>,
    /// When this set of workers was first seen.
    since: Option<Instant>,
}

impl Presence {
    /// Notes which workers are there now.
    pub(crate) fn observe(&mut self, count: usize, keys: Option<Vec<String>>, now: Instant) {
        let keys = keys.map(|mut keys| {
            keys.sort();
            keys
        });
        if self.since.is_none() || self.keys != keys {
            self.since = Some(now);
        }
        (self.count, self.keys) = (count, keys);
    }

    /// Whether all workers there are belong to these machines.
    fn is_within(&self, hosts: &[String]) -> bool {
        let prefixes: Vec<String> =
            hosts.iter().map(|host| worker_key(&format!("{host}:"))).collect();
        let is_on = |key: &String, prefix: &String| {
            let process = key.strip_prefix(prefix.as_str());
            process.is_some_and(|process| process.bytes().all(|sign| sign.is_ascii_digit()))
        };
        let is_there = |key: &String| prefixes.iter().any(|prefix| is_on(key, prefix));
        self.keys.as_ref().is_some_and(|keys| !keys.is_empty() && keys.iter().all(is_there))
    }

    /// Whether these are all the workers there are, and have been for a while.
    fn is_all(&self, whos: &[&str], now: Instant) -> bool {
        let (Some(keys), Some(since)) = (&self.keys, self.since) else { return false };
        let whos: Vec<String> = whos.iter().map(|who| worker_key(who)).collect();
        let settled = now.saturating_duration_since(since) >= SETTLED;
        settled && !keys.is_empty() && keys.iter().all(|key| whos.contains(key))
    }
}

struct Failed {
    since: Instant,
    /// The workers on which it failed, each once.
    workers: Vec<WorkerNumber>,
}

impl Failed {
    fn note(&mut self, worker: WorkerNumber) {
        if !self.workers.contains(&worker) {
            self.workers.push(worker);
        }
    }

    /// The workers, as host and process, sorted.
    fn whos(&self, roster: &Roster) -> Vec<String> {
        let mut whos: Vec<String> = roster.whos(&self.workers).map(str::to_owned).collect();
        whos.sort();
        whos.dedup();
        whos
    }
}

impl Attempts {
    /// Notes how long a match took.
    pub(crate) fn record_match(&mut self, elapsed: Duration) {
        self.longest = self.longest.max(elapsed);
    }

    /// Whether any failure is still undecided, or may come again.
    pub(crate) fn is_open(&self) -> bool {
        let is_in_doubt = |starts: &Starts| starts.state != StartState::Works;
        !self.failed.is_empty() || self.programs.values().any(is_in_doubt)
    }

    /// Notes that a program failed before its first move, and returns what that makes of it; also
    /// whether it is the first time.
    pub(crate) fn fail_start(
        &mut self,
        player: &str,
        worker: WorkerNumber,
        now: Instant,
    ) -> (StartState, bool) {
        let is_new = !self.programs.contains_key(player);
        let starts = self.programs.entry(player.to_owned()).or_insert_with(|| Starts {
            state: StartState::Suspected,
            failures: Failed { since: now, workers: Vec::new() },
        });
        starts.failures.note(worker);
        (starts.state, is_new)
    }

    /// Notes that a program has made a move; returns what was thought of it before.
    pub(crate) fn start(&mut self, player: &str, now: Instant) -> Option<StartState> {
        if let Some(starts) = self.programs.get_mut(player) {
            return Some(std::mem::replace(&mut starts.state, StartState::Works));
        }
        let failures = Failed { since: now, workers: Vec::new() };
        self.programs.insert(player.to_owned(), Starts { state: StartState::Works, failures });
        None
    }

    /// Gives up the programs that have failed on enough of the workers that are `present`, and
    /// started nowhere. Returns them, each with the workers on which they have failed.
    pub(crate) fn give_up(
        &mut self,
        roster: &Roster,
        present: &Presence,
        now: Instant,
    ) -> Vec<(String, Vec<String>)> {
        let mut given_up = Vec::new();
        let suspected =
            self.programs.iter_mut().filter(|(_, starts)| starts.state == StartState::Suspected);
        for (player, Starts { state, failures }) in suspected {
            let whos = failures.whos(roster);
            let hosts = hosts(&failures.workers, roster);
            let is_enough = failures.workers.len() >= WORKERS
                && (hosts.len() >= WORKERS || present.is_within(&hosts))
                && now.saturating_duration_since(failures.since) >= GRACE;
            let refs: Vec<&str> = whos.iter().map(String::as_str).collect();
            if is_enough || present.is_all(&refs, now) {
                *state = StartState::GivenUp;
                given_up.push((player.clone(), whos));
            }
        }
        given_up.sort();
        given_up
    }

    /// Notes that a fixture failed on a worker. Returns whether the failure counts now, given the
    /// workers that are `present`.
    pub(crate) fn fail(
        &mut self,
        index: u64,
        worker: WorkerNumber,
        roster: &Roster,
        present: &Presence,
        now: Instant,
    ) -> bool {
        let new = || Failed { since: now, workers: Vec::new() };
        let failed = self.failed.entry(index).or_insert_with(new);
        failed.note(worker);
        let patience = SAME_MACHINE_DELAY + self.longest.saturating_mul(LONGEST_MATCHES);
        let whos: Vec<&str> = roster.whos(&failed.workers).collect();
        let enough = hosts(&failed.workers, roster).len() >= MACHINES
            || present.is_all(&whos, now)
            || now.duration_since(failed.since) >= patience;
        if enough {
            self.failed.remove(&index);
        }
        enough
    }

    /// Notes that a fixture succeeded. Returns the workers on which it had failed.
    pub(crate) fn succeed(&mut self, index: u64) -> Vec<WorkerNumber> {
        self.failed.remove(&index).map_or_else(Vec::new, |failed| failed.workers)
    }

    /// The workers on which a fixture has failed, as host and process.
    pub(crate) fn failed_on(&self, index: u64, roster: &Roster) -> Vec<String> {
        self.failed.get(&index).map_or_else(Vec::new, |failed| failed.whos(roster))
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

    /// A set of workers that has been there since `since`.
    fn present(whos: &[&str], since: Instant) -> Presence {
        let mut presence = Presence::default();
        let keys = whos.iter().map(|who| worker_key(who)).collect();
        presence.observe(whos.len(), Some(keys), since);
        presence
    }

    #[test]
    fn a_failure_counts_when_three_machines_or_all_workers_say_the_same() {
        let mut roster = Roster::default();
        let mut worker = |who: &str| roster.number(Some(Sender::draw(who)));
        let (one, beside, two, three) =
            (worker("a:1"), worker("a:2"), worker("b:1"), worker("c:1"));
        let mut attempts = Attempts::default();
        let begun = Instant::now();
        let later = |seconds| begun + Duration::from_secs(seconds);
        let many = present(&["a:1", "a:2", "b:1", "c:1", "d:1"], begun);
        assert!(!attempts.fail(7, one, &roster, &many, begun));
        assert!(!attempts.fail(7, beside, &roster, &many, begun), "it is the same machine");
        assert!(!attempts.fail(7, two, &roster, &many, begun));
        assert_eq!(attempts.failed_on(7, &roster), ["a:1", "a:2", "b:1"]);
        assert!(attempts.fail(7, three, &roster, &many, begun));

        let alone = present(&["a:1"], begun);
        assert!(!attempts.fail(8, one, &roster, &alone, later(1)), "another may be on its way");
        assert!(attempts.fail(8, one, &roster, &alone, later(6)), "there is no other");
        let both = present(&["a:1", "a:2"], begun);
        assert!(
            !attempts.fail(9, one, &roster, &both, later(6)),
            "the one beside it may do better"
        );
        assert_eq!(attempts.succeed(9), [one]);
        // A worker that died and came back under another name is not a second machine.
        let restarted = present(&["a:2", "b:1"], begun);
        assert!(!attempts.fail(6, one, &roster, &restarted, later(6)));
        assert!(!attempts.fail(6, beside, &roster, &restarted, later(6)));
        assert!(attempts.is_open());

        attempts.record_match(Duration::from_secs(600));
        assert!(!attempts.fail(5, one, &roster, &many, begun));
        assert!(!attempts.fail(5, one, &roster, &many, later(1800)), "others play long matches");
        assert!(attempts.fail(5, one, &roster, &many, later(1860)), "nobody else takes it");
    }

    #[test]
    fn a_program_that_starts_nowhere_is_given_up_on_two_workers_and_one_that_starts_never() {
        let mut roster = Roster::default();
        let mut worker = |who: &str| roster.number(Some(Sender::draw(who)));
        let (one, beside, two) = (worker("a:1"), worker("a:2"), worker("b-1:1"));
        let begun = Instant::now();
        let later = |seconds| begun + Duration::from_secs(seconds);
        let given_up = |failed_on: &[WorkerNumber], there: &[&str], seconds: u64| {
            let mut attempts = Attempts::default();
            for (number, &worker) in failed_on.iter().enumerate() {
                let known = attempts.fail_start("bot:ann", worker, begun);
                assert_eq!(known, (StartState::Suspected, number == 0));
            }
            let given_up = attempts.give_up(&roster, &present(there, begun), later(seconds));
            given_up.into_iter().map(|(player, whos)| (player, whos.join(" "))).next()
        };
        let ann = |whos: &str| Some(("bot:ann".to_owned(), whos.to_owned()));
        let four = ["a:1", "a:2", "a:3", "a:4"];
        assert_eq!(given_up(&[one, beside], &four, 1), None, "others may do better");
        assert_eq!(given_up(&[one, beside], &four, 2), ann("a:1 a:2"));
        assert_eq!(given_up(&[one], &four, 60), None);
        let spread = ["a:1", "a:2", "a:3", "b-1:1"];
        assert_eq!(given_up(&[one, beside], &spread, 60), None, "it is one machine of two");
        assert_eq!(given_up(&[one, two], &spread, 2), ann("a:1 b-1:1"));
        assert_eq!(given_up(&[one], &["a:1"], 5), None);
        assert_eq!(given_up(&[one], &["a:1"], 6), ann("a:1"), "nobody else can play it");

        let mut attempts = Attempts::default();
        assert_eq!(attempts.start("bot:ann", begun), None);
        assert_eq!(attempts.fail_start("bot:ann", one, begun), (StartState::Works, false));
        attempts.fail_start("bot:ann", two, begun);
        let all = present(&["a:1", "b-1:1"], begun);
        assert_eq!(attempts.give_up(&roster, &all, later(60)), []);
        attempts.fail_start("bot:bob", one, begun);
        attempts.fail_start("bot:bob", two, begun);
        assert_eq!(attempts.give_up(&roster, &all, later(2)).len(), 1);
        assert_eq!(attempts.fail_start("bot:bob", one, later(3)), (StartState::GivenUp, false));
        assert_eq!(attempts.start("bot:bob", later(4)), Some(StartState::GivenUp));
        assert_eq!(attempts.fail_start("bot:bob", one, later(5)).0, StartState::Works);
    }

    #[test]
    fn a_worker_that_has_just_come_is_waited_for() {
        let begun = Instant::now();
        let later = |seconds| begun + Duration::from_secs(seconds);
        let mut presence = present(&["a:1"], begun);
        presence.observe(2, Some(vec!["b-1".to_owned(), "a-1".to_owned()]), later(5));
        assert!(!presence.is_all(&["a:1", "b:1"], later(10)));
        assert!(presence.is_all(&["b:1", "a:1"], later(11)));
        presence.observe(1000, None, later(12));
        assert!(!presence.is_all(&["b:1", "a:1"], later(99)));
    }
}
