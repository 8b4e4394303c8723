//! One cell of a square grid, by row and column.

use std::fmt;

/// A cell by row (downwards) and column (rightwards), both from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Rows count downwards from 0.
    pub row: u8,
    /// Columns count rightwards from 0.
    pub col: u8,
}

impl Cell {
    /// The cell in this row and column.
    pub const fn new(row: u8, col: u8) -> Cell {
        Cell { row, col }
    }

    /// Steps between two cells on an empty board: the Manhattan distance.
    pub const fn steps_to(self, other: Cell) -> u32 {
        self.row.abs_diff(other.row) as u32 + self.col.abs_diff(other.col) as u32
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.row, self.col)
    }
}
