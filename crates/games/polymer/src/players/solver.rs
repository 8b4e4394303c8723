//! Solvers, which lay a whole walk at once. Each is given a [`SolverInput`] and passes every
//! improvement to an [`Incumbent`]. As a player, it plans on its first turn and then lays the walk
//! step by step.

use std::sync::Arc;

use quintain_core::{BuildError, Meter, Player, Rng, Unit};
use quintain_search::planner::{Planner, SolvedGame, Solver};

use crate::notation::steps_of;
use crate::rules::instance::Instance;
use crate::rules::step::Step;
use crate::rules::{Polymer, State};
use crate::scene;

/// A whole walk and its worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WholeWalk {
    /// The cells of the monomers, in order.
    pub walk: Vec<u16>,
    /// R over all pairs that touch, bonds included.
    pub r: i32,
}

/// The best walk found so far, and the listener that receives improvements.
pub struct Incumbent<'a> {
    laid: Option<WholeWalk>,
    found: &'a mut dyn FnMut(&WholeWalk),
}

impl<'a> Incumbent<'a> {
    /// Starts without a walk.
    pub fn new(found: &'a mut dyn FnMut(&WholeWalk)) -> Self {
        Incumbent { laid: None, found }
    }

    /// Takes a walk if it is the best so far.
    pub fn offer(&mut self, walk: &[u16], r: i32) {
        if self.laid.as_ref().is_none_or(|best| r > best.r) {
            let laid = WholeWalk { walk: walk.to_vec(), r };
            (self.found)(&laid);
            self.laid = Some(laid);
        }
    }

    /// The best walk so far.
    pub fn get(&self) -> Option<&WholeWalk> {
        self.laid.as_ref()
    }

    /// The best walk, at the end of a search.
    pub fn take(self) -> Option<WholeWalk> {
        self.laid
    }
}

/// The input of a solver: the instance, the beginning of the walk, and a budget.
pub(super) struct SolverInput<'a, 'b> {
    pub(super) instance: &'a Arc<Instance>,
    /// The cells already laid, at least the first one.
    pub(super) prefix: &'a [u16],
    pub(super) meter: &'a mut Meter,
    pub(super) rng: &'a mut Rng,
    pub(super) best: &'a mut Incumbent<'b>,
    /// The votes on steps, which become notes of the match.
    pub(super) step_votes: &'a mut Vec<StepVotes>,
}

/// The votes on the possible steps after the first monomers of a walk.
pub(super) struct StepVotes {
    /// The cells of those monomers.
    pub(super) after: Vec<u16>,
    /// For each step its cell, the number of trees that voted for it, and their visits.
    pub(super) votes: Vec<(u16, u32, u32)>,
}

/// A solver, with its parameters, that lays the rest of a walk.
pub(super) trait WalkSolver: Clone + Send {
    /// Offers every whole walk that it finds until the meter is spent.
    fn lay(&self, input: SolverInput<'_, '_>);

    /// The unit that a budget counts, and how much of it is used if no budget is given.
    fn work(&self) -> (Unit, u64);

    /// Checks that the parameters are compatible.
    fn check(&self) -> Result<(), BuildError> {
        Ok(())
    }
}

/// A player that plans its whole walk by a solver on its first turn.
pub(super) fn player<L: WalkSolver + 'static>(
    _: &Polymer,
    given: &L,
) -> Result<Box<dyn Player<Polymer>>, BuildError> {
    given.check()?;
    Ok(Box::new(Planner::new(PlannedWalk(given.clone()))))
}

/// A [`WalkSolver`] in the form in which the workbench knows solvers.
struct PlannedWalk<L>(L);

impl<L: WalkSolver> Solver<Polymer> for PlannedWalk<L> {
    fn solve(
        &mut self,
        rules: &Polymer,
        state: &State,
        meter: &mut Meter,
        rng: &mut Rng,
        found: &mut dyn FnMut(&SolvedGame<Step>),
    ) -> Option<SolvedGame<Step>> {
        let instance = Arc::clone(rules.instance());
        let laid = state.walk().len();
        let plan = |whole: &WholeWalk| SolvedGame {
            actions: steps(&instance, &whole.walk).split_off(laid - 1),
            score: instance.score(whole.r),
            notes: Vec::new(),
        };
        let mut tell = |whole: &WholeWalk| found(&plan(whole));
        let mut best = Incumbent::new(&mut tell);
        let prefix = state.walk();
        let mut step_votes = Vec::new();
        let input = SolverInput {
            instance: &instance,
            prefix,
            meter,
            rng,
            best: &mut best,
            step_votes: &mut step_votes,
        };
        self.0.lay(input);
        let found = best.take()?;
        Some(SolvedGame { notes: notes(&instance, laid, &found.walk, &step_votes), ..plan(&found) })
    }

    fn work(&self) -> (Unit, u64) {
        self.0.work()
    }
}

/// The notes on the steps of a walk after its first `laid` monomers: those of the `step_votes` at
/// positions that the walk passes. The walk may differ from the one that was decided, but often
/// begins like it.
fn notes(
    instance: &Instance,
    laid: usize,
    walk: &[u16],
    step_votes: &[StepVotes],
) -> Vec<(usize, String, f64)> {
    let mut notes = Vec::new();
    for StepVotes { after, votes } in
        step_votes.iter().filter(|thought| walk.starts_with(&thought.after))
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

/// The steps of a walk; on a torus they do not depend on where it starts.
fn steps(instance: &Instance, walk: &[u16]) -> Vec<Step> {
    steps_of(instance.torus(), walk).chars().filter_map(Step::of_letter).collect()
}
