//! Connected components of a set of cells.

use crate::flood::reach;
use crate::lane::Lane;
use crate::rows::Rows;

/// The iterator over the connected components of a set; see [`components`].
#[derive(Clone, Debug)]
pub struct Components<L: Lane, const N: usize> {
    left: Rows<L, N>,
}

/// The connected components of a set, ordered by their first cells in reading order. Cells that
/// touch only at a corner are not connected.
///
/// ```
/// use quintain_grid::{Rows16, components};
///
/// let set = Rows16::parse("
///     ..##
///     .#..");
/// let sizes: Vec<u32> = components(&set).map(|part| part.count()).collect();
/// assert_eq!(sizes, [3, 2]);
/// ```
pub fn components<L: Lane, const N: usize>(set: &Rows<L, N>) -> Components<L, N> {
    Components { left: *set }
}

impl<L: Lane, const N: usize> Iterator for Components<L, N> {
    type Item = Rows<L, N>;

    fn next(&mut self) -> Option<Rows<L, N>> {
        let part = reach(&self.left, &Rows::of(self.left.first()?));
        self.left = self.left - part;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_boards::boards;
    use crate::{Cell, Rows32};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_equal_those_of_plain_search(case in boards()) {
            let free: Rows32 = case.free.iter().copied().collect();
            let fast: Vec<Vec<Cell>> =
                components(&free).map(|part| part.cells().collect()).collect();
            prop_assert_eq!(fast, case.plain().components());
        }
    }
}
