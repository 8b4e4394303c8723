//! Simulated annealing from a snake (Kirkpatrick et al. 1983), by the moves of [`fold`].

pub(crate) mod fold;

use std::sync::Arc;

use quintain_core::{BuildError, Meter, Rng, Unit, parameters};
use quintain_search::annealing::{self, CoolingSchedule, Landscape};

use crate::players::beam::grow_in_beams;
use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::players::tuned::{MoveNumbers, tuned};
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;
use fold::{Fold, MoveMix, snake};

parameters! {
    /// Simulated annealing from a snake.
    pub(super) struct Annealing {
        /// The first temperature; 0 for one that suits the instance.
        hot: f64 = 0.0, in 0.0..=100.0;
        /// The last temperature; 0 for one that suits the instance.
        cold: f64 = 0.0, in 0.0..=100.0;
        /// Backbites, out of 256 moves.
        backbite: u32 = tuned().annealing.moves.backbite, in 0..=256;
        /// Bond-rebridgings, out of 256 moves.
        rebridge: u32 = tuned().annealing.moves.rebridge, in 0..=256;
        /// Slides of the whole chain by an end, out of 256 moves.
        slide: u32 = tuned().annealing.moves.slide, in 0..=256;
        /// Segments cut out and regrown, out of 256 moves.
        regrow: u32 = tuned().annealing.moves.regrow, in 0..=256;
        /// The most monomers of a segment that is regrown.
        segment: usize = tuned().annealing.moves.segment, in 1..=16;
        /// The most monomers that a move turns around or shifts; 0 for a number that suits the
        /// instance.
        longest: usize = 0, in 0..=65_000;
        /// Whether to make several runs, each longer than the one before, instead of a single one;
        /// if so, all parameters but blocks are ignored.
        several: bool = false;
        /// Blocks of 256 moves where the budget sets no limit.
        blocks: u64 = 4_000, in 1..=1_000_000_000;
    }
}

impl WalkSolver for Annealing {
    fn check(&self) -> Result<(), BuildError> {
        if self.backbite + self.rebridge + self.slide + self.regrow > 256 {
            let problem = "backbite, rebridge, slide and regrow add up to more than 256";
            return Err(problem.into());
        }
        Ok(())
    }

    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        if prefix.len() > 1 {
            // The moves cannot keep a fixed part, so beams lay the rest.
            return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
        }
        if self.several {
            return anneal_in_runs(instance, meter, rng, best);
        }
        let mut cooling = Cooling::for_instance(instance);
        let choose = |own: f64, suiting: f64| if own > 0.0 { own } else { suiting };
        cooling.hot = choose(self.hot, cooling.hot);
        cooling.cold = choose(self.cold, cooling.cold);
        cooling.mix.backbite = self.backbite;
        cooling.mix.rebridge = self.rebridge;
        cooling.mix.slide = self.slide;
        cooling.mix.regrow = self.regrow;
        cooling.mix.segment = self.segment;
        if self.longest > 0 {
            cooling.mix.longest = self.longest;
        }
        anneal(instance, None, cooling, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.blocks)
    }
}

/// The settings of annealing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cooling {
    /// The first temperature.
    pub hot: f64,
    /// The last temperature.
    pub cold: f64,
    /// How often each kind of move is tried.
    pub mix: MoveMix,
}

/// The number of moves tried for one unit of the meter.
pub const BLOCK: u32 = 256;

impl Cooling {
    /// The settings that suit an instance: hotter and colder if it is dense, short turns if it is
    /// long.
    pub fn for_instance(instance: &Instance) -> Cooling {
        let tuned = &tuned().annealing;
        let density = instance.len() as f64 / instance.torus().cells() as f64;
        let is_dense = density > tuned.dense;
        let is_long = instance.len() > tuned.many;
        let longest = if is_long { tuned.longest_of_many } else { instance.len() };
        let MoveNumbers { backbite, rebridge, slide, regrow, segment } = tuned.moves;
        let is_balanced = false;
        Cooling {
            hot: if is_dense { tuned.hot_where_dense } else { tuned.hot },
            cold: tuned.cold,
            mix: MoveMix { backbite, rebridge, slide, regrow, segment, longest, is_balanced },
        }
    }
}

/// Anneals once from `start` (or a snake), using up all that is left of `meter`.
pub fn anneal(
    instance: &Arc<Instance>,
    start: Option<&[u16]>,
    cooling: Cooling,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    by_ways!(instance.torus(), anneal_with(instance, start, cooling, meter, rng, best));
}

fn anneal_with<const WAYS: usize>(
    instance: &Arc<Instance>,
    start: Option<&[u16]>,
    cooling: Cooling,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let snake = snake(instance.torus(), instance.len());
    let mut fold = Fold::<WAYS>::new(Arc::clone(instance), start.unwrap_or(&snake), cooling.mix);
    best.offer(fold.walk(), fold.r());
    let schedule = CoolingSchedule { hot: cooling.hot, cold: cooling.cold, block: BLOCK };
    annealing::anneal(&mut fold, schedule, meter, rng, |fold| {
        // Most improvements within a run are not improvements over all runs.
        if best.get().is_none_or(|best| fold.value() > i64::from(best.r)) {
            best.offer(fold.walk(), fold.r());
        }
    });
}

/// Anneals in several runs, each as long as the one before or longer, which use up the meter.
pub fn anneal_in_runs(
    instance: &Arc<Instance>,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let runs = &tuned().annealing.runs;
    let mut left: u32 = runs.iter().sum();
    for length in runs {
        let mut part = meter.part(f64::from(*length) / f64::from(left));
        left -= length;
        anneal(instance, None, Cooling::for_instance(instance), &mut part, rng, best);
        meter.charge(part.spent());
        if meter.is_spent() {
            return;
        }
    }
}
