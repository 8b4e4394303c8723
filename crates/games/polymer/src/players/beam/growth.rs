//! A walk that grows and shrinks at its head, for beam search and PERM. Positions are compared by R
//! − p·F + g·A + N. F counts the free cells beside monomers, once for each monomer, so that compact
//! walks are preferred. A is the attraction: the sum over free cells of how strongly the charges
//! around them agree. N is the most that the next monomer could gain on a free cell beside the
//! head; without it, a walk that has just made a contact passes for better than one that is about
//! to make two. Steps that leave too little room are excluded (see [`crate::players::free_cells`]).
//!
//! F and A are sums over the free cells; the value of each cell depends on the charges around it
//! and on the number of free cells around it. For each cell these two are kept in one small number,
//! its *neighbourhood*, which a monomer beside it changes by a number that depends only on its
//! charge. So a step is evaluated by looking up the cell and its neighbours in a table.

use std::sync::Arc;

use quintain_core::split_mix;
use quintain_search::beam::{Branch, Branching};

use crate::players::free_cells::FreeCells;
use crate::players::tuned::{GrowthWeights, tuned};
use crate::rules::instance::Instance;

/// The worth of a contact in the table. Keys are multiples of its inverse, so that sums are exact
/// and equal positions have equal keys, however they were reached.
const CONTACT: i32 = 1024;

/// A partial walk, or the stretch of a walk that is regrown, on a torus with `WAYS` ways from each
/// cell.
#[derive(Clone)]
pub struct Growth<const WAYS: usize> {
    instance: Arc<Instance>,
    /// The charges of the monomers to lay, in order.
    charges: Vec<i8>,
    /// The cell beside which the first of them is laid, if it is not the first of the chain.
    anchor: Option<u16>,
    /// The number of steps over free cells from each cell to the one beside which the last of them
    /// has to lie, if there is such a cell.
    to_target: Option<Vec<u16>>,
    /// If this is not 0, keys are disturbed a little, differently for each number.
    disturbance: u64,
    free_cells: FreeCells,
    /// The neighbourhood of each cell, with [`TAKEN`] if it is not free; one entry more than cells.
    neighbourhood: Vec<u8>,
    /// The cells around each cell; see [`Torus::around_of`].
    around: Vec<[u16; WAYS]>,
    /// What a monomer does to the key and to R, by its charge.
    effects: Box<[Effects; 3]>,
    laid: Vec<u16>,
    r: i32,
    /// A free region of this many cells counts as room enough.
    enough: usize,
    /// Walks with the same head and the same last monomers, this many, count as equal.
    window: usize,
    /// Turns that a walk is drawn to, if any.
    example: Option<Example>,
}

/// Turns that a walk is drawn to as it grows, on a torus of one layer.
#[derive(Clone)]
struct Example {
    /// The cell before the anchor.
    before: u16,
    /// For each monomer to lay, by how many ways, clockwise, the step to it differs from the step
    /// before.
    turns: Vec<u8>,
}

/// What a step like that of the example adds to the key.
const LIKE_EXAMPLE: i32 = CONTACT;

/// A free region of this many cells is room enough for the end of a chain that is regrown.
const ENOUGH: usize = 12;

/// The part of a neighbourhood that tells that the cell is not free.
const TAKEN: u8 = 0x80;

/// What a monomer of one charge does, by the neighbourhood of a cell.
#[derive(Clone, Copy)]
struct Effects {
    /// Its gain in R if it is put on the cell; less than any gain if the cell is not free.
    gain: [i32; 256],
    /// What it adds to the key if it is put on the cell: its gain, less what the free cell was
    /// worth.
    put: [i32; 256],
    /// What it adds to the key if it is put beside the cell; nothing if the cell is taken.
    beside: [i32; 256],
}

impl<const WAYS: usize> Growth<WAYS> {
    /// The sum of charges around a cell and the number of free cells around it, as one number.
    const fn neighbourhood(field: i32, free: i32) -> usize {
        ((field + WAYS as i32) * (WAYS as i32 + 1) + free) as usize
    }

    /// The number of free cells in a neighbourhood.
    #[inline]
    fn free(neighbourhood: u8) -> u8 {
        (neighbourhood & !TAKEN) % (WAYS as u8 + 1)
    }

    /// How much a monomer changes the neighbourhood of the cells beside it.
    #[inline]
    fn change(charge: i8) -> u8 {
        (charge * (WAYS as i8 + 1) - 1) as u8
    }

    /// What a monomer of this charge does.
    fn effects_of(charge: i8, sign: i32, weights: GrowthWeights) -> Effects {
        let ways = WAYS as i32;
        let mut worth = [0; 256];
        let mut effects = Effects { gain: [-2 * ways; 256], put: [0; 256], beside: [0; 256] };
        let all = || (-ways..=ways).flat_map(|field| (0..=ways).map(move |free| (field, free)));
        for (field, free) in all() {
            let taken = ways - free;
            let contacts = weights.attraction * agreement::<WAYS>(field, taken)
                - weights.compact * f64::from(taken);
            worth[Self::neighbourhood(field, free)] =
                (contacts * f64::from(CONTACT)).round() as i32;
        }
        for (field, free) in all() {
            let at = Self::neighbourhood(field, free);
            effects.gain[at] = sign * i32::from(charge) * field;
            effects.put[at] = CONTACT * effects.gain[at] - worth[at];
            let after = usize::from((at as u8).wrapping_add(Self::change(charge)));
            effects.beside[at] = worth[after] - worth[at];
        }
        effects
    }

    /// A walk over `prefix`, at least its first cell; a free region of `enough` cells counts as
    /// room enough.
    pub fn new(
        instance: Arc<Instance>,
        prefix: &[u16],
        weights: GrowthWeights,
        enough: usize,
    ) -> Self {
        let charges = instance.monomers().to_vec();
        let mut growth = Self::of_nothing(instance, charges, weights, enough);
        prefix.iter().for_each(|cell| growth.step(*cell));
        growth
    }

    /// The same with keys disturbed by this number.
    pub fn disturbed(self, disturbance: u64) -> Self {
        Self { disturbance, ..self }
    }

    /// The same, and of walks with the same head and the same last monomers, this many, only the
    /// best is kept.
    pub fn telling_apart_by(self, window: usize) -> Self {
        Self { window, ..self }
    }

    /// A whole walk, of which stretches are to be regrown.
    pub fn of_whole(instance: Arc<Instance>, walk: &[u16], weights: GrowthWeights) -> Self {
        let charges = Arc::clone(&instance);
        Self::of_part(instance, walk, charges.monomers(), weights)
    }

    /// A part of a walk, which has these charges, or those of them that come first; more is to be
    /// grown.
    pub fn of_part(
        instance: Arc<Instance>,
        walk: &[u16],
        charges: &[i8],
        weights: GrowthWeights,
    ) -> Self {
        let mut growth = Self::of_nothing(instance, Vec::new(), weights, ENOUGH);
        for (cell, charge) in walk.iter().zip(charges) {
            growth.put(*cell, *charge);
        }
        growth
    }

    fn of_nothing(
        instance: Arc<Instance>,
        charges: Vec<i8>,
        weights: GrowthWeights,
        enough: usize,
    ) -> Self {
        let torus = instance.torus();
        let untouched = Self::neighbourhood(0, torus.degree() as i32) as u8;
        let mut neighbourhood = vec![untouched; torus.cells() + 1];
        neighbourhood[torus.cells()] = TAKEN;
        let effects = [-1, 0, 1].map(|charge| Self::effects_of(charge, instance.sign(), weights));
        Self {
            free_cells: FreeCells::new(torus),
            neighbourhood,
            around: (0..torus.cells()).map(|cell| torus.around_of(cell)).collect(),
            effects: Box::new(effects),
            laid: Vec::with_capacity(charges.len()),
            charges,
            anchor: None,
            to_target: None,
            disturbance: 0,
            r: 0,
            enough,
            window: usize::MAX,
            example: None,
            instance,
        }
    }

    /// Prepares to lay monomers of these charges from beside `anchor` to beside `target`, if there
    /// is one; the monomers already laid stay.
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
        self.anchor = Some(anchor);
        self.to_target = target.map(|target| self.steps_to(target));
        self.disturbance = disturbance;
        self.example = None;
    }

    /// Draws the walk that has just been prepared to these turns; `before` is the cell before its
    /// anchor. A turn is the number of ways, clockwise, by which the step to a monomer differs from
    /// the step before it.
    pub fn follow(&mut self, before: u16, turns: Vec<u8>) {
        self.example = Some(Example { before, turns });
    }

    /// The cell beside the head to which the example leads.
    #[inline]
    fn like_example(&self, head: u16) -> Option<u16> {
        let Example { before, turns } = self.example.as_ref()?;
        let torus = self.instance.torus();
        let turn = turns.get(self.laid.len())?;
        let before = match self.laid.len() {
            0 => *before,
            1 => self.anchor?,
            laid => self.laid[laid - 2],
        };
        let way = torus.next(usize::from(before)).iter().position(|cell| *cell == head)?;
        torus.next(usize::from(head)).get((way + usize::from(*turn)) % 4).copied()
    }

    /// The number of steps over free cells from each cell to this one, as far as the monomers to
    /// lay reach; more than any walk has where there is no way.
    fn steps_to(&mut self, target: u16) -> Vec<u16> {
        let mut steps = self.to_target.take().unwrap_or_default();
        steps.clear();
        steps.resize(self.neighbourhood.len(), u16::MAX);
        steps[usize::from(target)] = 0;
        let mut reached = vec![target];
        let mut at = 0;
        while let Some(&cell) = reached.get(at) {
            at += 1;
            let more = steps[usize::from(cell)] + 1;
            if usize::from(more) > self.charges.len() {
                break;
            }
            for next in self.around[usize::from(cell)] {
                let known = &mut steps[usize::from(next)];
                if *known == u16::MAX && self.neighbourhood[usize::from(next)] & TAKEN == 0 {
                    *known = more;
                    reached.push(next);
                }
            }
        }
        steps
    }

    /// Puts a monomer on a free cell.
    #[inline]
    pub fn put(&mut self, cell: u16, charge: i8) {
        let own = &mut self.neighbourhood[usize::from(cell)];
        self.r += self.effects[by_charge(charge)].gain[usize::from(*own)];
        *own |= TAKEN;
        self.free_cells.take(cell);
        self.change_around(cell, Self::change(charge));
    }

    /// Takes a monomer away.
    #[inline]
    pub fn remove(&mut self, cell: u16, charge: i8) {
        self.change_around(cell, Self::change(charge).wrapping_neg());
        self.free_cells.give(cell);
        let own = &mut self.neighbourhood[usize::from(cell)];
        *own &= !TAKEN;
        self.r -= self.effects[by_charge(charge)].gain[usize::from(*own)];
    }

    #[inline]
    fn change_around(&mut self, cell: u16, change: u8) {
        for next in self.around[usize::from(cell)] {
            let neighbourhood = &mut self.neighbourhood[usize::from(next)];
            *neighbourhood = neighbourhood.wrapping_add(change);
        }
        if let Some(nowhere) = self.neighbourhood.last_mut() {
            *nowhere = TAKEN;
        }
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

    /// A random value of up to 0.4 contacts, the same for equal hashes.
    #[inline]
    fn disturb(&self, hash: u64) -> i32 {
        const MAX_DISTURBANCE: u64 = 4 * CONTACT as u64 / 10;
        if self.disturbance == 0 {
            return 0;
        }
        (((split_mix(hash ^ self.disturbance) >> 32) * MAX_DISTURBANCE) >> 32) as i32
    }

    /// The part of the hash of the monomer that is about to leave the window.
    #[inline]
    fn forgotten(&self) -> u64 {
        let first = self.laid.len().checked_sub(self.window);
        first.map_or(0, |first| by_place(self.laid[first], self.charges[first]))
    }

    /// How much a monomer of this charge on a cell adds to the key for good, and for as long as it
    /// is the last: the most that the `next` one could gain beside it, whether or not the chain
    /// could go on from there.
    #[inline]
    fn judge(&self, cell: u16, charge: i8, next: &Effects) -> (i32, i32) {
        let effects = &self.effects[by_charge(charge)];
        let mut sum = effects.put[usize::from(self.neighbourhood[usize::from(cell)])];
        let mut ahead = i32::MIN;
        for beside in self.around[usize::from(cell)] {
            let neighbourhood = self.neighbourhood[usize::from(beside)];
            sum += effects.beside[usize::from(neighbourhood)];
            let after = neighbourhood.wrapping_add(Self::change(charge));
            ahead = ahead.max(next.gain[usize::from(after)]);
        }
        (sum, CONTACT * ahead)
    }

    /// The most that the next monomer, which has these effects, could gain beside the head.
    #[inline]
    fn gain_ahead(&self, head: u16, next: &Effects) -> i32 {
        let mut ahead = i32::MIN;
        for beside in self.around[usize::from(head)] {
            ahead = ahead.max(next.gain[usize::from(self.neighbourhood[usize::from(beside)])]);
        }
        CONTACT * ahead
    }
}

impl<const WAYS: usize> Branching for Growth<WAYS> {
    type Step = u16;

    const KEEPS_BEST: bool = true;

    fn branches(&mut self, here: Option<&Branch<u16>>, out: &mut Vec<Branch<u16>>) {
        let (Some(head), Some(&charge)) =
            (self.laid.last().copied().or(self.anchor), self.charges.get(self.laid.len()))
        else {
            return;
        };
        let more = self.charges.len() - self.laid.len() - 1;
        let effects = &self.effects[by_charge(charge)];
        let (key, hash) = here.map_or((0.0, 0), |here| {
            // Neither what was ahead nor disturbances add up along a walk.
            let passing = self.gain_ahead(head, effects) + self.disturb(here.hash);
            let key = here.key - f64::from(passing) / f64::from(CONTACT);
            (key, here.hash ^ by_head(head) ^ self.forgotten())
        });
        let head_splits =
            self.to_target.is_none() && self.free_cells.arcs(self.instance.torus(), head) > 1;
        let next =
            self.charges.get(self.laid.len() + 1).map(|next| &self.effects[by_charge(*next)]);
        let like_example = self.like_example(head);
        for cell in self.around[usize::from(head)] {
            let neighbourhood = self.neighbourhood[usize::from(cell)];
            // A walk whose head has no free neighbour is whole, or dead.
            if neighbourhood & TAKEN != 0 || more > 0 && Self::free(neighbourhood) == 0 {
                continue;
            }
            let torus = self.instance.torus();
            let has_room = match &self.to_target {
                Some(steps) => usize::from(steps[usize::from(cell)]) <= more + 1,
                None => {
                    let splits = head_splits || self.free_cells.arcs(torus, cell) > 1;
                    let room = more.min(self.enough);
                    !splits || self.free_cells.has_room::<WAYS>(torus, cell, room)
                }
            };
            if !has_room {
                continue;
            }
            // Walks that cover the same cells with the same charges and end at the same head have
            // the same futures, however they got there: one hash for all of them. If only the last
            // cells are the same, the futures are nearly the same.
            let hash = hash ^ by_place(cell, charge) ^ by_head(cell);
            let key = match next {
                None => f64::from(self.r + effects.gain[usize::from(neighbourhood)]),
                Some(next) => {
                    let extra = if like_example == Some(cell) { LIKE_EXAMPLE } else { 0 };
                    let (lasting, ahead) = self.judge(cell, charge, next);
                    let added = lasting + extra + ahead + self.disturb(hash);
                    key + f64::from(added) / f64::from(CONTACT)
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

/// How strongly the charges around a free cell agree, by their sum and the number of cells around
/// it that are taken. Cells that a narrow torus lacks count as taken.
fn agreement<const WAYS: usize>(field: i32, taken: i32) -> f64 {
    match WAYS {
        4 => tuned().agreement.squares[taken as usize][field.unsigned_abs() as usize],
        _ => f64::from(field.abs()),
    }
}

/// The place of a charge in tables.
#[inline]
fn by_charge(charge: i8) -> usize {
    (charge + 1) as usize
}

/// The part of a position's hash that encodes a monomer.
#[inline]
fn by_place(cell: u16, charge: i8) -> u64 {
    split_mix(3 * u64::from(cell) + (charge + 1) as u64 + 1)
}

/// The part of a position's hash that encodes its head.
#[inline]
fn by_head(cell: u16) -> u64 {
    split_mix(u64::MAX - u64::from(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::annealing::fold::snake;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};

    const TASTE: GrowthWeights = GrowthWeights { compact: 0.25, attraction: 0.125 };

    /// R − p·F + g·A of a part of a walk, computed from the rules alone, up to a constant: the
    /// neighbours that a narrow torus lacks count as taken.
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
            let agreement = match (ways, taken, field.abs()) {
                (4, 2, 2) => 2.5,
                (4, 2, 1) => 0.5,
                (4, 3, charges) => 0.75 * f64::from(charges),
                (_, _, charges) => f64::from(charges),
            };
            key += TASTE.attraction * agreement - TASTE.compact * taken as f64;
        }
        key
    }

    /// The most that the next monomer can add to R, computed from the rules alone.
    fn gain_ahead(instance: &Instance, walk: &[u16]) -> i32 {
        let longer = |next: &u16| instance.worth(&[walk, &[*next]].concat());
        let torus = instance.torus();
        let around = torus.next(usize::from(walk[walk.len() - 1]));
        let best = around.iter().filter(|next| !walk.contains(next)).map(longer).max();
        best.map_or(0, |best| best - instance.worth(walk))
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
                    false => {
                        let ahead = f64::from(gain_ahead(&instance, &longer));
                        key(&instance, &longer, WAYS) - first + ahead
                    }
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
        let ahead = f64::from(gain_ahead(&instance, &walk[..2]));
        assert_eq!(again.key, key(&instance, &walk[..2], WAYS) - first + ahead);
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
