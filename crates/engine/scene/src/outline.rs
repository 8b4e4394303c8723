//! The sides of cells that lie on the border of a set of cells, on squares and on hexagons.
//! Outlines are made of these.

use std::collections::HashSet;

use quintain_core::ui::{Lattice, Point};

use crate::shapes::shape;

/// The cell on the other side.
fn across(lattice: Lattice, at: Point, side: usize) -> Point {
    let (right, down) = shape(lattice).neighbours[(at.row & 1) as usize][side];
    Point::new(at.column + right, at.row + down)
}

/// The sides on the border of these cells, each as the cell inside and the side's number.
pub(crate) fn border(lattice: Lattice, cells: &[Point]) -> Vec<(Point, usize)> {
    let within: HashSet<Point> = cells.iter().copied().collect();
    let sides = shape(lattice).corners.len();
    let all = cells.iter().flat_map(|at| (0..sides).map(|side| (*at, side)));
    all.filter(|(at, side)| !within.contains(&across(lattice, *at, *side))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_share_no_side_of_their_border() {
        let pair = [Point::new(1, 1), Point::new(2, 1)];
        let sides = border(Lattice::Square, &pair);
        assert_eq!(sides.len(), 6);
        assert!(!sides.contains(&(pair[0], 1)) && !sides.contains(&(pair[1], 3)));
        assert_eq!(border(Lattice::Hex, &pair).len(), 10);
    }

    #[test]
    fn a_flower_of_hexagons_has_a_border_of_eighteen_sides() {
        for row in [2, 3] {
            let centre = Point::new(4, row);
            let ring = (0..6).map(|side| across(Lattice::Hex, centre, side));
            let flower: Vec<Point> = ring.chain([centre]).collect();
            assert_eq!(border(Lattice::Hex, &flower).len(), 18, "row {row}");
        }
    }

    #[test]
    fn going_across_and_back_ends_where_it_began() {
        for lattice in [Lattice::Square, Lattice::Hex] {
            let sides = shape(lattice).corners.len();
            for (row, side) in [2, 3].into_iter().flat_map(|row| (0..sides).map(move |s| (row, s)))
            {
                let at = Point::new(4, row);
                let there = across(lattice, at, side);
                assert_eq!(across(lattice, there, (side + sides / 2) % sides), at);
            }
        }
    }
}
