//! The same geometry in the slow, obvious way: breadth-first search on a `Vec`.
//!
//! The bit boards are tested against these functions and compared with them in benchmarks. These
//! functions are also the most readable description of what each bit board function computes.

use crate::Cell;
use std::collections::VecDeque;

/// A board as a plain vector of rows: `true` is free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    height: usize,
    width: usize,
    free: Vec<bool>,
}

impl Board {
    /// A board of this size, in cells, with the given cells free.
    ///
    /// # Panics
    /// If a cell is not on the board.
    pub fn new(height: usize, width: usize, free: impl IntoIterator<Item = Cell>) -> Board {
        let mut board = Board { height, width, free: vec![false; height * width] };
        for cell in free {
            let index = board.index(cell);
            board.free[index] = true;
        }
        board
    }

    fn index(&self, cell: Cell) -> usize {
        cell.row as usize * self.width + cell.col as usize
    }

    /// Whether the cell is on the board and free.
    pub fn is_free(&self, cell: Cell) -> bool {
        (cell.row as usize) < self.height
            && (cell.col as usize) < self.width
            && self.free[self.index(cell)]
    }

    /// Every cell of the board in reading order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let width = self.width;
        (0..self.height)
            .flat_map(move |row| (0..width).map(move |col| Cell::new(row as u8, col as u8)))
    }

    fn free_neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        let Cell { row, col } = cell;
        [
            (row.wrapping_sub(1), col),
            (row, col.wrapping_add(1)),
            (row.wrapping_add(1), col),
            (row, col.wrapping_sub(1)),
        ]
        .into_iter()
        .map(|(row, col)| Cell::new(row, col))
        .filter(|&next| self.is_free(next))
    }

    /// Steps from the nearest source to every cell, in reading order. A source counts 0 steps, free
    /// or not; `None` where no path of free cells leads.
    pub fn distances(&self, sources: &[Cell]) -> Vec<Option<u16>> {
        let mut distances = vec![None; self.free.len()];
        let mut queue: VecDeque<Cell> = sources.iter().copied().collect();
        for &source in sources {
            distances[self.index(source)] = Some(0);
        }
        while let Some(cell) = queue.pop_front() {
            let next_distance = distances[self.index(cell)].map(|steps| steps + 1);
            for next in self.free_neighbours(cell) {
                let index = self.index(next);
                if distances[index].is_none() {
                    distances[index] = next_distance;
                    queue.push_back(next);
                }
            }
        }
        distances
    }

    /// The free cells that either source reaches, in three lists: the cells nearer to `mine`, those
    /// nearer to `theirs`, and those equally near.
    pub fn territory(&self, mine: Cell, theirs: Cell) -> [Vec<Cell>; 3] {
        let (from_mine, from_theirs) = (self.distances(&[mine]), self.distances(&[theirs]));
        let mut split = [const { Vec::new() }; 3];
        for cell in self.cells().filter(|&cell| self.is_free(cell)) {
            let steps = |from: &[Option<u16>]| from[self.index(cell)].unwrap_or(u16::MAX);
            let (my_steps, their_steps) = (steps(&from_mine), steps(&from_theirs));
            if my_steps < their_steps {
                split[0].push(cell);
            } else if their_steps < my_steps {
                split[1].push(cell);
            } else if my_steps < u16::MAX {
                split[2].push(cell);
            }
        }
        split
    }

    /// The connected components of the free cells, each in reading order, ordered
    /// by their first cells.
    pub fn components(&self) -> Vec<Vec<Cell>> {
        let mut parts: Vec<Vec<Cell>> = Vec::new();
        for cell in self.cells().filter(|&cell| self.is_free(cell)) {
            if !parts.iter().any(|part| part.contains(&cell)) {
                let distances = self.distances(&[cell]);
                parts.push(self.cells().filter(|&c| distances[self.index(c)].is_some()).collect());
            }
        }
        parts
    }

    /// The free cells without which their component would fall apart: removes each
    /// in turn and counts the components again.
    pub fn articulation_points(&self) -> Vec<Cell> {
        let parts = self.components().len();
        self.cells()
            .filter(|&cell| self.is_free(cell))
            .filter(|&cell| {
                let mut without = self.clone();
                let index = self.index(cell);
                without.free[index] = false;
                without.components().len() > parts
            })
            .collect()
    }
}
