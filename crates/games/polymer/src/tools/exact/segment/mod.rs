//! A segment of a walk, laid from a monomer in the middle of the chain towards both of its ends, with a bound
//! on the R_nc of all walks that contain it.
//!
//! The bound relaxes what is left: every monomer to come takes an empty cell of its colour, at most one for
//! each cell. Let o be what the laid monomers around a cell offer to a +1, f the number of its empty
//! neighbours, and w the halves that a monomer counts for each contact with others to come ([`assignment`]
//! has these weights). On this cell a monomer of charge q gains at most
//!
//! - 2·q·o + w·(f − 2) halves, if its bonds lead to two others to come; then f ≥ 2;
//! - 2·q·(o − what the head offers) + w·(f − 1), if it is the next at an end, bonded to the head (w·f if it is
//!   the last of the chain as well);
//! - 2·q·o + w·(f − 1), if it is the last of the chain.
//!
//! Let every cell have a price π ≥ 0, paid by whoever takes it. As each cell is taken at most once, the gains
//! are at most Σ π and, for each end, the greatest sum of (gain − π) over all its monomers, wherever they
//! are. Two steps of this are tried:
//!
//! - *cell assignment*: monomers may lie anywhere. The best prices come with the solution.
//! - *walks*: with the same prices, the monomers of an end must lie on a walk from the head that never turns
//!   back, but may cross itself ([`super::walks`]). Its cost is the sum of what its monomers lose against the
//!   assignment. This finds what the assignment does not see: that the good cells are out of reach of each
//!   other, or that neutral monomers must take some of them.

use std::sync::Arc;

use super::assignment::{self, Cells, Demand, KINDS, WEIGHTINGS, Weights};
use super::walks::{Costs, NEVER, Walks};
use crate::players::free_cells::FreeCells;
use crate::rules::instance::Instance;

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

/// The weights of contacts and the prices of pluses and minuses, by colour: they give a price for each cell,
/// and a bound.
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

/// Kinds of cells that are not among those of the assignment: empty ones for an end of the chain alone, and
/// taken ones.
const NARROW: u8 = 14;
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
    /// The flood fill of [`Segment::has_room`].
    seen: Vec<bool>,
    stack: Vec<u16>,
}

/// The next monomer of an end, and the last of the chain there if that is another one.
#[derive(Clone, Copy, Default)]
struct Ahead {
    index: usize,
    /// The free cells beside the head: the direction, the cell, and twice the worth of its contacts with laid
    /// monomers.
    choices: [(usize, usize, i32); 4],
    count: usize,
    /// 1 if another monomer follows.
    bonds: i32,
    last: Option<usize>,
}

/// A weighting and the bound by assignment that it gives, in halves; with the greatest worth of the next and
/// of the last monomer of each end.
#[derive(Clone, Copy, Default)]
struct Assigned {
    number: usize,
    bound: i32,
    next: [i32; 2],
    last: [i32; 2],
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
        assignment::kind(self.offer[cell], self.empty[cell]).map_or(NARROW, |kind| kind as u8)
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
        // As long as a walk lies in one row or column, it is its own mirror image, and the walks that
        // continue to either side of it mirror each other.
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

    /// Whether the rest of both ends has room in the free regions beside their heads: enough cells of both
    /// colours.
    fn has_room(&mut self) -> bool {
        let n = self.instance.len();
        let needs = [self.between(0, self.ends[0]), self.between(self.ends[1] + 1, n)]
            .map(|demand| demand.map(|demand| demand.all));
        let open = End::BOTH.map(|end| self.is_open(end));
        self.seen.fill(false);
        // Whether each end fits into one region, into another, and whether both fit into one.
        let mut fits = [0, 0];
        let (mut same, mut both) = (false, false);
        let mut regions = 0;
        let mut reached = 0;
        for end in End::BOTH.into_iter().filter(|end| open[*end as usize]) {
            let torus = self.instance.torus();
            for start in torus.next_of::<4>(usize::from(self.head(end))) {
                if !self.free_cells.is_free(start) || self.seen[usize::from(start)] {
                    continue;
                }
                let (have, touched) = self.flood(start);
                regions += 1;
                reached += have[0] + have[1];
                let fit: [bool; 2] = std::array::from_fn(|end| {
                    open[end] && touched[end] && (0..2).all(|part| have[part] >= needs[end][part])
                });
                fits[0] += i32::from(fit[0]);
                fits[1] += i32::from(fit[1]);
                same |= fit == [true, true];
                both |= fit == [true, true]
                    && (0..2).all(|part| have[part] >= needs[0][part] + needs[1][part]);
            }
        }
        let free = self.kind.len() - self.laid.len();
        let last = self.laid.len() - 1;
        self.laid[last].is_split = regions != 1 || reached != free as i32;
        match open {
            [true, true] => {
                let apart = fits[0] > 0 && fits[1] > 0 && !(same && fits == [1, 1]);
                both || apart
            }
            [true, false] => fits[0] > 0,
            [false, true] => fits[1] > 0,
            [false, false] => true,
        }
    }

    /// The number of cells of each colour in the free region of a cell, and which heads it touches.
    fn flood(&mut self, start: u16) -> ([i32; 2], [bool; 2]) {
        let torus = self.instance.torus();
        let heads = End::BOTH.map(|end| self.head(end));
        let (mut have, mut touched) = ([0, 0], [false, false]);
        self.stack.clear();
        self.stack.push(start);
        self.seen[usize::from(start)] = true;
        while let Some(cell) = self.stack.pop() {
            have[torus.colour(usize::from(cell))] += 1;
            for next in torus.next_of::<4>(usize::from(cell)) {
                touched[0] |= next == heads[0];
                touched[1] |= next == heads[1];
                if self.free_cells.is_free(next) && !self.seen[usize::from(next)] {
                    self.seen[usize::from(next)] = true;
                    self.stack.push(next);
                }
            }
        }
        (have, touched)
    }

    /// A bound on the R_nc of all walks that contain this segment, above the target; or why there is none
    /// above the target.
    pub(super) fn examine(&mut self, target: i32) -> Result<i32, Cut> {
        if self.is_whole() {
            return if self.gained > target { Ok(self.gained) } else { Err(Cut::Whole) };
        }
        if self.laid[self.laid.len() - 1].is_split && !self.has_room() {
            return Err(Cut::Room);
        }
        let n = self.instance.len();
        let front = self.between(1, self.ends[0].saturating_sub(1));
        let back = self.between(self.ends[1] + 2, n - 1);
        let inner: [Demand; 2] = std::array::from_fn(|colour| {
            let [front, back] = [front[colour], back[colour]];
            Demand {
                signs: std::array::from_fn(|sign| front.signs[sign] + back.signs[sign]),
                all: front.all + back.all,
            }
        });
        for colour in 0..2 {
            let wide = self.kinds[colour][..usize::from(NARROW)].iter().sum::<i16>();
            if i32::from(wide) < inner[colour].all {
                return Err(Cut::Room);
            }
        }
        let mut ahead: [Option<Ahead>; 2] = [None; 2];
        for end in End::BOTH.into_iter().filter(|end| self.is_open(*end)) {
            let next = self.ahead(end);
            if next.count == 0 {
                return Err(Cut::Room);
            }
            ahead[end as usize] = Some(next);
        }
        self.by_assignment_and_walks(target, &inner, &ahead)
    }

    /// What comes at an open end.
    fn ahead(&self, end: End) -> Ahead {
        let index = self.next_index(end);
        let charge = i32::from(self.instance.monomers()[index]);
        let last = if end == End::Front { 0 } else { self.instance.len() - 1 };
        let head = self.ends[end as usize];
        let mut ahead = Ahead {
            index,
            bonds: i32::from(index != last),
            last: (index != last).then_some(last),
            ..Ahead::default()
        };
        let ways = self.instance.torus().next_of::<4>(usize::from(self.cells[head]));
        for (way, cell) in ways.into_iter().enumerate() {
            let at = usize::from(cell);
            if self.free_cells.is_free(cell) {
                let offer = i32::from(self.offer[at] - self.offer_of(head));
                ahead.choices[ahead.count] = (way, at, 2 * charge * offer);
                ahead.count += 1;
            }
        }
        ahead
    }

    /// How many halves a monomer counts for each contact with others to come.
    #[inline]
    fn weight(&self, index: usize, weights: [Weights; 2]) -> i32 {
        match self.instance.monomers()[index] {
            0 => 0,
            monomer => weights[self.colour(index)][usize::from(monomer < 0)] as i32,
        }
    }

    /// The greatest worth of the last monomer of an end on any cell, for each number of its empty sides that
    /// are not for its bond: twice that of its contacts with laid monomers.
    fn offers_to_last(&self, index: usize) -> [Option<i32>; 4] {
        let charge = i32::from(self.instance.monomers()[index]);
        let (torus, colour) = (self.instance.torus(), self.colour(index));
        let mut best = [None; 4];
        for cell in 0..torus.cells() {
            if self.kind[cell] != TAKEN && torus.colour(cell) == colour {
                let sides = usize::from(self.empty[cell].saturating_sub(1));
                best[sides] = best[sides].max(Some(2 * charge * i32::from(self.offer[cell])));
            }
        }
        best
    }

    fn by_assignment_and_walks(
        &mut self,
        target: i32,
        inner: &[Demand; 2],
        ahead: &[Option<Ahead>; 2],
    ) -> Result<i32, Cut> {
        /// How many weightings are tried with walks, and up to how many halves above the target. Walks rarely
        /// cost more than that.
        const WEIGHTINGS_WITH_WALKS: usize = 3;
        const MOST: i32 = 10;
        let to_last = ahead.map(|ahead| {
            let last = ahead.and_then(|ahead| ahead.last)?;
            Some(self.offers_to_last(last))
        });
        let weightings: &[[Weights; 2]] = WEIGHTINGS[usize::from(self.instance.sign() > 0)];
        let mut assigned = [Assigned::default(); 9];
        let mut least = i32::MAX;
        // Every weighting gives a true bound, so the first one that cuts is enough; the one that cut last is
        // likely to cut again.
        for offset in 0..weightings.len() {
            let number = (self.weighting + offset) % weightings.len();
            let weights = weightings[number];
            let mut result = Assigned { number, bound: 2 * self.gained, ..Assigned::default() };
            for end in 0..2 {
                let Some(ahead) = &ahead[end] else { continue };
                let own = self.weight(ahead.index, weights);
                let worth = |(_, cell, worth): &(usize, usize, i32)| {
                    worth + own * (i32::from(self.empty[*cell]) - ahead.bonds).max(0)
                };
                let choices = ahead.choices[..ahead.count].iter();
                result.next[end] = choices.map(worth).max().unwrap_or(0);
                if let (Some(last), Some(offers)) = (ahead.last, to_last[end]) {
                    let own = self.weight(last, weights);
                    let worths = offers.iter().zip(0..);
                    let worths = worths.filter_map(|(offer, sides)| Some((*offer)? + own * sides));
                    result.last[end] = worths.max().unwrap_or(0);
                }
                result.bound += result.next[end] + result.last[end];
            }
            for colour in 0..2 {
                let prices = &mut self.prices[number][colour];
                let (cells, demand) = (&self.kinds[colour], inner[colour]);
                result.bound += assignment::best(cells, demand, weights[colour], prices);
            }
            least = least.min(result.bound.div_euclid(2));
            if least <= target {
                self.weighting = number;
                return Err(Cut::Bound(Multipliers { weights, prices: self.prices[number] }));
            }
            assigned[offset] = result;
        }
        let assigned = &mut assigned[..weightings.len()];
        assigned.sort_by_key(|result| result.bound);
        for result in assigned.iter().take(WEIGHTINGS_WITH_WALKS) {
            // The walks must cost this much to cut.
            let enough = result.bound - 2 * target - 1;
            if enough > MOST {
                break;
            }
            let weights = weightings[result.number];
            let cost = self.cost_of_walks(weights, result, ahead, enough);
            least = least.min((result.bound - cost).div_euclid(2));
            if least <= target {
                self.weighting = result.number;
                return Err(Cut::Bound(Multipliers {
                    weights,
                    prices: self.prices[result.number],
                }));
            }
        }
        Ok(least)
    }

    /// What walks lose against the assignment, in halves; if it is `enough`, not always in full.
    fn cost_of_walks(
        &mut self,
        weights: [Weights; 2],
        assigned: &Assigned,
        ahead: &[Option<Ahead>; 2],
        enough: i32,
    ) -> i32 {
        let (torus, n) = (self.instance.torus(), self.instance.len());
        let tables: [_; 2] = std::array::from_fn(|colour| {
            assignment::costs(weights[colour], self.prices[assigned.number][colour])
        });
        for cell in 0..torus.cells() {
            let costs = tables[torus.colour(cell)][usize::from(self.kind[cell])];
            self.walks.set_cost(Costs::Neutral, cell, costs.neutral);
            self.walks.set_cost(Costs::Plus, cell, costs.plus);
            self.walks.set_cost(Costs::Minus, cell, costs.minus);
        }
        let price =
            |cell: usize| i32::from(tables[torus.colour(cell)][usize::from(self.kind[cell])].price);
        let mut total = 0;
        for end in End::BOTH {
            let Some(ahead) = &ahead[end as usize] else { continue };
            let own = self.weight(ahead.index, weights);
            self.walks.clear();
            for (way, cell, worth) in &ahead.choices[..ahead.count] {
                let sides = (i32::from(self.empty[*cell]) - ahead.bonds).max(0);
                let worth = worth + own * sides - price(*cell);
                let cost = (assigned.next[end as usize] - worth) as u8;
                self.walks.begin(*way, *cell as u16, cost);
            }
            if let Some(last) = ahead.last {
                let inner = match end {
                    End::Front => 1..ahead.index,
                    End::Back => ahead.index + 1..n - 1,
                };
                for step in 0..inner.len() {
                    let index = match end {
                        End::Front => inner.end - 1 - step,
                        End::Back => inner.start + step,
                    };
                    self.walks.step(Costs::of(self.instance.monomers()[index]));
                }
                let own = self.weight(last, weights);
                let charge = i32::from(self.instance.monomers()[last]);
                for cell in 0..torus.cells() {
                    let sides = i32::from(self.empty[cell]) - 1;
                    let worth =
                        2 * charge * i32::from(self.offer[cell]) + own * sides.max(0) - price(cell);
                    let cost = match self.kind[cell] {
                        TAKEN => NEVER,
                        _ if torus.colour(cell) != self.colour(last) => NEVER,
                        _ => (assigned.last[end as usize] - worth) as u8,
                    };
                    self.walks.set_cost(Costs::Last, cell, cost);
                }
                self.walks.step(Costs::Last);
            }
            total += i32::from(self.walks.least());
            if total >= enough {
                break;
            }
        }
        total
    }

    /// The canonical cells for the next monomer at an end that are not cut off, with their bounds.
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

    /// The end to continue at, the one with fewer branches, and the branches: cells that are not cut off, the
    /// greatest bound first, so that a walk above the target is found sooner if there is one.
    pub(super) fn branches(&mut self, target: i32) -> (End, Vec<u16>) {
        // The end that was continued last is tried first: if it leaves a single branch, that is taken.
        let mut end = self.laid[self.laid.len() - 1].end;
        if !self.is_open(end) {
            end = end.other();
        }
        let mut kept = self.branches_at(end, target);
        if kept.len() > 1 && self.laid.len() > 1 && self.is_open(end.other()) {
            let others = self.branches_at(end.other(), target);
            let slack = |kept: &[(u16, i32)]| {
                (kept.len(), kept.iter().map(|(_, bound)| *bound).sum::<i32>())
            };
            if slack(&others) < slack(&kept) {
                (end, kept) = (end.other(), others);
            }
        }
        kept.sort_by_key(|(_, bound)| -bound);
        (end, kept.into_iter().map(|(cell, _)| cell).collect())
    }
}
