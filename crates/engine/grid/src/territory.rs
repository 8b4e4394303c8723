//! Territory: which side is nearer to each cell, by two simultaneous floods (the Voronoi heuristic
//! of Tron programs).

use crate::lane::Lane;
use crate::rows::Rows;

/// The free cells that either side reaches, split by which is nearer. The three sets are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territory<L: Lane, const N: usize> {
    /// The cells nearer to me, in steps.
    pub mine: Rows<L, N>,
    /// The cells nearer to them.
    pub theirs: Rows<L, N>,
    /// The cells equally near to both.
    pub contested: Rows<L, N>,
}

/// Splits the free cells by which side is nearer. The sources need not be free; those that are free
/// count 0 steps and are split like any other cell.
///
/// ```
/// use quintain_grid::{Cell, Rows16, territory};
///
/// let row = Rows16::parse(".......");
/// let split = territory(&row, &Rows16::of(Cell::new(0, 0)), &Rows16::of(Cell::new(0, 4)));
/// assert_eq!(split.mine.count(), 2);
/// assert_eq!(split.theirs.count(), 4);
/// assert_eq!(split.contested.first(), Some(Cell::new(0, 2)));
/// ```
///
/// Both floods advance together through cells that neither has reached before. It changes nothing
/// that each stops where the other came first: along a shortest path to a cell that I reach no
/// later than they do, I reach every cell no later than they do.
#[inline]
pub fn territory<L: Lane, const N: usize>(
    free: &Rows<L, N>,
    mine: &Rows<L, N>,
    theirs: &Rows<L, N>,
) -> Territory<L, N> {
    let mut dry = *free - *mine - *theirs;
    let (mut my_wave, mut their_wave) = (*mine, *theirs);
    let (mut my_reach, mut their_reach) = (*mine & *free, *theirs & *free);
    loop {
        my_wave = my_wave.neighbours() & dry;
        their_wave = their_wave.neighbours() & dry;
        let reached = my_wave | their_wave;
        if reached.is_empty() {
            let contested = my_reach & their_reach;
            return Territory {
                mine: my_reach - contested,
                theirs: their_reach - contested,
                contested,
            };
        }
        dry = dry - reached;
        my_reach = my_reach | my_wave;
        their_reach = their_reach | their_wave;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_boards::{BoardAndCells, boards};
    use crate::{Cell, Rows16};
    use proptest::prelude::*;

    #[test]
    fn a_cell_behind_a_contested_gap_is_contested() {
        let free = Rows16::parse(
            "
            .....
            ##.##
            .....",
        );
        let split = territory(&free, &Rows16::of(Cell::new(0, 0)), &Rows16::of(Cell::new(0, 4)));
        assert_eq!(split.contested.count(), 7);
        assert_eq!((split.mine.count(), split.theirs.count()), (2, 2));
    }

    proptest! {
        #[test]
        fn territory_equals_two_plain_breadth_first_searches(case in boards()) {
            fn check<L: Lane, const N: usize>(case: &BoardAndCells) -> Result<(), TestCaseError> {
                let (mine, theirs) = (case.cells[0], case.cells[1]);
                let free: Rows<L, N> = case.free.iter().copied().collect();
                let split = territory(&free, &Rows::of(mine), &Rows::of(theirs));
                let plain = case.plain().territory(mine, theirs);
                let fast: [Vec<Cell>; 3] =
                    [split.mine, split.theirs, split.contested].map(|part| part.cells().collect());
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
    }
}
