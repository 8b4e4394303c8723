//! Ranks the placements of a request by the worth of the building alone: all of them are evaluated at once,
//! row by row, and the best are kept.
//!
//! A building's worth is a sum over its cells and edges, each at a fixed offset from the
//! place of its top left cell. So for one row of places, each cell or edge adds a shifted
//! row of a map to all sums at once, which the compiler turns into vector additions.

use quintain_grid::Cell;

use super::kind::Kind;
use super::view::{STEPS, View, index};
use crate::rules::board::Cells;
use crate::rules::pieces::Piece;
use crate::rules::placements::{Placement, Placements};
use crate::rules::state::Ruleset;

/// A placement with its worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RankedPlacement {
    /// The worth of its cells and outline.
    pub(super) worth: i32,
    /// Its worth plus an estimate for what will be laid with it; placements are ranked by it. For example, a
    /// placement that touches a pond already need not pay for one.
    pub(super) rank: i32,
    pub(super) placement: Placement,
    /// Whether it touches a pond.
    pub(super) has_pond: bool,
    /// Whether it touches a field.
    pub(super) has_field: bool,
    /// Whether it needs no road laid.
    pub(super) has_road: bool,
}

/// What a placement is estimated to gain from what it touches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TouchValue {
    /// For a pond or a field.
    pub(super) bonus: i32,
    /// For a road.
    pub(super) road: i32,
}

/// The best placements, the best first; equal ones are in reading order.
pub(super) fn best(
    view: &View,
    request: Piece,
    scoring: Ruleset,
    touch: TouchValue,
    count: usize,
    out: &mut Vec<RankedPlacement>,
) {
    out.clear();
    let board = view.board();
    let kind = if request.is_factory() { Kind::Factory } else { Kind::Residence };
    let (on, edge_values) = (view.on(kind), view.edge_values(kind));
    let places = Placements::of(board, request, scoring);
    let by_pond = board.ponds().neighbours();
    let by_field = board.fields().neighbours();
    // If a plan has places left, only these count.
    let planned: Vec<Cells> = match view.slots() {
        Some(slots) => (0..request.rotations())
            .map(|turns| *places.anchors(turns) & slots.anchors(board, request.rotated(turns)))
            .collect(),
        None => Vec::new(),
    };
    let has_slots = planned.iter().any(|anchors| !anchors.is_empty());
    let by_road = board.roads().neighbours() | board.rings(scoring.rings_without_road());
    for rotation in 0..request.rotations() {
        let piece = request.rotated(rotation);
        let anchors =
            if has_slots { planned[usize::from(rotation)] } else { *places.anchors(rotation) };
        if anchors.is_empty() {
            continue;
        }
        let (cells, edges) = offsets(piece);
        let ponds = board.anchors_meeting(&by_pond, piece);
        let fields = board.anchors_meeting(&by_field, piece);
        let roads = board.anchors_meeting(&by_road, piece);
        for row in 0..board.side() {
            let mut left = anchors.lanes()[row];
            if left == 0 {
                continue;
            }
            // Sums of illegal places may wrap around; they are never read.
            let mut worth = [0i16; 64];
            let start = index(row as i32, 0) as i32;
            for &offset in &cells {
                let from = &on[(start + offset) as usize..][..64];
                worth.iter_mut().zip(from).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
            }
            for (edges, values) in edges.iter().zip(edge_values) {
                for &offset in edges {
                    let from = &values[(start + offset) as usize..][..64];
                    worth
                        .iter_mut()
                        .zip(from)
                        .for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
                }
            }
            let (ponds, fields, roads) =
                (ponds.lanes()[row], fields.lanes()[row], roads.lanes()[row]);
            while left != 0 {
                let col = left.trailing_zeros() as usize;
                left &= left - 1;
                let has = |lane: u64| lane >> col & 1 == 1;
                let worth = i32::from(worth[col]);
                let touched = i32::from(has(ponds)) + i32::from(has(fields));
                let rank = worth + touch.bonus * touched + touch.road * i32::from(has(roads));
                if out.len() == count && rank <= out[count - 1].rank {
                    continue;
                }
                let at = Cell::new(row as u8, col as u8);
                let ranked = RankedPlacement {
                    worth,
                    rank,
                    placement: Placement { rotation, piece, at },
                    has_pond: has(ponds),
                    has_field: has(fields),
                    has_road: has(roads),
                };
                // The list is short and sorted, so insertion beats a heap.
                let place = out.partition_point(|known| known.rank >= rank);
                out.insert(place, ranked);
                out.truncate(count);
            }
        }
    }
}

/// A piece's cells and, for each direction, its outline's edges that face it, as offsets in the maps.
fn offsets(piece: Piece) -> (Vec<i32>, [Vec<i32>; 4]) {
    let origin = index(0, 0) as i32;
    let cells = piece.shape().cells.iter();
    let cells: Vec<i32> =
        cells.map(|&(row, col)| index(row.into(), col.into()) as i32 - origin).collect();
    let edges = STEPS.map(|step| {
        let beyond = cells.iter().map(|cell| cell + step as i32);
        beyond.filter(|cell| !cells.contains(cell)).collect()
    });
    (cells, edges)
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::some_weights;
    use super::*;
    use crate::rules::board::Board;
    use crate::rules::board::scatter;
    use proptest::prelude::*;

    /// The worth of a building's cells and outline, summed one by one.
    fn worth(view: &View, kind: Kind, piece: Piece, at: Cell) -> i32 {
        let shape = piece.shape();
        let value = |map: &[i16], row: i32, col: i32| {
            i32::from(map[index(i32::from(at.row) + row, i32::from(at.col) + col)])
        };
        let on = |&(row, col): &(u8, u8)| value(view.on(kind), row.into(), col.into());
        let own: Vec<(i32, i32)> =
            shape.cells.iter().map(|&(row, col)| (row.into(), col.into())).collect();
        let edge_value = |&(row, col): &(i32, i32)| -> i32 {
            let beyond = [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)];
            let outline = beyond.into_iter().zip(view.edge_values(kind));
            let outline = outline.filter(|(cell, _)| !own.contains(cell));
            outline.map(|((row, col), values)| value(values, row, col)).sum()
        };
        shape.cells.iter().map(on).sum::<i32>() + own.iter().map(edge_value).sum::<i32>()
    }

    proptest! {
        #[test]
        fn the_best_placements_are_those_that_counting_one_by_one_finds(
            seed: u64, side in 6usize..=20, number in 0..Piece::COUNT
        ) {
            let board = scatter(seed, side);
            let request = Piece::all().nth(number).unwrap();
            let mut view = View::new(side, Ruleset::Simulator, &some_weights());
            view.follow(&board);
            let touch = TouchValue { bonus: 31, road: 17 };
            let mut found = Vec::new();
            best(&view, request, Ruleset::Simulator, touch, 5, &mut found);
            let kind = if request.is_factory() { Kind::Factory } else { Kind::Residence };
            let places = Placements::of(&board, request, Ruleset::Simulator);
            let mut ranks: Vec<i32> = places
                .iter()
                .map(|place| {
                    let touches = |cells| i32::from(Board::touches(cells, place.piece, place.at));
                    let bonuses = touches(board.ponds()) + touches(board.fields());
                    let has_road = touches(board.roads()) > 0
                        || board.is_in_rings(place.piece, place.at, 2);
                    worth(&view, kind, place.piece, place.at)
                        + 31 * bonuses
                        + 17 * i32::from(has_road)
                })
                .collect();
            ranks.sort_by_key(|rank| -rank);
            ranks.truncate(5);
            let of_found: Vec<i32> = found.iter().map(|ranked| ranked.rank).collect();
            prop_assert_eq!(of_found, ranks);
        }
    }
}
