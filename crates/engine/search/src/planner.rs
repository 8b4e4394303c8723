//! Solvers plan a whole single-seat game from an open instance, and improve the plan while time
//! lasts. [`Planner`] turns a solver into a player.

use std::collections::VecDeque;

use quintain_core::{Decision, Fault, Meter, Player, Rng, Rules, Seat, Unit};

/// A whole game: the actions of seat 0 from the instance to the end, and its score.
#[derive(Clone, PartialEq, Debug)]
pub struct SolvedGame<A> {
    /// The actions, in order.
    pub actions: Vec<A>,
    /// The score they end with.
    pub score: f64,
    /// Notes on the actions: the index of an action, and the name and value of a note, in order.
    pub notes: Vec<(usize, String, f64)>,
}

/// Plans a whole single-seat game.
///
/// # Example
/// A solver that plays games to the end at random and keeps the best one:
/// ```
/// use quintain_core::{Meter, Rng, Rules, Seat, Turn, Unit};
/// use quintain_search::planner::{Planner, SolvedGame, Solver};
///
/// struct RandomGames;
///
/// impl<R: Rules> Solver<R> for RandomGames {
///     fn solve(
///         &mut self,
///         rules: &R,
///         state: &R::State,
///         meter: &mut Meter,
///         rng: &mut Rng,
///         found: &mut dyn FnMut(&SolvedGame<R::Action>),
///     ) -> Option<SolvedGame<R::Action>> {
///         let seat = Seat::new(0);
///         let mut best: Option<SolvedGame<R::Action>> = None;
///         while meter.spend() {
///             let (mut state, mut actions) = (state.clone(), Vec::new());
///             while let Turn::Seat(_) = rules.turn(&state) {
///                 let action = rules.rollout_action(&state, seat, rng);
///                 rules.step(&mut state, std::slice::from_ref(&action));
///                 actions.push(action);
///             }
///             let (score, notes) = (rules.score(&state, seat), Vec::new());
///             let gain = |score| rules.objective().gain(score);
///             if best.as_ref().is_none_or(|best| gain(score) > gain(best.score)) {
///                 found(best.insert(SolvedGame { actions, score, notes }));
///             }
///         }
///         best
///     }
///
///     fn work(&self) -> (Unit, u64) {
///         (Unit::Iterations, 1000)
///     }
/// }
///
/// /// The same as a player.
/// fn player<R: Rules>() -> Planner<RandomGames, R> {
///     Planner::new(RandomGames)
/// }
/// ```
pub trait Solver<R: Rules>: Send {
    /// Returns the best plan found from `state` before `meter` is spent, if any. Every improvement
    /// is passed to `found` at once, so that a caller who stops the solver has the best plan so
    /// far.
    fn solve(
        &mut self,
        rules: &R,
        state: &R::State,
        meter: &mut Meter,
        rng: &mut Rng,
        found: &mut dyn FnMut(&SolvedGame<R::Action>),
    ) -> Option<SolvedGame<R::Action>>;

    /// What the solver counts as work, and how much work it does by default.
    fn work(&self) -> (Unit, u64);
}

/// Makes a player of a solver: it plans on its first turn and plays the plan. If the plan no longer
/// fits (chance moved differently), it plans again.
pub struct Planner<S, R: Rules> {
    solver: S,
    plan: VecDeque<R::Action>,
    notes: VecDeque<(usize, String, f64)>,
    /// How many actions of the plan were played.
    played: usize,
}

impl<S: Solver<R>, R: Rules> Planner<S, R> {
    /// A player that plays the plans of `solver`.
    pub fn new(solver: S) -> Self {
        Planner { solver, plan: VecDeque::new(), notes: VecDeque::new(), played: 0 }
    }
}

impl<S: Solver<R>, R: Rules> Player<R> for Planner<S, R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let seat = Seat::new(0);
        let state = decision.determinize();
        let fits = |action: &R::Action| decision.rules().check(&state, seat, action).is_ok();
        if !self.plan.front().is_some_and(fits) {
            let (unit, default) = self.solver.work();
            let mut meter = decision.whole_meter(unit, default);
            let rules = decision.rules();
            let plan = self.solver.solve(rules, &state, &mut meter, decision.rng(), &mut |_| {});
            let (actions, notes) = plan.map(|plan| (plan.actions, plan.notes)).unwrap_or_default();
            (self.plan, self.notes, self.played) = (actions.into(), notes.into(), 0);
            decision.note("work", meter.spent() as f64);
        }
        while self.notes.front().is_some_and(|(place, ..)| *place <= self.played) {
            if let Some((_, name, value)) = self.notes.pop_front() {
                decision.note(&name, value);
            }
        }
        self.played += 1;
        Ok(self.plan.pop_front().unwrap_or_else(|| decision.random_action()))
    }
}
