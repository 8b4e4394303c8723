//! The four directions in which a head can move.

use quintain_grid::Cell;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a head goes next. Text form `U`, `R`, `D`, `L`.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// One row up.
    Up,
    /// One column right.
    Right,
    /// One row down.
    Down,
    /// One column left.
    Left,
}

impl Direction {
    /// All four, clockwise from up.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// Returns the opposite direction.
    pub fn opposite(self) -> Self {
        Direction::ALL[(self as usize + 2) % 4]
    }

    /// Returns the cell one step from `from` on a bit board. A step over the top or the left edge
    /// gives a cell far outside every board.
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
