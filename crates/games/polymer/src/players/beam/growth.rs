//! A walk that grows and shrinks at its head, for beam search and PERM. Positions are compared by R − p·F +
//! g·A. F counts the free cells beside monomers, once for each monomer, so that compact walks are preferred.
//! A is the attraction: the sum over free cells of how strongly the charges around them agree. Steps that
//! leave too little room are excluded (see [`crate::players::free_cells`]).
//!
//! F and A are sums over the free cells; the value of each cell depends on the charges around it and on the
//! number of free cells around it. For each cell both are kept in one small number, its *ambience*, which a
//! monomer beside it changes by a number that depends only on its charge. So a step is evaluated by looking
//! up the cell and its neighbours in a table.

use std::sync::Arc;

use quintain_search::beam::{Branch, Branching};

use crate::players::free_cells::FreeCells;
use crate::rules::instance::Instance;

/// The weights by which walks of equal length are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowthWeights {
    /// The weight p: against free cells beside monomers.
    pub compact: f64,
    /// The weight g: for agreement around free cells.
    pub attraction: f64,
}

/// The worth of a contact in the table. Keys are multiples of its inverse, so that sums are exact and equal
/// positions have equal keys, however they were reached.
const CONTACT: i32 = 1024;

/// A partial walk, or the stretch of a walk that is grown anew, on a torus with `WAYS` ways from each cell.
pub struct Growth<const WAYS: usize> {
    instance: Arc<Instance>,
    /// The charges of the monomers to lay, in order.
    charges: Vec<i8>,
    /// The cell beside which the first of them is laid, if it is not the first of the chain.
    anchor: Option<u16>,
    /// The cell beside which the last of them has to lie, if any.
    target: Option<u16>,
    /// If this is not 0, keys are disturbed a little, differently for each number.
    disturbance: u64,
    free_cells: FreeCells,
    /// The ambience of each cell; one entry more than cells.
    ambience: Vec<u8>,
    /// The value of a free cell in the key, by its ambience.
    worth: Vec<i32>,
    laid: Vec<u16>,
    r: i32,
    /// A free region of this many cells counts as room enough.
    enough: usize,
}

/// Returns a well-mixed number for each number (Steele, Lea & Flood 2014: SplitMix64).
#[inline]
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<const WAYS: usize> Growth<WAYS> {
    /// The sum of charges around a cell and the number of free cells around it, as one number.
    const fn ambience(field: i32, free: i32) -> usize {
        ((field + WAYS as i32) * (WAYS as i32 + 1) + free) as usize
    }

    /// The field in an ambience.
    #[inline]
    fn field(ambience: u8) -> i32 {
        i32::from(ambience) / (WAYS as i32 + 1) - WAYS as i32
    }

    /// The number of free cells in an ambience.
    #[inline]
    fn free(ambience: u8) -> i32 {
        i32::from(ambience) % (WAYS as i32 + 1)
    }

    /// How much a monomer changes the ambience of the cells beside it.
    #[inline]
    fn change(charge: i8) -> u8 {
        (charge * (WAYS as i8 + 1) - 1) as u8
    }

    /// A walk over `prefix`, at least its first cell; a free region of `enough` cells counts as room enough.
    pub fn new(
        instance: Arc<Instance>,
        prefix: &[u16],
        taste: GrowthWeights,
        enough: usize,
    ) -> Self {
        let charges = instance.monomers().to_vec();
        let mut growth = Self::of_nothing(instance, charges, taste, enough);
        prefix.iter().for_each(|cell| growth.step(*cell));
        growth
    }

    /// The same with keys disturbed by this number.
    pub fn disturbed(self, disturbance: u64) -> Self {
        Self { disturbance, ..self }
    }

    /// A whole walk, of which stretches are to be grown anew.
    pub fn of_whole(instance: Arc<Instance>, walk: &[u16], taste: GrowthWeights) -> Self {
        let mut growth = Self::of_nothing(Arc::clone(&instance), Vec::new(), taste, usize::MAX);
        for (cell, charge) in walk.iter().zip(instance.monomers()) {
            growth.put(*cell, *charge);
        }
        growth
    }

    fn of_nothing(
        instance: Arc<Instance>,
        charges: Vec<i8>,
        taste: GrowthWeights,
        enough: usize,
    ) -> Self {
        let torus = instance.torus();
        let ways = WAYS as i32;
        let mut worth = vec![0; Self::ambience(ways, ways) + 1];
        for (field, free) in
            (-ways..=ways).flat_map(|field| (0..=ways).map(move |free| (field, free)))
        {
            let taken = f64::from(ways - free);
            let contacts = taste.attraction * f64::from(field.abs()) - taste.compact * taken;
            worth[Self::ambience(field, free)] = (contacts * f64::from(CONTACT)).round() as i32;
        }
        let untouched = Self::ambience(0, torus.degree() as i32) as u8;
        Self {
            free_cells: FreeCells::new(torus),
            ambience: vec![untouched; torus.cells() + 1],
            worth,
            laid: Vec::with_capacity(charges.len()),
            charges,
            anchor: None,
            target: None,
            disturbance: 0,
            r: 0,
            enough,
            instance,
        }
    }

    /// Prepares to lay monomers of these charges from beside `anchor` to beside `target`, if there is one;
    /// the monomers already laid stay.
    pub fn set_out(
        &mut self,
        charges: impl Iterator<Item = i8>,
        anchor: u16,
        target: Option<u16>,
        disturbance: u64,
    ) {
        self.charges.clear();
        self.charges.extend(charges);
        self.laid.clear();
        (self.anchor, self.target) = (Some(anchor), target);
        self.disturbance = disturbance;
    }

    /// Puts a monomer on a free cell.
    #[inline]
    pub fn put(&mut self, cell: u16, charge: i8) {
        self.r += self.gain(charge, self.ambience[usize::from(cell)]);
        self.free_cells.take(cell);
        let change = Self::change(charge);
        for next in self.instance.torus().around_of::<WAYS>(usize::from(cell)) {
            let ambience = &mut self.ambience[usize::from(next)];
            *ambience = ambience.wrapping_add(change);
        }
    }

    /// Takes a monomer away.
    #[inline]
    pub fn remove(&mut self, cell: u16, charge: i8) {
        let change = Self::change(charge);
        for next in self.instance.torus().around_of::<WAYS>(usize::from(cell)) {
            let ambience = &mut self.ambience[usize::from(next)];
            *ambience = ambience.wrapping_sub(change);
        }
        self.free_cells.give(cell);
        self.r -= self.gain(charge, self.ambience[usize::from(cell)]);
    }

    /// The cells laid.
    pub fn walk(&self) -> Vec<u16> {
        self.laid.clone()
    }

    /// How many monomers are laid.
    pub fn len(&self) -> usize {
        self.laid.len()
    }

    /// R so far.
    pub fn r(&self) -> i32 {
        self.r
    }

    /// The gain in R of a monomer of this charge on a cell of this ambience.
    #[inline]
    fn gain(&self, charge: i8, ambience: u8) -> i32 {
        self.instance.sign() * i32::from(charge) * Self::field(ambience)
    }

    /// A random value of up to 0.4 contacts, the same for equal positions.
    #[inline]
    fn disturb(&self, hash: u64) -> i32 {
        const MOST: u64 = 4 * CONTACT as u64 / 10;
        if self.disturbance == 0 {
            return 0;
        }
        (((mix(hash ^ self.disturbance) >> 32) * MOST) >> 32) as i32
    }

    /// How much a monomer of this charge on a cell adds to the key.
    #[inline]
    fn judge(&self, cell: u16, charge: i8) -> i32 {
        let own = self.ambience[usize::from(cell)];
        let mut sum = CONTACT * self.gain(charge, own) - self.worth[usize::from(own)];
        for next in self.instance.torus().around_of::<WAYS>(usize::from(cell)) {
            if self.free_cells.is_free(next) {
                let before = self.ambience[usize::from(next)];
                let after = before.wrapping_add(Self::change(charge));
                sum += self.worth[usize::from(after)] - self.worth[usize::from(before)];
            }
        }
        sum
    }
}

impl<const WAYS: usize> Branching for Growth<WAYS> {
    type Step = u16;

    fn branches(&mut self, here: Option<&Branch<u16>>, out: &mut Vec<Branch<u16>>) {
        let (Some(head), Some(&charge)) =
            (self.laid.last().copied().or(self.anchor), self.charges.get(self.laid.len()))
        else {
            return;
        };
        let more = self.charges.len() - self.laid.len() - 1;
        let (key, hash) = here.map_or((0.0, 0), |here| {
            // Disturbances do not add up along a walk.
            let disturbed = f64::from(self.disturb(here.hash)) / f64::from(CONTACT);
            (here.key - disturbed, here.hash ^ by_head(head))
        });
        let head_splits =
            self.target.is_none() && self.free_cells.arcs(self.instance.torus(), head) > 1;
        let ways = self.instance.torus().next_of::<WAYS>(usize::from(head));
        for (way, cell) in ways.into_iter().enumerate() {
            if !self.free_cells.is_free(cell) || ways[..way].contains(&cell) {
                continue;
            }
            let ambience = self.ambience[usize::from(cell)];
            // A walk whose head has no free neighbour is whole, or dead.
            if more > 0 && Self::free(ambience) == 0 {
                continue;
            }
            let torus = self.instance.torus();
            let has_room = match self.target {
                // A short stretch soon finds out whether there is a way.
                Some(target) => torus.distance(usize::from(cell), usize::from(target)) <= more + 1,
                None => {
                    let splits = head_splits || self.free_cells.arcs(torus, cell) > 1;
                    let room = more.min(self.enough);
                    !splits || self.free_cells.has_room::<WAYS>(torus, cell, room)
                }
            };
            if !has_room {
                continue;
            }
            // Walks that cover the same cells with the same charges and end at the same head have the same
            // futures, however they got there: one hash for all of them.
            let place = 3 * u64::from(cell) + (charge + 1) as u64;
            let hash = hash ^ mix(place + 1) ^ by_head(cell);
            let key = match more {
                0 => f64::from(self.r + self.gain(charge, ambience)),
                _ => {
                    key + f64::from(self.judge(cell, charge) + self.disturb(hash))
                        / f64::from(CONTACT)
                }
            };
            out.push(Branch { step: cell, key, hash });
        }
    }

    #[inline]
    fn step(&mut self, cell: u16) {
        self.put(cell, self.charges[self.laid.len()]);
        self.laid.push(cell);
    }

    #[inline]
    fn undo(&mut self) {
        if let Some(cell) = self.laid.pop() {
            self.remove(cell, self.charges[self.laid.len()]);
        }
    }
}

/// The part of a position's hash that encodes its head.
#[inline]
fn by_head(cell: u16) -> u64 {
    mix(u64::MAX - u64::from(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::annealing::fold::snake;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};

    const TASTE: GrowthWeights = GrowthWeights { compact: 0.25, attraction: 0.125 };

    /// R − p·F + g·A of a part of a walk, computed from the rules alone, up to a constant: the neighbours
    /// that a narrow torus lacks count as taken.
    fn key(instance: &Instance, walk: &[u16], ways: usize) -> f64 {
        let torus = instance.torus();
        let mut key = f64::from(instance.worth(walk));
        for cell in (0..torus.cells() as u16).filter(|cell| !walk.contains(cell)) {
            let laid = |next: &&u16| walk.contains(next);
            let around: Vec<u16> =
                torus.around(usize::from(cell)).iter().filter(laid).copied().collect();
            let charge = |next: &u16| {
                let index = walk.iter().position(|laid| laid == next).unwrap();
                i32::from(instance.monomers()[index])
            };
            let field: i32 = around.iter().map(charge).sum();
            let taken = around.len() + ways - torus.degree();
            key += TASTE.attraction * f64::from(field.abs()) - TASTE.compact * taken as f64;
        }
        key
    }

    fn check<const WAYS: usize>(torus: Torus, n: usize) {
        let monomers = draw_charges(Charges::Uniform, n, 3);
        let instance = Arc::new(Instance::new(torus, Interaction::Charge, monomers).unwrap());
        let walk = snake(instance.torus(), n);
        let mut growth = Growth::<WAYS>::new(Arc::clone(&instance), &walk[..1], TASTE, usize::MAX);
        let mut branches = Vec::new();
        let first = key(&instance, &walk[..1], WAYS);
        let mut here: Option<Branch<u16>> = None;
        for length in 2..=n {
            branches.clear();
            growth.branches(here.as_ref(), &mut branches);
            for branch in &branches {
                let longer = [&walk[..length - 1], &[branch.step]].concat();
                let expected = match length == n {
                    true => f64::from(instance.worth(&longer)),
                    false => key(&instance, &longer, WAYS) - first,
                };
                assert_eq!(branch.key, expected, "{longer:?}");
            }
            here = branches.iter().find(|branch| branch.step == walk[length - 1]).copied();
            growth.step(walk[length - 1]);
            assert_eq!(growth.r(), instance.worth(&walk[..length]));
        }
        (1..n).for_each(|_| growth.undo());
        assert_eq!((growth.walk(), growth.r()), (vec![walk[0]], 0));
        branches.clear();
        growth.branches(None, &mut branches);
        let again = branches.iter().find(|branch| branch.step == walk[1]).unwrap();
        assert_eq!(again.key, key(&instance, &walk[..2], WAYS) - first);
    }

    #[test]
    fn keys_that_change_step_by_step_are_those_of_the_whole_position() {
        check::<4>(Torus::new(6, 6).unwrap(), 30);
        check::<4>(Torus::new(5, 7).unwrap(), 30);
        check::<4>(Torus::new(2, 9).unwrap(), 13);
        check::<6>(Torus::with_layers(4, 4, 4).unwrap(), 50);
        check::<6>(Torus::with_layers(4, 2, 3).unwrap(), 20);
    }
}
