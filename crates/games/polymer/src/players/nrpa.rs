//! Nested rollout policy adaptation (Rosin 2011), run after run, with the slides' steps.

use quintain_core::{Unit, parameters};
use quintain_search::nested::{NrpaOptions, nrpa};

use crate::players::playouts::solve_by_lines;
use crate::players::solver::{SolverInput, WalkSolver};

parameters! {
    /// Nested rollout policy adaptation, run after run.
    pub(super) struct Nrpa {
        /// How deeply searches are nested.
        level: u32 = 2, in 1..=5;
        /// Searches one level below for each search.
        iterations: u32 = 60, in 1..=10_000;
        /// How far a policy moves towards the best line each time.
        rate: f64 = 1.0, in 0.0..=100.0;
        /// Lines played to their end where the budget sets no limit.
        lines: u64 = 5_000, in 1..=1_000_000_000;
    }
}

impl WalkSolver for Nrpa {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let &Nrpa { level, iterations, rate, .. } = self;
        let options = NrpaOptions { level, iterations, rate };
        match input.instance.torus().ways() {
            4 => {
                solve_by_lines::<4>(input, |line, meter, rng| nrpa(line, options, meter, rng).steps)
            }
            _ => {
                solve_by_lines::<6>(input, |line, meter, rng| nrpa(line, options, meter, rng).steps)
            }
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, self.lines)
    }
}
