//! Roads, ponds and fields that are laid with a building, as small patches: finds the patch that is
//! worth most among all that would serve.
//!
//! There are 28 patches of one to four cells. Each is tried at every place of a window
//! around the building, all columns of a row at once:
//! - where it *may* lie is computed with rows of bits ([`Near`]): all of its cells must be free,
//!   one of them beside the building, and one of them beside a road (or pond) that it joins;
//! - what it *is worth* there is a sum of shifted rows of the maps of the window ([`local`]).
//!
//! Only edges on the outline count. So each cell first counts with all four of its edges, and for
//! each pair of adjacent cells the two edges between them are subtracted: inclusion and exclusion
//! instead of a list of edges for each patch.

use std::ops::Range;
use std::sync::LazyLock;

use quintain_grid::Cell;
use wide::{i16x16, u16x16};

use super::kind::Kind;
use super::lanes;
use super::view::{STEPS, TAKEN, View, index};
use crate::rules::board::{Cells, POND};

/// A connected set of one to four cells.
struct Patch {
    /// Cells from the top left of its bounding box.
    cells: Vec<(i32, i32)>,
    /// Offsets in a [`Local`] map: of its cells, of its pairs of cells side by side, and of its
    /// pairs one above the other, each pair by its first cell.
    own: Vec<usize>,
    across: Vec<usize>,
    down: Vec<usize>,
}

/// All patches, the small ones first.
static PATCHES: LazyLock<Vec<Patch>> = LazyLock::new(|| {
    let mut all: Vec<Vec<(i32, i32)>> = vec![vec![(0, 0)]];
    // Every patch of n + 1 cells is one of n cells with a neighbour added.
    let mut from = 0;
    for _ in 1..POND {
        let until = all.len();
        for number in from..until {
            let cells = all[number].clone();
            for &(row, col) in &cells {
                for next in [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)] {
                    if cells.contains(&next) {
                        continue;
                    }
                    let mut grown = cells.clone();
                    grown.push(next);
                    let top = grown.iter().map(|cell| cell.0).min().unwrap_or(0);
                    let left = grown.iter().map(|cell| cell.1).min().unwrap_or(0);
                    grown.iter_mut().for_each(|cell| *cell = (cell.0 - top, cell.1 - left));
                    grown.sort_unstable();
                    if !all.contains(&grown) {
                        all.push(grown);
                    }
                }
            }
        }
        from = until;
    }
    all.into_iter().map(Patch::new).collect()
});

impl Patch {
    fn new(cells: Vec<(i32, i32)>) -> Patch {
        let step = |&(row, col): &(i32, i32)| row as usize * LOCAL + col as usize;
        let with = |down: i32, right: i32| {
            let is_first = |cell: &&(i32, i32)| cells.contains(&(cell.0 + down, cell.1 + right));
            cells.iter().filter(is_first).map(step).collect()
        };
        let (across, down) = (with(0, 1), with(1, 0));
        Patch { own: cells.iter().map(step).collect(), across, down, cells }
    }
}

/// How far a patch may reach above and left of a building's bounding box.
const MARGIN: i32 = POND as i32;
/// Rows and columns of the window around a building.
const WINDOW: usize = 16;

/// The columns of a local map: those of the window, and room for a patch that reaches beyond it.
const LOCAL: usize = WINDOW + 8;

/// A map of the window and of the cells that a patch may reach beyond it.
type Local = [i16; LOCAL * (WINDOW + POND)];

/// Three maps of the window, for some rows only, and which cells are free. The maps are: the worth
/// of each cell with all four of its edges; what is counted too much if the cell and the one to its
/// right are both laid; the same for the cell below.
fn local(
    view: &View,
    kind: Kind,
    top: i32,
    left: i32,
    rows: Range<usize>,
    [cells, across, down]: &mut [Local; 3],
) -> Near {
    let (on, beyond) = (view.on(kind), view.edge_values(kind));
    let mut free = Near::NONE;
    for row in rows {
        let at = index(top + row as i32, left);
        // Beyond the edges of each cell, and the cell itself from the neighbour that it lies
        // beyond.
        let [north, east, south, west] = std::array::from_fn(|direction| {
            lanes::load(beyond[direction], at.wrapping_add_signed(STEPS[direction]))
        });
        let (from_below, from_right) = (lanes::load(beyond[0], at), lanes::load(beyond[3], at));
        let on = lanes::load(on, at);
        let store = |map: &mut Local, lanes: i16x16| {
            map[row * LOCAL..][..WINDOW].copy_from_slice(&lanes.to_array());
        };
        store(cells, on + north + south + west + east);
        store(across, from_right + east);
        store(down, from_below + south);
        free.0[row] = on.simd_ne(i16x16::splat(TAKEN)).to_bitmask() as u16;
    }
    free
}

/// A set of cells near a building: rows of bits of the window, and of the cells that a patch may
/// reach beyond it.
#[derive(Clone, Copy)]
struct Near([u16; WINDOW + POND]);

impl Near {
    const NONE: Near = Near([0; WINDOW + POND]);

    fn new(cells: &Cells, top: i32, left: i32) -> Near {
        let mut near = Near::NONE;
        for (row, near) in (top..).zip(&mut near.0[..WINDOW]) {
            if (0..64).contains(&row) {
                let lane = cells.lanes()[row as usize];
                *near = (if left < 0 { lane << -left } else { lane >> left }) as u16;
            }
        }
        near
    }

    /// The places for a patch's top left cell from which one of its cells is in the set: the bits
    /// of a row in each lane.
    #[inline(always)]
    fn meeting(&self, patch: &Patch) -> u16x16 {
        let cells = patch.cells.iter();
        cells.fold(u16x16::ZERO, |places, &cell| places | self.shifted(cell))
    }

    /// The places for a patch's top left cell from which all of its cells are in the set.
    #[inline(always)]
    fn holding(&self, patch: &Patch) -> u16x16 {
        let cells = patch.cells.iter();
        cells.fold(u16x16::splat(!0), |places, &cell| places & self.shifted(cell))
    }

    /// The rows of the set, moved up and left by a cell's place in a patch.
    #[inline(always)]
    fn shifted(&self, (down, right): (i32, i32)) -> u16x16 {
        let rows = self.0[down as usize..].first_chunk().expect("there is room for a patch");
        u16x16::new(*rows) >> right
    }

    /// The rows that a patch may cover if it meets the set.
    fn reach(&self) -> Option<Range<usize>> {
        let first = self.0.iter().position(|lane| *lane != 0)?;
        let last = self.0.iter().rposition(|lane| *lane != 0)?;
        Some(first.saturating_sub(POND - 1)..(last + POND).min(WINDOW))
    }
}

/// The patch of a kind that is worth most, or nothing if there is none. The patch has a cell of
/// `served` (beside the building) and one of `joined`; where `founds`, it may have four cells
/// instead of joining. Each cell costs `cell`.
pub(super) fn best(
    view: &View,
    kind: Kind,
    at: Cell,
    served: &Cells,
    joined: &Cells,
    founds: bool,
    cell: i32,
) -> Option<(i32, Vec<Cell>)> {
    let (top, left) = (i32::from(at.row) - MARGIN, i32::from(at.col) - MARGIN);
    let (served, joined) = (Near::new(served, top, left), Near::new(joined, top, left));
    let mut maps = [[0; LOCAL * (WINDOW + POND)]; 3];
    let rows = served.reach()?;
    let free = local(view, kind, top, left, rows.clone(), &mut maps);
    let [cells, across, down] = &maps;
    let mut best: Option<(i32, &Patch, usize, usize)> = None;
    for patch in PATCHES.iter() {
        let needs_join = !(founds && patch.cells.len() == POND);
        let price = cell * patch.cells.len() as i32;
        let mut places = free.holding(patch) & served.meeting(patch);
        if needs_join {
            places &= joined.meeting(patch);
        }
        let places = places.to_array();
        for row in rows.clone() {
            let mut places = places[row];
            if places == 0 {
                continue;
            }
            let start = row * LOCAL;
            let mut worth = i16x16::ZERO;
            patch.own.iter().for_each(|step| worth += lanes::load(cells, start + step));
            for (map, steps) in [(across, &patch.across), (down, &patch.down)] {
                steps.iter().for_each(|step| worth -= lanes::load(map, start + step));
            }
            if let Some((most, ..)) = best {
                places &= lanes::find_greater(worth, most - price);
            }
            // Few places are left, so they are compared one by one.
            let worth = worth.to_array();
            while places != 0 {
                let col = places.trailing_zeros() as usize;
                places &= places - 1;
                let worth = i32::from(worth[col]) + price;
                if best.is_none_or(|(most, ..)| worth > most) {
                    best = Some((worth, patch, row, col));
                }
            }
        }
    }
    best.map(|(worth, patch, row, col)| {
        let cell = |&(down, right): &(i32, i32)| {
            Cell::new((top + row as i32 + down) as u8, (left + col as i32 + right) as u8)
        };
        (worth, patch.cells.iter().map(cell).collect())
    })
}

/// What a patch of any shape is worth: its cells and its outline.
pub(super) fn worth(view: &View, kind: Kind, cells: &[Cell], cell: i32) -> i32 {
    let (on, beyond) = (view.on(kind), view.edge_values(kind));
    let mut worth = cell * cells.len() as i32;
    for &own in cells {
        let (row, col) = (i32::from(own.row), i32::from(own.col));
        worth += i32::from(on[index(row, col)]);
        let around = [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)];
        for ((row, col), values) in around.into_iter().zip(beyond) {
            let is_own = |cell: &Cell| (i32::from(cell.row), i32::from(cell.col)) == (row, col);
            if !cells.iter().any(is_own) {
                worth += i32::from(values[index(row, col)]);
            }
        }
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::some_weights;
    use super::*;
    use crate::Piece;
    use crate::rules::board::scatter;
    use crate::rules::board::{Board, neighbours};
    use crate::rules::state::Ruleset;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_28_fixed_patches_of_one_to_four_cells() {
        let sizes: Vec<usize> = PATCHES.iter().map(|patch| patch.cells.len()).collect();
        let count = |size| sizes.iter().filter(|cells| **cells == size).count();
        assert_eq!([1, 2, 3, 4].map(count), [1, 2, 6, 19]);
    }

    proptest! {
        #[test]
        fn the_best_patch_is_the_one_that_trying_all_finds(seed: u64, side in 6usize..=16) {
            let board = scatter(seed, side);
            let piece = Piece::residence('P', 0).unwrap();
            let Some(at) = board.room_for(piece).first() else { return Ok(()) };
            let mut view = View::new(side, Ruleset::Simulator, &some_weights());
            view.follow(&board);
            let own = Board::cells_of(piece, at);
            view.lay(Kind::Residence, &own.cells().collect::<Vec<_>>());
            let free = *board.empty() - own;
            let served = own.neighbours() & free;
            let joined = board.ponds().neighbours() & free;
            // All connected sets of free cells that grow from beside the building.
            let mut layer: BTreeSet<Vec<Cell>> = served.cells().map(|cell| vec![cell]).collect();
            let mut most = None;
            for size in 1..=POND {
                for cells in &layer {
                    if size == POND || cells.iter().any(|cell| joined.contains(*cell)) {
                        most = most.max(Some(worth(&view, Kind::Water, cells, -9)));
                    }
                }
                let grow = |cells: &Vec<Cell>| -> Vec<Vec<Cell>> {
                    let next = cells.iter().flat_map(|cell| neighbours(*cell));
                    let next = next.filter(|cell| free.contains(*cell) && !cells.contains(cell));
                    next.map(|cell| {
                        let mut grown = cells.clone();
                        grown.push(cell);
                        grown.sort();
                        grown
                    })
                    .collect()
                };
                layer = layer.iter().flat_map(grow).collect();
            }
            let found = best(&view, Kind::Water, at, &served, &joined, true, -9);
            prop_assert_eq!(found.as_ref().map(|found| found.0), most);
            if let Some((value, cells)) = found {
                prop_assert_eq!(worth(&view, Kind::Water, &cells, -9), value);
            }
        }
    }
}
