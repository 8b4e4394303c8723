//! Where rectangles could lie on a set of cells, and how much they would cover: for
//! [`super::features`], which asks this for some twenty rectangles on every board that it
//! describes.

use crate::rules::board::Cells;

/// The rows of a set of cells.
const ROWS: usize = 64;
/// The longest side of a rectangle.
const LONGEST: usize = 5;

/// What is asked about rectangles of one height and width. The sides are parameters of the
/// functions, so that each is compiled to straight passes over the rows.
pub(super) struct Rectangle {
    /// Where its top left cell may be so that all of its cells are among these.
    pub(super) find_places: fn(&Cells) -> Cells,
    /// Where its top left cell would be so that it has a cell among these.
    pub(super) find_meeting: fn(&Cells) -> Cells,
    /// How many cells it covers from all of these places for its top left cell.
    pub(super) count_covered: fn(&Cells) -> u32,
}

/// The rectangle of `H` rows and `W` columns.
pub(super) const fn rectangle<const H: usize, const W: usize>() -> Rectangle {
    assert!(H <= LONGEST && W <= LONGEST, "a rectangle is too long");
    Rectangle {
        find_places: find_places::<H, W>,
        find_meeting: find_meeting::<H, W>,
        count_covered: count_covered::<H, W>,
    }
}

/// Lanes with room for rows beyond the last one, or before the first.
type Padded = [u64; ROWS + LONGEST - 1];

fn find_places<const H: usize, const W: usize>(cells: &Cells) -> Cells {
    let mut narrow: Padded = [0; _];
    for (narrow, lane) in narrow.iter_mut().zip(cells.lanes()) {
        *narrow = (1..W).fold(*lane, |all, by| all & lane >> by);
    }
    let mut places = Cells::EMPTY;
    for (row, place) in places.lanes_mut().iter_mut().enumerate() {
        *place = (1..H).fold(narrow[row], |all, by| all & narrow[row + by]);
    }
    places
}

fn find_meeting<const H: usize, const W: usize>(cells: &Cells) -> Cells {
    let mut wide: Padded = [0; _];
    for (wide, lane) in wide.iter_mut().zip(cells.lanes()) {
        *wide = (1..W).fold(*lane, |all, by| all | lane >> by);
    }
    let mut places = Cells::EMPTY;
    for (row, place) in places.lanes_mut().iter_mut().enumerate() {
        *place = (1..H).fold(wide[row], |all, by| all | wide[row + by]);
    }
    places
}

fn count_covered<const H: usize, const W: usize>(places: &Cells) -> u32 {
    if places.is_empty() {
        return 0;
    }
    let mut wide: Padded = [0; _];
    for (wide, lane) in wide[LONGEST - 1..].iter_mut().zip(places.lanes()) {
        *wide = (1..W).fold(*lane, |all, by| all | lane << by);
    }
    let mut count = 0;
    for row in LONGEST - 1..ROWS + LONGEST - 1 {
        let covered = (1..H).fold(wide[row], |all, by| all | wide[row - by]);
        count += covered.count_ones();
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use quintain_grid::Cell;

    use super::*;

    const ALL: [(usize, usize, Rectangle); 8] = [
        (1, 1, rectangle::<1, 1>()),
        (1, 5, rectangle::<1, 5>()),
        (5, 1, rectangle::<5, 1>()),
        (2, 3, rectangle::<2, 3>()),
        (4, 2, rectangle::<4, 2>()),
        (3, 3, rectangle::<3, 3>()),
        (4, 4, rectangle::<4, 4>()),
        (5, 5, rectangle::<5, 5>()),
    ];

    proptest! {
        #[test]
        fn rectangles_are_found_and_covered_as_cell_by_cell(
            lanes in prop::collection::vec(any::<u64>(), 12),
            side in 6usize..=12,
        ) {
            let mut cells = Cells::EMPTY;
            for (lane, random) in cells.lanes_mut().iter_mut().zip(&lanes).take(side) {
                *lane = (random | random >> 20) & ((1 << side) - 1);
            }
            for (height, width, rectangle) in &ALL {
                let own = |at: Cell| {
                    let rows = at.row..at.row + *height as u8;
                    rows.flat_map(move |row| {
                        (at.col..at.col + *width as u8).map(move |col| Cell::new(row, col))
                    })
                };
                let places = (rectangle.find_places)(&cells);
                let meeting = (rectangle.find_meeting)(&cells);
                let mut covered = BTreeSet::new();
                for at in Cells::rectangle(side, side).cells() {
                    let is_place = own(at).all(|cell| cells.contains(cell));
                    prop_assert_eq!(places.contains(at), is_place);
                    prop_assert_eq!(meeting.contains(at), own(at).any(|cell| cells.contains(cell)));
                    if is_place {
                        covered.extend(own(at));
                    }
                }
                prop_assert_eq!((rectangle.count_covered)(&places), covered.len() as u32);
            }
        }
    }
}
