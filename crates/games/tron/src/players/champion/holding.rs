//! What is in a set of cells, and its worth.

use quintain_grid::{Cell, Lane, Rows};
use serde::Deserialize;

/// What the parts of a territory are worth.
#[derive(Clone, Copy, Deserialize, Debug)]
pub(crate) struct Weights {
    /// A cell that a path can visit.
    pub(crate) cell: i32,
    /// A free neighbour of a cell.
    pub(crate) edge: i32,
    /// A cell on the front.
    pub(crate) front: i32,
}

/// What a set of cells holds: a place, a chamber, or the best branch of chambers.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    /// Cells by colour, as on a chess board.
    pub(crate) cells: [i32; 2],
    /// Free neighbours, summed over the cells.
    pub(crate) edges: i32,
    /// Cells next to a cell that the opponent reaches no later.
    pub(crate) front: i32,
}

impl Holding {
    /// Counts what is in `cells`, given the cells of colour 1 and the front.
    #[inline(always)]
    pub(super) fn of<L: Lane, const N: usize>(
        cells: &Rows<L, N>,
        odd: &Rows<L, N>,
        front: &Rows<L, N>,
        degrees: &Degrees<L, N>,
    ) -> Holding {
        let all = cells.count() as i32;
        let odd = (*cells & *odd).count() as i32;
        let [ones, twos, fours] =
            degrees.0.each_ref().map(|plane| (*cells & *plane).count() as i32);
        Holding {
            cells: [all - odd, odd],
            edges: ones + 2 * twos + 4 * fours,
            front: (*cells & *front).count() as i32,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.cells == [0, 0]
    }

    pub(super) fn plus(self, other: Holding) -> Holding {
        Holding {
            cells: [self.cells[0] + other.cells[0], self.cells[1] + other.cells[1]],
            edges: self.edges + other.edges,
            front: self.front + other.front,
        }
    }

    /// An upper bound on the cells that a path can visit when its first cell has the colour
    /// `first`. Colours alternate along a path, so it ends at the latest when one colour is used
    /// up: it can visit one cell more of `first` than of the other colour.
    pub(crate) fn fillable(self, first: usize) -> i32 {
        let (first, second) = (self.cells[first], self.cells[1 - first]);
        if first > second { 2 * second + 1 } else { 2 * first }
    }

    /// The same for a path whose last cell has the colour `last`: what can be visited on the way to
    /// a cell that leads on.
    pub(super) fn fillable_to(self, first: usize, last: usize) -> i32 {
        let (of_first, of_other) = (self.cells[first], self.cells[1 - first]);
        if first == last { 2 * of_other.min(of_first - 1) + 1 } else { 2 * of_first.min(of_other) }
    }

    /// The weighted sum, for a path whose first cell has the colour `first`.
    pub(super) fn worth(self, first: usize, weights: &Weights) -> i32 {
        weights.cell * self.fillable(first) + weights.edge * self.edges + weights.front * self.front
    }

    /// Whether it is worth more. Ties are broken by comparing the parts one by one, so that the
    /// answer does not depend on the order of the walk.
    pub(super) fn beats(self, other: Holding, first: usize, weights: &Weights) -> bool {
        let rank = |of: Holding| (of.worth(first, weights), of.cells, of.edges, of.front);
        rank(self) > rank(other)
    }
}

/// The number of free neighbours of every cell, 0 to 4, in binary: bit boards of the ones, twos and
/// fours.
pub(super) struct Degrees<L: Lane, const N: usize>([Rows<L, N>; 3]);

impl<L: Lane, const N: usize> Degrees<L, N> {
    /// For cells whose neighbours nobody counts.
    pub(super) const NONE: Self = Degrees([Rows::EMPTY; 3]);

    #[inline(always)]
    pub(super) fn of(free: &Rows<L, N>) -> Self {
        let (north, south, east, west) = (free.north(), free.south(), free.east(), free.west());
        let (one_vertical, two_vertical) = (north ^ south, north & south);
        let (one_across, two_across) = (east ^ west, east & west);
        // Two half adders and a full one, for all cells at once.
        let carried = one_vertical & one_across;
        Degrees([
            one_vertical ^ one_across,
            carried | (two_vertical ^ two_across),
            two_vertical & two_across,
        ])
    }

    /// The number of free neighbours of a cell.
    #[inline(always)]
    pub(super) fn of_cell(&self, row: usize, col: u32) -> i32 {
        let [ones, twos, fours] =
            self.0.each_ref().map(|plane| ((plane.lanes()[row] >> col) & L::ONE != L::ZERO) as i32);
        ones + 2 * twos + 4 * fours
    }

    /// The number of free neighbours of some cells of a row, summed.
    #[inline(always)]
    pub(super) fn sum_in(&self, row: usize, cells: L) -> i32 {
        let [ones, twos, fours] =
            self.0.each_ref().map(|plane| (plane.lanes()[row] & cells).count() as i32);
        ones + 2 * twos + 4 * fours
    }
}

/// The colour of a cell as on a chess board: 0 or 1.
pub(crate) fn colour(cell: Cell) -> usize {
    (cell.row as usize + cell.col as usize) % 2
}
