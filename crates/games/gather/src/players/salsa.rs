//! Salsa y Arroz: goes straight along one side of the board, waits on trails that
//! cross it, and turns when nothing new comes.
//!
//! From the report's section “Salsa y Arroz”. Our reading: a trail spans the longer direction where
//! a unit it lacks lies here and on a neighbour along that direction; after a wait in vain, it does
//! not wait for that unit again for as long once more.

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::meeting::{Acquaintances, Convention, neighbours};
use super::trail::lacking_here;
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

parameters! {
    /// The report's first player.
    pub(crate) struct Salsa {
        /// The probability of going along the shorter side (“a small bias”).
        shorter: f64 = 0.6, in 0.0..=1.0;
        /// How long it waits on a trail, as a multiple of the longer side.
        wait: f64 = 1.0, in 0.0..=1000.0;
        /// The probability of turning once it has learnt nothing new for that long.
        turn: f64 = 0.5, in 0.0..=1.0;
        /// The probability of meeting a neighbour that it has met before.
        again: f64 = 0.2, in 0.0..=1.0;
        /// The convention about who moves when two players want to meet.
        convention: Convention = Convention::HigherMove;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct SalsaYArroz {
    habits: Salsa,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    /// Whether it goes along the shorter side.
    shorter: bool,
    to: Move,
    /// The round of the last news or of the last chance to turn.
    since: u32,
    /// The unit whose owner it waits for, and until when.
    waiting: Option<(usize, u32)>,
    /// For each unit, until when it is not waited for.
    ignored: Vec<u32>,
}

impl Salsa {
    pub(crate) fn player(&self) -> SalsaYArroz {
        SalsaYArroz { habits: self.clone(), memory: None }
    }

    fn heading(&self, seen: &Observation, shorter: bool, rng: &mut Rng) -> Move {
        // On a square the shorter side is taken to be a row.
        let along_row = shorter == (seen.width <= seen.height);
        let directions = if along_row { [Move::W, Move::E] } else { [Move::N, Move::S] };
        directions[rng.below(2)]
    }
}

impl Player<Gather> for SalsaYArroz {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let (seen, game) = (decision.observation(), decision.rules());
        let rng = decision.rng();
        let habits = &self.habits;
        let memory = self.memory.get_or_insert_with(|| {
            let shorter = rng.chance(habits.shorter);
            Memory {
                met: Acquaintances::new(&seen),
                shorter,
                to: habits.heading(&seen, shorter, rng),
                since: seen.round,
                waiting: None,
                ignored: vec![0; usize::from(seen.players)],
            }
        });
        if memory.met.notice(&seen) {
            memory.since = seen.round;
            memory.waiting = None;
        }

        let wanted = neighbours(&seen)
            .into_iter()
            .find(|other| memory.met.is_stranger(other.id) || rng.chance(habits.again));
        if let Some(other) = wanted {
            let go = habits.convention.says_go(game, other.to);
            return Ok(if go { other.to } else { Move::Stay });
        }

        let patience = (habits.wait * f64::from(seen.width.max(seen.height))) as u32;
        if seen.round - memory.since >= patience {
            memory.since = seen.round;
            if rng.chance(habits.turn) {
                memory.shorter = !memory.shorter;
                memory.to = habits.heading(&seen, memory.shorter, rng);
                memory.waiting = None;
            }
        }
        if let Some((unit, until)) = memory.waiting {
            if seen.round < until {
                return Ok(Move::Stay);
            }
            memory.ignored[unit] = seen.round + patience;
            memory.waiting = None;
        }
        if memory.shorter {
            let along =
                if seen.width > seen.height { [Move::W, Move::E] } else { [Move::N, Move::S] };
            let spans = |unit: &usize| along.iter().any(|to| seen.at(*to).trail.contains(*unit));
            let found =
                lacking_here(&seen).find(|unit| spans(unit) && memory.ignored[*unit] <= seen.round);
            if let Some(unit) = found {
                memory.waiting = Some((unit, seen.round + patience));
                return Ok(Move::Stay);
            }
        }
        Ok(memory.to)
    }
}
