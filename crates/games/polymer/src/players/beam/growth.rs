//! A walk that grows and shrinks at its head, for beam search. Positions are compared
//! by R − p·F + g·A: F adds up the free neighbours of each monomer as it is laid, so
//! that compact walks are liked; A is the attraction, the sum over free cells of how
//! strongly the charges around them agree. Steps that leave too little room are left
//! out (see [`crate::players::free_cells`]).

use std::sync::Arc;

use quintain_search::beam::{Branch, Branching};

use crate::players::free_cells::FreeCells;
use crate::rules::instance::Instance;

/// The weights by which walks of equal length are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowthWeights {
    /// p: against free neighbours.
    pub compact: f64,
    /// g: for agreement around free cells.
    pub attraction: f64,
}

/// One monomer laid, with what it changed, for undoing it.
#[derive(Clone, Copy)]
struct Placement {
    cell: u16,
    /// The free cells beside it fell into several regions, perhaps.
    splits: bool,
    gain: i32,
    key: f64,
    hash: u64,
}

/// A walk so far on a torus of so many ways from each cell, for beams and PERM.
pub struct Growth<const WAYS: usize> {
    instance: Arc<Instance>,
    free_cells: FreeCells,
    charge: Vec<i8>,
    laid: Vec<Placement>,
    taste: GrowthWeights,
}

/// A well-mixed number for each number (Steele, Lea & Flood 2014: SplitMix64).
#[inline]
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<const WAYS: usize> Growth<WAYS> {
    /// A walk over `prefix`, at least its first cell.
    pub fn new(instance: Arc<Instance>, prefix: &[u16], taste: GrowthWeights) -> Self {
        let torus = instance.torus();
        let mut growth = Self {
            free_cells: FreeCells::new(torus),
            charge: vec![0; torus.cells() + 1],
            laid: Vec::with_capacity(instance.len()),
            taste,
            instance,
        };
        for cell in prefix {
            growth.lay(*cell);
        }
        growth
    }

    /// The cells laid.
    pub fn walk(&self) -> Vec<u16> {
        self.laid.iter().map(|laid| laid.cell).collect()
    }

    #[inline]
    fn field(&self, cell: u16) -> i32 {
        let around = self.instance.torus().around_of::<WAYS>(usize::from(cell));
        around.iter().map(|next| i32::from(self.charge[usize::from(*next)])).sum()
    }

    /// What laying the next monomer on a cell brings.
    #[inline]
    fn judge(&self, cell: u16) -> Placement {
        let before = self.laid.last();
        let charge = i32::from(self.instance.monomers()[self.laid.len()]);
        let around = self.instance.torus().around_of::<WAYS>(usize::from(cell));
        let mut free = 0;
        let mut attraction = 0;
        for next in around {
            if self.free_cells.is_free(next) {
                free += 1;
                if charge != 0 && self.taste.attraction != 0.0 {
                    let field = self.field(next);
                    attraction += (field + charge).abs() - field.abs();
                }
            }
        }
        let gain = if charge == 0 { 0 } else { self.instance.sign() * charge * self.field(cell) };
        let GrowthWeights { compact, attraction: weight } = self.taste;
        let own = f64::from(gain) - compact * f64::from(free) + weight * f64::from(attraction);
        let place = 3 * u64::from(cell) + (charge + 1) as u64;
        Placement {
            cell,
            splits: self.free_cells.arcs(self.instance.torus(), cell) > 1,
            gain,
            key: before.map_or(0.0, |laid| laid.key) + own,
            hash: before.map_or(0, |laid| laid.hash) ^ mix(place + 1),
        }
    }

    fn lay(&mut self, cell: u16) {
        let laid = self.judge(cell);
        self.free_cells.take(cell);
        self.charge[usize::from(cell)] = self.instance.monomers()[self.laid.len()];
        self.laid.push(laid);
    }

    /// What the last monomer added to R.
    pub fn last_gain(&self) -> i32 {
        self.laid.last().map_or(0, |laid| laid.gain)
    }

    /// R so far.
    pub fn r(&self) -> i32 {
        self.laid.iter().map(|laid| laid.gain).sum()
    }
}

impl<const WAYS: usize> Branching for Growth<WAYS> {
    type Step = u16;

    fn branches(&mut self, out: &mut Vec<Branch<u16>>) {
        let Some(&head) = self.laid.last() else { return };
        let instance = Arc::clone(&self.instance);
        let torus = instance.torus();
        let more = instance.len() - self.laid.len() - 1;
        let known = torus.next_of::<WAYS>(usize::from(head.cell));
        for (way, cell) in known.into_iter().enumerate() {
            if !self.free_cells.is_free(cell) || known[..way].contains(&cell) {
                continue;
            }
            let laid = self.judge(cell);
            if (laid.splits || head.splits) && !self.free_cells.has_room::<WAYS>(torus, cell, more)
            {
                continue;
            }
            // A walk that ends beside nothing free is whole, or dead.
            if more > 0
                && !torus
                    .next_of::<WAYS>(usize::from(cell))
                    .iter()
                    .any(|next| self.free_cells.is_free(*next))
            {
                continue;
            }
            // Walks that cover the same cells with the same charges and end at the same head
            // have the same futures, however they came there: one hash for all of them.
            let hash = laid.hash ^ mix(u64::MAX - u64::from(cell));
            out.push(Branch { step: cell, key: laid.key, hash });
        }
    }

    fn step(&mut self, cell: u16) {
        self.lay(cell);
    }

    fn undo(&mut self) {
        if let Some(laid) = self.laid.pop() {
            self.free_cells.give(laid.cell);
            self.charge[usize::from(laid.cell)] = 0;
        }
    }
}
