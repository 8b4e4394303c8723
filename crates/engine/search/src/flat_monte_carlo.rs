//! Flat Monte Carlo: rollouts from each of a seat's own actions, without a tree. Rivals reply as in
//! a rollout from the first turn on.
//!
//! ```
//! # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nim/mod.rs")); }
//! # use nim::Nim;
//! use quintain_core::{Meter, Rng, Seat};
//! use quintain_search::flat_monte_carlo::{FlatMonteCarlo, Options};
//!
//! let mut search = FlatMonteCarlo::new(Options::default());
//! let (mut meter, mut rng) = (Meter::of(1_000), Rng::from_seed(1));
//! let seat = Seat::new(0);
//! let result = search.search(&Nim, &(7, 0), seat, &mut meter, &mut rng);
//! assert_eq!(result.action, 3);
//! ```

use quintain_core::{
    Decision, Fault, Meter, Player, Rng, Rules, Seat, Turn, Unit, choices, parameters,
};

use crate::arms::{Tally, greatest};
use crate::logarithm::ln;
use crate::rollout::{collect_acting, rollout};
use crate::search_result::SearchResult;
use crate::utility::{Utilities, utility_range};

choices! {
    /// How rollouts are shared out among the actions.
    pub enum Allocation {
        /// All alike, in turn.
        Uniform = "uniform",
        /// By upper confidence bounds (UCB1, Auer, Cesa-Bianchi & Fischer 2002).
        Ucb1 = "ucb1",
    }
}

parameters! {
    /// The options of [`FlatMonteCarlo`]: what the search reads, and the parameters of the player
    /// `flat-monte-carlo`.
    #[derive(Copy)]
    pub struct Options {
        /// How playouts are shared out among the actions.
        allocation: Allocation = Allocation::Ucb1;
        /// The weight of uncertainty in UCB1, for values on a scale from 0 to 1.
        exploration: f64 = 0.5, in 0.0..=100.0;
        /// The most turns of a playout, after which its position is estimated.
        playout: u32 = 10_000;
        /// Playouts per decision where the budget sets no limit.
        iterations: u64 = 1_000, in 1..=1_000_000_000;
    }
}

/// The search and its buffers.
pub struct FlatMonteCarlo<R: Rules> {
    options: Options,
    acting: Vec<Seat>,
    joint: Vec<R::Action>,
}

/// An own action and the values of the rollouts from it.
struct Arm<A> {
    action: A,
    tally: Tally,
}

impl<R: Rules> FlatMonteCarlo<R> {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        FlatMonteCarlo { options, acting: Vec::new(), joint: Vec::new() }
    }

    /// Searches until `meter` is spent, where a rollout takes one unit, and returns the action of
    /// `seat` with the best mean; `seat` sees `observation`, and it is its turn. If only one action
    /// is offered, it is returned without any rollout.
    pub fn search(
        &mut self,
        rules: &R,
        observation: &R::Observation,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let root = rules.determinize(observation, seat, rng);
        let mut actions = Vec::new();
        rules.pruned_actions(&root, seat, &mut actions);
        // The first of equal ones wins, so they are put in random order to favour none.
        rng.shuffle(&mut actions);
        let mut utilities = Utilities::new(rules);
        let arm = |action| Arm { action, tally: Tally::default() };
        let mut arms: Vec<Arm<R::Action>> = actions.into_iter().map(arm).collect();
        let fixed = utility_range(rules);
        let mut seen = fixed.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        let mut state = root.clone();
        while arms.len() > 1 && meter.spend() {
            if rules.has_hidden_information() {
                state = rules.determinize(observation, seat, rng);
            } else {
                state.clone_from(&root);
            }
            let index = self.select(&arms, meter.spent(), seen);
            let arm = &mut arms[index];
            self.step(rules, &mut state, seat, &arm.action, rng);
            let is_over = rollout(rules, &mut state, self.options.playout, rng, &mut self.joint);
            let utilities = match is_over {
                true => utilities.of_score(rules, &state),
                false => utilities.of_estimate(rules, &state),
            };
            let value = utilities[seat.index()];
            arm.tally.add(value);
            if fixed.is_none() {
                seen = (seen.0.min(value), seen.1.max(value));
            }
        }
        // An untried arm has no mean, so it is never the greatest.
        let means = arms.iter().enumerate().map(|(index, arm)| (index, arm.tally.mean()));
        let Arm { action, tally } = arms.swap_remove(greatest(0, means));
        let value = match tally.visits {
            0 => utilities.of_estimate(rules, &root)[seat.index()],
            _ => tally.mean(),
        };
        SearchResult { action, value, depth: 1, spent: meter.spent() }
    }

    /// The arm of the `round`th rollout, counted from 1.
    fn select(&self, arms: &[Arm<R::Action>], round: u64, seen: (f64, f64)) -> usize {
        let in_turn = (round - 1) % arms.len() as u64;
        if self.options.allocation == Allocation::Uniform || round <= arms.len() as u64 {
            return in_turn as usize;
        }
        let spread = if seen.1 > seen.0 { seen.1 - seen.0 } else { 1.0 };
        let log = ln(u32::try_from(round - 1).unwrap_or(u32::MAX));
        let width = self.options.exploration * spread;
        let bounds = arms.iter().map(|arm| arm.tally.upper_bound(width, log));
        greatest(0, bounds.enumerate())
    }

    /// Plays one turn in which `seat` does `action` and the others act as in rollouts.
    fn step(
        &mut self,
        rules: &R,
        state: &mut R::State,
        seat: Seat,
        action: &R::Action,
        rng: &mut Rng,
    ) {
        let turn = rules.turn(state);
        debug_assert!(matches!(turn, Turn::Seat(_) | Turn::Simultaneous), "a seat must move");
        collect_acting(rules, state, turn, &mut self.acting);
        self.joint.clear();
        for &other in &self.acting {
            self.joint.push(match other == seat {
                true => action.clone(),
                false => rules.rollout_action(state, other, rng),
            });
        }
        rules.step(state, &self.joint);
    }
}

impl<R: Rules> Player<R> for FlatMonteCarlo<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (rules, seat, observation) =
            (decision.rules(), decision.seat(), decision.observation());
        let mut meter = decision.meter(Unit::Iterations, self.options.iterations);
        let result = self.search(rules, &observation, seat, &mut meter, decision.rng());
        Ok(result.record("iterations", decision))
    }
}
