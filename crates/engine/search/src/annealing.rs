//! Simulated annealing over any set of moves (Kirkpatrick, Gelatt & Vecchi 1983). A solution
//! changes by random moves; losses are accepted with probability exp(gain / T) (Metropolis et al.
//! 1953), and T falls from `hot` to `cold` as the work or the time is used up. Gains are whole
//! numbers, so that their probabilities can be looked up. The [`Landscape`] defines the moves.
//!
//! ```
//! use quintain_core::{Meter, Rng};
//! use quintain_search::annealing::{CoolingSchedule, Landscape, Metropolis, anneal};
//!
//! /// A permutation, worth as many points as it has numbers in their places.
//! struct Sorting(Vec<usize>);
//!
//! impl Landscape for Sorting {
//!     fn attempt(&mut self, metropolis: &Metropolis, rng: &mut Rng) {
//!         let before = self.value();
//!         let (a, b) = (rng.below(self.0.len()), rng.below(self.0.len()));
//!         self.0.swap(a, b);
//!         if !metropolis.accepts((self.value() - before) as i32, rng) {
//!             self.0.swap(a, b);
//!         }
//!     }
//!     fn value(&self) -> i64 {
//!         (0..self.0.len()).filter(|&index| self.0[index] == index).count() as i64
//!     }
//! }
//!
//! let mut sorting = Sorting(vec![3, 5, 1, 0, 4, 2]);
//! let schedule = CoolingSchedule { hot: 1.0, cold: 0.1, block: 10 };
//! let (mut meter, mut rng) = (Meter::of(500), Rng::from_seed(1));
//! let mut best = Vec::new();
//! anneal(&mut sorting, schedule, &mut meter, &mut rng, |better| best = better.0.clone());
//! assert_eq!(best, [0, 1, 2, 3, 4, 5]);
//! ```

use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};

/// A solution that can change by random moves.
pub trait Landscape {
    /// Tries one random move: makes it if `metropolis` accepts its gain, otherwise
    /// leaves everything as it was.
    fn attempt(&mut self, metropolis: &Metropolis, rng: &mut Rng);

    /// The objective, which is maximised; a move changes it by its gain.
    fn value(&self) -> i64;
}

/// Losses of this size or more are never accepted, at any temperature.
const LOSSES: usize = 64;

/// The Metropolis rule at one temperature: a gain is always accepted, a loss with the probability
/// exp(−loss / T).
#[derive(Clone, Debug)]
pub struct Metropolis {
    temperature: f64,
    /// The probability of accepting each loss, in units of 2⁻³².
    accepted: [u32; LOSSES],
}

impl Metropolis {
    /// The rule at `temperature`; at 0 or below, no loss is accepted.
    pub fn at(temperature: f64) -> Self {
        let probability = |loss: usize| {
            let p = if temperature > 0.0 { (-(loss as f64) / temperature).exp() } else { 0.0 };
            (p * f64::from(u32::MAX)) as u32
        };
        Metropolis { temperature, accepted: std::array::from_fn(probability) }
    }

    /// The temperature, for moves that draw from it themselves.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Whether to make a move with this gain. Draws from `rng` only for losses.
    #[inline]
    pub fn accepts(&self, gain: i32, rng: &mut Rng) -> bool {
        gain >= 0
            || self
                .accepted
                .get(gain.unsigned_abs() as usize)
                .is_some_and(|accepted| (rng.bits() >> 32) as u32 <= *accepted && *accepted > 0)
    }
}

/// The cooling schedule: the temperature falls geometrically from `hot` to `cold`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoolingSchedule {
    /// The temperature at the start, in units of the objective.
    pub hot: f64,
    /// The temperature at the end.
    pub cold: f64,
    /// The number of moves at one temperature; a block takes one unit of the meter.
    pub block: u32,
}

/// The limits of a meter, and how much of them is used: of the units of work or of the time,
/// whichever is further. [`Meter`] counts units down but cannot compute a share, which the schedule
/// needs.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    /// How much time there was, and when it ends as far as is known, if it is limited.
    time: Option<(Duration, Instant)>,
    work: u64,
}

impl Allowance {
    /// All that `meter` has left from now on.
    fn of(meter: &Meter) -> Self {
        let left = |end: Instant| (end.saturating_duration_since(Instant::now()), end);
        Allowance { time: meter.deadline().map(left), work: meter.left().max(1) }
    }

    /// The share used after `done` units, from 0 to 1. Reads the clock only if there is a deadline,
    /// so that runs limited by work are reproducible.
    fn share_used(&mut self, done: u64, meter: &Meter) -> f64 {
        /// After this many units, the deadline is looked up again: it takes longer than the time.
        const LOOK: u64 = 64;
        let work = done as f64 / self.work as f64;
        let time = self.time.as_mut().map_or(0.0, |(all, end)| {
            if done.is_multiple_of(LOOK) {
                *end = meter.deadline().unwrap_or(*end);
            }
            let left = end.saturating_duration_since(Instant::now());
            if all.is_zero() { 1.0 } else { 1.0 - left.as_secs_f64() / all.as_secs_f64() }
        });
        work.max(time).min(1.0)
    }
}

/// Anneals once, using all that `meter` has left. `improved` is called with the solution whenever
/// it is better than ever before in this run; the final solution need not be the best.
pub fn anneal<L: Landscape>(
    landscape: &mut L,
    schedule: CoolingSchedule,
    meter: &mut Meter,
    rng: &mut Rng,
    mut improved: impl FnMut(&L),
) {
    let mut allowance = Allowance::of(meter);
    let mut best = landscape.value();
    let mut done = 0;
    loop {
        let share = allowance.share_used(done, meter);
        if share >= 1.0 || !meter.spend() {
            return;
        }
        let temperature = schedule.hot * (schedule.cold / schedule.hot).powf(share);
        let metropolis = Metropolis::at(temperature);
        for _ in 0..schedule.block {
            landscape.attempt(&metropolis, rng);
            if landscape.value() > best {
                best = landscape.value();
                improved(landscape);
            }
        }
        done += 1;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A number whose value has a pit between 10 and the best, 30.
    #[derive(Clone)]
    pub(crate) struct Pit {
        pub(crate) at: i64,
    }

    impl Landscape for Pit {
        fn attempt(&mut self, metropolis: &Metropolis, rng: &mut Rng) {
            let to = (self.at + 2 * rng.below(2) as i64 - 1).clamp(0, 40);
            let gain = Pit { at: to }.value() - self.value();
            if metropolis.accepts(gain as i32, rng) {
                self.at = to;
            }
        }

        fn value(&self) -> i64 {
            match self.at {
                0..=10 => self.at,
                11..=20 => 20 - self.at,
                _ => 15 - (self.at - 30).abs(),
            }
        }
    }

    #[test]
    fn annealing_leaves_a_pit_that_cold_moves_do_not() {
        let run = |hot: f64| {
            let mut pit = Pit { at: 5 };
            let mut best = pit.value();
            let schedule = CoolingSchedule { hot, cold: 0.1, block: 64 };
            let (mut meter, mut rng) = (Meter::of(2000), Rng::from_seed(1));
            anneal(&mut pit, schedule, &mut meter, &mut rng, |pit| best = pit.value());
            best
        };
        assert_eq!(run(4.0), 15);
        assert_eq!(run(0.1), 10);
    }

    #[test]
    fn losses_are_accepted_as_often_as_the_temperature_says() {
        let mut rng = Rng::from_seed(2);
        let metropolis = Metropolis::at(2.0);
        let accepted = (0..100_000).filter(|_| metropolis.accepts(-3, &mut rng)).count() as f64;
        let expected = 100_000.0 * (-1.5f64).exp();
        assert!((accepted - expected).abs() < 4.0 * expected.sqrt(), "{accepted} of {expected}");
        assert!(!Metropolis::at(0.0).accepts(-1, &mut rng));
    }

    #[test]
    fn a_spent_meter_ends_the_run() {
        let mut pit = Pit { at: 0 };
        let schedule = CoolingSchedule { hot: 1.0, cold: 0.1, block: 1 };
        let mut meter = Meter::of(3);
        anneal(&mut pit, schedule, &mut meter, &mut Rng::from_seed(1), |_| {});
        assert_eq!(meter.spent(), 3);
    }
}
