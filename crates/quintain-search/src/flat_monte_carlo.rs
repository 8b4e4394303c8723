//! Flat Monte Carlo: playouts from each of a seat's own actions, without a tree.
//! Rivals reply by the playout's own moves from the first turn on.

use quintain_core::{Decision, Fault, Meter, Player, Rng, Rules, Seat, Turn, Unit, choices};

use crate::found::SearchResult;
use crate::logarithm::ln;
use crate::playout::{acting, play_out};
use crate::worth::{Worth, range};

choices! {
    /// How playouts are shared out among the actions.
    pub enum Allocation {
        /// All alike, in turn.
        Uniform = "uniform",
        /// By upper confidence bounds (UCB1, Auer, Cesa-Bianchi & Fischer 2002).
        Ucb1 = "ucb1",
    }
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// How playouts are shared out among the actions.
    pub allocation: Allocation,
    /// The weight of uncertainty in UCB1, for values on a scale from 0 to 1.
    pub exploration: f64,
    /// Turns of a playout before the position is estimated.
    pub playout: u32,
    /// Playouts a decision where the budget sets no limit.
    pub iterations: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            allocation: Allocation::Ucb1,
            exploration: 0.5,
            playout: 10_000,
            iterations: 1_000,
        }
    }
}

/// The search.
pub struct FlatMonteCarlo<R: Rules> {
    options: Options,
    acting: Vec<Seat>,
    joint: Vec<R::Action>,
}

/// What playouts from one action gave.
struct Arm<A> {
    action: A,
    visits: u32,
    total: f64,
}

impl<A> Arm<A> {
    fn mean(&self) -> f64 {
        self.total / f64::from(self.visits)
    }
}

impl<R: Rules> FlatMonteCarlo<R> {
    /// A search with these settings.
    pub fn new(options: Options) -> Self {
        FlatMonteCarlo { options, acting: Vec::new(), joint: Vec::new() }
    }

    /// The best action of `seat`, which sees `observation` and must move, found
    /// before `meter` is spent; it counts playouts. A sole action takes none.
    pub fn search(
        &mut self,
        game: &R,
        observation: &R::Observation,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let root = game.determinize(observation, seat, rng);
        let mut actions = Vec::new();
        game.pruned_actions(&root, seat, &mut actions);
        // Of equals the first one wins: in random order, so that no action is favoured.
        rng.shuffle(&mut actions);
        let mut worth = Worth::new(game);
        let mut arms: Vec<Arm<R::Action>> =
            actions.into_iter().map(|action| Arm { action, visits: 0, total: 0.0 }).collect();
        let fixed = range(game);
        let mut seen = fixed.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        let mut state = root.clone();
        while arms.len() > 1 && meter.spend() {
            if game.has_hidden_information() {
                state = game.determinize(observation, seat, rng);
            } else {
                state.clone_from(&root);
            }
            let index = self.next(&arms, meter.spent(), seen);
            let arm = &mut arms[index];
            self.step(game, &mut state, seat, &arm.action, rng);
            let is_over = play_out(game, &mut state, self.options.playout, rng, &mut self.joint);
            let worths = match is_over {
                true => worth.by_score(game, &state),
                false => worth.by_estimate(game, &state),
            };
            let value = worths[seat.index()];
            arm.visits += 1;
            arm.total += value;
            if fixed.is_none() {
                seen = (seen.0.min(value), seen.1.max(value));
            }
        }
        let mut best = 0;
        for (index, arm) in arms.iter().enumerate().filter(|(_, arm)| arm.visits > 0) {
            if arms[best].visits == 0 || arm.mean() > arms[best].mean() {
                best = index;
            }
        }
        let arm = arms.swap_remove(best);
        let value = match arm.visits {
            0 => worth.by_estimate(game, &root)[seat.index()],
            _ => arm.mean(),
        };
        SearchResult { action: arm.action, value, depth: 1, spent: meter.spent() }
    }

    /// The arm of the `round`th playout, counted from 1.
    fn next(&self, arms: &[Arm<R::Action>], round: u64, seen: (f64, f64)) -> usize {
        let in_turn = (round - 1) % arms.len() as u64;
        if self.options.allocation == Allocation::Uniform || round <= arms.len() as u64 {
            return in_turn as usize;
        }
        let spread = if seen.1 > seen.0 { seen.1 - seen.0 } else { 1.0 };
        let log = ln(u32::try_from(round - 1).unwrap_or(u32::MAX));
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, arm) in arms.iter().enumerate() {
            let width = self.options.exploration * spread;
            let bound = arm.mean() + width * (log / f64::from(arm.visits)).sqrt();
            if bound > best.0 {
                best = (bound, index);
            }
        }
        best.1
    }

    /// Plays one turn in which `seat` does `action` and the others what playouts do.
    fn step(
        &mut self,
        game: &R,
        state: &mut R::State,
        seat: Seat,
        action: &R::Action,
        rng: &mut Rng,
    ) {
        let turn = game.turn(state);
        debug_assert!(matches!(turn, Turn::Seat(_) | Turn::Simultaneous), "a seat must move");
        acting(game, state, turn, &mut self.acting);
        self.joint.clear();
        for &other in &self.acting {
            self.joint.push(match other == seat {
                true => action.clone(),
                false => game.rollout_action(state, other, rng),
            });
        }
        game.step(state, &self.joint);
    }
}

impl<R: Rules> Player<R> for FlatMonteCarlo<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (game, seat, observation) = (decision.rules(), decision.seat(), decision.observation());
        let mut meter = decision.meter(Unit::Iterations, self.options.iterations);
        let found = self.search(game, &observation, seat, &mut meter, decision.rng());
        Ok(found.noted("iterations", decision))
    }
}
