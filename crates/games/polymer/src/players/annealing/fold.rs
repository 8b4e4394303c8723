//! A whole walk that changes by random moves, for annealing:
//!
//! - pull moves (Lesh, Mitzenmacher & Whitesides 2003): a monomer goes to a free cell
//!   beside its neighbour, and the chain is pulled after it as far as it must be;
//! - backbite (Mansfield 1982): an end grabs a monomer beside it, and the part between
//!   turns around;
//! - bond-rebridging (Deutsch 1997): two bonds side by side swap partners; where that
//!   cuts a ring off, the ring is put back in elsewhere;
//! - regrowth: a short segment is cut out and regrown between its ends.
//!
//! Backbites and rebridging do not change which cells are occupied, so they work on a full torus
//! too; pulls and slides need free cells and change what is occupied. Each move computes its gain
//! in R first or as it goes, asks the Metropolis rule, and is undone if it is refused.

mod regrowth;

use std::sync::Arc;

use quintain_core::Rng;
use quintain_search::annealing::{Landscape, Metropolis};

use crate::rules::instance::Instance;
use crate::rules::torus::Torus;

const EMPTY: u16 = u16::MAX;

/// How often each kind of move is tried, out of 256; the rest are pull moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveMix {
    /// Backbites.
    pub backbite: u32,
    /// Bond-rebridgings.
    pub rebridge: u32,
    /// Slides of the whole chain by an end.
    pub slide: u32,
    /// Segments cut out and regrown.
    pub regrow: u32,
    /// The most monomers of such a segment.
    pub segment: usize,
    /// The most monomers that a move may turn around or shift.
    pub longest: usize,
    /// Whether each move is as likely as its reverse (before the Metropolis rule), so that walks
    /// are visited by their weights, provided that moves are as frequent as in
    /// [`MoveMix::balanced`]. Then a ring is tried at one place only, and an end does not slide to
    /// where it could have gone without the monomer next to it.
    pub is_balanced: bool,
}

impl MoveMix {
    /// Moves that are balanced for a chain of `n` monomers on a torus with four ways. A pull that
    /// runs to an end of the chain is the reverse of a slide. A given slide has probability 1/32
    /// among slides, a given pull 1/(8n) among pulls, so there must be n/4 pulls for each slide.
    /// They are exactly balanced if four divides `n` and all sides are at least 5: on a side of 4,
    /// a row is a cycle of four cells that is not a square.
    ///
    /// # Panics
    /// If `n` is above 780, so that not one of 256 moves could be a slide.
    pub fn balanced(n: usize) -> MoveMix {
        let pulls_per_slide = (n as u32).div_ceil(4);
        let slide = 196 / (1 + pulls_per_slide);
        assert!(slide > 0, "a chain of {n} monomers is too long for balanced moves; 780 at most");
        let (backbite, regrow) = (4, 4);
        let rebridge = 256 - slide * (1 + pulls_per_slide) - backbite - regrow;
        MoveMix { backbite, rebridge, slide, regrow, segment: 8, longest: n, is_balanced: true }
    }
}

/// A whole walk on its torus, with `WAYS` ways from each cell.
#[derive(Clone)]
pub struct Fold<const WAYS: usize = 4> {
    instance: Arc<Instance>,
    /// The cell of each monomer.
    cell: Vec<u16>,
    /// The monomer on each cell; one entry more than cells.
    monomer: Vec<u16>,
    /// The charge on each cell; one entry more than cells.
    charge: Vec<i8>,
    r: i32,
    mix: MoveMix,
    /// The monomers moved by the current attempt, with their previous cells.
    moved: Vec<(u16, u16)>,
    /// New cells for a run of monomers.
    run: Vec<u16>,
}

/// A walk that fits on any torus on which a walk of this length fits: back and forth in rows, and
/// in layers if there are several, as square as possible.
pub fn snake(torus: &Torus, n: usize) -> Vec<u16> {
    let (width, height, depth) = (torus.width(), torus.height(), torus.depth());
    let side = if depth == 1 { (n as f64).sqrt() } else { (n as f64).cbrt() };
    let mut columns = (side.ceil() as usize).clamp(1, width);
    let mut rows = if depth == 1 { height } else { columns.min(height) };
    if n.div_ceil(columns * rows) > depth {
        (columns, rows) = (width, height);
    }
    let fold = |index: usize, length: usize| {
        let (turn, along) = (index / length, index % length);
        (turn, if turn.is_multiple_of(2) { along } else { length - 1 - along })
    };
    let at = |index: usize| {
        let (layer, index) = fold(index, columns * rows);
        let (row, column) = fold(index, columns);
        ((layer * height + row) * width + column) as u16
    };
    (0..n).map(at).collect()
}

impl<const WAYS: usize> Fold<WAYS> {
    /// The fold of a whole walk.
    ///
    /// # Panics
    /// If `WAYS` is not the number of ways of the instance's torus.
    pub fn new(instance: Arc<Instance>, walk: &[u16], mix: MoveMix) -> Fold<WAYS> {
        let cells = instance.torus().cells();
        assert_eq!(instance.torus().ways(), WAYS, "the ways of the torus");
        let mut fold = Fold {
            r: instance.worth(walk),
            cell: walk.to_vec(),
            monomer: vec![EMPTY; cells + 1],
            charge: vec![0; cells + 1],
            mix,
            moved: Vec::new(),
            run: Vec::new(),
            instance,
        };
        for (index, cell) in walk.iter().enumerate() {
            fold.monomer[usize::from(*cell)] = index as u16;
            fold.charge[usize::from(*cell)] = fold.instance.monomers()[index];
        }
        fold
    }

    /// The cells of the monomers.
    pub fn walk(&self) -> &[u16] {
        &self.cell
    }

    /// R of the walk.
    pub fn r(&self) -> i32 {
        self.r
    }

    /// A way from random bits: two bits from `place` on for four ways, twelve bits for six.
    #[inline]
    fn way(draw: u32, place: u32) -> usize {
        match WAYS {
            4 => (draw >> place & 3) as usize,
            _ => ((draw >> (4 * place) & 0xFFF) as usize * WAYS) >> 12,
        }
    }

    /// The sum of charges around a cell.
    #[inline]
    fn field(&self, cell: u16) -> i32 {
        let around = self.instance.torus().around_of::<WAYS>(usize::from(cell));
        i32::from(around.iter().map(|next| self.charge[usize::from(*next)]).sum::<i8>())
    }

    #[inline]
    fn touch(&self, a: u16, b: u16) -> bool {
        self.instance.torus().around_of::<WAYS>(usize::from(a)).contains(&b)
    }

    /// Moves one monomer to an empty cell; returns the gain.
    #[inline]
    fn shift(&mut self, index: usize, to: u16) -> i32 {
        let from = self.cell[index];
        let charge = self.instance.monomers()[index];
        self.charge[usize::from(from)] = 0;
        self.monomer[usize::from(from)] = EMPTY;
        let mut gain = 0;
        if charge != 0 {
            gain = self.instance.sign() * i32::from(charge) * (self.field(to) - self.field(from));
        }
        self.charge[usize::from(to)] = charge;
        self.monomer[usize::from(to)] = index as u16;
        self.cell[index] = to;
        self.moved.push((index as u16, from));
        gain
    }

    /// Ends an attempt: leaves the monomers where they were moved, or moves them back.
    #[inline]
    fn settle(&mut self, gain: i32, accepted: bool) {
        if accepted {
            self.r += gain;
        } else {
            while let Some((index, from)) = self.moved.pop() {
                let to = std::mem::replace(&mut self.cell[usize::from(index)], from);
                self.charge[usize::from(to)] = 0;
                self.monomer[usize::from(to)] = EMPTY;
                self.charge[usize::from(from)] = self.instance.monomers()[usize::from(index)];
                self.monomer[usize::from(from)] = index;
            }
        }
        self.moved.clear();
    }

    /// Pulls the monomers from `index` on (downwards if `down`) after those that were moved, each
    /// to the former cell of the one two before it, until the chain is connected.
    fn pull_after(&mut self, index: usize, down: bool) -> i32 {
        let n = self.cell.len();
        let mut gain = 0;
        let mut at = index;
        // The cells left by the previous two monomers, the older first.
        let mut left = {
            let [.., (_, older), (_, newer)] = self.moved[..] else { return 0 };
            [older, newer]
        };
        while at < n {
            let before = if down { at + 1 } else { at - 1 };
            if self.touch(self.cell[at], self.cell[before]) {
                break;
            }
            let own = self.cell[at];
            gain += self.shift(at, left[0]);
            left = [left[1], own];
            // Below 0 wraps around to above n.
            at = if down { at.wrapping_sub(1) } else { at + 1 };
        }
        gain
    }

    /// Moves a monomer to a free cell diagonal to it, beside its neighbour in the chain.
    #[inline]
    fn pull(&mut self, draw: u32, metropolis: &Metropolis, rng: &mut Rng) {
        let n = self.cell.len();
        let down = draw & 1 == 0;
        let way = Self::way(draw, 1);
        let index = (((draw >> 3) as u64 * n as u64) >> 29) as usize;
        let anchor = if down { index + 1 } else { index.wrapping_sub(1) };
        if anchor >= n {
            return;
        }
        let instance = &self.instance;
        let to = instance.torus().next_of::<WAYS>(usize::from(self.cell[anchor]))[way];
        if self.monomer[usize::from(to)] != EMPTY {
            return;
        }
        let corner = instance.torus().next_of::<WAYS>(usize::from(self.cell[index]))[way];
        let last = if down { index.wrapping_sub(1) } else { index + 1 };
        if last >= n || self.cell[last] == corner {
            // Only one monomer moves, so its gain is known beforehand.
            let from = self.cell[index];
            let charge = instance.monomers()[index];
            let mut gain = 0;
            if charge != 0 {
                self.charge[usize::from(from)] = 0;
                let fields = self.field(to) - self.field(from);
                gain = self.instance.sign() * i32::from(charge) * fields;
                self.charge[usize::from(from)] = charge;
            }
            if metropolis.accepts(gain, rng) {
                self.charge[usize::from(from)] = 0;
                self.monomer[usize::from(from)] = EMPTY;
                self.charge[usize::from(to)] = charge;
                self.monomer[usize::from(to)] = index as u16;
                self.cell[index] = to;
                self.r += gain;
            }
            return;
        }
        if self.monomer[usize::from(corner)] != EMPTY {
            return;
        }
        let mut gain = self.shift(index, to);
        gain += self.shift(last, corner);
        gain += self.pull_after(if down { last.wrapping_sub(1) } else { last + 1 }, down);
        let accepted = metropolis.accepts(gain, rng);
        self.settle(gain, accepted);
    }

    /// Moves an end two free cells ahead, and pulls the chain after it.
    fn slide(&mut self, draw: u32, metropolis: &Metropolis, rng: &mut Rng) {
        let n = self.cell.len();
        if n < 2 {
            return;
        }
        let down = draw & 1 == 0;
        let end = if down { n - 1 } else { 0 };
        let torus = self.instance.torus();
        let first = torus.next_of::<WAYS>(usize::from(self.cell[end]))[Self::way(draw, 1)];
        let second = torus.next_of::<WAYS>(usize::from(first))[Self::way(draw, 3)];
        let is_free = |cell: u16| self.monomer[usize::from(cell)] == EMPTY;
        if !is_free(first) || !is_free(second) || first == second {
            return;
        }
        let next = if down { end - 1 } else { end + 1 };
        if self.mix.is_balanced && self.touch(second, self.cell[next]) {
            return;
        }
        let mut gain = self.shift(end, second);
        gain += self.shift(next, first);
        gain += self.pull_after(if down { next.wrapping_sub(1) } else { next + 1 }, down);
        let accepted = metropolis.accepts(gain, rng);
        self.settle(gain, accepted);
    }

    /// Lays the monomers from `first` on over the same cells in the order of `run`, if that is
    /// accepted.
    fn rearrange(&mut self, first: usize, metropolis: &Metropolis, rng: &mut Rng) {
        let run = std::mem::take(&mut self.run);
        let mut gain = 0;
        for (offset, cell) in run.iter().enumerate() {
            let charge = self.instance.monomers()[first + offset];
            let change = i32::from(charge) - i32::from(self.charge[usize::from(*cell)]);
            if change != 0 {
                gain += change * self.field(*cell);
                self.charge[usize::from(*cell)] = charge;
            }
        }
        gain *= self.instance.sign();
        if metropolis.accepts(gain, rng) {
            self.r += gain;
            for (offset, cell) in run.iter().enumerate() {
                self.cell[first + offset] = *cell;
                self.monomer[usize::from(*cell)] = (first + offset) as u16;
            }
        } else {
            for offset in 0..run.len() {
                self.charge[usize::from(self.cell[first + offset])] =
                    self.instance.monomers()[first + offset];
            }
        }
        self.run = run;
    }

    /// Reverses the monomers `first..=last`.
    fn turn_around(&mut self, first: usize, last: usize, metropolis: &Metropolis, rng: &mut Rng) {
        self.run.clear();
        self.run.extend(self.cell[first..=last].iter().rev());
        self.rearrange(first, metropolis, rng);
    }

    /// Cuts out a segment of random place and length, and regrows it.
    fn regrow_random_segment(&mut self, draw: u32, metropolis: &Metropolis, rng: &mut Rng) {
        let n = self.cell.len();
        let longest = self.mix.segment.min(n.saturating_sub(1));
        if longest == 0 {
            return;
        }
        let length = 1 + (draw >> 16) as usize % longest;
        let first = ((u64::from(draw & 0xFFFF) * (n - length + 1) as u64) >> 16) as usize;
        self.regrow(first, first + length - 1, metropolis.temperature(), rng);
    }

    fn backbite(&mut self, draw: u32, metropolis: &Metropolis, rng: &mut Rng) {
        let n = self.cell.len();
        let from_start = draw & 1 == 0;
        let end = if from_start { 0 } else { n - 1 };
        let beside =
            self.instance.torus().next_of::<WAYS>(usize::from(self.cell[end]))[Self::way(draw, 1)];
        let other = usize::from(self.monomer[usize::from(beside)]);
        if other >= n {
            return;
        }
        if from_start {
            if other >= 2 && other <= self.mix.longest {
                self.turn_around(0, other - 1, metropolis, rng);
            }
        } else if other + 2 < n && n - 1 - other <= self.mix.longest {
            self.turn_around(other + 1, n - 1, metropolis, rng);
        }
    }

    /// Lets two adjacent bonds swap partners.
    fn rebridge(&mut self, draw: u32, metropolis: &Metropolis, rng: &mut Rng) {
        let n = self.cell.len();
        let index = (((draw >> 3) as u64 * n as u64) >> 29) as usize;
        let beside = self.instance.torus().next_of::<WAYS>(usize::from(self.cell[index]))
            [Self::way(draw, 1)];
        let other = usize::from(self.monomer[usize::from(beside)]);
        // A ring before the last monomer is drawn from either side only if the last may be drawn
        // too.
        if other >= n || (index + 1 >= n && !self.mix.is_balanced) {
            return;
        }
        let (a, b) = (index.min(other), index.max(other));
        if b - a <= 2 || b - a > self.mix.longest {
            return;
        }
        // Bonds (a, a+1) and (b, b+1), side by side in the same direction.
        if draw & 1 == 0 {
            if b + 1 < n && self.touch(self.cell[a + 1], self.cell[b + 1]) {
                self.turn_around(a + 1, b, metropolis, rng);
            }
            return;
        }
        // Bonds (a, a+1) and (b−1, b) in opposite directions: a touches b, a+1 touches b−1, and the
        // monomers a+1..=b−1 close to a ring.
        if self.touch(self.cell[a + 1], self.cell[b - 1]) {
            self.put_ring_in(a + 1, b - 1, metropolis, rng);
        }
    }

    /// Takes the ring of monomers `first..=last` out of the chain, whose ends then touch, and puts
    /// it in beside another bond, if one is found within a few tries.
    fn put_ring_in(&mut self, first: usize, last: usize, metropolis: &Metropolis, rng: &mut Rng) {
        let tries = if self.mix.is_balanced { 1 } else { 6 };
        let n = self.cell.len();
        let length = last - first + 1;
        for _ in 0..tries {
            let draw = rng.bits();
            let k = first + (((draw >> 32) * length as u64) >> 32) as usize;
            let after = if k == last { first } else { k + 1 };
            let way = Self::way(draw as u32, 0);
            let beside = self.instance.torus().next_of::<WAYS>(usize::from(self.cell[k]))[way];
            let b = usize::from(self.monomer[usize::from(beside)]);
            if b >= n || (first..=last).contains(&b) {
                continue;
            }
            // The bond (low, low+1) of the chain whose ends touch k and the one after it.
            let up = draw & 4 == 0;
            let low = if up { b } else { b.wrapping_sub(1) };
            if low >= n - 1 || (first - 1..=last).contains(&low) {
                continue;
            }
            let partner = if up { low + 1 } else { low };
            if !self.touch(self.cell[after], self.cell[partner]) {
                continue;
            }
            let shifted = if low > last { low - first + 1 } else { last - low };
            if shifted > self.mix.longest {
                continue;
            }
            // Around the ring from the monomer that touches `low` to the one that
            // touches `low + 1`.
            self.run.clear();
            if low > last {
                self.run.extend_from_slice(&self.cell[last + 1..=low]);
            }
            if up {
                // From k backwards to the one after it.
                self.run.extend(self.cell[first..=k].iter().rev());
                self.run.extend(self.cell[k + 1..=last].iter().rev());
            } else {
                // From the one after k forwards to k.
                self.run.extend_from_slice(&self.cell[k + 1..=last]);
                self.run.extend_from_slice(&self.cell[first..=k]);
            }
            let start = if low > last {
                first
            } else {
                self.run.extend_from_slice(&self.cell[low + 1..first]);
                low + 1
            };
            self.rearrange(start, metropolis, rng);
            return;
        }
    }
}

impl<const WAYS: usize> Landscape for Fold<WAYS> {
    #[inline]
    fn attempt(&mut self, metropolis: &Metropolis, rng: &mut Rng) {
        let bits = rng.bits();
        let kind = (bits & 255) as u32;
        let draw = (bits >> 32) as u32;
        let MoveMix { backbite, rebridge, slide, regrow, .. } = self.mix;
        if kind >= 256 - regrow {
            self.regrow_random_segment(draw, metropolis, rng);
        } else if kind >= backbite + rebridge + slide {
            self.pull(draw, metropolis, rng);
        } else if kind < backbite {
            self.backbite(draw, metropolis, rng);
        } else if kind < backbite + rebridge {
            self.rebridge(draw, metropolis, rng);
        } else {
            self.slide(draw, metropolis, rng);
        }
    }

    #[inline]
    fn value(&self) -> i64 {
        self.r.into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::notation::check_walk;
    use crate::rules::instance::Interaction;
    use crate::scenarios::{Charges, draw_charges};

    const MIX: MoveMix = MoveMix {
        backbite: 40,
        rebridge: 80,
        slide: 20,
        regrow: 20,
        segment: 6,
        longest: 1000,
        is_balanced: false,
    };

    fn check(width: usize, height: usize, n: usize, interaction: Interaction) {
        check_on::<4>(Torus::new(width, height).unwrap(), n, interaction);
    }

    fn check_on<const WAYS: usize>(torus: Torus, n: usize, interaction: Interaction) {
        let mut monomers = draw_charges(Charges::Uniform, n, 7);
        if interaction == Interaction::Hp {
            monomers.iter_mut().for_each(|monomer| *monomer = monomer.abs());
        }
        let instance = Arc::new(Instance::new(torus, interaction, monomers).unwrap());
        let walk = snake(instance.torus(), n);
        check_walk(&instance, &walk).unwrap();
        let mut fold = Fold::<WAYS>::new(Arc::clone(&instance), &walk, MIX);
        let mut rng = Rng::from_seed(1);
        let mut walks = std::collections::HashSet::new();
        for temperature in [f64::INFINITY, 1.0, 0.2] {
            let metropolis = Metropolis::at(temperature);
            for _ in 0..3000 {
                fold.attempt(&metropolis, &mut rng);
                check_walk(&instance, fold.walk()).unwrap();
                assert_eq!(fold.r(), instance.worth(fold.walk()));
                walks.insert(fold.walk().to_vec());
            }
        }
        assert!(walks.len() > 3, "{}, {n}: only {} walks", instance.torus().size(), walks.len());
        let mut cells = vec![0i8; instance.torus().cells() + 1];
        for (cell, monomer) in fold.walk().iter().zip(instance.monomers()) {
            cells[usize::from(*cell)] = *monomer;
        }
        assert_eq!(cells, fold.charge);
    }

    /// Adds the walks on from `walk` to `counts`, by R.
    fn count(instance: &Instance, walk: &mut Vec<u16>, counts: &mut BTreeMap<i32, f64>) {
        if walk.len() == instance.len() {
            *counts.entry(instance.worth(walk)).or_default() += 1.0;
            return;
        }
        for cell in instance.torus().next(usize::from(walk[walk.len() - 1])).to_vec() {
            if !walk.contains(&cell) {
                walk.push(cell);
                count(instance, walk, counts);
                walk.pop();
            }
        }
    }

    #[test]
    fn balanced_moves_visit_walks_by_their_worth() {
        let usual = MoveMix::balanced(12);
        // Without regrowth, which would hide an imbalance.
        let others = MoveMix { rebridge: usual.rebridge + usual.regrow, regrow: 0, ..usual };
        for (side, n, mix) in [(5, 12, others), (8, 8, MoveMix::balanced(8))] {
            let monomers = draw_charges(Charges::Uniform, n, 7);
            let torus = Torus::new(side, side).unwrap();
            let instance = Arc::new(Instance::new(torus, Interaction::Charge, monomers).unwrap());
            let temperature = 1.5;
            let mut expected = BTreeMap::new();
            count(&instance, &mut vec![0], &mut expected);
            expected
                .iter_mut()
                .for_each(|(r, count)| *count *= (f64::from(*r) / temperature).exp());
            let all: f64 = expected.values().sum();
            let mut fold = Fold::<4>::new(instance.clone(), &snake(instance.torus(), n), mix);
            let (metropolis, mut rng) = (Metropolis::at(temperature), Rng::from_seed(1));
            let mut seen: BTreeMap<i32, f64> = BTreeMap::new();
            let samples = 200_000;
            for _ in 0..samples {
                (0..10).for_each(|_| fold.attempt(&metropolis, &mut rng));
                *seen.entry(fold.r()).or_default() += 1.0 / f64::from(samples);
            }
            for (r, weight) in expected {
                let (share, seen) = (weight / all, seen.get(&r).copied().unwrap_or(0.0));
                assert!((share - seen).abs() < 0.006, "{side}, {n}, R {r}: {seen}, not {share}");
            }
        }
    }

    #[test]
    fn every_move_leaves_a_whole_walk_whose_worth_is_known() {
        check(6, 6, 20, Interaction::Charge);
        check(4, 4, 16, Interaction::Charge);
        check(5, 7, 30, Interaction::Charge);
        check(2, 9, 13, Interaction::Charge);
        check(3, 2, 5, Interaction::Charge);
        check(1, 12, 7, Interaction::Charge);
        check(12, 12, 30, Interaction::Hp);
        check_on::<6>(Torus::with_layers(4, 4, 4).unwrap(), 30, Interaction::Charge);
        check_on::<6>(Torus::with_layers(4, 2, 3).unwrap(), 24, Interaction::Charge);
        check_on::<6>(Torus::with_layers(10, 10, 10).unwrap(), 30, Interaction::Hp);
    }
}
