//! The square lattice closed to a torus: cells by number, row by row, their four
//! neighbours and their colours. Not here: what lies on it.

use crate::rules::errors::InstanceError;

/// The most cells a torus can have: cell numbers and monomer numbers fit 16 bits.
pub const MAX_CELLS: usize = 65_000;

/// A torus. On a side of 2 both ways lead to the same cell, on a side of 1 to the
/// cell itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus {
    width: usize,
    height: usize,
    next: Vec<[u16; 4]>,
    around: Vec<[u16; 4]>,
    degree: usize,
}

impl Torus {
    /// The torus of this size.
    ///
    /// # Errors
    /// If a side is 0 or there are more than [`MAX_CELLS`] cells.
    pub fn new(width: usize, height: usize) -> Result<Torus, InstanceError> {
        if width == 0 || height == 0 {
            return Err(InstanceError(format!("a torus of {width}×{height} has no cells")));
        }
        if width.checked_mul(height).is_none_or(|cells| cells > MAX_CELLS) {
            return Err(InstanceError(format!(
                "a torus of {width}×{height} is too large; up to {MAX_CELLS} cells are possible"
            )));
        }
        let nowhere = (width * height) as u16;
        let mut next = Vec::with_capacity(width * height);
        let mut around = Vec::with_capacity(width * height);
        for cell in 0..width * height {
            let (row, column) = (cell / width, cell % width);
            let at = |row: usize, column: usize| (row * width + column) as u16;
            let ways = [
                at(row, (column + 1) % width),
                at((row + 1) % height, column),
                at(row, (column + width - 1) % width),
                at((row + height - 1) % height, column),
            ];
            next.push(ways);
            let mut distinct = [nowhere; 4];
            let mut count = 0;
            for way in ways {
                if usize::from(way) != cell && !distinct[..count].contains(&way) {
                    distinct[count] = way;
                    count += 1;
                }
            }
            around.push(distinct);
        }
        let degree = around[0].iter().filter(|cell| **cell != nowhere).count();
        Ok(Torus { width, height, next, around, degree })
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Cells.
    pub fn cells(&self) -> usize {
        self.width * self.height
    }

    /// The cells to the right of, below, to the left of and above a cell.
    #[inline]
    pub fn next(&self, cell: usize) -> [u16; 4] {
        self.next[cell]
    }

    /// The distinct other cells next to a cell; entries that are none hold the number
    /// after the last cell, so that tables of one entry more need no test.
    #[inline]
    pub fn around(&self, cell: usize) -> [u16; 4] {
        self.around[cell]
    }

    /// The number of distinct other cells next to each cell: 4 unless a side is 1 or 2.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Whether two cells are next to each other.
    pub fn touch(&self, a: usize, b: usize) -> bool {
        self.around[a].contains(&(b as u16))
    }

    /// Whether cells can be coloured so that every step changes colour: no side above 1
    /// is odd.
    pub fn is_bipartite(&self) -> bool {
        [self.width, self.height].iter().all(|side| *side == 1 || side.is_multiple_of(2))
    }

    /// The colour of a cell, 0 or 1; steps change it on a bipartite torus.
    #[inline]
    pub fn colour(&self, cell: usize) -> usize {
        (cell / self.width + cell % self.width) % 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_close_on_themselves() {
        let torus = Torus::new(4, 3).unwrap();
        assert_eq!(torus.next(0), [1, 4, 3, 8]);
        assert_eq!(torus.next(11), [8, 3, 10, 7]);
        assert_eq!(torus.degree(), 4);
        assert!(!torus.is_bipartite());
    }

    #[test]
    fn a_neighbour_on_both_sides_is_one_neighbour_and_no_cell_is_its_own() {
        let two = Torus::new(2, 4).unwrap();
        assert_eq!(two.next(0), [1, 2, 1, 6]);
        assert_eq!(two.around(0), [1, 2, 6, 8]);
        let ring = Torus::new(1, 3).unwrap();
        assert_eq!(ring.around(0), [1, 2, 3, 3]);
        assert_eq!(ring.degree(), 2);
        assert_eq!(Torus::new(1, 1).unwrap().degree(), 0);
        assert!(Torus::new(1, 4).unwrap().is_bipartite());
    }
}
