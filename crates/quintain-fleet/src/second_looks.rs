//! Which matches are looked at a second time: a random share of those whose records every machine
//! must reproduce is played again by another worker, and where two records of one match differ,
//! the coordinator plays it itself and so finds out who was wrong. It knows nothing of messages.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use quintain_core::{Record, Rng};

use crate::roster::WorkerNumber;

/// The precision of the share.
const WHOLE: usize = 1 << 20;

/// The matches that are looked at again.
pub(crate) struct SecondLooks {
    /// So many of [`WHOLE`].
    share: usize,
    rng: Rng,
    /// Matches drawn that have not been played again yet, with who has played them.
    drawn: HashMap<u64, WorkerNumber>,
    /// Those of them that are to be given to workers.
    to_workers: Vec<u64>,
    /// Those that the coordinator is to play itself.
    to_coordinator: Vec<u64>,
    /// Those that it has been given and has not played yet.
    asked: HashSet<u64>,
    /// Records that differ from the one that was kept, with who has sent them.
    claims: HashMap<u64, Vec<(WorkerNumber, Record)>>,
    /// Matches that were the same the second time.
    confirmed: u64,
}

impl SecondLooks {
    /// Draws a share of all matches, from 0 to 1. Which ones, nobody can know before.
    pub(crate) fn new(share: f64) -> SecondLooks {
        SecondLooks {
            share: (share.clamp(0.0, 1.0) * WHOLE as f64) as usize,
            rng: Rng::from_seed(RandomState::new().hash_one(0)),
            drawn: HashMap::new(),
            to_workers: Vec::new(),
            to_coordinator: Vec::new(),
            asked: HashSet::new(),
            claims: HashMap::new(),
            confirmed: 0,
        }
    }

    /// Draws whether a match that was just kept is to be looked at again: always if `suspect`.
    pub(crate) fn draw(&mut self, index: u64, by: WorkerNumber, suspect: bool) {
        if self.share > 0 && (suspect || self.rng.below(WHOLE) < self.share) {
            self.drawn.insert(index, by);
            self.to_workers.push(index);
        }
    }

    /// A match that another worker is to play again.
    pub(crate) fn next_for_workers(&mut self) -> Option<u64> {
        loop {
            let index = self.to_workers.pop()?;
            if self.drawn.contains_key(&index) {
                return Some(index);
            }
        }
    }

    /// The coordinator is to play those that were drawn, since there is nobody else.
    pub(crate) fn ask_coordinator_instead(&mut self) {
        self.to_workers.clear();
        let drawn: Vec<u64> = self.drawn.keys().copied().collect();
        drawn.into_iter().for_each(|index| self.doubt(index));
    }

    /// A worker has sent the same record as was kept.
    pub(crate) fn confirm(&mut self, index: u64, by: WorkerNumber) {
        match self.drawn.get(&index) {
            Some(first) if *first == by => self.doubt(index),
            Some(_) => {
                self.drawn.remove(&index);
                self.confirmed += 1;
            }
            None => {}
        }
    }

    /// A worker has sent another record than was kept.
    pub(crate) fn contradict(&mut self, index: u64, by: WorkerNumber, record: Record) {
        let claims = self.claims.entry(index).or_default();
        if !claims.iter().any(|(worker, _)| *worker == by) {
            claims.push((by, record));
        }
        self.doubt(index);
    }

    fn doubt(&mut self, index: u64) {
        if self.asked.insert(index) {
            self.to_coordinator.push(index);
        }
    }

    /// The matches that the coordinator is to play now.
    pub(crate) fn take_doubts(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.to_coordinator)
    }

    /// The coordinator has played a match: what others say of it, and no more of it.
    pub(crate) fn settle(&mut self, index: u64) -> Vec<(WorkerNumber, Record)> {
        self.asked.remove(&index);
        self.drawn.remove(&index);
        self.claims.remove(&index).unwrap_or_default()
    }

    /// The coordinator's own record was the one that was kept.
    pub(crate) fn count_confirmed(&mut self) {
        self.confirmed += 1;
    }

    /// Nothing is kept of these matches any more.
    pub(crate) fn forget(&mut self, index: u64) {
        self.drawn.remove(&index);
    }

    /// Whether matches were drawn or are doubted.
    pub(crate) fn is_open(&self) -> bool {
        !self.drawn.is_empty() || !self.asked.is_empty()
    }

    pub(crate) fn confirmed(&self) -> u64 {
        self.confirmed
    }
}

/// Whether two records tell the same match: what players noted is their own affair.
pub(crate) fn is_same_match(one: &Record, other: &Record) -> bool {
    (&one.fixture, &one.actions, &one.outcome) == (&other.fixture, &other.actions, &other.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_workers_record_confirms_and_the_same_workers_does_not() {
        let mut looks = SecondLooks::new(1.0);
        looks.draw(3, 0, false);
        assert_eq!((looks.next_for_workers(), looks.next_for_workers()), (Some(3), None));
        looks.confirm(3, 0);
        assert_eq!(looks.take_doubts(), [3], "the coordinator plays it itself");
        assert!(looks.is_open());
        looks.draw(4, 0, false);
        looks.confirm(4, 1);
        assert_eq!((looks.confirmed(), looks.next_for_workers()), (1, None));
        assert!(looks.settle(3).is_empty());
        assert!(!looks.is_open());
    }

    #[test]
    fn the_share_is_drawn() {
        for (share, least, most) in [(0.0, 0, 0), (0.02, 100, 320), (1.0, 10_000, 10_000)] {
            let mut looks = SecondLooks::new(share);
            (0..10_000).for_each(|index| looks.draw(index, 0, false));
            // Within ten standard deviations.
            assert!((least..=most).contains(&looks.drawn.len()), "{share}: {}", looks.drawn.len());
        }
    }
}
