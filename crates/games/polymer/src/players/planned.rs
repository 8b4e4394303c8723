//! The solvers as players: they plan the whole walk on their first turn and lay it
//! step by step.

use std::sync::Arc;

use quintain_core::{Meter, Plan, Planner, Player, Rng, Solver, Unit, parameters};
use quintain_search::ensemble::Vote;

use crate::notation::steps_of;
use crate::rules::{Instance, Polymer, State, Step};
use crate::solvers::champion::{beams, champion, runs};
use crate::solvers::growth::Taste;
use crate::solvers::slides::{self, Preset, Reach, Switches};
use crate::solvers::{Best, Cooling, Laid, anneal, grow};

parameters! {
    /// Simulated annealing from a snake.
    pub(crate) struct Annealing {
        /// The first temperature; 0 for what suits the instance.
        hot: f64 = 0.0, in 0.0..=100.0;
        /// The last temperature; 0 for what suits the instance.
        cold: f64 = 0.0, in 0.0..=100.0;
        /// Backbites, out of 256 moves.
        backbite: u32 = 4, in 0..=256;
        /// Bond-rebridgings, out of 256 moves.
        rebridge: u32 = 40, in 0..=256;
        /// Slides by an end, out of 256 moves.
        slide: u32 = 4, in 0..=256;
        /// The most monomers that a move turns around; 0 for what suits the instance.
        longest: usize = 0, in 0..=65_000;
        /// One run over all the time, or several, each longer than the last.
        several: bool = false;
        /// Blocks of 256 moves where the budget sets no limit.
        blocks: u64 = 4_000, in 1..=1_000_000_000;
    }
}

parameters! {
    /// Beam search with undo along the tree.
    pub(crate) struct Beam {
        /// Walks kept of every length; 0 for growing widths until the budget is spent.
        width: usize = 0, in 0..=10_000_000;
        /// p: against free neighbours.
        compact: f64 = 0.1, in 0.0..=10.0;
        /// g: for agreement of the charges around free cells.
        attraction: f64 = 0.05, in 0.0..=10.0;
        /// Walks looked at where the budget sets no limit.
        nodes: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

parameters! {
    /// Chooses by size and density.
    pub(crate) struct Champion {
        /// Walks looked at, or blocks of 256 moves, where the budget sets no limit.
        nodes: u64 = 50_000, in 1..=1_000_000_000_000u64;
    }
}

parameters! {
    /// The slides' agent; every feature is a switch.
    pub(crate) struct Uct {
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
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        slides::run(instance, prefix, self.switches(instance), meter, rng, best);
    }

    /// The presets decide.
    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, u64::MAX)
    }
}

pub(crate) fn uct(_: &Polymer, given: &Uct) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

/// A way to lay the rest of a walk.
trait Laying: Send {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    );

    fn work(&self) -> (Unit, u64);
}

/// Seats a way of laying.
fn seat(laying: impl Laying + 'static) -> Box<dyn Player<Polymer>> {
    Box::new(Planner::new(Solving(laying)))
}

pub(crate) fn annealing(
    _: &Polymer,
    given: &Annealing,
) -> Result<Box<dyn Player<Polymer>>, String> {
    if given.backbite + given.rebridge + given.slide > 256 {
        return Err("backbite, rebridge and slide are more than 256 together".to_owned());
    }
    Ok(seat(given.clone()))
}

pub(crate) fn beam(_: &Polymer, given: &Beam) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

pub(crate) fn champion_player(
    _: &Polymer,
    given: &Champion,
) -> Result<Box<dyn Player<Polymer>>, String> {
    Ok(seat(given.clone()))
}

impl Laying for Annealing {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        if prefix.len() > 1 {
            // Moves know no fixed part: what is left is laid by beams.
            return beams(instance, prefix, 1.0, meter, rng, best);
        }
        if self.several {
            return runs(instance, meter, rng, best);
        }
        let mut cooling = Cooling::suiting(instance);
        let given = |own: f64, suiting: f64| if own > 0.0 { own } else { suiting };
        cooling.hot = given(self.hot, cooling.hot);
        cooling.cold = given(self.cold, cooling.cold);
        cooling.mix.backbite = self.backbite;
        cooling.mix.rebridge = self.rebridge;
        cooling.mix.slide = self.slide;
        if self.longest > 0 {
            cooling.mix.longest = self.longest;
        }
        anneal(instance, None, cooling, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.blocks)
    }
}

impl Laying for Beam {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        if self.width == 0 {
            return beams(instance, prefix, 1.0, meter, rng, best);
        }
        let taste = Taste { compact: self.compact, attraction: self.attraction };
        grow(instance, prefix, taste, self.width, meter, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, if self.width == 0 { self.nodes } else { u64::MAX })
    }
}

impl Laying for Champion {
    fn lay(
        &self,
        instance: &Arc<Instance>,
        prefix: &[u16],
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Best<'_>,
    ) {
        champion(instance, prefix, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.nodes)
    }
}

/// A way of laying as a solver.
struct Solving<L>(L);

impl<L: Laying> Solver<Polymer> for Solving<L> {
    fn solve(
        &mut self,
        game: &Polymer,
        state: &State,
        meter: &mut Meter,
        rng: &mut Rng,
        found: &mut dyn FnMut(&Plan<Step>),
    ) -> Option<Plan<Step>> {
        let instance = Arc::clone(game.instance());
        let laid = state.walk().len();
        let plan = |whole: &Laid| Plan {
            actions: steps(&instance, &whole.walk).split_off(laid - 1),
            score: instance.score(whole.r),
        };
        let mut tell = |whole: &Laid| found(&plan(whole));
        let mut best = Best::new(&mut tell);
        self.0.lay(&instance, state.walk(), meter, rng, &mut best);
        let found = best.take();
        found.as_ref().map(plan)
    }

    fn work(&self) -> (Unit, u64) {
        self.0.work()
    }
}

/// The steps of a walk; on a torus they are the same wherever it starts.
fn steps(instance: &Instance, walk: &[u16]) -> Vec<Step> {
    steps_of(instance.torus(), walk).chars().filter_map(Step::of_letter).collect()
}
