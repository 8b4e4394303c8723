//! Nested Monte Carlo search (Cazenave 2009), run after run, with the slides' playouts.

use std::sync::Arc;

use quintain_core::{Meter, Player, Rng, Unit, parameters};
use quintain_search::nested::nested;

use super::planned::{Laying, lines, seat};
use crate::rules::{Instance, Polymer};
use crate::solvers::Best;

parameters! {
    /// Nested Monte Carlo search, run after run.
    pub(crate) struct Nested {
        /// Levels of nesting.
        level: u32 = 2, in 1..=5;
        /// Lines played to their end where the budget sets no limit.
        lines: u64 = 5_000, in 1..=1_000_000_000;
    }
}

pub(crate) fn player(_: &Polymer, given: &Nested) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

impl Laying for Nested {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        lines(instance, prefix, meter, best, |line, meter| {
            nested(line, self.level, meter, rng).steps
        });
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, self.lines)
    }
}
