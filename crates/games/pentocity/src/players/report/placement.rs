//! Where to build, judged by the building alone.

use quintain_grid::{Cell, reach};

use super::parameters::{Components, PlacementKey, Report, Ties};
use crate::rules::board::{Board, Cells};
use crate::rules::contact::{Counts, Outline};
use crate::rules::pieces::Piece;
use crate::rules::placements::{Placement, Placements};
use crate::rules::state::Ruleset;

/// A sort key; the least one is the best.
type Key = [i32; 5];

/// The best place by the keys that the parameters choose.
pub(super) fn best(
    report: &Report,
    board: &Board,
    request: Piece,
    reading: Ruleset,
) -> Option<Placement> {
    let mut places = places(report, board, request, reading);
    // If components do not come first, contact narrows all places at once.
    if report.components != Components::First
        && let Some(outline) = outline(report.placement)
    {
        places.narrow(|piece, anchors| {
            Counts::of(board, board.empty(), piece, outline).least(anchors)
        });
    }
    places.iter().min_by_key(|place| (key(report, board, place), order(report, place)))
}

/// The best places, the best first; at most `count`, or all for 0.
pub(super) fn rank(
    report: &Report,
    board: &Board,
    request: Piece,
    reading: Ruleset,
    count: usize,
) -> Vec<Placement> {
    let places = places(report, board, request, reading);
    let mut ranked: Vec<(Key, Key, Placement)> = places
        .iter()
        .map(|place| (key(report, board, &place), order(report, &place), place))
        .collect();
    ranked.sort_by_key(|(key, order, _)| (*key, *order));
    if count > 0 {
        ranked.truncate(count);
    }
    ranked.into_iter().map(|(_, _, place)| place).collect()
}

/// The places that are considered.
fn places(report: &Report, board: &Board, request: Piece, reading: Ruleset) -> Placements {
    match report.filter {
        true => Placements::of(board, request, reading),
        false => Placements::anywhere(board, request),
    }
}

fn outline(placement: PlacementKey) -> Option<Outline> {
    match placement {
        PlacementKey::Edges => Some(Outline::Edges),
        PlacementKey::Cells => Some(Outline::Cells),
        PlacementKey::Rows | PlacementKey::Diagonal | PlacementKey::Centre => None,
    }
}

/// The placement's key, with components before or after it.
fn key(report: &Report, board: &Board, place: &Placement) -> Key {
    let &Placement { piece, at, .. } = place;
    let own = match report.placement {
        PlacementKey::Rows => mirror(piece, i32::from(at.row)),
        PlacementKey::Diagonal => mirror(piece, i32::from(at.row) + i32::from(at.col)),
        PlacementKey::Centre => -mirror(piece, depth(board, piece, at)),
        // The length of the outline is fixed, so the fewest empty cells are the most taken ones.
        PlacementKey::Edges => {
            let empty = piece.shape().edges.iter().filter(|&&(down, right)| {
                let row = at.row.checked_add_signed(down);
                let cell = row.zip(at.col.checked_add_signed(right));
                cell.is_some_and(|(row, col)| board.empty().contains(Cell::new(row, col)))
            });
            empty.count() as i32
        }
        PlacementKey::Cells => Board::count_beside(board.empty(), piece, at) as i32,
    };
    match report.components {
        Components::No => [own, 0, 0, 0, 0],
        Components::First => [components(board, &Board::cells_of(piece, at)), own, 0, 0, 0],
        Components::Second => [own, components(board, &Board::cells_of(piece, at)), 0, 0, 0],
    }
}

/// Orders places with equal keys: by the keys of the ties, then in the order in which places are
/// looked at.
pub(super) fn order(report: &Report, place: &Placement) -> Key {
    let &Placement { piece, at, rotation } = place;
    let (row, col) = (i32::from(at.row), i32::from(at.col));
    let turns = i32::from(rotation);
    let (sum, apart) = (mirror(piece, row + col), (row - col).abs());
    match report.ties {
        Ties::Diagonal => [sum, apart, mirror(piece, row), mirror(piece, col), turns],
        Ties::Sum => [sum, mirror(piece, row), mirror(piece, col), turns, 0],
        Ties::Rows => [mirror(piece, row), mirror(piece, col), turns, 0, 0],
        Ties::Submitted if piece.is_factory() => [row, col, -turns, 0, 0],
        Ties::Submitted => [sum, apart, row, col, turns],
    }
}

/// The key of a residence; negated for a factory, which is built from the other end.
fn mirror(piece: Piece, key: i32) -> i32 {
    if piece.is_factory() { -key } else { key }
}

/// The number of cells between a building and the border.
fn depth(board: &Board, piece: Piece, at: Cell) -> i32 {
    let side = board.side() as u8;
    let (below, right) =
        (side - at.row - piece.shape().height, side - at.col - piece.shape().width);
    i32::from(at.row.min(at.col).min(below).min(right))
}

/// How many vacant components lie around cells once they are taken.
pub(super) fn components(board: &Board, cells: &Cells) -> i32 {
    let free = *board.empty() - *cells;
    let mut left = cells.neighbours() & free;
    // Most often the cells around are all connected close by; then there is no need to look
    // further.
    let around = {
        let wide = cells.neighbours() | *cells;
        (wide | wide.north() | wide.south() | wide.east() | wide.west()) & free
    };
    if let Some(first) = left.first()
        && (left - reach(&around, &Cells::of(first))).is_empty()
    {
        return 1;
    }
    let mut count = 0;
    while let Some(first) = left.first() {
        left = left - reach(&free, &Cells::of(first));
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_those_of_the_whole_land_that_touch_the_cells(seed: u64) {
            let mut rng = quintain_core::Rng::from_seed(seed);
            let mut board = Board::new(12);
            for cell in Cells::rectangle(12, 12).cells() {
                if rng.chance(0.35) {
                    board.lay_road(cell);
                }
            }
            let piece = Piece::all().nth(rng.below(Piece::COUNT)).unwrap();
            for at in board.room_for(piece).cells() {
                let own = Board::cells_of(piece, at);
                let free = *board.empty() - own;
                let parts = quintain_grid::components(&free);
                let touching = parts.filter(|part| !(*part & own.neighbours()).is_empty());
                prop_assert_eq!(components(&board, &own), touching.count() as i32);
            }
        }
    }
}
