//! Sets of cells as bit boards with one integer lane per row.
//!
//! Bit `c` of lane `r` is the cell in row `r`, column `c`. A step north or south is then a shift of
//! the lane index, a step east or west a shift inside every lane. Both are branchless loops over
//! small arrays, which the compiler vectorises. Nothing wraps: cells that are shifted over an edge
//! of the board disappear.

use crate::lane::Lane;
use crate::{Cell, step};
use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

macro_rules! lane {
    ($($integer:ty: $step:ident),*) => {$(
        impl Lane for $integer {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const WIDTH: usize = <$integer>::BITS as usize;
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn last_up_to(self, col: u32) -> u32 {
                col - (self << (Self::BITS - 1 - col)).leading_zeros()
            }
            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn run(self, from: u32) -> Self {
                let above = self >> from;
                // Adding one carries through the run and sets the bit after it.
                (above & !above.wrapping_add(1)) << from
            }
            #[inline(always)]
            fn neighbours<const N: usize>(lanes: &[Self; N]) -> [Self; N] {
                step::$step(lanes)
            }
        }
    )*};
}
lane!(u16: of_16, u32: of_32, u64: of_64, u128: of_128);

/// A set of cells of a board of at most `N` rows and `L::WIDTH` columns.
///
/// ```
/// use quintain_grid::{Cell, Rows16};
///
/// let mut set = Rows16::rectangle(2, 3);
/// set.remove(Cell::new(0, 0));
/// assert_eq!((set.count(), set.first()), (5, Some(Cell::new(0, 1))));
/// // Set algebra is by operators: and, or, exclusive or, difference.
/// assert_eq!(set - Rows16::rectangle(1, 3), Rows16::rectangle(1, 3).south());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(align(16))]
pub struct Rows<L: Lane, const N: usize>([L; N]);

/// Boards of up to 16×16.
pub type Rows16 = Rows<u16, 16>;
/// Boards of up to 32×32.
pub type Rows32 = Rows<u32, 32>;
/// Boards of up to 64×64.
pub type Rows64 = Rows<u64, 64>;
/// Boards of up to 128×128.
pub type Rows128 = Rows<u128, 128>;

impl<L: Lane, const N: usize> Rows<L, N> {
    /// The set with no cell.
    pub const EMPTY: Self = Rows([L::ZERO; N]);

    /// The set of one cell.
    pub fn of(cell: Cell) -> Self {
        let mut rows = Self::EMPTY;
        rows.insert(cell);
        rows
    }

    /// Every cell of a board of `height` rows and `width` columns.
    ///
    /// # Panics
    /// If the rectangle is larger than the board.
    pub fn rectangle(height: usize, width: usize) -> Self {
        assert!(height <= N && width <= L::WIDTH, "a board of {height}×{width} does not fit");
        let lane = if width == 0 { L::ZERO } else { !L::ZERO >> (L::WIDTH - width) as u32 };
        let mut rows = Self::EMPTY;
        rows.0[..height].fill(lane);
        rows
    }

    /// Parses a drawing with one line of text per row: the cells drawn as `.` are in the set;
    /// spaces around lines and empty lines are ignored. For tests and examples.
    ///
    /// # Panics
    /// If the drawing is larger than the board.
    pub fn parse(text: &str) -> Self {
        let mut rows = Self::EMPTY;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (row, line) in lines.enumerate() {
            for (col, mark) in line.chars().enumerate() {
                if mark == '.' {
                    rows.insert(Cell::new(row as u8, col as u8));
                }
            }
        }
        rows
    }

    /// Adds a cell.
    ///
    /// # Panics
    /// If its row is not on the board.
    #[inline(always)]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.row as usize] = self.0[cell.row as usize] | (L::ONE << cell.col as u32);
    }

    /// Removes a cell.
    ///
    /// # Panics
    /// If its row is not on the board.
    #[inline(always)]
    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.row as usize] = self.0[cell.row as usize] & !(L::ONE << cell.col as u32);
    }

    /// Whether the cell is in the set. Cells outside the board never are.
    #[inline(always)]
    pub fn contains(&self, cell: Cell) -> bool {
        (cell.row as usize) < N
            && (cell.col as usize) < L::WIDTH
            && (self.0[cell.row as usize] >> cell.col as u32) & L::ONE != L::ZERO
    }

    /// Which neighbours of a cell of the board are in the set: above, right, below, left.
    #[inline(always)]
    pub fn sides(&self, cell: Cell) -> [bool; 4] {
        let (row, col) = (cell.row as usize, cell.col as u32);
        let has = |lane: L| lane & L::ONE != L::ZERO;
        let here = self.0[row];
        [
            row > 0 && has(self.0[row - 1] >> col),
            has((here >> 1) >> col),
            row + 1 < N && has(self.0[row + 1] >> col),
            has((here << 1) >> col),
        ]
    }

    /// The number of cells.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|lane| lane.count()).sum()
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(L::ZERO, |all, &lane| all | lane) == L::ZERO
    }

    /// The first cell in reading order.
    #[inline]
    pub fn first(&self) -> Option<Cell> {
        let row = self.0.iter().position(|&lane| lane != L::ZERO)?;
        Some(Cell::new(row as u8, self.0[row].first() as u8))
    }

    /// The cells in reading order.
    pub fn cells(&self) -> Cells<'_, L, N> {
        Cells { rows: self, row: 0, left: self.0[0] }
    }

    /// The lanes, one per row.
    #[inline(always)]
    pub fn lanes(&self) -> &[L; N] {
        &self.0
    }

    /// The lanes, for writing whole rows at once. Cells outside the board must stay out.
    #[inline(always)]
    pub fn lanes_mut(&mut self) -> &mut [L; N] {
        &mut self.0
    }

    #[inline(always)]
    fn zip(self, other: &Self, join: impl Fn(L, L) -> L) -> Self {
        let mut lanes = self.0;
        for (lane, &with) in lanes.iter_mut().zip(&other.0) {
            *lane = join(*lane, with);
        }
        Rows(lanes)
    }

    /// The set shifted one row up.
    #[inline(always)]
    pub fn north(&self) -> Self {
        let mut lanes = [L::ZERO; N];
        lanes[..N - 1].copy_from_slice(&self.0[1..]);
        Rows(lanes)
    }

    /// The set shifted one row down.
    #[inline(always)]
    pub fn south(&self) -> Self {
        let mut lanes = [L::ZERO; N];
        lanes[1..].copy_from_slice(&self.0[..N - 1]);
        Rows(lanes)
    }

    /// The set shifted one column right.
    #[inline(always)]
    pub fn east(&self) -> Self {
        let mut lanes = self.0;
        lanes.iter_mut().for_each(|lane| *lane = *lane << 1);
        Rows(lanes)
    }

    /// The set shifted one column left.
    #[inline(always)]
    pub fn west(&self) -> Self {
        let mut lanes = self.0;
        lanes.iter_mut().for_each(|lane| *lane = *lane >> 1);
        Rows(lanes)
    }

    /// The cells one step from the set. A cell of the set itself is included only if it has a
    /// neighbour in the set.
    #[inline(always)]
    pub fn neighbours(&self) -> Self {
        Rows(L::neighbours(&self.0))
    }
}

impl<L: Lane, const N: usize> BitAnd for Rows<L, N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(&other, |a, b| a & b)
    }
}

impl<L: Lane, const N: usize> BitOr for Rows<L, N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(&other, |a, b| a | b)
    }
}

impl<L: Lane, const N: usize> BitXor for Rows<L, N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(&other, |a, b| a ^ b)
    }
}

/// Set difference: the cells of the left set that are not in the right one.
impl<L: Lane, const N: usize> Sub for Rows<L, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(&other, |a, b| a & !b)
    }
}

impl<L: Lane, const N: usize> FromIterator<Cell> for Rows<L, N> {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut rows = Self::EMPTY;
        for cell in cells {
            rows.insert(cell);
        }
        rows
    }
}

impl<L: Lane, const N: usize> fmt::Debug for Rows<L, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.cells()).finish()
    }
}

/// The cells of a set in reading order; see [`Rows::cells`].
#[derive(Clone, Debug)]
pub struct Cells<'a, L: Lane, const N: usize> {
    rows: &'a Rows<L, N>,
    row: usize,
    left: L,
}

impl<L: Lane, const N: usize> Iterator for Cells<'_, L, N> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        while self.left == L::ZERO {
            self.row += 1;
            self.left = *self.rows.0.get(self.row)?;
        }
        let col = self.left.first() as u8;
        self.left = self.left.without_first();
        Some(Cell::new(self.row as u8, col))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn cells_pushed_over_an_edge_are_gone() {
        let corner = Rows16::of(Cell::new(0, 15));
        assert!(corner.north().is_empty());
        assert!(corner.east().is_empty());
        assert_eq!(corner.south(), Rows16::of(Cell::new(1, 15)));
        assert_eq!(corner.west(), Rows16::of(Cell::new(0, 14)));
    }

    #[test]
    fn a_rectangle_holds_exactly_its_cells() {
        assert_eq!(Rows32::rectangle(17, 20).count(), 17 * 20);
        assert_eq!(Rows128::rectangle(128, 128).count(), 128 * 128);
        assert!(Rows16::rectangle(0, 0).is_empty());
        assert!(!Rows32::rectangle(17, 20).contains(Cell::new(16, 20)));
        assert!(Rows32::rectangle(17, 20).contains(Cell::new(16, 19)));
    }

    #[test]
    fn a_cell_outside_of_the_board_is_in_no_set() {
        assert!(!Rows16::rectangle(16, 16).contains(Cell::new(16, 0)));
        assert!(!Rows16::rectangle(16, 16).contains(Cell::new(0, 16)));
    }

    fn sets() -> impl Strategy<Value = BTreeSet<Cell>> {
        prop::collection::btree_set((0..16u8, 0..16u8).prop_map(|(r, c)| Cell::new(r, c)), 0..60)
    }

    proptest! {
        #[test]
        fn rows_behave_as_a_set_of_cells(a in sets(), b in sets()) {
            let rows_a: Rows16 = a.iter().copied().collect();
            let rows_b: Rows16 = b.iter().copied().collect();
            prop_assert_eq!(rows_a.count() as usize, a.len());
            prop_assert_eq!(rows_a.first(), a.first().copied());
            prop_assert!(rows_a.cells().eq(a.iter().copied()));
            prop_assert!((rows_a & rows_b).cells().eq(a.intersection(&b).copied()));
            prop_assert!((rows_a | rows_b).cells().eq(a.union(&b).copied()));
            prop_assert!((rows_a ^ rows_b).cells().eq(a.symmetric_difference(&b).copied()));
            prop_assert!((rows_a - rows_b).cells().eq(a.difference(&b).copied()));
            let mut emptied = rows_a;
            a.iter().for_each(|&cell| emptied.remove(cell));
            prop_assert!(emptied.is_empty());
        }

        #[test]
        fn a_run_goes_on_to_the_first_cell_that_is_missing(row: u32, col in 0..32u32) {
            let has = |col: &u32| row >> col & 1 == 1;
            let expected = (col..32).take_while(has).fold(0, |run, col| run | 1 << col);
            prop_assert_eq!(row.run(col), expected);
            if let Some(last) = (0..=col).rev().find(has) {
                prop_assert_eq!(row.last_up_to(col), last);
            }
        }

        #[test]
        fn neighbours_are_the_union_of_the_four_moves(a in sets()) {
            let rows: Rows16 = a.iter().copied().collect();
            prop_assert_eq!(
                rows.neighbours(),
                rows.north() | rows.south() | rows.east() | rows.west()
            );
            for cell in Rows16::rectangle(16, 16).cells() {
                let beside = [rows.south(), rows.west(), rows.north(), rows.east()];
                prop_assert_eq!(rows.sides(cell), beside.map(|moved| moved.contains(cell)));
                prop_assert_eq!(
                    rows.neighbours().contains(cell),
                    a.iter().any(|other| cell.steps_to(*other) == 1)
                );
            }
        }
    }
}
