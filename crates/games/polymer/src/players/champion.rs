//! Our best: chooses by size and density; see `solvers::champion`.

use quintain_core::{Unit, parameters};

use super::planned::{Laying, Task};
use crate::solvers::champion::champion;

parameters! {
    /// Chooses by size and density.
    pub(super) struct Champion {
        /// Walks looked at, or blocks of 256 moves, where the budget sets no limit.
        nodes: u64 = 50_000, in 1..=1_000_000_000_000u64;
    }
}

impl Laying for Champion {
    fn lay(&self, task: Task<'_, '_>) {
        let Task { instance, prefix, meter, rng, best, .. } = task;
        champion(instance, prefix, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.nodes)
    }
}
