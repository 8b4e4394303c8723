//! One-step look-ahead: the action after which the position looks best by
//! [`Rules::estimate`]. Where others move at the same time, it weighs their replies;
//! where chance moves next or something is hidden, it looks at several samples.

use quintain_core::{Decision, Fault, Player, Rng, Rules, Seat, Turn, choices};

use crate::found::SearchResult;
use crate::playout::{acting, settle};
use crate::worth::Worth;

/// Joint replies are all looked at up to this many; above, as many are drawn.
const REPLIES: usize = 64;

choices! {
    /// How the replies of others to one action are weighed.
    pub enum Replies {
        /// By their average.
        Average = "average",
        /// By the worst of them.
        Worst = "worst",
    }
}

/// The settings of the look-ahead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// How simultaneous replies are weighed.
    pub replies: Replies,
    /// Samples where chance moves or something is hidden.
    pub samples: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { replies: Replies::Average, samples: 8 }
    }
}

/// The look-ahead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy {
    options: Options,
}

impl Greedy {
    /// A look-ahead with these settings.
    pub fn new(options: Options) -> Self {
        Greedy { options }
    }

    /// The best action of `seat`, which sees `observation` and must move; of equals
    /// one drawn from `rng`. What is spent is positions looked at.
    pub fn search<R: Rules>(
        &self,
        game: &R,
        observation: &R::Observation,
        seat: Seat,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let samples = if game.has_hidden_information() || game.has_chance() {
            self.options.samples.max(1)
        } else {
            1
        };
        let mut own = Vec::new();
        let mut totals: Vec<f64> = Vec::new();
        let mut look = Look { worth: Worth::new(game), spent: 0 };
        for _ in 0..samples {
            let state = game.determinize(observation, seat, rng);
            if own.is_empty() {
                game.pruned_actions(&state, seat, &mut own);
                totals.resize(own.len(), 0.0);
            }
            let joints = replies(game, &state, seat, rng);
            for (action, total) in own.iter().zip(&mut totals) {
                // What is hidden may forbid the action in one sample or another.
                if samples == 1 || game.check(&state, seat, action).is_ok() {
                    *total += look.ahead(game, &state, seat, action, &joints, self.options, rng);
                }
            }
        }
        let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties: Vec<usize> = (0..own.len()).filter(|&index| totals[index] == best).collect();
        let index = ties[rng.below(ties.len())];
        let value = best / f64::from(samples);
        SearchResult { action: own.swap_remove(index), value, depth: 1, spent: look.spent }
    }
}

/// The joint actions of a turn with `seat`'s own left open (its place and the rest).
struct Joints<A> {
    own: usize,
    joints: Vec<Vec<A>>,
}

/// All joint replies to `seat`, or a sample of them.
fn replies<R: Rules>(game: &R, state: &R::State, seat: Seat, rng: &mut Rng) -> Joints<R::Action> {
    let mut seats = Vec::new();
    acting(game, state, game.turn(state), &mut seats);
    let own = seats.iter().position(|other| *other == seat).unwrap_or(0);
    let others: Vec<Vec<R::Action>> = seats
        .iter()
        .filter(|other| **other != seat)
        .map(|other| {
            let mut actions = Vec::new();
            game.pruned_actions(state, *other, &mut actions);
            actions
        })
        .collect();
    let count =
        others.iter().fold(1usize, |product, actions| product.saturating_mul(actions.len()));
    let joints = (0..count.min(REPLIES)).map(|index| {
        let mut rest = index;
        let pick = |actions: &Vec<R::Action>| {
            let choice = match count > REPLIES {
                true => rng.below(actions.len()),
                false => {
                    let choice = rest % actions.len();
                    rest /= actions.len();
                    choice
                }
            };
            actions[choice].clone()
        };
        others.iter().map(pick).collect()
    });
    Joints { own, joints: joints.collect() }
}

struct Look {
    worth: Worth,
    spent: u64,
}

impl Look {
    /// How the position looks to `seat` after `action`, over the replies.
    #[allow(clippy::too_many_arguments)]
    fn ahead<R: Rules>(
        &mut self,
        game: &R,
        state: &R::State,
        seat: Seat,
        action: &R::Action,
        replies: &Joints<R::Action>,
        options: Options,
        rng: &mut Rng,
    ) -> f64 {
        let (mut total, mut worst) = (0.0, f64::INFINITY);
        for reply in &replies.joints {
            let mut joint = reply.clone();
            joint.insert(replies.own, action.clone());
            let mut next = state.clone();
            game.step(&mut next, &joint);
            self.spent += 1;
            let worths = match settle(game, &mut next, rng) {
                Turn::Over => self.worth.by_score(game, &next),
                _ => self.worth.by_estimate(game, &next),
            };
            total += worths[seat.index()];
            worst = worst.min(worths[seat.index()]);
        }
        match options.replies {
            Replies::Average => total / replies.joints.len() as f64,
            Replies::Worst => worst,
        }
    }
}

impl<R: Rules> Player<R> for Greedy {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (game, seat, observation) = (decision.rules(), decision.seat(), decision.observation());
        let found = self.search(game, &observation, seat, decision.rng());
        Ok(found.noted("nodes", decision))
    }
}
