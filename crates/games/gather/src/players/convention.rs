//! A meeting convention and nothing else: the player does not move until another is beside it and
//! then does what the convention says, again and again. It shows the deadlocks of the report's
//! section “Meeting Conventions and Deadlocks” (figures 1 and 2), from which every other player
//! needs a way out.

use quintain_core::{Decision, Fault, Player, choices, parameters};

use super::meeting::{Convention, neighbours};
use crate::rules::Gather;
use crate::rules::torus::Move;

choices! {
    /// Which of several neighbours is to be met.
    pub(crate) enum Wanted {
        /// The one to the north, if any.
        North = "north",
        /// The one to the south, if any.
        South = "south",
        /// The first in the order of moves.
        First = "first",
    }
}

parameters! {
    /// A convention without a timeout.
    pub(crate) struct Bare {
        /// The convention about who moves and who waits when two players want to meet.
        convention: Convention = Convention::HigherMove;
        /// The neighbour to meet if there are several.
        wanted: Wanted = Wanted::First;
    }
}

impl Player<Gather> for Bare {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let near = neighbours(&decision.observation());
        let preferred = match self.wanted {
            Wanted::North => near.iter().find(|other| other.to == Move::N),
            Wanted::South => near.iter().find(|other| other.to == Move::S),
            Wanted::First => None,
        };
        Ok(match preferred.or(near.first()) {
            Some(other) if self.convention.says_go(decision.rules(), other.to) => other.to,
            _ => Move::Stay,
        })
    }
}
