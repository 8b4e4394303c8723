//! A move that cuts a short segment out of a walk and regrows it between its ends: all ways to do
//! so, including the old one, are enumerated, and one is drawn with probability ∝ exp(R / T).
//!
//! Pulls and turns change a dense walk only a little at a time, and most are refused. Here nothing
//! is refused: the draw is from the conditional distribution of the segment given the rest (a heat
//! bath), so detailed balance holds without an acceptance test. It is the exhaustive form of
//! configurational-bias regrowth (Siepmann & Frenkel 1992). If there are too many ways, the segment
//! stays as it was. That does not depend on the old way, since the cells tried are the same for all
//! ways, so balance holds there too.

use quintain_core::Rng;

use super::{EMPTY, Fold};

/// Cells tried before a segment is given up: about the cost of some hundred other moves.
const MAX_TRIED: u32 = 3000;

/// A segment that is being grown.
struct Segment<'a, const WAYS: usize> {
    fold: &'a mut Fold<WAYS>,
    /// The monomer laid first, and whether indices go up from there.
    from: usize,
    up: bool,
    length: usize,
    /// The cell that the last monomer must touch, if the chain goes on.
    target: Option<u16>,
    /// 1 / T.
    coldness: f64,
    /// The worth of the old way. Weights are relative to it, so that exp does not overflow at low
    /// temperatures.
    before: i32,
    path: Vec<u16>,
    chosen: Vec<u16>,
    chosen_gain: i32,
    total: f64,
    tried: u32,
}

impl<const WAYS: usize> Fold<WAYS> {
    /// Regrows the monomers `first..=last`. At an end of the chain, the segment is attached on one
    /// side only. A segment that is the whole chain is left alone.
    pub(super) fn regrow(&mut self, first: usize, last: usize, temperature: f64, rng: &mut Rng) {
        let n = self.cell.len();
        let up = first > 0;
        let length = last - first + 1;
        if length == n {
            return;
        }
        let (from, head) =
            if up { (first, self.cell[first - 1]) } else { (last, self.cell[last + 1]) };
        let target = (up && last + 1 < n).then(|| self.cell[last + 1]);
        let mut segment = Segment {
            from,
            up,
            length,
            target,
            coldness: 1.0 / temperature.max(1e-3),
            before: 0,
            path: Vec::with_capacity(length),
            chosen: Vec::new(),
            chosen_gain: 0,
            total: 0.0,
            tried: 0,
            fold: self,
        };
        let was: Vec<u16> = (0..length).map(|k| segment.fold.cell[segment.index(k)]).collect();
        was.iter().for_each(|cell| segment.clear(*cell));
        for (k, cell) in was.iter().enumerate() {
            segment.before += segment.gain(k, *cell);
            segment.fill(k, *cell);
        }
        was.iter().for_each(|cell| segment.clear(*cell));
        segment.grow(head, 0, rng);
        let whole = segment.tried < MAX_TRIED && !segment.chosen.is_empty();
        let gain = if whole { segment.chosen_gain - segment.before } else { 0 };
        let way = if whole { std::mem::take(&mut segment.chosen) } else { was };
        for (k, cell) in way.iter().enumerate() {
            segment.fill(k, *cell);
            let index = segment.index(k);
            segment.fold.cell[index] = *cell;
            segment.fold.monomer[usize::from(*cell)] = index as u16;
        }
        self.r += gain;
    }
}

impl<const WAYS: usize> Segment<'_, WAYS> {
    fn index(&self, k: usize) -> usize {
        if self.up { self.from + k } else { self.from - k }
    }

    fn clear(&mut self, cell: u16) {
        self.fold.charge[usize::from(cell)] = 0;
        self.fold.monomer[usize::from(cell)] = EMPTY;
    }

    /// Marks the cell of the k-th monomer as taken.
    fn fill(&mut self, k: usize, cell: u16) {
        let index = self.index(k);
        self.fold.charge[usize::from(cell)] = self.fold.instance.monomers()[index];
        self.fold.monomer[usize::from(cell)] = index as u16;
    }

    fn gain(&self, k: usize, cell: u16) -> i32 {
        let charge = self.fold.instance.monomers()[self.index(k)];
        if charge == 0 {
            return 0;
        }
        self.fold.instance.sign() * i32::from(charge) * self.fold.field(cell)
    }

    /// Lays the k-th monomer and those after it in every way, with the k-th beside `head`.
    fn grow(&mut self, head: u16, gain: i32, rng: &mut Rng) {
        let k = self.path.len();
        if k == self.length {
            let weight = (self.coldness * f64::from(gain - self.before)).exp();
            self.total += weight;
            // Reservoir sampling: each way replaces the chosen one with a probability that is its
            // share of all weights so far, so that the ways need not be stored.
            if rng.unit() * self.total < weight {
                self.chosen.clone_from(&self.path);
                self.chosen_gain = gain;
            }
            return;
        }
        let ways = self.fold.instance.torus().next_of::<WAYS>(usize::from(head));
        for (way, cell) in ways.into_iter().enumerate() {
            // On a torus two cells wide, two ways lead to the same cell.
            if self.fold.monomer[usize::from(cell)] != EMPTY || ways[..way].contains(&cell) {
                continue;
            }
            // The remaining steps must still lead to the other end of the cut.
            let left = self.length - k;
            if self.target.is_some_and(|target| self.distance(cell, target) > left) {
                continue;
            }
            self.tried += 1;
            if self.tried >= MAX_TRIED {
                return;
            }
            let more = self.gain(k, cell);
            self.fill(k, cell);
            self.path.push(cell);
            self.grow(cell, gain + more, rng);
            self.path.pop();
            self.clear(cell);
        }
    }

    /// The number of steps between two cells if all cells were free.
    fn distance(&self, a: u16, b: u16) -> usize {
        self.fold.instance.torus().distance(usize::from(a), usize::from(b))
    }
}
