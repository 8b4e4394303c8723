//! Our best: chooses by size and density; see `solvers::champion`.

use std::sync::Arc;

use quintain_core::{Meter, Player, Rng, Unit, parameters};

use super::planned::{Laying, seat};
use crate::rules::{Instance, Polymer};
use crate::solvers::Best;
use crate::solvers::champion::champion;

parameters! {
    /// Chooses by size and density.
    pub(crate) struct Champion {
        /// Walks looked at, or blocks of 256 moves, where the budget sets no limit.
        nodes: u64 = 50_000, in 1..=1_000_000_000_000u64;
    }
}

pub(crate) fn player(_: &Polymer, given: &Champion) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

impl Laying for Champion {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        champion(instance, prefix, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.nodes)
    }
}
