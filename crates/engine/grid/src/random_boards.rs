//! Random boards for the property tests.

use crate::Cell;
use crate::plain::Board;
use proptest::prelude::*;

/// A board of random size and density with at least two of its cells, which need not be free.
#[derive(Debug)]
pub(crate) struct BoardAndCells {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) free: Vec<Cell>,
    pub(crate) cells: Vec<Cell>,
}

impl BoardAndCells {
    pub(crate) fn plain(&self) -> Board {
        Board::new(self.height, self.width, self.free.iter().copied())
    }

    pub(crate) fn fits(&self, side: usize) -> bool {
        self.height <= side && self.width <= side
    }
}

fn cells_of(height: usize, width: usize) -> impl Strategy<Value = Cell> + Clone {
    (0..height as u8, 0..width as u8).prop_map(|(row, col)| Cell::new(row, col))
}

/// Boards of up to 20×20, from empty to nearly full of walls.
pub(crate) fn boards() -> impl Strategy<Value = BoardAndCells> {
    (1..=20usize, 1..=20usize, 0..=10u32).prop_flat_map(|(height, width, tenths)| {
        let walls =
            prop::collection::vec(prop::bool::weighted(tenths as f64 / 12.0), height * width);
        let cells = prop::collection::vec(cells_of(height, width), 2..4);
        (walls, cells).prop_map(move |(walls, cells)| {
            let free = (0..height * width)
                .filter(|&index| !walls[index])
                .map(|index| Cell::new((index / width) as u8, (index % width) as u8))
                .collect();
            BoardAndCells { height, width, free, cells }
        })
    })
}
