//! A segment of a walk, laid from a monomer in the middle of the chain towards both of its ends.
//! What it offers to the cells around it is updated step by step, for the bound on all walks that
//! contain it ([`bound`]).

mod bound;
mod bound_use;
mod room;

use std::sync::Arc;

use super::assignment::{self, Cells, Demand, Weights};
use super::costs::KINDS;
use super::walks::Walks;
use crate::players::free_cells::FreeCells;
use crate::rules::instance::Instance;
use bound_use::BoundUse;

/// An end of the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// Monomers before the segment are laid here.
    Front,
    /// Monomers after the segment are laid here.
    Back,
}

impl End {
    pub(super) const BOTH: [End; 2] = [End::Front, End::Back];

    /// The other end.
    pub(super) fn other(self) -> End {
        match self {
            End::Front => End::Back,
            End::Back => End::Front,
        }
    }
}

/// The weights of contacts and the prices of pluses and minuses, by colour: they give a price for
/// each cell, and a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Multipliers {
    pub(super) weights: [Weights; 2],
    pub(super) prices: [[i16; 2]; 2],
}

/// Why no walk above the target contains a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// The walk is whole, and not above the target.
    Whole,
    /// There is no room for the rest.
    Room,
    /// The bound by these multipliers.
    Bound(Multipliers),
}

/// A laid monomer, with the data for taking it back.
#[derive(Clone, Copy)]
struct Placement {
    end: End,
    cell: u16,
    gain: i32,
    /// Whether the free cells may have fallen into several regions.
    is_split: bool,
    in_row: bool,
    in_column: bool,
}

/// The kind of taken cells, which are not counted.
const TAKEN: u8 = 15;

/// A segment of a walk.
pub(super) struct Segment {
    instance: Arc<Instance>,
    /// The index of the first monomer that is laid; it lies on cell 0.
    first: usize,
    /// The indices of the monomers at both ends of the segment.
    ends: [usize; 2],
    laid: Vec<Placement>,
    /// The cell of each laid monomer.
    cells: Vec<u16>,
    free_cells: FreeCells,
    /// R_nc of the segment.
    gained: i32,
    /// For each cell, the sum of what the monomers beside it offer a +1 there.
    offer: Vec<i8>,
    /// For each cell, its empty neighbours.
    empty: Vec<u8>,
    /// The kind of each cell, and the number of empty cells by colour and kind.
    kind: Vec<u8>,
    kinds: [Cells; 2],
    /// For each index, the monomers before it, by colour.
    before: Vec<[Demand; 2]>,
    /// The last prices of each weighting.
    prices: [[[i16; 2]; 2]; 9],
    /// The weighting that cut last.
    weighting: usize,
    walks: Walks,
    /// How useful weightings other than this one and walks were, by the number of monomers laid;
    /// and walks alone.
    use_of_others: Vec<BoundUse>,
    use_of_walks: Vec<BoundUse>,
    /// The colour of each cell.
    colours: Vec<u8>,
    /// The flood fill of [`Segment::has_room`].
    seen: Vec<bool>,
    stack: Vec<u16>,
}

impl Segment {
    /// The segment of one monomer, on cell 0.
    pub(super) fn new(instance: Arc<Instance>, first: usize) -> Segment {
        let torus = instance.torus();
        let n = instance.len();
        let mut before = vec![[Demand::default(); 2]; n + 1];
        for index in 0..n {
            before[index + 1] = before[index];
            let demand = &mut before[index + 1][(index + first) % 2];
            demand.all += 1;
            let monomer = instance.monomers()[index];
            if monomer != 0 {
                demand.signs[usize::from(monomer < 0)] += 1;
            }
        }
        let mut kinds: Cells = [0; KINDS];
        kinds[0] = torus.cells() as i16 / 2;
        let mut segment = Segment {
            first,
            ends: [first; 2],
            laid: Vec::with_capacity(n),
            cells: vec![0; n],
            free_cells: FreeCells::new(torus),
            gained: 0,
            offer: vec![0; torus.cells()],
            empty: vec![4; torus.cells()],
            kind: vec![0; torus.cells()],
            kinds: [kinds; 2],
            before,
            prices: [[[0; 2]; 2]; 9],
            weighting: 0,
            walks: Walks::new(torus),
            use_of_others: vec![BoundUse::default(); n],
            use_of_walks: vec![BoundUse::default(); n],
            colours: (0..torus.cells()).map(|cell| torus.colour(cell) as u8).collect(),
            seen: vec![false; torus.cells()],
            stack: Vec::with_capacity(torus.cells()),
            instance,
        };
        segment.take(0, first);
        segment.laid.push(Placement {
            end: End::Back,
            cell: 0,
            gain: 0,
            is_split: false,
            in_row: true,
            in_column: true,
        });
        segment
    }

    /// Moves to another segment, given by its steps from the first monomer.
    pub(super) fn go(&mut self, steps: &[(End, u16)]) {
        while self.laid.len() > 1 {
            self.unlay();
        }
        steps.iter().for_each(|(end, cell)| self.lay(*end, *cell));
    }

    pub(super) fn is_whole(&self) -> bool {
        self.laid.len() == self.instance.len()
    }

    pub(super) fn walk(&self) -> Vec<u16> {
        self.cells.clone()
    }

    /// Whether more monomers come at an end.
    #[inline]
    pub(super) fn is_open(&self, end: End) -> bool {
        match end {
            End::Front => self.ends[0] > 0,
            End::Back => self.ends[1] + 1 < self.instance.len(),
        }
    }

    /// The index of the next monomer of an open end.
    #[inline]
    fn next_index(&self, end: End) -> usize {
        match end {
            End::Front => self.ends[0] - 1,
            End::Back => self.ends[1] + 1,
        }
    }

    #[inline]
    fn head(&self, end: End) -> u16 {
        self.cells[self.ends[end as usize]]
    }

    /// The colour of the cell of a monomer.
    #[inline]
    fn colour(&self, index: usize) -> usize {
        (index + self.first) % 2
    }

    /// What a monomer offers to a +1 beside it.
    #[inline]
    fn offer_of(&self, index: usize) -> i8 {
        self.instance.monomers()[index] * self.instance.sign() as i8
    }

    /// The kind of an empty cell.
    #[inline]
    fn kind_of(&self, cell: usize) -> u8 {
        assignment::kind(self.offer[cell], self.empty[cell]) as u8
    }

    /// Updates the cells around one that is taken (1) or given back (−1).
    #[inline]
    fn update(&mut self, cell: usize, index: usize, change: i8) {
        let offer = change * self.offer_of(index);
        let colour = 1 - self.colour(index);
        for next in self.instance.torus().next_of::<4>(cell) {
            let at = usize::from(next);
            self.offer[at] += offer;
            self.empty[at] = self.empty[at].wrapping_add_signed(-change);
            if self.kind[at] != TAKEN {
                let kind = self.kind_of(at);
                self.kinds[colour][usize::from(self.kind[at])] -= 1;
                self.kinds[colour][usize::from(kind)] += 1;
                self.kind[at] = kind;
            }
        }
    }

    fn take(&mut self, cell: u16, index: usize) {
        let at = usize::from(cell);
        self.free_cells.take(cell);
        self.kinds[self.colour(index)][usize::from(self.kind[at])] -= 1;
        self.kind[at] = TAKEN;
        self.cells[index] = cell;
        self.update(at, index, 1);
    }

    /// Lays the next monomer of an end.
    pub(super) fn lay(&mut self, end: End, cell: u16) {
        let at = usize::from(cell);
        let torus = self.instance.torus();
        let index = self.next_index(end);
        // The contact with the head is a bond, which R_nc leaves out.
        let offer = self.offer[at] - self.offer_of(self.ends[end as usize]);
        let gain = i32::from(self.instance.monomers()[index]) * i32::from(offer);
        let before = self.laid[self.laid.len() - 1];
        let is_split = before.is_split || self.free_cells.arcs(torus, cell) > 1;
        let placement = Placement {
            end,
            cell,
            gain,
            is_split,
            in_row: before.in_row && at < torus.width(),
            in_column: before.in_column && at.is_multiple_of(torus.width()),
        };
        self.take(cell, index);
        self.ends[end as usize] = index;
        self.laid.push(placement);
        self.gained += gain;
    }

    /// Takes the last monomer back.
    pub(super) fn unlay(&mut self) {
        let Some(Placement { end, cell, gain, .. }) = self.laid.pop() else { return };
        let at = usize::from(cell);
        let index = self.ends[end as usize];
        self.gained -= gain;
        self.update(at, index, -1);
        self.kind[at] = self.kind_of(at);
        self.kinds[self.colour(index)][usize::from(self.kind[at])] += 1;
        self.free_cells.give(cell);
        self.ends[end as usize] = match end {
            End::Front => index + 1,
            End::Back => index - 1,
        };
    }

    /// The free cells beside the head of an end; of each two that are mirror images, only one.
    pub(super) fn canonical(&self, end: End) -> impl Iterator<Item = u16> + use<> {
        let torus = self.instance.torus();
        let next = torus.next_of::<4>(usize::from(self.head(end)));
        let last = self.laid[self.laid.len() - 1];
        // As long as a walk lies in one row or column, it is its own mirror image, and the walks
        // that continue to either side of it mirror each other.
        let ways: &[usize] = match (self.laid.len(), last.in_row, last.in_column) {
            (1, ..) if torus.width() == torus.height() => &[0],
            (1, ..) => &[0, 1],
            (_, true, _) => &[0, 1, 2],
            (_, _, true) => &[0, 1, 3],
            _ => &[0, 1, 2, 3],
        };
        let cells = next.map(|cell| self.free_cells.is_free(cell).then_some(cell));
        ways.iter().filter_map(move |way| cells[*way])
    }

    /// How many monomers of indices `from..to` lie on each colour, and of which charge.
    fn between(&self, from: usize, to: usize) -> [Demand; 2] {
        if from >= to {
            return [Demand::default(); 2];
        }
        let (before, until) = (&self.before[from], &self.before[to]);
        std::array::from_fn(|colour| Demand {
            signs: std::array::from_fn(|sign| {
                until[colour].signs[sign] - before[colour].signs[sign]
            }),
            all: until[colour].all - before[colour].all,
        })
    }

    /// The canonical cells for the next monomer at an end that are not cut off, with their bounds
    /// in halves.
    fn branches_at(&mut self, end: End, target: i32) -> Vec<(u16, i32)> {
        let mut kept = Vec::with_capacity(4);
        for cell in self.canonical(end) {
            self.lay(end, cell);
            if let Ok(bound) = self.examine(target) {
                kept.push((cell, bound));
            }
            self.unlay();
        }
        kept
    }

    /// The end to continue at, the one where smaller trees are expected, and the branches: cells
    /// that are not cut off, with their bounds in halves, the greatest first, so that a walk above
    /// the target is found sooner if there is one.
    pub(super) fn branches(&mut self, target: i32) -> (End, Vec<(u16, i32)>) {
        // The end that was continued last is tried first: if it leaves a single branch, that is
        // taken.
        let mut end = self.laid[self.laid.len() - 1].end;
        if !self.is_open(end) {
            end = end.other();
        }
        let mut kept = self.branches_at(end, target);
        if kept.len() > 1 && self.laid.len() > 1 && self.is_open(end.other()) {
            let others = self.branches_at(end.other(), target);
            // Each half above the target makes a tree about this much larger.
            const GROWTH: f64 = 1.5;
            let size = |kept: &[(u16, i32)]| -> f64 {
                kept.iter().map(|(_, bound)| GROWTH.powi(bound - 2 * target)).sum()
            };
            if size(&others) < size(&kept) {
                (end, kept) = (end.other(), others);
            }
        }
        kept.sort_by_key(|(_, bound)| -bound);
        (end, kept)
    }
}
