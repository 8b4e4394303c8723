//! The champion chooses by size and density: short and sparse chains are annealed
//! several times, each run longer than the last; long ones are laid by beams of growing
//! width and varied weights, and the best of them is polished by annealing. Long HP chains are
//! folded by replica exchange.

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};

use crate::players::annealing::{anneal_in_runs, polish};
use crate::players::beam::grow_in_beams;
use crate::players::replicas::{exchange, replica_temperatures};
use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::rules::instance::{Instance, Interaction};

parameters! {
    /// Chooses by size and density.
    pub(super) struct Champion {
        /// Walks looked at, blocks of 256 moves, or rounds of such blocks, where the budget sets no
        /// limit.
        nodes: u64 = 50_000, in 1..=1_000_000_000_000u64;
    }
}

impl WalkSolver for Champion {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        champion(instance, prefix, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.nodes)
    }
}

/// Up to this many monomers annealing from anywhere is as good as a beam.
const SHORT: usize = 110;

/// From this many monomers on, annealing alone often ends one contact short of an HP chain's best.
const LONG_HP: usize = 80;

/// Lays the whole chain over `prefix` (at least its first cell).
pub fn champion(
    instance: &Arc<Instance>,
    prefix: &[u16],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    if prefix.len() > 1 {
        // The moves of annealing know no fixed part.
        return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
    }
    let is_hp = instance.interaction() == Interaction::Hp;
    if is_hp && instance.len() >= LONG_HP {
        return exchange(instance, &replica_temperatures(8, 0.25, 1.2), meter, rng, best);
    }
    if is_hp || instance.len() <= SHORT {
        return anneal_in_runs(instance, meter, rng, best);
    }
    grow_in_beams(instance, prefix, 0.5, meter, rng, best);
    polish(instance, meter, rng, best);
}
