//! Nested rollout policy adaptation (Rosin 2011), run after run, with the slides' steps.

use quintain_core::{Unit, parameters};
use quintain_search::nested::{NrpaOptions, nrpa};

use crate::players::playouts::solve_by_lines;
use crate::players::solver::{SolverInput, WalkSolver};
use crate::rules::torus::by_ways;

parameters! {
    /// Nested rollout policy adaptation, run after run.
    pub(super) struct Nrpa {
        /// How deeply searches are nested.
        level: u32 = 2, in 1..=5;
        /// Searches of the level below in each search.
        iterations: u32 = 60, in 1..=10_000;
        /// How far a policy moves towards the best line each time.
        rate: f64 = 1.0, in 0.0..=100.0;
        /// Lines played to the end where the budget sets no limit.
        lines: u64 = 5_000, in 1..=1_000_000_000;
    }
}

fn lay_by_policy<const WAYS: usize>(input: SolverInput<'_, '_>, options: NrpaOptions) {
    solve_by_lines::<WAYS>(input, |line, meter, rng| nrpa(line, options, meter, rng).steps);
}

impl WalkSolver for Nrpa {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let &Nrpa { level, iterations, rate, .. } = self;
        let options = NrpaOptions { level, iterations, rate };
        by_ways!(input.instance.torus(), lay_by_policy(input, options));
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, self.lines)
    }
}
