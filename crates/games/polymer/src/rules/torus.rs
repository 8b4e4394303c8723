//! The square lattice closed to a torus, or the cubic one: cells by number, row by row and layer by
//! layer, their four or six neighbours and their colours. What lies on it is elsewhere.

use crate::rules::errors::InstanceError;

/// Calls a function, compiled separately for squares and for cubes, for the number of ways of a
/// torus.
macro_rules! by_ways {
    ($torus:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $torus.ways() {
            4 => $function::<4>($($argument),*),
            _ => $function::<6>($($argument),*),
        }
    };
}

pub(crate) use by_ways;

/// The most cells of a torus: cell numbers and monomer numbers must fit in 16 bits.
pub const MAX_CELLS: usize = 65_000;

/// A torus of squares, or of cubes if it has more than one layer. On a side of 2 both directions
/// lead to the same cell, on a side of 1 to the cell itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus {
    width: usize,
    height: usize,
    depth: usize,
    /// The number of steps from each cell: 4, or 6 if there are several layers.
    ways: usize,
    /// `ways` entries for each cell, one after another.
    next: Vec<u16>,
    around: Vec<u16>,
    degree: usize,
}

impl Torus {
    /// The torus of this size, of one layer.
    ///
    /// # Errors
    /// If a side is 0 or there are more than [`MAX_CELLS`] cells.
    pub fn new(width: usize, height: usize) -> Result<Torus, InstanceError> {
        Torus::with_layers(width, height, 1)
    }

    /// The torus with this many layers; it closes on itself across them too. A torus of one layer
    /// is flat: no step leads from the layer to itself.
    ///
    /// # Errors
    /// If a side is 0 or there are more than [`MAX_CELLS`] cells.
    pub fn with_layers(width: usize, height: usize, depth: usize) -> Result<Torus, InstanceError> {
        let size = size_text(width, height, depth);
        if width == 0 || height == 0 || depth == 0 {
            return Err(InstanceError(format!("a torus of {size} has no cells")));
        }
        let cells = width.checked_mul(height).and_then(|cells| cells.checked_mul(depth));
        let Some(cells) = cells.filter(|cells| *cells <= MAX_CELLS) else {
            return Err(InstanceError(format!(
                "a torus of {size} is too large; up to {MAX_CELLS} cells are possible"
            )));
        };
        let ways = if depth == 1 { 4 } else { 6 };
        let nowhere = cells as u16;
        let mut next = Vec::with_capacity(cells * ways);
        let mut around = Vec::with_capacity(cells * ways);
        for cell in 0..cells {
            let (layer, row, column) =
                (cell / (width * height), cell / width % height, cell % width);
            let at = |layer: usize, row: usize, column: usize| {
                ((layer * height + row) * width + column) as u16
            };
            let steps = [
                at(layer, row, (column + 1) % width),
                at(layer, (row + 1) % height, column),
                at(layer, row, (column + width - 1) % width),
                at(layer, (row + height - 1) % height, column),
                at((layer + 1) % depth, row, column),
                at((layer + depth - 1) % depth, row, column),
            ];
            next.extend_from_slice(&steps[..ways]);
            let mut distinct = [nowhere; 6];
            let mut count = 0;
            for way in &steps[..ways] {
                if usize::from(*way) != cell && !distinct[..count].contains(way) {
                    distinct[count] = *way;
                    count += 1;
                }
            }
            around.extend_from_slice(&distinct[..ways]);
        }
        let degree = around[..ways].iter().filter(|cell| **cell != nowhere).count();
        Ok(Torus { width, height, depth, ways, next, around, degree })
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of layers.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.width * self.height * self.depth
    }

    /// The number of steps from each cell: 4, or 6 if there are several layers.
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// The cells to the right of, below, to the left of and above a cell, and those in the next
    /// layer and in the one before.
    #[inline]
    pub fn next(&self, cell: usize) -> &[u16] {
        &self.next[cell * self.ways..][..self.ways]
    }

    /// The same as an array, for code that runs millions of times a second and is compiled
    /// separately for squares and for cubes: `WAYS` has to be [`Torus::ways`].
    #[inline]
    pub fn next_of<const WAYS: usize>(&self, cell: usize) -> [u16; WAYS] {
        debug_assert_eq!(WAYS, self.ways);
        self.next.as_chunks().0[cell]
    }

    /// The distinct other cells next to a cell. Unused entries hold the number after the last cell,
    /// so that tables with one more entry need no check.
    #[inline]
    pub fn around(&self, cell: usize) -> &[u16] {
        &self.around[cell * self.ways..][..self.ways]
    }

    /// The same as an array: `WAYS` has to be [`Torus::ways`].
    #[inline]
    pub fn around_of<const WAYS: usize>(&self, cell: usize) -> [u16; WAYS] {
        debug_assert_eq!(WAYS, self.ways);
        self.around.as_chunks().0[cell]
    }

    /// The number of distinct other cells next to each cell: as many as ways unless a side is 1 or
    /// 2.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Whether two cells are next to each other.
    pub fn touch(&self, a: usize, b: usize) -> bool {
        self.around(a).contains(&(b as u16))
    }

    /// Whether all cells lie in one row, column or line of layers, so that there is at most one way
    /// around.
    pub fn is_ring(&self) -> bool {
        self.sides().iter().filter(|side| **side > 1).count() <= 1
    }

    /// Whether cells can be coloured so that every step changes colour: no side above 1 is odd.
    pub fn is_bipartite(&self) -> bool {
        self.sides().iter().all(|side| *side == 1 || side.is_multiple_of(2))
    }

    /// The colour of a cell, 0 or 1; steps change it on a bipartite torus.
    #[inline]
    pub fn colour(&self, cell: usize) -> usize {
        let flat = cell / self.width + cell % self.width;
        if self.depth == 1 {
            return flat % 2;
        }
        (cell / (self.width * self.height) + cell / self.width % self.height + cell % self.width)
            % 2
    }

    /// The number of steps between two cells.
    pub fn distance(&self, a: usize, b: usize) -> usize {
        let along = |a: usize, b: usize, side: usize| {
            let apart = a.abs_diff(b);
            apart.min(side - apart)
        };
        let rows = (a / self.width, b / self.width);
        let flat = along(a % self.width, b % self.width, self.width);
        if self.depth == 1 {
            return flat + along(rows.0, rows.1, self.height);
        }
        let (height, depth) = (self.height, self.depth);
        let across = along(rows.0 / height, rows.1 / height, depth);
        flat + along(rows.0 % height, rows.1 % height, height) + across
    }

    /// The position of a cell as people write it: column and row, and the layer if there are
    /// several.
    pub fn place(&self, cell: usize) -> String {
        let (column, row) = (cell % self.width, cell / self.width % self.height);
        match self.depth {
            1 => format!("({column}, {row})"),
            _ => format!("({column}, {row}, {})", cell / (self.width * self.height)),
        }
    }

    /// The size, as people write it.
    pub fn size(&self) -> String {
        size_text(self.width, self.height, self.depth)
    }

    fn sides(&self) -> [usize; 3] {
        [self.width, self.height, self.depth]
    }
}

fn size_text(width: usize, height: usize, depth: usize) -> String {
    match depth {
        1 => format!("{width}×{height}"),
        _ => format!("{width}×{height}×{depth}"),
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

    #[test]
    fn layers_close_on_themselves_too() {
        let torus = Torus::with_layers(4, 2, 3).unwrap();
        assert_eq!(torus.next(0), [1, 4, 3, 4, 8, 16]);
        assert_eq!(torus.around(0), [1, 4, 3, 8, 16, 24]);
        assert_eq!((torus.cells(), torus.ways(), torus.degree()), (24, 6, 5));
        assert_eq!((torus.place(17), torus.size()), ("(1, 0, 2)".to_owned(), "4×2×3".to_owned()));
        let cube = Torus::with_layers(6, 4, 8).unwrap();
        assert!(cube.is_bipartite() && !torus.is_bipartite());
        for cell in 0..cube.cells() {
            for next in cube.next(cell) {
                assert_ne!(cube.colour(cell), cube.colour(usize::from(*next)));
                assert_eq!(cube.distance(cell, usize::from(*next)), 1);
            }
        }
        assert_eq!(cube.distance(0, 191), 3, "once around each side");
        assert!(Torus::with_layers(1, 1, 5).unwrap().is_ring() && !torus.is_ring());
        assert!(Torus::with_layers(41, 41, 41).is_err());
    }
}
