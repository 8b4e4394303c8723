//! Branch and bound on tori where parity says nothing (an odd side) or neighbours coincide (a side
//! of 2): the same search as in [`super`], with a plainer bound that is computed again for every
//! prefix. Every future contact takes a free side of a plus and one of a minus, and at least one of
//! the two monomers is to come. So there are at most min(P₊, P₋, S₊ + S₋) of them, where S counts
//! the sides of monomers to come and P also those of monomers laid. Between H and H, the bound is
//! min(S, P / 2).

use quintain_core::Meter;

use super::verdict::ExactVerdict;
use crate::rules::bounds::sides;
use crate::rules::instance::{Instance, Interaction};

struct Walk<'a> {
    instance: &'a Instance,
    target: i32,
    cells: Vec<u16>,
    is_free: Vec<bool>,
    charge: Vec<i8>,
    gained: i32,
    /// Sides of the pluses and of the minuses from each index on.
    sides_from: Vec<[i32; 2]>,
}

/// Looks for a walk with an R_nc above `target`.
pub(super) fn search(instance: &Instance, target: i32, meter: &mut Meter) -> ExactVerdict {
    let (n, cells) = (instance.len(), instance.torus().cells());
    let mut sides_from = vec![[0; 2]; n + 1];
    for index in (0..n).rev() {
        sides_from[index] = sides_from[index + 1];
        let monomer = instance.monomers()[index];
        if monomer != 0 {
            sides_from[index][usize::from(monomer < 0)] += sides(instance, index);
        }
    }
    let mut walk = Walk {
        instance,
        target,
        cells: Vec::with_capacity(n),
        is_free: vec![true; cells + 1],
        charge: vec![0; cells + 1],
        gained: -instance.chain(),
        sides_from,
    };
    // For a cell with fewer than four neighbours, the torus names this entry instead of the missing
    // ones.
    walk.is_free[cells] = false;
    walk.lay(0);
    walk.below(meter)
}

impl Walk<'_> {
    /// The worth of what the next monomer touches on a cell, its bond included.
    fn gain(&self, cell: u16) -> i32 {
        let around = self.instance.torus().around(usize::from(cell));
        let field: i32 = around.iter().map(|next| i32::from(self.charge[usize::from(*next)])).sum();
        self.instance.sign() * i32::from(self.instance.monomers()[self.cells.len()]) * field
    }

    fn lay(&mut self, cell: u16) {
        self.gained += self.gain(cell);
        self.charge[usize::from(cell)] = self.instance.monomers()[self.cells.len()];
        self.is_free[usize::from(cell)] = false;
        self.cells.push(cell);
    }

    fn unlay(&mut self) {
        if let Some(cell) = self.cells.pop() {
            self.charge[usize::from(cell)] = 0;
            self.is_free[usize::from(cell)] = true;
            self.gained -= self.gain(cell);
        }
    }

    /// A bound on the R_nc of all walks that begin with this prefix. Bonds to come are counted from
    /// the start, as if they were laid.
    fn bound(&self) -> i32 {
        let laid = self.cells.len();
        let monomers = self.instance.monomers();
        let to_come = self.sides_from[laid];
        let mut all = to_come;
        for (monomer, cell) in
            monomers.iter().zip(&self.cells).filter(|(monomer, _)| **monomer != 0)
        {
            let around = self.instance.torus().around(usize::from(*cell));
            let free = around.iter().filter(|next| self.is_free[usize::from(**next)]).count();
            all[usize::from(*monomer < 0)] += free as i32;
        }
        let bonds: i32 = (laid.max(1)..monomers.len())
            .map(|index| i32::from(monomers[index - 1]) * i32::from(monomers[index]))
            .sum();
        let contacts = match self.instance.interaction() {
            Interaction::Charge => all[0].min(all[1]).min(to_come[0] + to_come[1]),
            Interaction::Hp => to_come[0].min(all[0] / 2),
        };
        self.gained + self.instance.sign() * bonds + contacts
    }

    /// Tries all walks that begin with this prefix.
    fn below(&mut self, meter: &mut Meter) -> ExactVerdict {
        if self.cells.len() == self.instance.len() {
            return match self.gained > self.target {
                true => ExactVerdict::Walk(self.cells.clone()),
                false => ExactVerdict::None,
            };
        }
        if self.bound() <= self.target {
            return ExactVerdict::None;
        }
        if !meter.spend() {
            return ExactVerdict::Open;
        }
        let torus = self.instance.torus();
        let next = torus.next_of::<4>(usize::from(self.cells[self.cells.len() - 1]));
        for (way, cell) in next.into_iter().enumerate() {
            if !self.is_free[usize::from(cell)] || next[..way].contains(&cell) || self.is_image(way)
            {
                continue;
            }
            self.lay(cell);
            let verdict = self.below(meter);
            self.unlay();
            if verdict != ExactVerdict::None {
                return verdict;
            }
        }
        ExactVerdict::None
    }

    /// Whether a step in this direction only begins mirror images of other walks: as long as a walk
    /// is straight, both sides of it look the same.
    fn is_image(&self, way: usize) -> bool {
        let width = self.instance.torus().width();
        let is_square = width == self.instance.torus().height();
        let in_row = self.cells.iter().all(|cell| usize::from(*cell) / width == 0);
        let in_column = self.cells.iter().all(|cell| usize::from(*cell) % width == 0);
        match way {
            1 => self.cells.len() == 1 && is_square,
            2 => in_column,
            3 => in_row,
            _ => false,
        }
    }
}
