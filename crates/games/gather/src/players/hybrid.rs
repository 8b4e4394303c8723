//! Hybrid: a diamond spiral that begins again elsewhere when it finds nothing new, and meetings
//! with timeouts.
//!
//! From the report's section “Hybrid”. Our reading of the spiral: legs of 1, 2, 3, … diagonal
//! steps, each turned clockwise. It wants to meet a neighbour it has not met for `recent` rounds
//! (taken literally, that is with 0, the report's “if at any point Hybrid is adjacent to another
//! player” would hold two of them together forever). A player that moves away meets nobody on the
//! way, though news on the way still begins a new spiral.

use quintain_core::{Decision, Fault, Player, Rng, parameters};

use super::meeting::{Acquaintances, Convention, Neighbour, neighbours};
use super::spiral::Spiral;
use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

parameters! {
    /// The report's second player.
    pub(crate) struct HybridParameters {
        /// Rounds without news before it moves away on large boards, as a multiple of the area.
        large: f64 = 0.25, in 0.0..=100.0;
        /// Rounds without news before it moves away on small boards, as a multiple of the area.
        small: f64 = 0.33, in 0.0..=100.0;
        /// The area, in cells, above which a board counts as large.
        threshold: u32 = 1000;
        /// How far it moves away, as a multiple of the longer side.
        away: f64 = 0.25, in 0.0..=100.0;
        /// Rounds it waits for the other player to come before it goes there itself.
        wait: u32 = 1;
        /// Rounds it waits after the two have traded places instead of meeting.
        trade_wait: u32 = 2;
        /// Rounds after a meeting during which it does not try to meet that player again.
        recent: u32 = 5;
        /// The convention about who moves when two players want to meet.
        convention: Convention = Convention::HigherMove;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Hybrid {
    habits: HybridParameters,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    spiral: Spiral,
    /// The direction in which it moves away, and the steps left.
    away: (Move, u32),
    /// The last news, or the last time it moved away.
    since: u32,
    attempt: Attempt,
}

/// The state of a meeting.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Attempt {
    None,
    /// It has waited this many rounds for this player.
    Waited {
        id: usize,
        rounds: u32,
    },
    /// It stepped in this direction, to where this player was.
    Stepped {
        id: usize,
        to: Move,
    },
    /// They traded places; it waits this many more rounds.
    Traded {
        id: usize,
        left: u32,
    },
}

impl HybridParameters {
    pub(crate) fn player(&self) -> Hybrid {
        Hybrid { habits: self.clone(), memory: None }
    }

    /// The rounds without news before it moves away.
    fn patience(&self, seen: &Observation) -> f64 {
        let area = u32::from(seen.width) * u32::from(seen.height);
        let share = if area > self.threshold { self.large } else { self.small };
        (share * f64::from(area)).max(1.0)
    }

    /// The step toward a meeting with this neighbour; `None` when the meeting is given up.
    fn approach(
        &self,
        rules: &Gather,
        seen: &Observation,
        memory: &mut Memory,
        other: Neighbour,
        rng: &mut Rng,
    ) -> Option<Move> {
        let id = other.id;
        match memory.attempt {
            Attempt::Waited { id: same, rounds } if same == id && rounds >= self.wait => {
                memory.attempt = Attempt::Stepped { id, to: other.to };
                return Some(other.to);
            }
            Attempt::Waited { id: same, rounds } if same == id => {
                memory.attempt = Attempt::Waited { id, rounds: rounds + 1 };
                return Some(Move::Stay);
            }
            // The other is now where this one came from: they traded places.
            Attempt::Stepped { id: same, to }
                if same == id && seen.at(to.opposite()).players.contains(id) =>
            {
                memory.attempt = Attempt::Traded { id, left: self.trade_wait };
            }
            _ => {}
        }
        if let Attempt::Traded { id: same, left } = memory.attempt
            && same == id
        {
            if left == 0 {
                memory.attempt = Attempt::None;
                return Some(Move::STEPS[rng.below(8)]);
            }
            memory.attempt = Attempt::Traded { id, left: left - 1 };
            return Some(Move::Stay);
        }
        if self.convention.says_go(rules, other.to) {
            memory.attempt = Attempt::Stepped { id, to: other.to };
            Some(other.to)
        } else {
            memory.attempt = Attempt::Waited { id, rounds: 1 };
            Some(Move::Stay)
        }
    }
}

impl Player<Gather> for Hybrid {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let (seen, rules) = (decision.observation(), decision.rules());
        let rng = decision.rng();
        let habits = &self.habits;
        let memory = self.memory.get_or_insert_with(|| Memory {
            met: Acquaintances::new(&seen),
            spiral: Spiral::new(Move::DIAGONALS[rng.below(4)]),
            away: (Move::Stay, 0),
            since: seen.round,
            attempt: Attempt::None,
        });
        if memory.met.notice(&seen) {
            memory.spiral = Spiral::new(Move::DIAGONALS[rng.below(4)]);
            memory.away.1 = 0;
            memory.since = seen.round;
        }

        if f64::from(seen.round.saturating_sub(memory.since)) >= habits.patience(&seen) {
            let far = (habits.away * f64::from(seen.width.max(seen.height))).max(1.0) as u32;
            memory.away = (Move::STEPS[rng.below(8)], far);
            memory.spiral = Spiral::new(Move::DIAGONALS[rng.below(4)]);
            memory.since = seen.round + far;
            memory.attempt = Attempt::None;
        }
        // This comes before any meeting: beside a stranger there is always one to attempt, and
        // moving away is how the report breaks the cycle of its timeouts.
        if memory.away.1 > 0 {
            memory.away.1 -= 1;
            return Ok(memory.away.0);
        }

        let late = |met: Option<u32>| met.is_none_or(|met| seen.round > met + habits.recent);
        let mut near = neighbours(&seen);
        near.retain(|other| late(memory.met.last_met(other.id)));
        // One attempt at a time; if none has begun, the first neighbour.
        let current = match memory.attempt {
            Attempt::Waited { id, .. }
            | Attempt::Stepped { id, .. }
            | Attempt::Traded { id, .. } => near.iter().find(|other| other.id == id),
            Attempt::None => None,
        };
        let other = current.or(near.first()).copied();
        match other {
            None => memory.attempt = Attempt::None,
            Some(other) => {
                if let Some(to) = habits.approach(rules, &seen, memory, other, rng) {
                    return Ok(to);
                }
            }
        }

        Ok(memory.spiral.step())
    }
}
