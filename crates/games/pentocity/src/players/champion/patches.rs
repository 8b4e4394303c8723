//! What comes along with a building: roads, ponds and fields as small patches, of which
//! the one worth most is found among all that would serve.

use std::sync::LazyLock;

use quintain_grid::Cell;

use super::view::{Kind, TAKEN, View, index};
use crate::land::{Cells, POND};

/// A connected set of one to four cells.
struct Patch {
    /// Cells from the top left of its bounding box.
    cells: Vec<(i32, i32)>,
    /// Steps in the maps to its cells, and over its outline's edges.
    own: Vec<i32>,
    edges: Vec<i32>,
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
        let origin = index(0, 0) as i32;
        let step = |(row, col): (i32, i32)| index(row, col) as i32 - origin;
        let around = |&(row, col): &(i32, i32)| {
            [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)]
        };
        let edges = cells.iter().flat_map(around).filter(|cell| !cells.contains(cell)).map(step);
        let (own, edges) = (cells.iter().copied().map(step).collect(), edges.collect());
        Patch { cells, own, edges }
    }
}

/// How far a patch may lie before a building's bounding box.
const MARGIN: i32 = POND as i32;
/// Rows and columns of the window around a building.
const WINDOW: usize = 16;

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
    let (on, beside) = (view.on(kind), view.beside(kind));
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
            let start = index(top + row as i32, left) as i32;
            let mut worth = [0i16; 16];
            for (map, steps) in [(on, &patch.own), (beside, &patch.edges)] {
                for step in steps {
                    let from = &map[(start + step) as usize..][..16];
                    worth.iter_mut().zip(from).for_each(|(sum, value)| *sum += *value);
                }
            }
            while places != 0 {
                let col = places.trailing_zeros() as usize;
                places &= places - 1;
                let worth = i32::from(worth[col]) + price;
                let is_free = || {
                    let own = |step: &i32| on[(start + col as i32 + step) as usize];
                    patch.own.iter().all(|step| own(step) != TAKEN)
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
