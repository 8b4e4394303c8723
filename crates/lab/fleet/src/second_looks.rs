//! Decides which matches are looked at a second time. A random share of those whose records every
//! machine must reproduce, and the first of every worker, are played again by another worker. Where
//! two records of one match differ, the coordinator plays it itself and so finds out who was wrong.
//!
//! A worker's name is its own claim, so a liar may take a new one whenever it likes. To keep it
//! from getting through with many small lies, the share doubles with every name that is caught,
//! also for everything that was played before: lies under many names are found as if they were
//! under one. This module knows nothing of messages.

use std::collections::{HashMap, HashSet};

use quintain_core::{Record, Rng};

use crate::roster::WorkerNumber;
use crate::wire::draw_number;

/// The precision of shares.
const WHOLE: usize = 1 << 20;
/// The number of first matches of each worker that are looked at.
const PROBATION: u64 = 2;
/// One in this many matches that another worker confirms is played by the coordinator as well: two
/// names may belong to one liar.
const CONFIRMATIONS: usize = 128;

/// The matches that are looked at again.
pub(crate) struct SecondLooks {
    /// The share, in units of 1/[`WHOLE`], before anybody was caught.
    share: usize,
    /// The number of workers that were caught lying: each doubles what is looked at.
    caught: u32,
    rng: Rng,
    /// Matches drawn that have not been played again yet, with the worker that played them.
    drawn: HashMap<u64, WorkerNumber>,
    /// Those of them that are to be given to workers.
    to_workers: Vec<u64>,
    /// Those that were given to workers, with the id of the batch.
    given: HashMap<u64, String>,
    /// Those that the coordinator is to play itself.
    to_coordinator: Vec<u64>,
    /// Those that the coordinator has been given and has not played yet.
    asked: HashSet<u64>,
    /// Records that differ from the one that was kept, with their senders.
    claims: HashMap<u64, Vec<(WorkerNumber, Record)>>,
    /// Matches that another worker has confirmed, with that worker.
    confirmed_by: HashMap<u64, WorkerNumber>,
    /// Matches that the coordinator has played itself.
    proven: HashSet<u64>,
}

/// Doubles `part` of [`WHOLE`] this many times.
fn double_share(part: usize, times: u32) -> usize {
    part.saturating_mul(1 << times.min(32)).min(WHOLE)
}

impl SecondLooks {
    /// Draws a share of all matches, from 0 to 1. Nobody can know in advance which ones.
    pub(crate) fn new(share: f64) -> SecondLooks {
        SecondLooks {
            share: (share.clamp(0.0, 1.0) * WHOLE as f64) as usize,
            caught: 0,
            rng: Rng::from_seed(draw_number()),
            drawn: HashMap::new(),
            to_workers: Vec::new(),
            given: HashMap::new(),
            to_coordinator: Vec::new(),
            asked: HashSet::new(),
            claims: HashMap::new(),
            confirmed_by: HashMap::new(),
            proven: HashSet::new(),
        }
    }

    /// Draws whether a worker's match is looked at again; `number` counts that worker's matches
    /// from 0.
    fn is_drawn(&mut self, number: u64) -> bool {
        let share = double_share(self.share, self.caught);
        let on_probation = number < PROBATION << self.caught.min(32);
        self.share > 0 && (on_probation || self.rng.below(WHOLE) < share)
    }

    /// Draws whether a match that was just kept is to be looked at again; it always is if
    /// `suspect`.
    pub(crate) fn draw(&mut self, index: u64, by: WorkerNumber, number: u64, suspect: bool) {
        if (suspect && self.share > 0) || self.is_drawn(number) {
            self.look(index, by);
        }
    }

    fn look(&mut self, index: u64, by: WorkerNumber) {
        self.drawn.insert(index, by);
        self.given.remove(&index);
        if self.is_total() && self.caught > 0 {
            self.doubt(index);
        } else {
            self.to_workers.push(index);
        }
    }

    /// Handles a worker that was caught: the matches that it has confirmed are open again, and more
    /// of what the others have played is drawn. `kept` lists that in any order: the match, the
    /// worker, and the match's position among the worker's own; `is_reproducible` says what can be
    /// looked at.
    pub(crate) fn catch(
        &mut self,
        caught: WorkerNumber,
        kept: impl Iterator<Item = (u64, WorkerNumber, u64)>,
        is_reproducible: impl Fn(u64) -> bool,
    ) {
        // Once the coordinator plays everything, nothing is left to double.
        let is_total = self.is_total();
        self.caught += 1;
        if is_total && !self.confirmed_by.values().any(|confirmer| *confirmer == caught) {
            return;
        }
        for (index, by, number) in kept {
            if self.drawn.contains_key(&index) || self.proven.contains(&index) {
                continue;
            }
            match self.confirmed_by.get(&index) {
                Some(confirmer) if *confirmer == caught => {
                    self.confirmed_by.remove(&index);
                    self.look(index, by);
                }
                _ if is_total => {}
                Some(_) => {
                    if self.rng.below(WHOLE) < self.confirmations() {
                        self.doubt(index);
                    }
                }
                None => {
                    if self.is_drawn(number) && is_reproducible(index) {
                        self.look(index, by);
                    }
                }
            }
        }
    }

    /// Whether so many workers were caught that the coordinator plays every match itself.
    fn is_total(&self) -> bool {
        double_share(self.share, self.caught) == WHOLE && self.confirmations() == WHOLE
    }

    /// The share of confirmations, in units of 1/[`WHOLE`], that are checked here.
    fn confirmations(&self) -> usize {
        double_share(WHOLE / CONFIRMATIONS, self.caught)
    }

    /// Returns a match that another worker is to play again.
    pub(crate) fn next_for_workers(&mut self) -> Option<u64> {
        loop {
            let index = self.to_workers.pop()?;
            if self.drawn.contains_key(&index) {
                return Some(index);
            }
        }
    }

    /// Notes the batch in which a match is given to workers again.
    pub(crate) fn give(&mut self, index: u64, batch: &str) {
        if self.drawn.contains_key(&index) {
            self.given.insert(index, batch.to_owned());
        }
    }

    /// Has the coordinator play the matches that were drawn, since there is no other worker.
    pub(crate) fn ask_coordinator_instead(&mut self) {
        self.to_workers.clear();
        let drawn: Vec<u64> = self.drawn.keys().copied().collect();
        drawn.into_iter().for_each(|index| self.doubt(index));
    }

    /// Notes that a worker has sent the same record as was kept, in answer to a batch. This
    /// confirms the record if the worker is another one, and if it was asked: anybody can send a
    /// record again.
    pub(crate) fn confirm(&mut self, index: u64, by: WorkerNumber, batch: Option<&str>) {
        let Some(first) = self.drawn.get(&index).copied() else { return };
        if !self.is_asked(index, batch) {
            return;
        }
        if first == by || self.rng.below(WHOLE) < self.confirmations() {
            return self.doubt(index);
        }
        if !self.asked.contains(&index) {
            self.drawn.remove(&index);
            self.given.remove(&index);
            self.confirmed_by.insert(index, by);
        }
    }

    fn is_asked(&self, index: u64, batch: Option<&str>) -> bool {
        self.given.get(&index).is_some_and(|given| Some(given.as_str()) == batch)
    }

    /// Notes that a worker has sent a different record from the one that was kept. If the worker
    /// was not asked, only one such record is considered at a time: one match is enough to find out
    /// whether it lies.
    pub(crate) fn contradict(
        &mut self,
        index: u64,
        by: WorkerNumber,
        batch: Option<&str>,
        record: Record,
    ) {
        let has_claimed = self.claims.values().flatten().any(|(worker, _)| *worker == by);
        if has_claimed && !self.is_asked(index, batch) {
            return;
        }
        self.claims.entry(index).or_default().push((by, record));
        self.doubt(index);
    }

    fn doubt(&mut self, index: u64) {
        if self.asked.insert(index) {
            self.to_coordinator.push(index);
        }
    }

    /// Returns the matches that the coordinator is to play now.
    pub(crate) fn take_doubts(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.to_coordinator)
    }

    /// Notes that the coordinator has played a match, if it `could`. Returns the differing records
    /// of others, and forgets them.
    pub(crate) fn settle(&mut self, index: u64, could: bool) -> Vec<(WorkerNumber, Record)> {
        self.asked.remove(&index);
        self.drawn.remove(&index);
        self.given.remove(&index);
        if could {
            self.confirmed_by.remove(&index);
            self.proven.insert(index);
        }
        self.claims.remove(&index).unwrap_or_default()
    }

    /// Forgets everything about this match.
    pub(crate) fn forget(&mut self, index: u64) {
        self.drawn.remove(&index);
        self.given.remove(&index);
        self.confirmed_by.remove(&index);
        self.proven.remove(&index);
    }

    /// Whether this match is to be looked at again and was not yet.
    pub(crate) fn is_drawn_for(&self, index: u64) -> bool {
        self.drawn.contains_key(&index)
    }

    /// Whether any match is drawn or doubted.
    pub(crate) fn is_open(&self) -> bool {
        !self.drawn.is_empty() || !self.asked.is_empty()
    }

    /// The matches that nobody has confirmed yet, if a worker has lied.
    pub(crate) fn list_unsettled(&self) -> Vec<u64> {
        match self.caught {
            0 => Vec::new(),
            _ => self.drawn.keys().chain(&self.asked).copied().collect(),
        }
    }

    /// The number of matches that were the same the second time.
    pub(crate) fn count_confirmed(&self) -> u64 {
        (self.confirmed_by.len() + self.proven.len()) as u64
    }
}

/// Whether two records describe the same match; what players noted does not count.
pub(crate) fn is_same_match(one: &Record, other: &Record) -> bool {
    (&one.fixture, &one.actions, &one.outcome) == (&other.fixture, &other.actions, &other.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_workers_record_confirms_and_the_same_workers_does_not() {
        let mut looks = SecondLooks::new(1.0);
        looks.draw(3, 0, 0, false);
        assert_eq!((looks.next_for_workers(), looks.next_for_workers()), (Some(3), None));
        looks.give(3, "batch");
        looks.confirm(3, 0, Some("batch"));
        assert_eq!(looks.take_doubts(), [3], "the coordinator plays it itself");
        assert!(looks.is_open());
        assert!(looks.settle(3, true).is_empty());
        assert!(!looks.is_open());
        assert_eq!(looks.count_confirmed(), 1);
    }

    #[test]
    fn only_the_worker_of_a_second_look_confirms_it() {
        // The coordinator looks at only one in 128 of these as well.
        let mut looks = SecondLooks::new(1.0);
        (0..100).for_each(|index| looks.draw(index, 0, index, false));
        for index in 0..100 {
            looks.confirm(index, 1, None);
            looks.confirm(index, 1, Some("a guess"));
        }
        assert_eq!((looks.count_confirmed(), looks.drawn.len()), (0, 100));
        while let Some(index) = looks.next_for_workers() {
            looks.give(index, "batch");
            looks.confirm(index, 1, Some("batch"));
        }
        assert_eq!(looks.count_confirmed() as usize + looks.take_doubts().len(), 100);
        assert!(looks.count_confirmed() > 50);
    }

    #[test]
    fn a_share_of_matches_and_the_first_of_each_worker_are_looked_at_twice() {
        let tries: [(f64, u64, usize, usize); 4] = [
            (0.0, 0, 0, 0),
            (0.02, 4, 100, 320),
            (1.0, 4, 10_000, 10_000),
            (0.02, 0, 10_000, 10_000),
        ];
        for (share, first, least, most) in tries {
            let mut looks = SecondLooks::new(share);
            // The last case is ten thousand workers with one match each.
            let number = |index| if first == 0 && share > 0.0 { 0 } else { index };
            (0..10_000).for_each(|index| looks.draw(index, 0, number(index), false));
            // Within ten standard deviations.
            assert!((least..=most).contains(&looks.drawn.len()), "{share}: {}", looks.drawn.len());
        }
    }

    /// The number of lies that remain under this many of a thousand names, each with ten matches of
    /// which the last is the lie.
    fn count_lies_left(doubling: bool, lies: u64, rng: &mut Rng) -> usize {
        let mut looks = SecondLooks::new(0.02);
        let is_lie = |index: u64| index % 10 == 9 && index / 10 < lies;
        let owner = |index: u64| (index / 10) as usize;
        let mut left: HashSet<u64> = (0..10_000).collect();
        (0..10_000).for_each(|index| looks.draw(index, owner(index), index % 10, false));
        while looks.is_open() {
            let mut drawn: Vec<u64> = looks.drawn.keys().copied().collect();
            rng.shuffle(&mut drawn);
            for index in drawn {
                looks.settle(index, true);
                if is_lie(index) && left.contains(&index) {
                    let own = (0..10).map(|number| index / 10 * 10 + number);
                    own.for_each(|index| {
                        left.remove(&index);
                        looks.forget(index);
                    });
                    let kept = left.iter().map(|&index| (index, owner(index), index % 10));
                    if doubling {
                        looks.catch(owner(index), kept, |_| true);
                    }
                }
            }
        }
        left.into_iter().filter(|&index| is_lie(index)).count()
    }

    #[test]
    fn lies_under_many_names_are_found_like_those_under_one() {
        let mut rng = Rng::from_seed(1);
        // With 400 lies, the probability that none at all is found is 0.0003; then all remain.
        let clean = (0..40).filter(|_| count_lies_left(true, 400, &mut rng) == 0).count();
        assert!(clean >= 38, "{clean} of 40");
        assert!(count_lies_left(false, 400, &mut rng) > 300, "each name by itself is rarely found");
    }
}
