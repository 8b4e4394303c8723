//! The pruned-enriched Rosenbluth method (Grassberger 1997); see `solvers::perm`.

use quintain_core::{Unit, parameters};

use super::planned::{Laying, Task};
use crate::solvers::growth::Taste;
use crate::solvers::perm::{Growing, perm};

parameters! {
    /// The pruned-enriched Rosenbluth method.
    pub(super) struct Perm {
        /// T, in contacts.
        temperature: f64 = 0.4, in 0.01..=100.0;
        /// p: against free neighbours, in the draw of steps.
        compact: f64 = 0.1, in 0.0..=10.0;
        /// g: for agreement of the charges around free cells, in the draw of steps.
        attraction: f64 = 0.05, in 0.0..=10.0;
        /// Steps tried where the budget sets no limit.
        steps: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

impl Laying for Perm {
    fn lay(&self, task: Task<'_, '_>) {
        let Task { instance, prefix, meter, rng, best, .. } = task;
        let taste = Taste { compact: self.compact, attraction: self.attraction };
        let settings = Growing { temperature: self.temperature, taste };
        perm(instance, prefix, settings, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.steps)
    }
}
