//! Floods: everything that can be reached by paths of free cells, wave by wave. A path steps to one
//! of the four neighbours.

use crate::lane::Lane;
use crate::rows::Rows;

/// The free cells that can be reached from the sources by paths of free cells. A source that is
/// free itself is included.
///
/// ```
/// use quintain_grid::{Cell, Rows16, reach};
///
/// let free = Rows16::parse("
///     ..#..
///     ..#..");
/// assert_eq!(reach(&free, &Rows16::of(Cell::new(0, 0))).count(), 4);
/// ```
pub fn reach<L: Lane, const N: usize>(free: &Rows<L, N>, sources: &Rows<L, N>) -> Rows<L, N> {
    let mut reached = *sources & *free;
    for wave in waves(free, sources) {
        reached = reached | wave;
    }
    reached
}

/// The waves of a flood: first the free cells one step from the sources, then those two steps away,
/// and so on.
#[derive(Clone, Debug)]
pub struct Waves<L: Lane, const N: usize> {
    /// The free cells that no wave has reached.
    dry: Rows<L, N>,
    wave: Rows<L, N>,
}

/// Floods the free cells from the sources, which are not part of any wave.
///
/// ```
/// use quintain_grid::{Cell, Rows16, waves};
///
/// let free = Rows16::rectangle(3, 3);
/// let sizes: Vec<u32> =
///     waves(&free, &Rows16::of(Cell::new(1, 1))).map(|wave| wave.count()).collect();
/// // The four neighbours of the middle, then the four corners.
/// assert_eq!(sizes, [4, 4]);
/// ```
pub fn waves<L: Lane, const N: usize>(free: &Rows<L, N>, sources: &Rows<L, N>) -> Waves<L, N> {
    Waves { dry: *free - *sources, wave: *sources }
}

impl<L: Lane, const N: usize> Iterator for Waves<L, N> {
    type Item = Rows<L, N>;

    #[inline]
    fn next(&mut self) -> Option<Rows<L, N>> {
        self.wave = self.wave.neighbours() & self.dry;
        self.dry = self.dry - self.wave;
        (!self.wave.is_empty()).then_some(self.wave)
    }
}

/// Steps from the nearest source to every cell of the first `height` rows and `width` columns, in
/// reading order; `u16::MAX` where no path of free cells leads. Sources count 0 steps, free or not.
///
/// ```
/// use quintain_grid::{Cell, Rows16, distances};
///
/// let free = Rows16::parse("
///     .#.
///     ...");
/// let steps = distances(&free, &Rows16::of(Cell::new(0, 0)), 2, 3);
/// assert_eq!(steps, [0, u16::MAX, 4, 1, 2, 3]);
/// ```
///
/// # Panics
/// If `free` or `sources` has a cell in a row or column beyond those.
pub fn distances<L: Lane, const N: usize>(
    free: &Rows<L, N>,
    sources: &Rows<L, N>,
    height: usize,
    width: usize,
) -> Vec<u16> {
    let mut distances = vec![u16::MAX; height * width];
    for (steps, wave) in std::iter::once(*sources).chain(waves(free, sources)).enumerate() {
        for cell in wave.cells() {
            distances[cell.row as usize * width + cell.col as usize] = steps as u16;
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_boards::{BoardAndCells, boards};
    use crate::{Cell, Rows16};
    use proptest::prelude::*;

    #[test]
    fn a_flood_does_not_pass_between_diagonal_walls() {
        let free = Rows16::parse(
            "
            ..#.
            .#..
            #...",
        );
        let reached = reach(&free, &Rows16::of(Cell::new(0, 0)));
        assert_eq!(reached.count(), 3);
    }

    proptest! {
        #[test]
        fn distances_equal_plain_breadth_first_search(case in boards()) {
            fn check<L: Lane, const N: usize>(case: &BoardAndCells) -> Result<(), TestCaseError> {
                let free: Rows<L, N> = case.free.iter().copied().collect();
                let sources: Rows<L, N> = case.cells.iter().copied().collect();
                let plain = case.plain().distances(&case.cells);
                let plain: Vec<u16> = plain.iter().map(|d| d.unwrap_or(u16::MAX)).collect();
                let fast = distances(&free, &sources, case.height, case.width);
                prop_assert_eq!(fast, plain);
                Ok(())
            }
            if case.fits(16) {
                check::<u16, 16>(&case)?;
            }
            check::<u32, 32>(&case)?;
            check::<u64, 64>(&case)?;
            check::<u128, 128>(&case)?;
        }

        #[test]
        fn the_reach_is_every_free_cell_with_a_distance(case in boards()) {
            let free: Rows<u32, 32> = case.free.iter().copied().collect();
            let sources: Rows<u32, 32> = case.cells.iter().copied().collect();
            let plain = case.plain();
            let distances = plain.distances(&case.cells);
            let expected = plain
                .cells()
                .zip(distances)
                .filter(|&(cell, distance)| distance.is_some() && plain.is_free(cell))
                .map(|(cell, _)| cell);
            prop_assert!(reach(&free, &sources).cells().eq(expected));
        }
    }
}
