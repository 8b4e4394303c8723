//! The walk through the chambers of a territory: a depth-first search that finds the best branch of
//! them by the low-point method (Hopcroft and Tarjan, 1973).
//!
//! A walk cell by cell would look at each cell four times. But a cell whose neighbours are
//! connected within the eight cells around it is never an articulation point, and no chamber can
//! close between such cells. So the walk has two kinds of places: single cells that may be
//! articulation points (the *cuts*), and *runs*, the longest rows of cells that certainly are not.
//! A run costs no more than a cell, since everything about it takes a few operations on a word.

use std::cmp::Ordering;

use quintain_grid::{Cell, Lane, Rows};

use super::holding::{Degrees, Holding, Weights, colour};

/// The cells to walk through, and how they are valued.
pub(super) struct Terrain<'a, L: Lane, const N: usize> {
    /// All cells, including the head's own.
    pub(super) region: Rows<L, N>,
    /// The cells that may be articulation points, and the head.
    pub(super) cuts: Rows<L, N>,
    /// Cells next to what the opponent reaches no later.
    pub(super) front: &'a Rows<L, N>,
    pub(super) degrees: &'a Degrees<L, N>,
    /// The weights by which the best branch is chosen; without them it is the longest one.
    pub(super) weights: Option<&'a Weights>,
}

/// A branch of chambers.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Branch {
    /// What is in all of its chambers.
    pub(super) sum: Holding,
    /// An upper bound on the cells that a path can visit: in each chamber, by the chamber's colours
    /// and by the colours of the cells where it is entered and left.
    pub(super) longest: i32,
}

impl Branch {
    fn is_better(&self, other: &Branch, first: usize, weights: Option<&Weights>) -> bool {
        match weights {
            Some(weights) => self.sum.beats(other.sum, first, weights),
            None => self.longest > other.longest,
        }
    }
}

/// What a walk found.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Explored {
    /// The best branch of chambers.
    pub(super) branch: Branch,
    /// All that can be reached.
    pub(super) all: Holding,
    /// Chambers that were closed.
    pub(super) chambers: i32,
}

/// One place on the way: a cell that may be an articulation point, or a run of cells that are not.
#[derive(Clone, Copy)]
struct Step<L: Lane> {
    row: u8,
    is_cut: bool,
    /// When the walk first saw this place, from 1.
    order: u16,
    /// The low point: the earliest place that can be reached from here or from deeper places
    /// without stepping back along the walk. If it is no earlier than the place before, that place
    /// is an articulation point: nothing leads around it.
    low: u16,
    /// Its position among the open places.
    open: u16,
    /// The cells of the place, and the cells around it that are still to be examined: in its own
    /// row, above and below.
    cells: L,
    beside: L,
    above: L,
    below: L,
    /// The best branch found so far that hangs at this cell, if it is a cut.
    hanging: Branch,
}

impl<L: Lane> Step<L> {
    #[inline(always)]
    fn new(row: usize, cells: L, is_cut: bool, order: u16, open: u16, around: [L; 3]) -> Self {
        let [beside, above, below] = around;
        let (row, hanging) = (row as u8, Branch::default());
        Step { row, is_cut, order, low: order, open, cells, beside, above, below, hanging }
    }
}

/// All places of a terrain, row by row.
struct Places<'a, L: Lane, const N: usize> {
    region: &'a [L; N],
    cuts: &'a [L; N],
    patches: Rows<L, N>,
    /// The first cell of each place.
    starts: Rows<L, N>,
}

/// A place: its first column, and its cells.
struct Place<L: Lane> {
    start: u32,
    cells: L,
    is_cut: bool,
}

impl<'a, L: Lane, const N: usize> Places<'a, L, N> {
    #[inline(always)]
    fn of(terrain: &'a Terrain<L, N>) -> Self {
        let patches = terrain.region - terrain.cuts;
        let starts = terrain.cuts | (patches - patches.east());
        Places { region: terrain.region.lanes(), cuts: terrain.cuts.lanes(), patches, starts }
    }

    /// Returns the place that a cell belongs to.
    #[inline(always)]
    fn at(&self, row: usize, col: u32) -> Place<L> {
        let cell = L::ONE << col;
        if self.cuts[row] & cell != L::ZERO {
            return Place { start: col, cells: cell, is_cut: true };
        }
        let start = self.starts.lanes()[row].last_up_to(col);
        Place { start, cells: self.patches.lanes()[row].run(start), is_cut: false }
    }

    /// Returns the cells around those of a row: in that row, above and below.
    #[inline(always)]
    fn around(&self, row: usize, cells: L) -> [L; 3] {
        [
            (cells << 1 | cells >> 1) & self.region[row] & !cells,
            if row > 0 { self.region[row - 1] & cells } else { L::ZERO },
            if row + 1 < N { self.region[row + 1] & cells } else { L::ZERO },
        ]
    }
}

/// A place that the walk has seen and that does not belong to a finished chamber yet.
struct Open {
    /// What is in the place itself.
    holding: Holding,
    /// The best branch of chambers behind it.
    hanging: Branch,
}

/// A walk with its working memory.
pub(super) struct Walk<L: Lane> {
    /// When each place was first seen, by its first cell; 0 means never.
    order_of: Vec<u16>,
    steps: Vec<Step<L>>,
    open: Vec<Open>,
}

impl<L: Lane> Walk<L> {
    pub(super) fn new(rows: usize) -> Self {
        Walk { order_of: vec![0; rows * L::WIDTH], steps: Vec::new(), open: Vec::new() }
    }

    /// Walks through everything that the head reaches.
    pub(super) fn explore<const N: usize>(
        &mut self,
        terrain: &Terrain<L, N>,
        head: Cell,
    ) -> Explored {
        let places = Places::of(terrain);
        let mut found = Explored::default();
        self.order_of.fill(0);
        self.open.clear();
        self.steps.clear();
        // The head is already taken, so every path from it leaves it for good. It is the root of
        // the tree, and its own cell does not count.
        let mut order = 1;
        self.order_of[head.row as usize * L::WIDTH + head.col as usize] = order;
        let (row, cells) = (head.row as usize, L::ONE << head.col as u32);
        self.steps.push(Step::new(row, cells, true, order, 0, places.around(row, cells)));
        while let Some(step) = self.steps.last_mut() {
            let from = step.row as usize;
            let (row, left) = if step.beside != L::ZERO {
                (from, &mut step.beside)
            } else if step.above != L::ZERO {
                (from - 1, &mut step.above)
            } else if step.below != L::ZERO {
                (from + 1, &mut step.below)
            } else if self.report(terrain, head, &mut found) {
                continue;
            } else {
                break;
            };
            let Place { start, cells, is_cut } = places.at(row, left.first());
            *left = *left & !cells;
            let seen = &mut self.order_of[row * L::WIDTH + start as usize];
            if *seen != 0 {
                // This is a second path to the place, perhaps around an earlier one.
                step.low = step.low.min(*seen);
                continue;
            }
            order += 1;
            *seen = order;
            let [mut beside, mut above, mut below] = places.around(row, cells);
            // The place must not lead back to where the walk came from.
            match row.cmp(&from) {
                Ordering::Less => below = below & !step.cells,
                Ordering::Equal => beside = beside & !step.cells,
                Ordering::Greater => above = above & !step.cells,
            }
            let holding = if is_cut {
                hold_cell(terrain, row, start)
            } else {
                hold_run(terrain, row, start, cells)
            };
            found.all = found.all.plus(holding);
            let open = self.open.len() as u16;
            self.open.push(Open { holding, hanging: Branch::default() });
            self.steps.push(Step::new(row, cells, is_cut, order, open, [beside, above, below]));
        }
        found
    }

    /// Steps back from a place whose surroundings are all done and passes its results to the one
    /// before. At the head the walk is over.
    #[inline(always)]
    fn report<const N: usize>(
        &mut self,
        terrain: &Terrain<L, N>,
        head: Cell,
        found: &mut Explored,
    ) -> bool {
        let Some(Step { is_cut, low, open, hanging, .. }) = self.steps.pop() else { return false };
        let Some(before) = self.steps.last_mut() else {
            found.branch = hanging;
            return false;
        };
        before.low = before.low.min(low);
        let open = open as usize;
        // A branch that hangs here is added when the chamber that holds this cell closes.
        if is_cut {
            self.open[open].hanging = hanging;
        }
        // Nothing at or behind this place reaches around the cell before it. So that cell is an
        // articulation point, and all open places from here on are one chamber behind it. No cell
        // of a run is an articulation point, so no chamber closes there.
        if before.is_cut && low >= before.order {
            found.chambers += 1;
            // A path enters the chamber from the cell before, which has the opposite colour of the
            // entry, just as the head has the opposite colour of the first cell of all.
            let entered = 1 - colour(Cell::new(before.row, before.cells.first() as u8));
            let first = 1 - colour(head);
            let branch = best_of_chamber(&self.open[open..], entered, first, terrain.weights);
            self.open.truncate(open);
            let known = before.hanging;
            if known.sum.is_empty() || branch.is_better(&known, first, terrain.weights) {
                before.hanging = branch;
            }
        }
        true
    }
}

/// Counts what is in a run. Its colours alternate, so they need not be counted.
#[inline(always)]
fn hold_run<L: Lane, const N: usize>(
    terrain: &Terrain<L, N>,
    row: usize,
    start: u32,
    cells: L,
) -> Holding {
    let length = (!(cells >> start)).first() as usize;
    let odd = (length + colour(Cell::new(row as u8, start as u8))) / 2;
    let front = terrain.front.lanes()[row] & cells;
    Holding {
        cells: [(length - odd) as i32, odd as i32],
        edges: terrain.degrees.sum_in(row, cells),
        front: if front == L::ZERO { 0 } else { front.count() as i32 },
    }
}

/// Counts what is in a single cell.
#[inline(always)]
fn hold_cell<L: Lane, const N: usize>(terrain: &Terrain<L, N>, row: usize, col: u32) -> Holding {
    let odd = colour(Cell::new(row as u8, col as u8)) as i32;
    let front = (terrain.front.lanes()[row] >> col) & L::ONE != L::ZERO;
    Holding { cells: [1 - odd, odd], edges: terrain.degrees.of_cell(row, col), front: front as i32 }
}

/// The best branch that begins with a chamber of these places. It is entered at a cell of the
/// colour `entered`; `first` is the colour of the first cell of all.
fn best_of_chamber(
    places: &[Open],
    entered: usize,
    first: usize,
    weights: Option<&Weights>,
) -> Branch {
    let chamber =
        places.iter().fold(Holding::default(), |chamber, place| chamber.plus(place.holding));
    let mut best = Branch { sum: chamber, longest: chamber.fillable(entered) };
    for Open { holding, hanging: behind } in places {
        if behind.sum.is_empty() {
            continue;
        }
        // A player that fills this chamber first comes too late for one behind it that the opponent
        // touches.
        let with = if behind.sum.front > 0 {
            *behind
        } else {
            // A branch always hangs at a single cell.
            let left = holding.cells[1] as usize;
            let longest = chamber.fillable_to(entered, left) + behind.longest;
            Branch { sum: chamber.plus(behind.sum), longest }
        };
        if with.is_better(&best, first, weights) {
            best = with;
        }
    }
    best
}
