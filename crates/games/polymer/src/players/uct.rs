//! The agent of the slides “CS5330 Randomized Algorithm Project”: UCT by an ensemble of trees that
//! vote for each step; every feature of it is a switch. Slide by slide:
//!
//! - *Overall algorithm*: ensemble of 5, playouts to the end (100 steps on 64×64), up to
//!   10 tries after a dead end, c = 0.2, the direction with the most votes;
//! - *Invariances*: the first step is to the RIGHT, the first step across is DOWN;
//! - *Score normalization*: (R + norm) / (2 norm), norm = non-neutral monomers, dead end 0;
//! - *Next-step partial score*: 0.1 × the child's score, normalised on the norm so far;
//! - *Reachable cells*: a step must leave room for the rest;
//! - *Memorize highest random payout*; *maximum lookahead*; *results* (budgets).
//!
//! Our readings: R of a capped playout is normalised on what is laid by its end; the steps of
//! playouts are checked for room too; a tree is not kept from step to step.

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit};
use quintain_search::ensemble;

use crate::players::playouts::{PlayoutWalk, RunStatistics, UctOptions};
use crate::players::solver::{Incumbent, SolverInput, StepVotes, WalkSolver};
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;

/// Steps of a playout on the slides' largest torus.
const SLIDES_LOOKAHEAD: usize = 100;

impl WalkSolver for UctOptions {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, step_votes } = input;
        let mut switches = *self;
        if switches.lookahead == 0 && instance.torus().cells() >= 64 * 64 {
            switches.lookahead = SLIDES_LOOKAHEAD;
        }
        run_uct_with_listener(instance, prefix, switches, meter, rng, best, &mut |after, votes| {
            step_votes.push(StepVotes { after: after.to_vec(), votes: votes.to_vec() });
        });
    }

    /// The presets decide.
    fn work(&self) -> (Unit, u64) {
        (Unit::Iterations, u64::MAX)
    }
}

/// Runs the whole agent: it decides step by step over `prefix`, and offers the decided walk and,
/// with memory, the best it saw.
pub fn run_uct(
    instance: &Arc<Instance>,
    prefix: &[u16],
    switches: UctOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) -> RunStatistics {
    run_uct_with_listener(instance, prefix, switches, meter, rng, best, &mut |_, _| {})
}

/// Receives a decision: the walk before it; and for each step its cell, the number of trees that
/// voted for it, and their visits.
pub type DecisionListener<'a> = dyn FnMut(&[u16], &[(u16, u32, u32)]) + 'a;

/// Runs the whole agent; calls `on_decision` for each decision between several steps.
pub fn run_uct_with_listener(
    instance: &Arc<Instance>,
    prefix: &[u16],
    switches: UctOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
    on_decision: &mut DecisionListener<'_>,
) -> RunStatistics {
    by_ways!(instance.torus(), run_on(instance, prefix, switches, meter, rng, best, on_decision))
}

fn run_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    prefix: &[u16],
    switches: UctOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
    on_decision: &mut DecisionListener<'_>,
) -> RunStatistics {
    let mut line = PlayoutWalk::<WAYS>::new(Arc::clone(instance), prefix, switches);
    let UctOptions { ensemble: trees, vote, exploration, copying, preset, .. } = switches;
    let options = ensemble::Options { exploration, trees, vote, copying };
    while !line.is_whole() && !meter.is_spent() {
        let left = instance.len() - line.laid.len();
        let iterations = preset.iterations(instance, left);
        let decided = ensemble::decide(&mut line, options, iterations, meter, rng);
        let mut notebook = line.notebook.borrow_mut();
        notebook.tally.nodes += decided.nodes as u64;
        notebook.tally.copies += decided.copies as u64;
        drop(notebook);
        let Some(step) = decided.step else { break };
        if decided.votes.len() > 1 {
            let votes: Vec<(u16, u32, u32)> =
                decided.votes.iter().map(|votes| (votes.step, votes.trees, votes.visits)).collect();
            on_decision(&line.walk(), &votes);
        }
        line.lay(step);
    }
    // When the budget is used up, the rest is laid at random, as in a playout.
    line.lookahead = instance.len();
    for _ in 0..switches.tries.max(1) {
        let (laid, dead) = line.random_walk(rng);
        if !dead {
            break;
        }
        (0..laid).for_each(|_| line.unlay());
    }
    let mut tally = line.notebook.borrow().tally;
    if line.is_whole() {
        tally.decided = Some(line.r);
        best.offer(&line.walk(), line.r);
    }
    let notebook = line.notebook.borrow();
    tally.remembered = notebook.best.as_ref().map(|best| best.0);
    if let Some((r, walk)) = notebook.best.as_ref().filter(|_| switches.memory) {
        best.offer(walk, *r);
    }
    tally
}
