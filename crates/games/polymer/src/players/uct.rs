//! The agent of the slides “CS5330 Randomized Algorithm Project”, every feature a switch;
//! see `solvers::slides`.

use quintain_core::{Unit, parameters};
use quintain_search::ensemble::Vote;

use super::planned::{Laying, Task, Thought};
use crate::rules::Instance;
use crate::solvers::slides::{self, Preset, Reach, Switches};

parameters! {
    /// The slides' agent; every feature is a switch.
    pub(super) struct Uct {
        /// Trees that vote for each step.
        ensemble: usize = 5, in 1..=1_000;
        /// Which step a tree votes for: the most tried or the best on average.
        vote: Vote = Vote::Visits;
        /// c.
        exploration: f64 = 0.2, in 0.0..=100.0;
        /// Weight of the next-step partial score.
        partial: f64 = 0.1, in 0.0..=100.0;
        /// The partial score is normalised on the norm so far, so that it fades.
        fading: bool = true;
        /// Scores are brought to a scale from 0 to 1.
        normalised: bool = true;
        /// How steps are asked whether they leave room.
        reach: Reach = Reach::Count;
        /// Playouts tried until one does not end dead.
        tries: u32 = 10, in 1..=1_000_000;
        /// Steps of a playout; 0 for the slides' (100 on 64×64, otherwise all).
        lookahead: usize = 0, in 0..=65_000;
        /// The best playout ever seen is kept.
        memory: bool = true;
        /// The first step is RIGHT, the first across DOWN.
        invariances: bool = true;
        /// Every node keeps its position, as the slides' program did.
        copying: bool = false;
        /// Iterations of each tree with r monomers left.
        preset: Preset = Preset::Auto;
    }
}

impl Uct {
    /// The switches for an instance.
    fn switches(&self, instance: &Instance) -> Switches {
        let lookahead = match self.lookahead {
            0 if instance.torus().cells() >= 64 * 64 => 100,
            limit => limit,
        };
        let &Uct {
            ensemble,
            vote,
            exploration,
            partial,
            fading,
            normalised,
            reach,
            tries,
            memory,
            invariances,
            copying,
            preset,
            ..
        } = self;
        Switches {
            ensemble,
            vote,
            exploration,
            partial,
            fading,
            normalised,
            reach,
            tries,
            lookahead,
            memory,
            invariances,
            copying,
            preset,
        }
    }
}

impl Laying for Uct {
    fn lay(&self, task: Task<'_, '_>) {
        let Task { instance, prefix, meter, rng, best, thoughts } = task;
        let switches = self.switches(instance);
        slides::run_telling(instance, prefix, switches, meter, rng, best, &mut |after, votes| {
            thoughts.push(Thought { after: after.to_vec(), votes: votes.to_vec() });
        });
    }

    /// The presets decide.
    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, u64::MAX)
    }
}
