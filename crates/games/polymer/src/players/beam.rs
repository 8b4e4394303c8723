//! Beam search with undo along the tree; see `solvers::growth`.

use quintain_core::{Unit, parameters};

use super::planned::{Laying, Task};
use crate::solvers::champion::beams;
use crate::solvers::grow;
use crate::solvers::growth::Taste;

parameters! {
    /// Beam search with undo along the tree.
    pub(super) struct Beam {
        /// Walks kept of every length; 0 for growing widths until the budget is spent.
        width: usize = 0, in 0..=10_000_000;
        /// p: against free neighbours.
        compact: f64 = 0.1, in 0.0..=10.0;
        /// g: for agreement of the charges around free cells.
        attraction: f64 = 0.05, in 0.0..=10.0;
        /// Walks looked at where the budget sets no limit.
        nodes: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

impl Laying for Beam {
    fn lay(&self, task: Task<'_, '_>) {
        let Task { instance, prefix, meter, rng, best, .. } = task;
        if self.width == 0 {
            return beams(instance, prefix, 1.0, meter, rng, best);
        }
        let taste = Taste { compact: self.compact, attraction: self.attraction };
        grow(instance, prefix, taste, self.width, meter, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, if self.width == 0 { self.nodes } else { u64::MAX })
    }
}
