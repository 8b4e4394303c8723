//! The first part of a walk, with a bound on the R_nc of all walks that begin with it,
//! kept up step by step.
//!
//! Let a pair of classes be even plus with odd minus, or even minus with odd plus (H with
//! H of the other parity). Contacts to come, of such a pair, are between two monomers
//! to come, or between one to come and one laid. With S the free sides of all to come,
//! and X what monomers laid can offer them, the pair brings at most
//! min(S₁ + X₁, S₂ + X₂), X₁ being offered to class 2 by class 1. Each monomer to come
//! takes one empty cell, and there gets from all it touches their sum: X₁ is the sum of
//! the greatest sums over empty cells, one cell for each monomer of class 2 to come. What
//! the head offers is counted apart, since one of its free sides is for the next bond.

use std::sync::Arc;

use crate::bounds::sides;
use crate::room::Room;
use crate::rules::Instance;

/// Cells by what the monomers around them (without the head) sum to: 1 to 4.
type Sums = [i32; 5];

#[derive(Clone, Copy)]
struct Laid {
    cell: u16,
    splits: bool,
    gain: i32,
}

/// The first part of a walk.
pub(super) struct Prefix {
    instance: Arc<Instance>,
    room: Room,
    charge: Vec<i8>,
    laid: Vec<Laid>,
    /// R_nc of the part.
    gained: i32,
    /// For each cell, the sum of what monomers beside it offer a +1 there, without the head.
    offer: Vec<i8>,
    /// By colour of the empty cell and by the sign of who would go there: + and −.
    sums: [[Sums; 2]; 2],
    /// Free sides of the monomers from each index on, by parity and sign; and their count.
    sides_from: Vec<[[i32; 2]; 2]>,
    count_from: Vec<[[i32; 2]; 2]>,
}

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
        let mut prefix = Prefix {
            room: Room::new(torus),
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

    /// Goes to another part of a walk.
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

    /// Counts (or, with −1, uncounts) an empty cell among the sums.
    #[inline]
    fn count(&mut self, cell: usize, change: i32) {
        let offer = self.offer[cell];
        if offer != 0 {
            let colour = self.instance.torus().colour(cell);
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
        for next in self.instance.torus().next(usize::from(cell)) {
            let at = usize::from(next);
            if self.room.is_free(next) {
                self.count(at, -1);
                self.offer[at] += offer;
                self.count(at, 1);
            } else {
                self.offer[at] += offer;
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
        // The head's bond goes here: to all other cells it offers from now on.
        let splits = self.room.arcs(self.instance.torus(), cell) > 1;
        let gain = i32::from(charge) * i32::from(self.offer[at]);
        self.count(at, -1);
        self.room.take(cell);
        if let Some(head) = self.laid.last().copied() {
            self.spread(head.cell, self.offer_of(index - 1));
        }
        self.charge[at] = charge;
        self.laid.push(Laid { cell, splits, gain });
        self.gained += gain;
    }

    /// Takes the last monomer back.
    pub(super) fn unlay(&mut self) {
        let Some(Laid { cell, gain, .. }) = self.laid.pop() else { return };
        let at = usize::from(cell);
        self.gained -= gain;
        self.charge[at] = 0;
        if let Some(head) = self.laid.last().copied() {
            self.spread(head.cell, -self.offer_of(self.laid.len() - 1));
        }
        self.room.give(cell);
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

    /// No walk that begins so has a greater R_nc.
    pub(super) fn bound(&self) -> i32 {
        let laid = self.laid.len();
        let sides = &self.sides_from[laid];
        let count = &self.count_from[laid];
        let head = self.laid[laid - 1];
        let charge = self.instance.monomers()[laid - 1];
        // Free sides of the head besides the next bond.
        let next = self.instance.torus().next(usize::from(head.cell));
        let free = next.iter().filter(|cell| self.room.is_free(**cell)).count() as i32;
        let spare = if laid == self.instance.len() { 0 } else { (free - 1).max(0) };
        let is_hp = self.instance.sign() > 0;
        // On cell 0 lies index 0: colours are parities.
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

    /// The free cells beside the head, one of each two that are mirror images.
    pub(super) fn canonical(&self) -> Vec<u16> {
        let torus = self.instance.torus();
        let head = self.laid[self.laid.len() - 1].cell;
        let next = torus.next(usize::from(head));
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
        ways.iter().map(|way| next[*way]).filter(|cell| self.room.is_free(*cell)).collect()
    }

    /// The canonical cells for the next monomer that are not cut, the most gained first.
    pub(super) fn branches(&mut self, target: i32) -> Vec<u16> {
        let instance = Arc::clone(&self.instance);
        let head = self.laid[self.laid.len() - 1];
        let more = instance.len() - self.laid.len() - 1;
        let mut kept = Vec::with_capacity(4);
        for cell in self.canonical() {
            let splits = self.room.arcs(instance.torus(), cell) > 1;
            if (splits || head.splits) && !self.room.has_room(instance.torus(), cell, more) {
                continue;
            }
            self.lay(cell);
            let bound = self.bound();
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
