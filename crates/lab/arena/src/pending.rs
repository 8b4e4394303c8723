//! The fixtures that a run has to play: those in its share of the schedule that have no record in
//! the store yet. One bit each, so that a hundred million cost 12 MB.

use std::ops::Range;

use crate::schedule::Schedule;
use crate::shard::Shard;

/// The fixtures that a run has to play.
pub struct PendingFixtures<'a> {
    schedule: &'a Schedule,
    share: Shard,
    /// Fixtures that have a record already, or are not to be played.
    present: Vec<u64>,
    found: u64,
    left_out: u64,
    /// The part of the schedule to look at.
    window: Range<u64>,
}

impl<'a> PendingFixtures<'a> {
    pub(crate) fn new(schedule: &'a Schedule, share: Shard) -> PendingFixtures<'a> {
        let window = 0..schedule.len();
        PendingFixtures { schedule, share, present: Vec::new(), found: 0, left_out: 0, window }
    }

    /// Restricts the fixtures to a part of the schedule.
    pub(crate) fn narrow(&mut self, window: Range<u64>) {
        self.window = window;
    }

    /// The part of the schedule in which they are.
    pub(crate) fn window(&self) -> Range<u64> {
        self.window.clone()
    }

    /// Marks a fixture of the share as having a record already.
    pub(crate) fn mark_present(&mut self, index: u64) {
        self.mark(index);
        self.found += 1;
    }

    /// Restricts the fixtures to those of these line-ups, where every round has the same ones.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&[usize]) -> bool) {
        let schedule = self.schedule;
        let length = schedule.round_length();
        let others: Vec<u64> =
            (0..length).filter(|&within| !is_kept(&schedule.numbers(within).lineup)).collect();
        for round in 0..schedule.len() / length {
            for within in &others {
                self.leave_out(round * length + within);
            }
        }
    }

    /// Leaves out a fixture of the share, which is not to be played.
    pub(crate) fn leave_out(&mut self, index: u64) {
        self.mark(index);
        self.left_out += 1;
    }

    fn mark(&mut self, index: u64) {
        let word = (index / 64) as usize;
        if word >= self.present.len() {
            self.present.resize(word + 1, 0);
        }
        self.present[word] |= 1 << (index % 64);
    }

    /// The number of fixtures in the share that have a record already.
    pub(crate) fn present(&self) -> u64 {
        self.found
    }

    /// The number of all fixtures in the share.
    pub fn share(&self) -> u64 {
        match self.window.end - self.window.start == self.schedule.len() {
            true => self.share.of_all(self.schedule.len()) - self.left_out,
            false => {
                let window = self.window.clone();
                let own = window.filter(|&index| self.share.has(index)).count() as u64;
                own - self.left_out
            }
        }
    }

    /// The schedule that numbers the fixtures.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// The number of fixtures in the share that have no record.
    pub fn count(&self) -> u64 {
        self.share() - self.found
    }

    /// Whether the fixture with this number has to be played.
    pub fn has(&self, index: u64) -> bool {
        let word = self.present.get((index / 64) as usize);
        let present = word.is_some_and(|word| word >> (index % 64) & 1 == 1);
        self.window.contains(&index) && !present && self.share.has(index)
    }
}
