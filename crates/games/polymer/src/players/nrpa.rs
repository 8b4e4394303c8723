//! Nested rollout policy adaptation (Rosin 2011), run after run, with the slides' steps.

use std::sync::Arc;

use quintain_core::{Meter, Player, Rng, Unit, parameters};
use quintain_search::nested::{Adaptation, nrpa};

use super::planned::{Laying, lines, seat};
use crate::rules::{Instance, Polymer};
use crate::solvers::Best;

parameters! {
    /// Nested rollout policy adaptation, run after run.
    pub(crate) struct Nrpa {
        /// Levels of nesting.
        level: u32 = 2, in 1..=5;
        /// Searches one level below for each search.
        iterations: u32 = 60, in 1..=10_000;
        /// How far a policy moves towards the best line each time.
        rate: f64 = 1.0, in 0.0..=100.0;
        /// Lines played to their end where the budget sets no limit.
        lines: u64 = 5_000, in 1..=1_000_000_000;
    }
}

pub(crate) fn player(_: &Polymer, given: &Nrpa) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

impl Laying for Nrpa {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        let &Nrpa { level, iterations, rate, .. } = self;
        let options = Adaptation { level, iterations, rate };
        lines(instance, prefix, meter, best, |line, meter| nrpa(line, options, meter, rng).steps);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, self.lines)
    }
}
