//! Lines laid out beforehand: where roads, ponds and fields are meant to lie.
//!
//! Where requests are all alike (bars only, say), the densest packing is a regular
//! pattern, which a greedy choice does not find by itself. A plan gives every cell a use;
//! the view adds what a cell's planned use is worth, so that the plan pulls buildings into
//! its rows but forces nothing. Whether there is a plan, and its period, are weights like
//! all others.

use quintain_grid::Cell;

use super::kind::Kind;
use super::weights::Weights;

/// The depth of a bar (the I pentomino) that lies across the line that serves it.
const DEPTH: i32 = 5;

/// What a cell is planned for: a road, water, park; nothing where buildings belong.
///
/// A period of −1 is the frame; 0 and 1 are no plan.
pub(super) fn use_at(weights: &Weights, side: usize, cell: Cell) -> Option<Kind> {
    let (row, col, side) = (i32::from(cell.row), i32::from(cell.col), side as i32);
    match weights.rest("period").round() as i32 {
        -1 => frame(row, col, side),
        period @ 2.. => {
            let first = |name: &str| weights.rest(name).round() as i32;
            let is_along = |name: &str| (row - first(name)).rem_euclid(period) == 0;
            if is_along("pond-row") {
                // Water and park alternate along the line and from line to line, so that
                // a building between two lines touches both.
                let segment = first("segment").max(1);
                let turn = (col / segment + row / period).rem_euclid(2);
                Some(if turn == 0 { Kind::Water } else { Kind::Park })
            } else if is_along("road-row") {
                Some(Kind::Road)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// For bars: a band of bars across each border, where they need no road, between a line
/// of water (left and right: park) on the border and one of park (water) inside; within,
/// rows of bars with lines of road and park in turn. The roads come from the left.
fn frame(row: i32, col: i32, side: i32) -> Option<Kind> {
    let inner = DEPTH + 1;
    let from_border = row.min(side - 1 - row);
    let is_road = |row: i32| (row - inner) % (2 * DEPTH + 2) == DEPTH + 1;
    match from_border {
        0 => return Some(Kind::Water),
        depth if depth == inner => return Some(Kind::Park),
        depth if depth < inner => return None,
        _ => {}
    }
    let from_side = col.min(side - 1 - col);
    if is_road(row) && col < side - inner {
        return Some(Kind::Road);
    }
    match from_side {
        0 => Some(Kind::Park),
        depth if depth == inner => Some(Kind::Water),
        depth if depth < inner => None,
        _ if (row - inner) % (2 * DEPTH + 2) == 0 => Some(Kind::Park),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_has_bands_and_rows_of_five() {
        let down = |col: i32| -> String {
            let sign = |row| match frame(row, col, 50) {
                Some(Kind::Road) => '#',
                Some(Kind::Water) => '~',
                Some(Kind::Park) => '*',
                _ => '.',
            };
            (0..50).map(sign).collect()
        };
        assert_eq!(down(20), "~.....*.....#.....*.....#.....*.....#.....**.....~");
        assert_eq!(down(0), "~.....******#***********#***********#*******.....~");
    }
}
