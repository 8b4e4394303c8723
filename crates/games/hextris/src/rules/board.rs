//! The board as rows of bits, and what happens to it when a unit locks.

use crate::rules::errors::ProblemError;

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

    /// Creates an empty board.
    ///
    /// # Errors
    /// If it has no cells or too many.
    pub fn new(width: usize, height: usize) -> Result<Board, ProblemError> {
        if !(1..=Board::MAX_WIDTH).contains(&width) {
            return Err(ProblemError(format!(
                "width: {width}: expected 1 to {}",
                Board::MAX_WIDTH
            )));
        }
        if !(1..=Board::MAX_HEIGHT).contains(&height) {
            return Err(ProblemError(format!(
                "height: {height}: expected 1 to {}",
                Board::MAX_HEIGHT
            )));
        }
        Ok(Board { width: width as u32, rows: vec![0; height] })
    }

    /// The number of columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// The number of rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// The number of cells.
    #[inline]
    pub fn cells(&self) -> usize {
        self.width() * self.height()
    }

    /// The rows from the top; bit x is the cell in column x.
    #[inline]
    pub fn rows(&self) -> &[u128] {
        &self.rows
    }

    /// The rows, for direct editing.
    #[inline]
    pub fn rows_mut(&mut self) -> &mut [u128] {
        &mut self.rows
    }

    /// Returns a row with every cell full.
    #[inline]
    pub fn full_row(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// Whether a cell is full; cells off the board count as full.
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
    pub fn count_filled(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// Fills cells, given row by row from row `top` down with bit 0 in column `left`. Removes full
    /// rows and returns their number. The cells must be on the board and free.
    #[inline]
    pub(crate) fn place(&mut self, cells: &[u128], left: i32, top: usize) -> u32 {
        let full = self.full_row();
        let mut lines = 0;
        for (row, cells) in self.rows[top..].iter_mut().zip(cells) {
            *row |= cells << left;
            lines += u32::from(*row == full);
        }
        if lines > 0 {
            self.drop_rows(top + cells.len());
        }
        lines
    }

    /// Removes full rows above `end`; everything above them moves down.
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
