//! Nested Monte Carlo search (Cazenave 2009), run after run, with the slides' playouts.

use quintain_core::{Unit, parameters};
use quintain_search::nested::nested_search;

use crate::players::playouts::solve_by_lines;
use crate::players::solver::{SolverInput, WalkSolver};
use crate::rules::torus::by_ways;

parameters! {
    /// Nested Monte Carlo search, run after run.
    pub(super) struct Nested {
        /// How deeply searches are nested.
        level: u32 = 2, in 1..=5;
        /// Lines played to the end where the budget sets no limit.
        lines: u64 = 5_000, in 1..=1_000_000_000;
    }
}

fn lay_by_search<const WAYS: usize>(input: SolverInput<'_, '_>, level: u32) {
    solve_by_lines::<WAYS>(input, |line, meter, rng| nested_search(line, level, meter, rng).steps);
}

impl WalkSolver for Nested {
    fn lay(&self, input: SolverInput<'_, '_>) {
        by_ways!(input.instance.torus(), lay_by_search(input, self.level));
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, self.lines)
    }
}
