//! Articulation points (cut vertices): cells without which their component would fall apart.
//!
//! A cell whose free neighbours are connected to each other within the ring of the eight cells
//! around it cannot be an articulation point. [`local_cuts`] finds all other cells at once with bit
//! operations. Among those, [`articulation_points`] decides by the low-point method (Hopcroft &
//! Tarjan 1973, "Algorithm 447: efficient algorithms for graph manipulation").

use crate::Cell;
use crate::lane::Lane;
use crate::rows::Rows;

/// The cells of the set whose neighbours in the set are not all connected within the eight cells
/// around. Every articulation point is one of them.
///
/// ```
/// use quintain_grid::{Rows16, articulation_points, local_cuts};
///
/// let ring = Rows16::parse("
///     ...
///     .#.
///     ...");
/// // No cell sees within its eight neighbours that the ring is closed.
/// assert_eq!(local_cuts(&ring).count(), 8);
/// assert!(articulation_points(&ring).is_empty());
/// ```
#[inline]
pub fn local_cuts<L: Lane, const N: usize>(set: &Rows<L, N>) -> Rows<L, N> {
    let set = *set;
    let (north, south, east, west) = (set.south(), set.north(), set.west(), set.east());
    // A corner connects its two sides when all three are in the set.
    let north_east = north & east & north.west();
    let north_west = north & west & north.east();
    let south_east = south & east & south.west();
    let south_west = south & west & south.east();

    // Opposite sides are connected around one of the other two sides; neighbouring sides by their
    // corner or the long way round.
    let (round_east, round_west) = (north_east & south_east, north_west & south_west);
    let (round_north, round_south) = (north_east & north_west, south_east & south_west);
    let across =
        ((north & south) - round_east - round_west) | ((east & west) - round_north - round_south);
    let beside = ((north & east) - north_east - (round_west & south_east))
        | ((north & west) - north_west - (round_east & south_west))
        | ((south & east) - south_east - (round_west & north_east))
        | ((south & west) - south_west - (round_east & north_west));
    set & (across | beside)
}

/// The cells of the set whose removal would leave their component in pieces.
///
/// ```
/// use quintain_grid::{Cell, Rows16, articulation_points};
///
/// let rooms = Rows16::parse("
///     ..#..
///     .....
///     ..#..");
/// assert!(articulation_points(&rooms).contains(Cell::new(1, 2)));
/// ```
pub fn articulation_points<L: Lane, const N: usize>(set: &Rows<L, N>) -> Rows<L, N> {
    let mut found = Rows::EMPTY;
    let cuts = local_cuts(set);
    if cuts.is_empty() {
        return found;
    }
    let mut search = DepthFirst { set, order: vec![0; N * L::WIDTH], next: 1, path: Vec::new() };
    for start in cuts.cells() {
        if search.order[search.index(start)] == 0 {
            found = found | search.search_component(start);
        }
    }
    found
}

/// A depth-first search through the components of a set, with its stack in `path`.
struct DepthFirst<'a, L: Lane, const N: usize> {
    set: &'a Rows<L, N>,
    /// When each cell was first seen; 0 if never.
    order: Vec<u32>,
    next: u32,
    path: Vec<Step>,
}

/// A cell on the path from the start of the search.
struct Step {
    cell: Cell,
    /// The low point: the earliest cell, by `order`, seen from here or from a descendant.
    low: u32,
    /// The number of sides already looked at, 0 to 4.
    sides: u8,
    /// How many neighbours were first reached from here.
    children: u8,
    /// Whether some child leads back no further than to this cell, so that this cell cuts it off.
    cuts: bool,
}

impl<L: Lane, const N: usize> DepthFirst<'_, L, N> {
    fn index(&self, cell: Cell) -> usize {
        cell.row as usize * L::WIDTH + cell.col as usize
    }

    /// Visits a cell for the first time.
    fn enter(&mut self, cell: Cell) {
        let index = self.index(cell);
        self.order[index] = self.next;
        self.path.push(Step { cell, low: self.next, sides: 0, children: 0, cuts: false });
        self.next += 1;
    }

    /// The articulation points of the component that contains `start`.
    fn search_component(&mut self, start: Cell) -> Rows<L, N> {
        let mut found = Rows::EMPTY;
        self.enter(start);
        while let Some(step) = self.path.last_mut() {
            let Cell { row, col } = step.cell;
            let next = match step.sides {
                0 => Cell::new(row.wrapping_sub(1), col),
                1 => Cell::new(row, col.wrapping_add(1)),
                2 => Cell::new(row.wrapping_add(1), col),
                3 => Cell::new(row, col.wrapping_sub(1)),
                _ => {
                    let Step { cell, low, children, cuts, .. } = *step;
                    self.path.pop();
                    match self.path.last_mut() {
                        Some(before) => {
                            let order_before = self.order
                                [before.cell.row as usize * L::WIDTH + before.cell.col as usize];
                            before.low = before.low.min(low);
                            before.cuts |= low >= order_before;
                            if cuts {
                                found.insert(cell);
                            }
                        }
                        // The start is an articulation point if it has several children.
                        None if children > 1 => found.insert(cell),
                        None => {}
                    }
                    continue;
                }
            };
            step.sides += 1;
            if !self.set.contains(next) {
                continue;
            }
            match self.order[next.row as usize * L::WIDTH + next.col as usize] {
                0 => {
                    step.children += 1;
                    self.enter(next);
                }
                seen => step.low = step.low.min(seen),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_boards::{BoardAndCells, boards};
    use crate::{Rows16, components};
    use proptest::prelude::*;

    #[test]
    fn the_door_between_two_rooms_is_an_articulation_point() {
        let set = Rows16::parse(
            "
            ..#..
            .....
            ..#..",
        );
        let points: Vec<Cell> = articulation_points(&set).cells().collect();
        assert_eq!(points, [Cell::new(1, 1), Cell::new(1, 2), Cell::new(1, 3)]);
    }

    #[test]
    fn a_ring_has_local_cuts_but_no_articulation_point() {
        let set = Rows16::parse(
            "
            ...
            .#.
            ...",
        );
        assert_eq!(local_cuts(&set), set);
        assert!(articulation_points(&set).is_empty());
    }

    proptest! {
        #[test]
        fn articulation_points_are_those_whose_removal_adds_a_component(case in boards()) {
            fn check<L: Lane, const N: usize>(case: &BoardAndCells) -> Result<(), TestCaseError> {
                let free: Rows<L, N> = case.free.iter().copied().collect();
                let fast: Vec<Cell> = articulation_points(&free).cells().collect();
                prop_assert_eq!(fast, case.plain().articulation_points());
                Ok(())
            }
            if case.fits(16) {
                check::<u16, 16>(&case)?;
            }
            check::<u32, 32>(&case)?;
            check::<u64, 64>(&case)?;
        }

        #[test]
        fn local_cuts_are_those_with_neighbours_apart_in_the_ring_of_eight(case in boards()) {
            let is_inside = |cell: &&Cell| cell.row < 16 && cell.col < 16;
            let free: Rows16 = case.free.iter().filter(is_inside).copied().collect();
            let cuts = local_cuts(&free);
            for cell in free.cells() {
                let ring: Rows16 = free
                    .cells()
                    .filter(|c| *c != cell)
                    .filter(|c| c.row.abs_diff(cell.row) <= 1 && c.col.abs_diff(cell.col) <= 1)
                    .collect();
                let sides = Rows16::of(cell).neighbours();
                let parts = components(&ring).filter(|part| !(*part & sides).is_empty()).count();
                prop_assert_eq!(cuts.contains(cell), parts > 1, "at {}", cell);
            }
        }
    }
}
