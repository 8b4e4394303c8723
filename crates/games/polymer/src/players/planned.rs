//! Ways of laying a whole walk as players: they plan on their first turn and lay the walk
//! step by step. Each way is in a file of its own.

use std::sync::Arc;

use quintain_core::{Meter, Plan, Planner, Player, Rng, Solver, Unit};

use crate::notation::steps_of;
use crate::rules::{Instance, Polymer, State, Step};
use crate::solvers::{Best, Laid, slides};

/// A way to lay the rest of a walk.
pub(super) trait Laying: Send {
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
pub(super) fn seat(laying: impl Laying + 'static) -> Box<dyn Player<Polymer>> {
    Box::new(Planner::new(Solving(laying)))
}

/// Offers the lines that a search finds, run after run.
pub(super) fn lines(
    instance: &Arc<Instance>,
    prefix: &[u16],
    meter: &mut Meter,
    best: &mut Best<'_>,
    mut run: impl FnMut(&mut slides::Line, &mut Meter) -> Vec<u16>,
) {
    let mut line = slides::Line::new(Arc::clone(instance), prefix, slides::SLIDES);
    // Where there is nothing to choose, a search plays no line; a run is a unit too.
    while meter.spend() {
        let steps = run(&mut line, meter);
        let walk: Vec<u16> = prefix.iter().copied().chain(steps).collect();
        if walk.len() == instance.len() {
            best.offer(&walk, instance.worth(&walk));
        }
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
