//! How far a run is, and who leads: cheap figures for a progress bar, not standings.

use std::collections::HashMap;
use std::time::Duration;

use quintain_core::Objective;

use crate::schedule::Schedule;

/// How far a run is.
#[derive(Clone, PartialEq, Debug)]
pub struct RunProgress {
    /// Matches played and stored in this run.
    pub done: u64,
    /// Matches that were in the store before.
    pub skipped: u64,
    /// Matches of the tournament.
    pub total: u64,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The player with the best mean score so far.
    pub leader: Option<Leader>,
}

/// Who leads.
#[derive(Clone, PartialEq, Debug)]
pub struct Leader {
    /// The player.
    pub player: String,
    /// Its mean score over all its seats.
    pub mean: f64,
    /// The number of those seats.
    pub seats: u64,
}

/// Running mean scores.
pub(crate) struct Means {
    objective: Objective,
    numbers: HashMap<String, usize>,
    /// Sum and number of scores per player, in the order of the roster.
    sums: Vec<(f64, u64)>,
}

impl Means {
    pub(crate) fn new(schedule: &Schedule, objective: Objective) -> Means {
        let numbers: HashMap<String, usize> = schedule
            .players()
            .enumerate()
            .map(|(number, name)| (name.to_owned(), number))
            .collect();
        Means { objective, sums: vec![(0.0, 0); numbers.len()], numbers }
    }

    pub(crate) fn of_nobody() -> Means {
        Means { objective: Objective::Maximize, numbers: HashMap::new(), sums: Vec::new() }
    }

    pub(crate) fn add(&mut self, players: &[String], scores: &[f64]) {
        for (player, score) in players.iter().zip(scores) {
            if let Some(&number) = self.numbers.get(player) {
                self.sums[number].0 += score;
                self.sums[number].1 += 1;
            }
        }
    }

    pub(crate) fn remove(&mut self, players: &[String], scores: &[f64]) {
        for (player, score) in players.iter().zip(scores) {
            if let Some(&number) = self.numbers.get(player) {
                self.sums[number].0 -= score;
                self.sums[number].1 = self.sums[number].1.saturating_sub(1);
            }
        }
    }

    pub(crate) fn progress(
        &self,
        done: u64,
        skipped: u64,
        total: u64,
        elapsed: Duration,
    ) -> RunProgress {
        RunProgress { done, skipped, total, elapsed, leader: self.leader() }
    }

    fn leader(&self) -> Option<Leader> {
        let mut best: Option<(f64, usize)> = None;
        for (number, &(sum, seats)) in self.sums.iter().enumerate() {
            if seats > 0 {
                let gain = self.objective.gain(sum / seats as f64);
                if best.is_none_or(|(so_far, _)| gain > so_far) {
                    best = Some((gain, number));
                }
            }
        }
        let (_, number) = best?;
        let (sum, seats) = self.sums[number];
        let player = self.numbers.iter().find(|(_, known)| **known == number)?.0.clone();
        Some(Leader { player, mean: sum / seats as f64, seats })
    }
}
