//! The pruned-enriched Rosenbluth method (Grassberger 1997); see `solvers::perm`.

use std::sync::Arc;

use quintain_core::{Meter, Player, Rng, Unit, parameters};

use super::planned::{Laying, seat};
use crate::rules::{Instance, Polymer};
use crate::solvers::Best;
use crate::solvers::growth::Taste;
use crate::solvers::perm::{Growing, perm};

parameters! {
    /// The pruned-enriched Rosenbluth method.
    pub(crate) struct Perm {
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

pub(crate) fn player(_: &Polymer, given: &Perm) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

impl Laying for Perm {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        let taste = Taste { compact: self.compact, attraction: self.attraction };
        let settings = Growing { temperature: self.temperature, taste };
        perm(instance, prefix, settings, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.steps)
    }
}
