//! Cra-Z-y: a path like a Z, and meetings with a convention that it learns player by player.
//!
//! From the report's section “Cra-Z-y”. Our reading: a stroke of the Z lasts “some time”, drawn
//! again each time up to `stroke` of the longer side, since players with equal strokes never come
//! nearer to each other. “Learns” means that it remembers, for each player, whether the convention
//! or its opposite brought them together last, and follows that next time.

use quintain_core::{Decision, Fault, Player, parameters};

use super::meeting::{Acquaintances, Convention, neighbours};
use crate::rules::Gather;
use crate::rules::torus::Move;

parameters! {
    /// The report's player that was not submitted.
    pub(crate) struct CraZY {
        /// The longest stroke of the Z, as a multiple of the longer side.
        stroke: f64 = 1.0, in 0.0..=100.0;
        /// Rounds beside an unmet player after which it assumes a deadlock.
        patience: u32 = 3;
        /// In a deadlock, the probability of doing the opposite of what is expected.
        opposite: f64 = 0.5, in 0.0..=1.0;
        /// The convention about who is expected to move.
        convention: Convention = Convention::Reciprocal;
    }
}

/// The player and what it remembers.
#[derive(Clone, Debug)]
pub(crate) struct Crazy {
    habits: CraZY,
    memory: Option<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    met: Acquaintances,
    /// The horizontal and the vertical direction, whether it is on a diagonal stroke, the steps
    /// left.
    horizontal: Move,
    down: Move,
    diagonal: bool,
    left: u32,
    /// Rounds next to a player never met, without meeting.
    stuck: u32,
    /// The player it deals with, and whether it did the opposite.
    trying: Option<(usize, bool)>,
    /// For each player, whether the opposite of the convention works.
    contrary: Vec<bool>,
}

impl CraZY {
    pub(crate) fn player(&self) -> Crazy {
        Crazy { habits: self.clone(), memory: None }
    }
}

impl Player<Gather> for Crazy {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let (seen, game) = (decision.observation(), decision.rules());
        let rng = decision.rng();
        let habits = &self.habits;
        let stroke = ((habits.stroke * f64::from(seen.width.max(seen.height))) as u32).max(1);
        let memory = self.memory.get_or_insert_with(|| Memory {
            met: Acquaintances::new(&seen),
            horizontal: [Move::W, Move::E][rng.below(2)],
            down: [Move::N, Move::S][rng.below(2)],
            diagonal: false,
            left: 1 + rng.below(stroke as usize) as u32,
            stuck: 0,
            trying: None,
            contrary: vec![false; usize::from(seen.players)],
        });
        memory.met.notice(&seen);
        if let Some((id, contrary)) = memory.trying.take()
            && seen.at(Move::Stay).players.contains(id)
        {
            memory.contrary[id] = contrary;
        }

        let mut near = neighbours(&seen);
        near.retain(|other| memory.met.is_stranger(other.id));
        memory.stuck = if near.is_empty() { 0 } else { memory.stuck + 1 };
        let deadlock = memory.stuck > habits.patience;
        match near.as_slice() {
            [] => {}
            [other] => {
                let flip = deadlock && rng.chance(habits.opposite);
                let contrary = memory.contrary[other.id] != flip;
                let go = habits.convention.says_go(game, other.to) != contrary;
                memory.trying = Some((other.id, contrary));
                return Ok(if go { other.to } else { Move::Stay });
            }
            [other, ..] => {
                // It is expected to stay put; in a deadlock it may do the opposite.
                let go = deadlock && rng.chance(habits.opposite);
                return Ok(if go { other.to } else { Move::Stay });
            }
        }

        if memory.left == 0 {
            memory.diagonal = !memory.diagonal;
            memory.left = 1 + rng.below(stroke as usize) as u32;
        }
        memory.left -= 1;
        let (east, _) = memory.horizontal.offset();
        let (_, south) = memory.down.offset();
        Ok(if memory.diagonal { Move::by(-east, south) } else { memory.horizontal })
    }
}
