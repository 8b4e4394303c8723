//! The champion chooses a method by the chain. Short chains are annealed several times, each run
//! longer than the last. For longer ones, where there is room, a population of walks is bred. Other
//! long ones are laid by a beam as wide as possible, and improved one stretch at a time. Long HP
//! chains are folded by replica exchange.

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};

use crate::players::annealing::{Cooling, anneal, anneal_in_runs};
use crate::players::beam::grow_in_beams;
use crate::players::beam::population::{PopulationOptions, breed_walks};
use crate::players::beam::stretches::regrow_stretches;
use crate::players::replicas::{exchange, replica_temperatures};
use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::players::tuned::{self, tuned};
use crate::rules::instance::{Instance, Interaction};

parameters! {
    /// Chooses a method by the chain.
    pub(super) struct Champion {
        /// Walks examined, blocks of 256 moves, or rounds of such blocks, where the budget sets no
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

/// Lays the whole chain over `prefix` (at least its first cell).
pub fn champion(
    instance: &Arc<Instance>,
    prefix: &[u16],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    if prefix.len() > 1 {
        // The moves of annealing cannot keep a fixed part.
        return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
    }
    let tuned::Tuned { champion: methods, replicas, stretches, .. } = tuned();
    let is_hp = instance.interaction() == Interaction::Hp;
    if is_hp && instance.len() >= methods.long_hp {
        let temperatures = replica_temperatures(replicas.count, replicas.cold, replicas.hot);
        return exchange(instance, &temperatures, meter, rng, best);
    }
    if is_hp || instance.len() <= methods.short {
        return anneal_in_runs(instance, meter, rng, best);
    }
    let is_dense = instance.is_dense();
    if instance.len() <= methods.bred && !is_dense {
        return breed_walks(instance, PopulationOptions::usual(), meter, rng, best);
    }
    let (to_beams, options) = match instance.len() <= methods.medium {
        true => (methods.beams_of_medium, stretches.hot),
        false => (methods.beams_of_long, stretches.cold),
    };
    grow_in_beams(instance, prefix, to_beams, meter, rng, best);
    match best.get() {
        Some(_) => regrow_stretches(instance, options, meter, rng, best),
        // All beams ended dead.
        None => anneal(instance, None, Cooling::for_instance(instance), meter, rng, best),
    }
}
