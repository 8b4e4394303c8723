//! The board as rows of bits, and what happens to it when a unit locks.

use crate::units::{Position, Unit};

/// Which cells are full.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    width: u32,
    /// From the top; bit x is the cell in column x.
    rows: Vec<u128>,
}

impl Board {
    /// The most columns: a row is one number.
    pub const MAX_WIDTH: usize = 128;
    /// The most rows.
    pub const MAX_HEIGHT: usize = 4_000;

    /// An empty board.
    ///
    /// # Errors
    /// If it has no cells or too many.
    pub fn new(width: usize, height: usize) -> Result<Board, String> {
        if !(1..=Board::MAX_WIDTH).contains(&width) {
            return Err(format!("width: {width}: expected 1 to {}", Board::MAX_WIDTH));
        }
        if !(1..=Board::MAX_HEIGHT).contains(&height) {
            return Err(format!("height: {height}: expected 1 to {}", Board::MAX_HEIGHT));
        }
        Ok(Board { width: width as u32, rows: vec![0; height] })
    }

    /// Columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// The rows from the top; bit x is the cell in column x.
    #[inline]
    pub fn rows(&self) -> &[u128] {
        &self.rows
    }

    /// The rows, to be filled by hand.
    #[inline]
    pub fn rows_mut(&mut self) -> &mut [u128] {
        &mut self.rows
    }

    /// A row with every cell full.
    #[inline]
    pub fn full_row(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// Whether a cell is full; cells off the board are.
    #[inline]
    pub fn is_full(&self, x: i32, y: i32) -> bool {
        let inside = x >= 0 && y >= 0 && x < self.width as i32 && (y as usize) < self.rows.len();
        !inside || self.rows[y as usize] >> x & 1 == 1
    }

    /// Fills a cell of the board.
    pub fn fill(&mut self, x: usize, y: usize) {
        debug_assert!(x < self.width());
        self.rows[y] |= 1 << x;
    }

    /// The number of full cells.
    pub fn filled(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// Fills the cells of a unit at a position where it [fits](Unit::fits), takes full rows
    /// away, and gives the number of those.
    #[inline]
    pub fn lock(&mut self, unit: &Unit, position: Position) -> u32 {
        let shape = unit.shape(position);
        let left = i32::from(position.x) + shape.left;
        let top = (i32::from(position.y) + shape.top) as usize;
        let full = self.full_row();
        let mut lines = 0;
        for (row, cells) in self.rows[top..].iter_mut().zip(&shape.rows) {
            *row |= cells << left;
            lines += u32::from(*row == full);
        }
        if lines > 0 {
            self.drop_rows(top + shape.rows.len());
        }
        lines
    }

    /// Takes full rows above `end` away; everything above them moves down.
    #[cold]
    fn drop_rows(&mut self, end: usize) {
        let full = self.full_row();
        let mut to = end;
        for from in (0..end).rev() {
            let row = self.rows[from];
            if row != full {
                to -= 1;
                self.rows[to] = row;
            }
        }
        self.rows[..to].fill(0);
    }
}

/// The points of a lock: of the unit's size, the lines of this lock and those of the one before.
#[inline]
pub fn points(size: usize, lines: u32, before: u32) -> u64 {
    let lines = u64::from(lines);
    let points = size as u64 + 100 * (1 + lines) * lines / 2;
    let bonus = if before > 1 { u64::from(before - 1) * points / 10 } else { 0 };
    points + bonus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_contests_formula() {
        assert_eq!(points(4, 0, 0), 4);
        assert_eq!(points(4, 1, 1), 104);
        assert_eq!(points(5, 2, 0), 305);
        assert_eq!(points(5, 2, 3), 305 + 61);
        assert_eq!(points(7, 0, 2), 7);
        assert_eq!(points(19, 0, 2), 20);
    }
}
