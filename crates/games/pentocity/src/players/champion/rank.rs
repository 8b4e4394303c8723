//! Ranks the placements of a request by the worth of the building alone: all of them are evaluated
//! at once, row by row, and the best are kept.
//!
//! A building's worth is a sum over its cells and edges, each at a fixed offset from the place of
//! its top left cell. So for places side by side, each cell or edge adds a shifted piece of a map
//! to all sums at once, which the compiler turns into vector additions.

use std::sync::LazyLock;

use quintain_grid::Cell;
use wide::i16x16;

use super::kind::Kind;
use super::lanes;
use super::view::{AREA, STEPS, View, index};
use crate::rules::board::Cells;
use crate::rules::pieces::Piece;
use crate::rules::placements::{Placement, Placements};
use crate::rules::state::Ruleset;

/// How many places side by side are evaluated together. Late in a game few places are left, so that
/// wider chunks would mostly evaluate what is taken.
const CHUNK: usize = 16;
const CHUNK_MASK: u64 = (1 << CHUNK) - 1;

/// A placement with its worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RankedPlacement {
    /// The worth of its cells and outline.
    pub(super) worth: i32,
    /// Its worth plus an estimate for what will be laid with it; placements are ranked by it. For
    /// example, a placement that touches a pond already need not pay for one.
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

/// The best placements, the best first; equal ones are in reading order. `open` are the cells that
/// a road can reach.
pub(super) fn best(
    view: &View,
    open: &Cells,
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
    let places = Placements::on_open(board, *open, request, scoring);
    let planned = find_planned(view, request, &places);
    let by_road = board.roads().neighbours() | board.rings(scoring.rings_without_road());
    let beside = [board.ponds().neighbours(), board.fields().neighbours(), by_road];
    let most = 2 * touch.bonus.max(0) + touch.road.max(0);
    for rotation in 0..request.rotations() {
        let piece = request.rotated(rotation);
        let anchors = match &planned {
            Some(planned) => planned[usize::from(rotation)],
            None => *places.anchors(rotation),
        };
        if anchors.is_empty() {
            continue;
        }
        let outline = &OUTLINES[piece.index()];
        let touching = beside.each_ref().map(|cells| board.anchors_meeting(cells, piece));
        for row in 0..board.side() {
            let mut left = anchors.lanes()[row];
            if left == 0 {
                continue;
            }
            let touching = touching.each_ref().map(|anchors| anchors.lanes()[row]);
            while left != 0 {
                // The places of a chunk of the row are evaluated together.
                let first = left.trailing_zeros() as usize / CHUNK * CHUNK;
                let mut places = left & (CHUNK_MASK << first);
                left -= places;
                let worth = sum_worth(index(row as i32, first as i32), outline, on, edge_values);
                if out.len() == count {
                    // Most are too bad whatever they touch.
                    places &=
                        u64::from(lanes::find_greater(worth, out[count - 1].rank - most)) << first;
                }
                let worth = worth.to_array();
                while places != 0 {
                    let col = places.trailing_zeros() as usize;
                    places &= places - 1;
                    let at = Cell::new(row as u8, col as u8);
                    let placement = Placement { rotation, piece, at };
                    let touched = touching.map(|lane| lane >> col & 1 == 1);
                    keep(rank(placement, worth[col - first].into(), touched, touch), count, out);
                }
            }
        }
    }
}

/// The places that a plan has left for a request, by rotation; `None` if it has none. If it has,
/// only these count.
fn find_planned(view: &View, request: Piece, places: &Placements) -> Option<Vec<Cells>> {
    let (board, slots) = (view.board(), view.slots()?);
    let planned: Vec<Cells> = (0..request.rotations())
        .map(|turns| *places.anchors(turns) & slots.anchors(board, request.rotated(turns)))
        .collect();
    planned.iter().any(|anchors| !anchors.is_empty()).then_some(planned)
}

/// Ranks a placement by the worth of its building and whether it touches a pond, a field and a
/// road.
#[inline(always)]
fn rank(
    placement: Placement,
    worth: i32,
    [has_pond, has_field, has_road]: [bool; 3],
    touch: TouchValue,
) -> RankedPlacement {
    let bonuses = i32::from(has_pond) + i32::from(has_field);
    let rank = worth + touch.bonus * bonuses + touch.road * i32::from(has_road);
    RankedPlacement { worth, rank, placement, has_pond, has_field, has_road }
}

/// Keeps a placement if it is among the best so far.
#[inline(always)]
fn keep(ranked: RankedPlacement, count: usize, out: &mut Vec<RankedPlacement>) {
    if out.len() == count && ranked.rank <= out[count - 1].rank {
        return;
    }
    // The list is short and sorted, so insertion beats a heap.
    let place = out.partition_point(|known| known.rank >= ranked.rank);
    out.insert(place, ranked);
    out.truncate(count);
}

/// The worths of a chunk of places in a row, the first of which has this index in the maps. Sums of
/// illegal places may wrap around; they are never read.
#[inline(always)]
fn sum_worth(
    first: usize,
    outline: &Outline,
    on: &[i16; AREA],
    edge_values: [&[i16; AREA]; 4],
) -> i16x16 {
    let mut worth = i16x16::ZERO;
    let mut add = |map: &[i16; AREA], offset: isize| {
        worth += lanes::load(map, first.wrapping_add_signed(offset));
    };
    outline.cells.iter().for_each(|&offset| add(on, offset));
    for (edges, values) in outline.edges.iter().zip(edge_values) {
        edges.iter().for_each(|&offset| add(values, offset));
    }
    worth
}

/// A piece's cells and, for each direction, its outline's edges that face it, as offsets in the
/// maps.
struct Outline {
    cells: Vec<isize>,
    edges: [Vec<isize>; 4],
}

/// The outlines of all pieces.
static OUTLINES: LazyLock<Vec<Outline>> = LazyLock::new(|| Piece::all().map(Outline::of).collect());

impl Outline {
    fn of(piece: Piece) -> Outline {
        let offset =
            |&(row, col): &(u8, u8)| index(row.into(), col.into()) as isize - index(0, 0) as isize;
        let cells: Vec<isize> = piece.shape().cells.iter().map(offset).collect();
        let edges = STEPS.map(|step| {
            let beyond = cells.iter().map(|cell| cell + step);
            beyond.filter(|cell| !cells.contains(cell)).collect()
        });
        Outline { cells, edges }
    }
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
            best(&view, &board.open(), request, Ruleset::Simulator, touch, 5, &mut found);
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
