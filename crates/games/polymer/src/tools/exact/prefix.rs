//! The first part of a walk, with a bound on the R_nc of all walks that begin with it, updated step by step.
//!
//! Let a pair of classes be even plus with odd minus, or even minus with odd plus (H with H of the other
//! parity). A future contact of such a pair is between two monomers to come, or between one to come and one
//! already laid. Let S be the free sides of all monomers to come, and X what the laid monomers can offer
//! them. Then the pair gains at most min(S₁ + X₁, S₂ + X₂), where X₁ is offered to class 2 by class 1. Each
//! monomer to come takes one empty cell, and there gains the sum of what the laid monomers beside the cell
//! offer. So X₁ is the sum of the greatest sums over empty cells, one cell for each monomer of class 2 to
//! come. The offer of the head is counted apart, since one of its free sides is for the next bond.
//!
//! Why the least of the two: every contact of the pair takes a side of a monomer of class 1 and one of
//! class 2. Counted from class 1, it is a side of one to come (S₁), or of one laid, which can offer only so
//! much to those to come (X₁); likewise from class 2.
//!
//! All of these sums change only around the cell that is taken or given back, so laying a monomer and taking
//! it back costs a few additions, and bounding costs a few more.
//!
//! If this bound does not cut, the sharper and slower bound of [`super::assignment`] is tried.

use std::sync::Arc;

use super::assignment::{self, Cells, Demand, KINDS, WEIGHTINGS, Weights};
use crate::players::free_cells::FreeCells;
use crate::rules::bounds::sides;
use crate::rules::instance::Instance;

/// The number of cells for each sum, 1 to 4, of what the monomers around them offer (without the head).
type Sums = [i32; 5];

/// A laid monomer, with the data for taking it back.
#[derive(Clone, Copy)]
struct Placement {
    cell: u16,
    /// Whether the free cells beside it may have fallen into several regions.
    splits: bool,
    gain: i32,
}

/// The first part of a walk.
pub(super) struct Prefix {
    instance: Arc<Instance>,
    free_cells: FreeCells,
    charge: Vec<i8>,
    laid: Vec<Placement>,
    /// R_nc of the part.
    gained: i32,
    /// For each cell, the sum of what the monomers beside it offer a +1 there, without the head.
    offer: Vec<i8>,
    /// By the colour of the empty cell and the sign of the monomer that would go there: + and −.
    sums: [[Sums; 2]; 2],
    /// Free sides of the monomers from each index on, by parity and sign; and their count.
    sides_from: Vec<[[i32; 2]; 2]>,
    count_from: Vec<[[i32; 2]; 2]>,
    /// For each cell, its empty neighbours.
    empty: Vec<u8>,
    /// The number of empty cells by colour and kind.
    kinds: [Cells; 2],
    /// For each length, the monomers after the next one and before the last, by parity.
    demand_from: Vec<[Demand; 2]>,
    /// The last prices of each weighting.
    prices: [[[i16; 2]; 2]; 9],
    /// The weighting that cut last.
    weighting: usize,
    /// How useful the assignment bound was, by the number of monomers laid.
    use_of: Vec<BoundUse>,
}

/// How often a bound was wanted, how often it was computed, and how often it cut.
#[derive(Clone, Copy, Default)]
struct BoundUse {
    wanted: u32,
    asked: u32,
    cuts: u32,
}

impl BoundUse {
    /// Whether to compute the bound once more. A bound that takes as long as several prefixes must cut one
    /// time in [`RARE`]; otherwise it is only tried now and then.
    #[inline]
    fn is_worth_it(&mut self) -> bool {
        const RARE: u32 = 8;
        const TRIALS: u32 = 64;
        self.wanted = self.wanted.wrapping_add(1);
        let asks = self.asked < TRIALS
            || self.cuts >= self.asked / RARE
            || self.wanted.is_multiple_of(2 * RARE);
        if asks {
            self.asked += 1;
        }
        if self.asked == u32::MAX {
            (self.asked, self.cuts) = (self.asked / 2, self.cuts / 2);
        }
        asks
    }
}

/// A bound below any walk's R_nc, for prefixes that no walk continues.
const NO_WALK: i32 = i32::MIN / 2;

impl Prefix {
    /// The prefix of the first monomer on cell 0.
    pub(super) fn new(instance: Arc<Instance>) -> Prefix {
        let torus = instance.torus();
        let n = instance.len();
        let mut sides_from = vec![[[0; 2]; 2]; n + 1];
        let mut count_from = vec![[[0; 2]; 2]; n + 1];
        for index in (0..n).rev() {
            sides_from[index] = sides_from[index + 1];
            count_from[index] = count_from[index + 1];
            let monomer = instance.monomers()[index];
            if monomer != 0 {
                sides_from[index][index % 2][usize::from(monomer < 0)] += sides(&instance, index);
                count_from[index][index % 2][usize::from(monomer < 0)] += 1;
            }
        }
        let mut demand_from = vec![[Demand::default(); 2]; n + 1];
        for laid in (0..n.saturating_sub(2)).rev() {
            demand_from[laid] = demand_from[laid + 1];
            let (index, demand) = (laid + 1, &mut demand_from[laid]);
            demand[index % 2].all += 1;
            let monomer = instance.monomers()[index];
            if monomer != 0 {
                demand[index % 2].signs[usize::from(monomer < 0)] += 1;
            }
        }
        let mut all: Cells = [0; KINDS];
        all[0] = torus.cells() as i16 / 2;
        let mut prefix = Prefix {
            empty: vec![4; torus.cells() + 1],
            kinds: [all; 2],
            demand_from,
            prices: [[[0; 2]; 2]; 9],
            weighting: 0,
            use_of: vec![BoundUse::default(); n + 1],
            free_cells: FreeCells::new(torus),
            charge: vec![0; torus.cells() + 1],
            laid: Vec::with_capacity(n),
            gained: 0,
            offer: vec![0; torus.cells() + 1],
            sums: [[[0; 5]; 2]; 2],
            sides_from,
            count_from,
            instance,
        };
        prefix.lay(0);
        prefix
    }

    /// Moves to another partial walk.
    pub(super) fn go(&mut self, part: &[u16]) {
        while !self.laid.is_empty() {
            self.unlay();
        }
        part.iter().for_each(|cell| self.lay(*cell));
    }

    pub(super) fn is_whole(&self) -> bool {
        self.laid.len() == self.instance.len()
    }

    pub(super) fn walk(&self) -> Vec<u16> {
        self.laid.iter().map(|laid| laid.cell).collect()
    }

    /// Adds an empty cell to the sums (or, with −1, removes it).
    #[inline]
    fn count(&mut self, cell: usize, change: i32) {
        let offer = self.offer[cell];
        let colour = self.instance.torus().colour(cell);
        if let Some(kind) = assignment::kind(offer, self.empty[cell]) {
            self.kinds[colour][kind] += change as i16;
        }
        if offer != 0 {
            // An offer to + is the opposite of the offer to −.
            self.sums[colour][usize::from(offer < 0)][usize::from(offer.unsigned_abs())] += change;
        }
    }

    /// Adds what a monomer offers to the cells around it.
    #[inline]
    fn spread(&mut self, cell: u16, offer: i8) {
        if offer == 0 {
            return;
        }
        for next in self.instance.torus().next_of::<4>(usize::from(cell)) {
            let at = usize::from(next);
            if self.free_cells.is_free(next) {
                self.count(at, -1);
                self.offer[at] += offer;
                self.count(at, 1);
            } else {
                self.offer[at] += offer;
            }
        }
    }

    /// Updates the cells around one that was taken (−1) or given back (1): each has one empty neighbour less
    /// or more.
    #[inline]
    fn enclose(&mut self, cell: u16, change: i8) {
        for next in self.instance.torus().next_of::<4>(usize::from(cell)) {
            let at = usize::from(next);
            let (offer, empty) = (self.offer[at], self.empty[at]);
            self.empty[at] = empty.wrapping_add_signed(change);
            if self.free_cells.is_free(next) {
                let kinds = &mut self.kinds[self.instance.torus().colour(at)];
                if let Some(kind) = assignment::kind(offer, empty) {
                    kinds[kind] -= 1;
                }
                if let Some(kind) = assignment::kind(offer, self.empty[at]) {
                    kinds[kind] += 1;
                }
            }
        }
    }

    /// What a monomer offers to a +1 beside it.
    #[inline]
    fn offer_of(&self, index: usize) -> i8 {
        self.instance.monomers()[index] * self.instance.sign() as i8
    }

    /// Lays the next monomer.
    pub(super) fn lay(&mut self, cell: u16) {
        let at = usize::from(cell);
        let index = self.laid.len();
        let charge = self.instance.monomers()[index];
        // One side of the head is for the bond to this monomer, and until now it was not known which. So only
        // from now on does the head offer to the cells around it; before, its offer is counted apart.
        let splits = self.free_cells.arcs(self.instance.torus(), cell) > 1;
        let gain = i32::from(charge) * i32::from(self.offer[at]);
        self.count(at, -1);
        self.free_cells.take(cell);
        self.enclose(cell, -1);
        if let Some(head) = self.laid.last().copied() {
            self.spread(head.cell, self.offer_of(index - 1));
        }
        self.charge[at] = charge;
        self.laid.push(Placement { cell, splits, gain });
        self.gained += gain;
    }

    /// Takes the last monomer back.
    pub(super) fn unlay(&mut self) {
        let Some(Placement { cell, gain, .. }) = self.laid.pop() else { return };
        let at = usize::from(cell);
        self.gained -= gain;
        self.charge[at] = 0;
        if let Some(head) = self.laid.last().copied() {
            self.spread(head.cell, -self.offer_of(self.laid.len() - 1));
        }
        self.enclose(cell, 1);
        self.free_cells.give(cell);
        self.count(at, 1);
    }

    /// The sum of the `count` greatest offers to monomers of a sign on cells of a colour.
    #[inline]
    fn greatest(&self, colour: usize, sign: usize, mut count: i32) -> i32 {
        let sums = &self.sums[colour][sign];
        let mut total = 0;
        for value in (1..=4).rev() {
            let taken = count.min(sums[value]);
            total += taken * value as i32;
            count -= taken;
        }
        total
    }

    /// A bound on the R_nc of all walks that begin with this prefix; if it is not above `target`, it need not
    /// be the least that is known.
    pub(super) fn bound(&mut self, target: i32) -> i32 {
        // With so few monomers to come, trying all walks is faster than bounding more sharply.
        const FEW: usize = 8;
        let by_sums = self.bound_by_sums();
        let to_come = self.instance.len() - self.laid.len();
        if by_sums <= target || to_come < FEW || !self.use_of[self.laid.len()].is_worth_it() {
            return by_sums;
        }
        let bound = by_sums.min(self.bound_by_assignment(target));
        self.use_of[self.laid.len()].cuts += u32::from(bound <= target);
        bound
    }

    /// The bound by the assignment of monomers to cells.
    fn bound_by_assignment(&mut self, target: i32) -> i32 {
        let laid = self.laid.len();
        let demand = self.demand_from[laid];
        if (0..2)
            .any(|colour| i32::from(self.kinds[colour].iter().sum::<i16>()) < demand[colour].all)
        {
            return NO_WALK;
        }
        let head = self.laid[laid - 1].cell;
        let monomers = self.instance.monomers();
        let (next, last) = (i32::from(monomers[laid]), monomers.len() - 1);
        let ways = self.instance.torus().next_of::<4>(usize::from(head));
        let ways = ways.into_iter().filter(|cell| self.free_cells.is_free(*cell)).map(usize::from);
        // The worth of the next monomer on a cell: its laid neighbours, and its empty ones less a bond.
        let mut choices = [(0, 0); 4];
        let mut count = 0;
        for cell in ways {
            choices[count] = (2 * next * i32::from(self.offer[cell]), i32::from(self.empty[cell]));
            count += 1;
        }
        if count == 0 {
            return NO_WALK;
        }
        let spare = if monomers[laid - 1] == 0 { 0 } else { count as i32 - 1 };
        // Counted in halves: a contact between two monomers to come is seen from both of its ends.
        let mut fixed = 2 * (self.gained + spare);
        // The last monomer has no next bond, so it has three free sides; it is not part of the demand.
        if last > laid && monomers[last] != 0 {
            fixed += 6;
        }
        let bonds = i32::from(laid < last);
        let weightings: &[[Weights; 2]] = match self.instance.sign() > 0 {
            true => WEIGHTINGS[1],
            false => WEIGHTINGS[0],
        };
        let mut least = i32::MAX;
        // Every weighting gives a true bound, so the first one that cuts is enough.
        for offset in 0..weightings.len() {
            // The weighting that cut last is likely to cut again.
            let number = (self.weighting + offset) % weightings.len();
            let weights = weightings[number];
            let own = if next == 0 { 0 } else { weights[laid % 2][usize::from(next < 0)] as i32 };
            let worth = |(sum, empty): &(i32, i32)| sum + own * (empty - bonds).max(0);
            let mut bound = fixed + choices[..count].iter().map(worth).max().unwrap_or(0);
            for colour in 0..2 {
                let prices = &mut self.prices[number][colour];
                let (cells, demand) = (&self.kinds[colour], demand[colour]);
                bound += assignment::best(cells, demand, weights[colour], prices);
            }
            least = least.min(bound.div_euclid(2));
            if least <= target {
                self.weighting = number;
                break;
            }
        }
        least
    }

    /// The bound by the sums of offers.
    fn bound_by_sums(&self) -> i32 {
        let laid = self.laid.len();
        let sides = &self.sides_from[laid];
        let count = &self.count_from[laid];
        let head = self.laid[laid - 1];
        let charge = self.instance.monomers()[laid - 1];
        // The free sides of the head besides the one for the next bond.
        let next = self.instance.torus().next_of::<4>(usize::from(head.cell));
        let free = next.iter().filter(|cell| self.free_cells.is_free(**cell)).count() as i32;
        let spare = if laid == self.instance.len() { 0 } else { (free - 1).max(0) };
        let is_hp = self.instance.sign() > 0;
        // Index 0 lies on cell 0, so colours are parities.
        let pair = |even_sign: usize, odd_sign: usize| {
            let mut by_even = self.greatest(1, odd_sign, count[1][odd_sign]);
            let mut by_odd = self.greatest(0, even_sign, count[0][even_sign]);
            let head_sign = usize::from(charge < 0);
            if charge != 0 {
                if (laid - 1).is_multiple_of(2) && head_sign == even_sign {
                    by_even += spare;
                } else if laid.is_multiple_of(2) && head_sign == odd_sign {
                    by_odd += spare;
                }
            }
            // A monomer to come cannot take more than it has sides.
            let by_even = by_even.min(sides[1][odd_sign]);
            let by_odd = by_odd.min(sides[0][even_sign]);
            (sides[0][even_sign] + by_even).min(sides[1][odd_sign] + by_odd)
        };
        self.gained + if is_hp { pair(0, 0) } else { pair(0, 1) + pair(1, 0) }
    }

    /// The free cells beside the head; of each two that are mirror images, only one.
    pub(super) fn canonical(&self) -> Vec<u16> {
        let torus = self.instance.torus();
        let head = self.laid[self.laid.len() - 1].cell;
        let next = torus.next_of::<4>(usize::from(head));
        // As long as a walk lies in one row or column, it is its own mirror image, and the walks that
        // continue to either side of it mirror each other.
        let mut ways: &[usize] = &[0, 1, 2, 3];
        if self.laid.len() == 1 {
            ways = if torus.width() == torus.height() { &[0] } else { &[0, 1] };
        } else {
            let row = |cell: u16| usize::from(cell) / torus.width();
            let column = |cell: u16| usize::from(cell) % torus.width();
            if self.laid.iter().all(|laid| row(laid.cell) == 0) {
                ways = &[0, 1, 2];
            } else if self.laid.iter().all(|laid| column(laid.cell) == 0) {
                ways = &[0, 1, 3];
            }
        }
        ways.iter().map(|way| next[*way]).filter(|cell| self.free_cells.is_free(*cell)).collect()
    }

    /// The canonical cells for the next monomer that are not cut off, the greatest gain first, so that a walk
    /// above the target is found sooner if there is one.
    pub(super) fn branches(&mut self, target: i32) -> Vec<u16> {
        let instance = Arc::clone(&self.instance);
        let head = self.laid[self.laid.len() - 1];
        let more = instance.len() - self.laid.len() - 1;
        let mut kept = Vec::with_capacity(4);
        for cell in self.canonical() {
            // Free cells can fall apart only if a taken cell had free ones on more than one side; the flood
            // fill that checks whether the rest still fits is run only then.
            let splits = self.free_cells.arcs(instance.torus(), cell) > 1;
            if (splits || head.splits)
                && !self.free_cells.has_room::<4>(instance.torus(), cell, more)
            {
                continue;
            }
            self.lay(cell);
            let bound = self.bound(target);
            let gained = self.gained;
            self.unlay();
            if bound > target {
                kept.push((gained, cell));
            }
        }
        kept.sort_by_key(|(gained, _)| -gained);
        kept.into_iter().map(|(_, cell)| cell).collect()
    }
}
