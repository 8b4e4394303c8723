//! Replica exchange (Swendsen & Wang 1986; Geyer 1991) over the moves of annealing.

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};
use quintain_search::replica_exchange;

use crate::players::annealing::fold::{Fold, snake};
use crate::players::annealing::{BLOCK, Cooling};
use crate::players::beam::grow_in_beams;
use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::players::tuned::tuned;
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;

parameters! {
    /// Replica exchange over the moves of annealing.
    pub(super) struct Replicas {
        /// The number of replicas, each at its own temperature.
        replicas: usize = tuned().replicas.count, in 1..=256;
        /// The temperature of the hottest replica.
        hot: f64 = tuned().replicas.hot, in 0.01..=100.0;
        /// The temperature of the coldest replica.
        cold: f64 = tuned().replicas.cold, in 0.01..=100.0;
        /// Rounds of 256 moves per replica where the budget sets no limit.
        rounds: u64 = 500, in 1..=1_000_000_000;
    }
}

impl WalkSolver for Replicas {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        if prefix.len() > 1 {
            return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
        }
        let temperatures = replica_temperatures(self.replicas, self.cold, self.hot);
        exchange(instance, &temperatures, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.rounds)
    }
}

/// Temperatures from cold to hot, each the same multiple of the previous one.
pub fn replica_temperatures(replicas: usize, cold: f64, hot: f64) -> Vec<f64> {
    let last = replicas.saturating_sub(1).max(1) as f64;
    (0..replicas).map(|replica| cold * (hot / cold).powf(replica as f64 / last)).collect()
}

/// Runs replica exchange from a snake, with one replica for each temperature, the coldest first; a
/// unit of `meter` is [`BLOCK`] moves of each replica.
pub fn exchange(
    instance: &Arc<Instance>,
    temperatures: &[f64],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    by_ways!(instance.torus(), exchange_with(instance, temperatures, meter, rng, best));
}

fn exchange_with<const WAYS: usize>(
    instance: &Arc<Instance>,
    temperatures: &[f64],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let snake = snake(instance.torus(), instance.len());
    let fold = Fold::<WAYS>::new(Arc::clone(instance), &snake, Cooling::for_instance(instance).mix);
    best.offer(fold.walk(), fold.r());
    let mut replicas = vec![fold; temperatures.len()];
    replica_exchange::exchange(&mut replicas, temperatures, BLOCK, meter, rng, |fold| {
        best.offer(fold.walk(), fold.r());
    });
}
