//! How much of a building's outline would touch given cells: counted for all places at once, in bit
//! planes. For a single place see [`crate::rules::board::Board::count_beside`].

use crate::rules::board::{Board, Cells};
use crate::rules::pieces::Piece;

/// What is counted along an outline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outline {
    /// Edges: a cell that touches twice counts twice.
    Edges,
    /// Cells beside the building, each once.
    Cells,
}

/// The planes that the 20 edges of a 5×5 factory need.
const PLANES: usize = 5;

/// For each place of a building's top left cell, how many of its outline's edges or
/// cells lie on `cells`: bit `n` of the count of a place is in plane `n`.
#[derive(Clone, Debug)]
pub struct Counts {
    planes: [[u64; 64]; PLANES],
}

impl Counts {
    /// Counts for every place on the board.
    pub fn of(board: &Board, cells: &Cells, piece: Piece, outline: Outline) -> Counts {
        let shape = piece.shape();
        let mut planes = [[0; 64]; PLANES];
        let mut add = |down: i8, right: i8| {
            let last = board.side() - usize::from(shape.height).min(board.side());
            let down = isize::from(down);
            // Cells above and below the board are in no set.
            let first = usize::from(down < 0);
            let last = last.min((board.side() as isize - 1 - down) as usize);
            if first > last {
                return;
            }
            let from = (first as isize + down) as usize;
            let lanes = &cells.lanes()[from..=from + last - first];
            let [a, b, c, d, e] = &mut planes;
            let rows = a[first..=last].iter_mut().zip(&mut b[first..=last]);
            let rows = rows.zip(&mut c[first..=last]).zip(&mut d[first..=last]);
            for (((((a, b), c), d), e), lane) in rows.zip(&mut e[first..=last]).zip(lanes) {
                let mut carry = if right < 0 { lane << 1 } else { lane >> right };
                for plane in [a, b, c, d, e] {
                    let next = *plane & carry;
                    *plane ^= carry;
                    carry = next;
                }
            }
        };
        match outline {
            Outline::Edges => shape.edges.iter().for_each(|&(down, right)| add(down, right)),
            Outline::Cells => {
                for (row, bits) in shape.beside.iter().enumerate() {
                    for col in (0..7).filter(|col| bits >> col & 1 == 1) {
                        add(row as i8 - 1, col - 1);
                    }
                }
            }
        }
        Counts { planes }
    }

    /// The least count among `places`, and where it occurs; nothing if there are no places.
    pub fn least(&self, places: &Cells) -> Option<(u32, Cells)> {
        let mut left = *places;
        if left.is_empty() {
            return None;
        }
        let mut count = 0;
        for (bit, plane) in self.planes.iter().enumerate().rev() {
            let mut without = left;
            let lanes = without.lanes_mut().iter_mut().zip(plane);
            lanes.for_each(|(lane, plane)| *lane &= !plane);
            if without.is_empty() {
                count |= 1 << bit;
            } else {
                left = without;
            }
        }
        Some((count, left))
    }

    /// The count of one place.
    pub fn at(&self, place: quintain_grid::Cell) -> u32 {
        let bit = |plane: &[u64; 64]| (plane[usize::from(place.row)] >> place.col & 1) as u32;
        self.planes.iter().enumerate().map(|(index, plane)| bit(plane) << index).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quintain_grid::Cell;

    proptest! {
        #[test]
        fn counts_are_those_of_single_places(
            seed: u64,
            number in 0..Piece::COUNT,
            side in 6usize..=64,
        ) {
            let piece = Piece::all().nth(number).unwrap();
            let board = Board::new(side);
            let mut rng = quintain_core::Rng::from_seed(seed);
            let cells: Cells =
                board.empty().cells().filter(|_| rng.chance(0.4)).collect();
            let places = board.find_anchors(board.empty(), piece);
            for outline in [Outline::Edges, Outline::Cells] {
                let counts = Counts::of(&board, &cells, piece, outline);
                let mut least = u32::MAX;
                for at in places.cells() {
                    let on = |&(down, right): &(i8, i8)| {
                        let row = at.row.checked_add_signed(down);
                        let col = at.col.checked_add_signed(right);
                        row.zip(col).is_some_and(|(row, col)| cells.contains(Cell::new(row, col)))
                    };
                    let edges = piece.shape().edges.iter();
                    let mut touched: Vec<_> = edges.filter(|edge| on(edge)).collect();
                    if outline == Outline::Cells {
                        touched.sort();
                        touched.dedup();
                        let count = Board::count_beside(&cells, piece, at);
                        prop_assert_eq!(touched.len() as u32, count);
                    }
                    prop_assert_eq!(counts.at(at), touched.len() as u32);
                    least = least.min(touched.len() as u32);
                }
                let (count, cells) = counts.least(&places).unwrap();
                prop_assert_eq!(count, least);
                let is_least = |at| cells.contains(at) == (counts.at(at) == least);
                prop_assert!(places.cells().all(is_least));
            }
        }
    }
}
