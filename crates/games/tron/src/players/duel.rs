//! A duel: the part of a position that the two-player engines search, and the result that they
//! return.
//!
//! Walls, trails and the border are all the same to the engines: cells that are not free. A duel
//! does not replace the rules: it holds no history and decides no match. The engines step through
//! turns by themselves and are tested against the rules.

use quintain_grid::{Cell, Rows128};

use crate::Direction;

/// Whether both move at once or one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Simultaneous,
    InTurn,
}

/// Two heads on a board of free cells. Heads are never free.
#[derive(Clone, Debug)]
pub(crate) struct Duel {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) free: Rows128,
    pub(crate) heads: [Cell; 2],
    pub(crate) order: Order,
}

impl Duel {
    /// Returns the position as this seat sees it, with its own head first.
    pub(crate) fn put_first(&self, seat: usize) -> Duel {
        Duel { heads: [self.heads[seat], self.heads[1 - seat]], ..self.clone() }
    }
}

/// What an engine decided and how far it looked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Choice {
    pub(crate) direction: Direction,
    /// The last depth that was searched completely, in turns.
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// The engine's value of the position, from its own side.
    pub(crate) value: i32,
    pub(crate) scale: Scale,
}

/// The meaning of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// How good a position shared with others is, on the engine's own scale.
    Value,
    /// The same of a position with one way to go, which nobody has searched.
    Forced,
    /// The moves left in a part of the board that nobody else can get to.
    MovesLeft,
    /// How many of the others it outlives, in millionths of all of them.
    Outlived,
}
