//! The board: a torus with nine moves, the compass, and distances on it. Cells are
//! numbered row by row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a player does in one round: stay, or step to one of eight neighbours.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// Stay put.
    Stay,
    /// One cell west.
    W,
    /// One cell east.
    E,
    /// One cell north, against the rows' numbers.
    N,
    /// One cell south.
    S,
    /// One cell north-west.
    NW,
    /// One cell north-east.
    NE,
    /// One cell south-west.
    SW,
    /// One cell south-east.
    SE,
}

impl Move {
    /// All nine, in the order of the course's numbers for the first five.
    pub const ALL: [Move; 9] =
        [Move::Stay, Move::W, Move::E, Move::N, Move::S, Move::NW, Move::NE, Move::SW, Move::SE];
    /// The eight moves that leave the cell.
    pub const STEPS: [Move; 8] =
        [Move::W, Move::E, Move::N, Move::S, Move::NW, Move::NE, Move::SW, Move::SE];
    /// The four diagonal ones, clockwise.
    pub const DIAGONALS: [Move; 4] = [Move::NE, Move::SE, Move::SW, Move::NW];

    /// Returns the columns to the east and the rows to the south.
    #[inline]
    pub const fn offset(self) -> (i32, i32) {
        match self {
            Move::Stay => (0, 0),
            Move::W => (-1, 0),
            Move::E => (1, 0),
            Move::N => (0, -1),
            Move::S => (0, 1),
            Move::NW => (-1, -1),
            Move::NE => (1, -1),
            Move::SW => (-1, 1),
            Move::SE => (1, 1),
        }
    }

    /// Returns the move with these signs: −1, 0 or 1 columns east and rows south.
    #[inline]
    pub const fn by(east: i32, south: i32) -> Move {
        match (east.signum(), south.signum()) {
            (0, 0) => Move::Stay,
            (-1, 0) => Move::W,
            (1, 0) => Move::E,
            (0, -1) => Move::N,
            (0, 1) => Move::S,
            (-1, -1) => Move::NW,
            (1, -1) => Move::NE,
            (-1, 1) => Move::SW,
            _ => Move::SE,
        }
    }

    /// Returns the opposite move.
    #[inline]
    pub const fn opposite(self) -> Move {
        let (east, south) = self.offset();
        Move::by(-east, -south)
    }

    /// Returns the move turned clockwise by a quarter.
    #[inline]
    pub const fn clockwise(self) -> Move {
        let (east, south) = self.offset();
        Move::by(-south, east)
    }
}

/// A cell by column and row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cell {
    /// Columns from the west.
    pub column: u16,
    /// Rows from the north.
    pub row: u16,
}

/// A board of L×W cells that wraps around both ways.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Torus {
    /// L: columns.
    pub width: u16,
    /// W: rows.
    pub height: u16,
}

impl Torus {
    /// The number of cells.
    pub fn area(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// Returns the number of a cell.
    #[inline]
    pub fn index(self, cell: Cell) -> usize {
        usize::from(cell.row) * usize::from(self.width) + usize::from(cell.column)
    }

    /// Returns the cell with this number.
    pub fn cell(self, index: usize) -> Cell {
        let width = usize::from(self.width);
        Cell { column: (index % width) as u16, row: (index / width) as u16 }
    }

    /// Returns the cell to which a move leads.
    #[inline]
    pub fn after(self, cell: Cell, to: Move) -> Cell {
        let (east, south) = to.offset();
        Cell {
            column: wrap(cell.column, east, self.width),
            row: wrap(cell.row, south, self.height),
        }
    }

    /// The numbers of the cells to which the moves lead, in the order of [`Move::ALL`].
    #[inline]
    pub fn around(self, cell: Cell) -> [usize; 9] {
        let width = usize::from(self.width);
        let (column, row) = (usize::from(cell.column), width * usize::from(cell.row));
        let west = usize::from(wrap(cell.column, -1, self.width));
        let east = usize::from(wrap(cell.column, 1, self.width));
        let north = width * usize::from(wrap(cell.row, -1, self.height));
        let south = width * usize::from(wrap(cell.row, 1, self.height));
        [
            row + column,
            row + west,
            row + east,
            north + column,
            south + column,
            north + west,
            north + east,
            south + west,
            south + east,
        ]
    }

    /// Returns the cell this many columns east and rows south.
    pub fn shift(self, cell: Cell, east: i32, south: i32) -> Cell {
        let wrap = |from: u16, by: i32, side: u16| {
            (i32::from(from) + by).rem_euclid(i32::from(side)) as u16
        };
        Cell {
            column: wrap(cell.column, east, self.width),
            row: wrap(cell.row, south, self.height),
        }
    }

    /// Returns the shortest distance between two columns or two rows on a ring of `side`.
    fn ring(a: u16, b: u16, side: u16) -> u16 {
        let apart = a.abs_diff(b);
        apart.min(side - apart)
    }

    /// Returns the number of rounds from one cell to another.
    pub fn distance(self, a: Cell, b: Cell) -> u16 {
        Self::ring(a.column, b.column, self.width).max(Self::ring(a.row, b.row, self.height))
    }

    /// Returns the least, over all cells, of the greatest distance to `starts`. Units travel one
    /// cell a round, so nobody gathers them sooner, and everyone who walks there with full
    /// knowledge does so in that time.
    ///
    /// The distance is the greater of the distances on two rings, so columns and rows can be chosen
    /// independently.
    pub fn clairvoyant_bound(self, starts: &[Cell]) -> u16 {
        let least = |side: u16, of: &dyn Fn(&Cell) -> u16| {
            (0..side)
                .map(|at| {
                    let far = starts.iter().map(|start| Self::ring(at, of(start), side));
                    far.max().unwrap_or(0)
                })
                .min()
                .unwrap_or(0)
        };
        least(self.width, &|start| start.column).max(least(self.height, &|start| start.row))
    }
}

#[inline]
fn wrap(from: u16, by: i32, side: u16) -> u16 {
    let to = i32::from(from) + by;
    let side = i32::from(side);
    let to = if to >= side { to - side } else { to };
    (if to < 0 { to + side } else { to }) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn opposite_and_turned_moves_are_where_the_compass_has_them() {
        assert_eq!(Move::NW.opposite(), Move::SE);
        assert_eq!(Move::E.opposite(), Move::W);
        assert_eq!(Move::NE.clockwise(), Move::SE);
        assert_eq!(Move::N.clockwise(), Move::E);
    }

    proptest! {
        #[test]
        fn a_step_wraps_as_a_shift_does(
            width in 1u16..9, height in 1u16..9, index in 0usize..64, to in 0usize..9,
        ) {
            let torus = Torus { width, height };
            let cell = torus.cell(index % torus.area());
            let (east, south) = Move::ALL[to].offset();
            let after = torus.after(cell, Move::ALL[to]);
            prop_assert_eq!(after, torus.shift(cell, east, south));
            prop_assert_eq!(torus.around(cell)[to], torus.index(after));
        }

        #[test]
        fn the_clairvoyant_bound_is_the_least_over_all_cells(
            width in 1u16..9,
            height in 1u16..9,
            starts in proptest::collection::vec(0usize..64, 1..6),
        ) {
            let torus = Torus { width, height };
            let starts: Vec<Cell> =
                starts.into_iter().map(|index| torus.cell(index % torus.area())).collect();
            let farthest = |at: usize| {
                starts.iter().map(|start| torus.distance(torus.cell(at), *start)).max().unwrap()
            };
            let plain = (0..torus.area()).map(farthest).min().unwrap();
            prop_assert_eq!(torus.clairvoyant_bound(&starts), plain);
        }
    }
}
