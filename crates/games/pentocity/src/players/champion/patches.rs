//! What comes along with a building: roads, ponds and fields as small patches, of which
//! the one worth most is found among all that would serve.

use std::sync::LazyLock;

use quintain_grid::Cell;

use super::view::{Kind, STRIDE, TAKEN, View, index};
use crate::land::{Cells, POND};

/// A connected set of one to four cells.
struct Patch {
    /// Cells from the top left of its bounding box.
    cells: Vec<(i32, i32)>,
    /// Its cells, and its pairs of cells side by side and one above the other (by the
    /// first of the two), as steps in a [`Local`] map.
    own: Vec<usize>,
    across: Vec<usize>,
    down: Vec<usize>,
}

/// All of them, the small ones first.
static PATCHES: LazyLock<Vec<Patch>> = LazyLock::new(|| {
    let mut all: Vec<Vec<(i32, i32)>> = vec![vec![(0, 0)]];
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

/// How far a patch may lie before a building's bounding box.
const MARGIN: i32 = POND as i32;
/// Rows and columns of the window around a building.
const WINDOW: usize = 16;

/// Columns of a local map: the window's, and as many as a patch is longer than a cell.
const LOCAL: usize = WINDOW + 8;

/// A map of the window, with what a patch may reach beyond.
type Local = [i16; LOCAL * (WINDOW + POND)];

/// What each cell of the window is worth with all of its edges, and what is too much
/// where two of them touch, side by side and one above the other.
fn local(view: &View, kind: Kind, top: i32, left: i32) -> [Local; 3] {
    let (on, beside) = (view.on(kind), view.beside(kind));
    let mut maps = [[0; LOCAL * (WINDOW + POND)]; 3];
    let [cells, across, down] = &mut maps;
    for row in 0..WINDOW {
        let at = index(top + row as i32, left);
        let lane = |map: &'_ [i16], from: usize| -> [i16; WINDOW] {
            map[from..from + WINDOW].try_into().expect("as long")
        };
        let [own, north, south] = [at, at - STRIDE, at + STRIDE].map(|from| lane(beside, from));
        let [west, east] = [at - 1, at + 1].map(|from| lane(beside, from));
        let on = lane(on, at);
        let to = row * LOCAL;
        for col in 0..WINDOW {
            cells[to + col] = on[col] + north[col] + south[col] + west[col] + east[col];
            across[to + col] = own[col] + east[col];
            down[to + col] = own[col] + south[col];
        }
    }
    maps
}

/// A set of cells near a building: rows of bits of the window.
#[derive(Clone, Copy)]
struct Near([u32; WINDOW]);

impl Near {
    fn new(cells: &Cells, top: i32, left: i32) -> Near {
        Near(std::array::from_fn(|row| {
            let row = row as i32 + top;
            if !(0..64).contains(&row) {
                return 0;
            }
            let lane = cells.lanes()[row as usize];
            (if left < 0 { lane << -left } else { lane >> left }) as u32
        }))
    }

    /// The places for a patch's top left cell from which it has a cell of the set.
    #[inline(always)]
    fn meeting(&self, patch: &Patch, row: usize) -> u32 {
        let lane = |&(down, right): &(i32, i32)| {
            self.0.get(row + down as usize).map_or(0, |lane| lane >> right)
        };
        patch.cells.iter().map(lane).fold(0, |all, lane| all | lane)
    }
}

/// The patch of a kind that is worth most: it has a cell of `served` (beside the
/// building), and one of `joined`, or, where `founds`, four cells. Each cell costs
/// `cell`. Nothing if there is none.
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
    let on = view.on(kind);
    let [cells, across, down] = local(view, kind, top, left);
    let (served, joined) = (Near::new(served, top, left), Near::new(joined, top, left));
    let mut best: Option<(i32, &Patch, usize, usize)> = None;
    for patch in PATCHES.iter() {
        let needs_join = !(founds && patch.cells.len() == POND);
        let price = cell * patch.cells.len() as i32;
        for row in 0..WINDOW - 3 {
            let mut places = served.meeting(patch, row);
            if needs_join && places != 0 {
                places &= joined.meeting(patch, row);
            }
            places &= (1 << 13) - 1;
            if places == 0 {
                continue;
            }
            let start = row * LOCAL;
            let mut worth = [0i16; WINDOW];
            for step in &patch.own {
                let from = &cells[start + step..][..WINDOW];
                worth.iter_mut().zip(from).for_each(|(sum, value)| *sum += *value);
            }
            for (map, steps) in [(&across, &patch.across), (&down, &patch.down)] {
                for step in steps {
                    let from = &map[start + step..][..WINDOW];
                    worth.iter_mut().zip(from).for_each(|(sum, value)| *sum -= *value);
                }
            }
            while places != 0 {
                let col = places.trailing_zeros() as usize;
                places &= places - 1;
                let worth = i32::from(worth[col]) + price;
                let is_free = || {
                    let cell = |&(down, right): &(i32, i32)| {
                        on[index(top + row as i32 + down, left + col as i32 + right)]
                    };
                    patch.cells.iter().all(|own| cell(own) != TAKEN)
                };
                if best.is_none_or(|(most, ..)| worth > most) && is_free() {
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

/// What a patch of any form is worth: its cells and its outline.
pub(super) fn worth(view: &View, kind: Kind, cells: &[Cell], cell: i32) -> i32 {
    let (on, beside) = (view.on(kind), view.beside(kind));
    let mut worth = cell * cells.len() as i32;
    for &own in cells {
        let (row, col) = (i32::from(own.row), i32::from(own.col));
        worth += i32::from(on[index(row, col)]);
        for (row, col) in [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)] {
            let is_own = |cell: &Cell| (i32::from(cell.row), i32::from(cell.col)) == (row, col);
            if !cells.iter().any(is_own) {
                worth += i32::from(beside[index(row, col)]);
            }
        }
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::{scattered, some_weights};
    use super::*;
    use crate::Form;
    use crate::land::{Land, neighbours};
    use crate::rules::Scoring;
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
            let land = scattered(seed, side);
            let form = Form::residence('P', 0).unwrap();
            let Some(at) = land.room_for(form).first() else { return Ok(()) };
            let mut view = View::new(side, Scoring::Simulator, &some_weights());
            view.follow(&land);
            let own = Land::cells_of(form, at);
            view.lay(Kind::Residence, &own.cells().collect::<Vec<_>>());
            let free = *land.empty() - own;
            let served = own.neighbours() & free;
            let joined = land.ponds().neighbours() & free;
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
