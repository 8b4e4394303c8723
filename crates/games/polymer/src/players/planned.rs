//! Ways of laying a whole walk as players: they plan on their first turn and lay the walk
//! step by step. Each way is in a file of its own.

use std::sync::Arc;

use quintain_core::{Meter, Plan, Planner, Player, Rng, Solver, Unit};

use crate::notation::steps_of;
use crate::rules::{Instance, Polymer, State, Step};
use crate::scene;
use crate::solvers::{Best, Laid, slides};

/// What is to be laid, within what, and who is told of improvements.
pub(super) struct Task<'a, 'b> {
    pub(super) instance: &'a Arc<Instance>,
    /// What lies already, at least the first cell.
    pub(super) prefix: &'a [u16],
    pub(super) meter: &'a mut Meter,
    pub(super) rng: &'a mut Rng,
    pub(super) best: &'a mut Best<'b>,
    /// What was thought of steps on the way, for the notes.
    pub(super) thoughts: &'a mut Vec<Thought>,
}

/// The steps that were on offer after the first monomers of a walk.
pub(super) struct Thought {
    /// The cells of those monomers.
    pub(super) after: Vec<u16>,
    /// Of each step its cell, the trees that voted for it, and their visits.
    pub(super) votes: Vec<(u16, u32, u32)>,
}

/// A way to lay the rest of a walk, as its parameters say.
pub(super) trait Laying: Clone + Send {
    fn lay(&self, task: Task<'_, '_>);

    /// What a budget counts, and how much of it is used where none is set.
    fn work(&self) -> (Unit, u64);

    /// Whether the parameters go together.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Seats a way of laying.
pub(super) fn player<L: Laying + 'static>(
    _: &Polymer,
    given: &L,
) -> Result<Box<dyn Player<Polymer>>, String> {
    given.check()?;
    Ok(Box::new(Planner::new(Solving(given.clone()))))
}

/// Offers the lines that a search finds, run after run.
pub(super) fn lines(
    task: Task<'_, '_>,
    mut run: impl FnMut(&mut slides::Line, &mut Meter, &mut Rng) -> Vec<u16>,
) {
    let Task { instance, prefix, meter, rng, best, .. } = task;
    let mut line = slides::Line::new(Arc::clone(instance), prefix, slides::SLIDES);
    // Where there is nothing to choose, a search plays no line; a run is a unit too.
    while meter.spend() {
        let steps = run(&mut line, meter, rng);
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
            notes: Vec::new(),
        };
        let mut tell = |whole: &Laid| found(&plan(whole));
        let mut best = Best::new(&mut tell);
        let prefix = state.walk();
        let mut thoughts = Vec::new();
        let task = Task {
            instance: &instance,
            prefix,
            meter,
            rng,
            best: &mut best,
            thoughts: &mut thoughts,
        };
        self.0.lay(task);
        let found = best.take()?;
        Some(Plan { notes: notes(&instance, laid, &found.walk, &thoughts), ..plan(&found) })
    }

    fn work(&self) -> (Unit, u64) {
        self.0.work()
    }
}

/// The notes on the steps of a walk after its first `laid` monomers: of the thoughts, those
/// at positions that the walk comes by. It may be another walk than the one that was
/// decided, but often begins like it.
fn notes(
    instance: &Instance,
    laid: usize,
    walk: &[u16],
    thoughts: &[Thought],
) -> Vec<(usize, String, f64)> {
    let mut notes = Vec::new();
    for Thought { after, votes } in
        thoughts.iter().filter(|thought| walk.starts_with(&thought.after))
    {
        let Some(&head) = after.last() else { continue };
        let ways = instance.torus().next(usize::from(head));
        for (cell, trees, visits) in votes {
            let Some(way) = ways.iter().position(|way| way == cell) else { continue };
            let step = Step::ALL[way];
            let place = after.len() - laid;
            notes.push((place, format!("{} {step}", scene::VISITS), f64::from(*visits)));
            notes.push((place, format!("{} {step}", scene::VOTES), f64::from(*trees)));
        }
    }
    notes
}

/// The steps of a walk; on a torus they are the same wherever it starts.
fn steps(instance: &Instance, walk: &[u16]) -> Vec<Step> {
    steps_of(instance.torus(), walk).chars().filter_map(Step::of_letter).collect()
}
