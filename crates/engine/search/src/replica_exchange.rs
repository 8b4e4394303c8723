//! Replica exchange (parallel tempering: Swendsen & Wang 1986; Geyer 1991): several solutions
//! change side by side, each at its own temperature. Neighbours swap temperatures by the Metropolis
//! rule, so that the cold ones refine what the hot ones find. The moves are those of annealing's
//! [`Landscape`].
//!
//! ```
//! use quintain_core::{Meter, Rng};
//! use quintain_search::annealing::{Landscape, Metropolis};
//! use quintain_search::replica_exchange::exchange;
//!
//! /// A walk on a line, with a hill at 3 and a higher one at 20.
//! #[derive(Clone)]
//! struct Walker(i64);
//!
//! impl Landscape for Walker {
//!     fn attempt(&mut self, metropolis: &Metropolis, rng: &mut Rng) {
//!         let next = Walker((self.0 + [-1, 1][rng.below(2)]).clamp(0, 25));
//!         if metropolis.accepts((next.value() - self.value()) as i32, rng) {
//!             *self = next;
//!         }
//!     }
//!     fn value(&self) -> i64 {
//!         (5 - (self.0 - 3).abs()).max(9 - (self.0 - 20).abs())
//!     }
//! }
//!
//! let mut replicas = vec![Walker(3); 3];
//! let (mut meter, mut rng) = (Meter::of(5_000), Rng::from_seed(1));
//! let mut best = 0;
//! let improved = |walker: &Walker| best = walker.value();
//! exchange(&mut replicas, &[0.2, 1.0, 5.0], 10, &mut meter, &mut rng, improved);
//! assert_eq!(best, 9);
//! ```

use quintain_core::{Meter, Rng};

use crate::annealing::{Landscape, Metropolis};

/// Runs one replica at each of `temperatures`, which are in units of the objective, coldest first,
/// until `meter` is spent: a unit is `block` moves of every replica and one round of swaps.
/// `improved` is called with a replica whenever it is better than any was before.
///
/// # Panics
/// If there are not as many temperatures as replicas.
pub fn exchange<L: Landscape>(
    replicas: &mut [L],
    temperatures: &[f64],
    block: u32,
    meter: &mut Meter,
    rng: &mut Rng,
    mut improved: impl FnMut(&L),
) {
    assert_eq!(replicas.len(), temperatures.len(), "a temperature for each replica");
    let rules: Vec<Metropolis> = temperatures.iter().map(|t| Metropolis::at(*t)).collect();
    let mut best = replicas.iter().map(Landscape::value).max().unwrap_or(i64::MIN);
    let mut round = 0;
    while !replicas.is_empty() && meter.spend() {
        for (replica, rule) in replicas.iter_mut().zip(&rules) {
            for _ in 0..block {
                replica.attempt(rule, rng);
                if replica.value() > best {
                    best = replica.value();
                    improved(replica);
                }
            }
        }
        swap_neighbours(replicas, temperatures, round, rng, Landscape::value);
        round += 1;
    }
}

/// Lets neighbours swap temperatures by the Metropolis rule, for solutions of any kind: pairs that
/// share no replica are independent, so even pairs and odd pairs take turns by `round`.
pub fn swap_neighbours<L>(
    replicas: &mut [L],
    temperatures: &[f64],
    round: usize,
    rng: &mut Rng,
    value: impl Fn(&L) -> i64,
) {
    for low in (round % 2..replicas.len().saturating_sub(1)).step_by(2) {
        let colder = 1.0 / temperatures[low] - 1.0 / temperatures[low + 1];
        let gain = (value(&replicas[low + 1]) - value(&replicas[low])) as f64;
        if rng.chance((colder * gain).exp()) {
            replicas.swap(low, low + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annealing::tests::Pit;

    #[test]
    fn a_cold_replica_gets_what_a_hot_one_finds() {
        let mut replicas = vec![Pit { at: 5 }; 4];
        let mut best = 0;
        let temperatures = [0.2, 0.7, 2.0, 6.0];
        let (mut meter, mut rng) = (Meter::of(3000), Rng::from_seed(1));
        exchange(&mut replicas, &temperatures, 16, &mut meter, &mut rng, |pit| best = pit.value());
        assert_eq!(best, 15);
        assert!((28..=32).contains(&replicas[0].at), "the coldest is at {}", replicas[0].at);
    }

    #[test]
    fn a_replica_alone_never_leaves_the_pit_when_cold() {
        let mut replicas = vec![Pit { at: 5 }];
        let (mut meter, mut rng) = (Meter::of(3000), Rng::from_seed(1));
        exchange(&mut replicas, &[0.1], 16, &mut meter, &mut rng, |_| {});
        assert_eq!(replicas[0].at, 10);
    }
}
