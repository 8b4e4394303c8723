//! A duel: the part of a position that the two-player engines think about.
//!
//! Walls, trails and borders are all the same to them: cells that are not free.
//! What it is not: the rules. It holds no history and decides no match; the
//! engines' own view of a turn is in their modules and tested against the rules.

use quintain_grid::{Cell, Rows128};

/// The four ways to go, clockwise from up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    pub(crate) const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The cell one step from here; far outside of every board when the step
    /// leaves it over the top or the left edge.
    pub(crate) const fn step(self, from: Cell) -> Cell {
        let Cell { row, col } = from;
        match self {
            Direction::Up => Cell::new(row.wrapping_sub(1), col),
            Direction::Right => Cell::new(row, col.wrapping_add(1)),
            Direction::Down => Cell::new(row.wrapping_add(1), col),
            Direction::Left => Cell::new(row, col.wrapping_sub(1)),
        }
    }
}

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
    /// The position as the seat sees it: its own head first.
    pub(crate) fn seen_by(&self, seat: usize) -> Duel {
        Duel { heads: [self.heads[seat], self.heads[1 - seat]], ..self.clone() }
    }
}

/// What an engine decided and how far it looked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Choice {
    pub(crate) direction: Direction,
    /// The last depth searched to its end, in turns.
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// The engine's own score of the position, from its own side.
    pub(crate) value: i32,
}
