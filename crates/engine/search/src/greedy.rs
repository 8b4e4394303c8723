//! One-step look-ahead: the action after which the position looks best by [`Rules::estimate`]. If
//! others move at the same time, it weighs their replies; if chance moves next or something is
//! hidden, it looks at several samples.
//!
//! ```
//! # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nim/mod.rs")); }
//! # use nim::Nim;
//! use quintain_core::{Rng, Seat};
//! use quintain_search::greedy::{Greedy, Options};
//!
//! // Three stones: taking all of them wins, which one step of look-ahead sees.
//! let greedy = Greedy::new(Options::default());
//! let result = greedy.search(&Nim, &(3, 0), Seat::new(0), &mut Rng::from_seed(1));
//! assert_eq!((result.action, result.value), (3, 1.0));
//! ```

use quintain_core::{Decision, Fault, Player, Rng, Rules, Seat, Turn, choices, parameters};

use crate::rollout::{collect_acting, resolve_chance};
use crate::search_result::SearchResult;
use crate::utility::Utilities;

/// If there are at most this many joint replies, all of them are evaluated; otherwise this many are
/// drawn at random.
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

parameters! {
    /// The options of [`Greedy`]: what the search reads, and the parameters of the player
    /// `greedy`.
    #[derive(Copy)]
    pub struct Options {
        /// How the replies of players that move at the same time are weighed.
        replies: Replies = Replies::Average;
        /// Positions sampled where chance moves or something is hidden.
        samples: u32 = 8, in 1..=10_000;
    }
}

/// The one-step look-ahead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy {
    options: Options,
}

impl Greedy {
    /// A look-ahead with these options.
    pub fn new(options: Options) -> Self {
        Greedy { options }
    }

    /// The best action of `seat`, which sees `observation` and whose turn it is; ties are broken at
    /// random with `rng`. [`SearchResult::spent`] counts the positions evaluated.
    pub fn search<R: Rules>(
        &self,
        rules: &R,
        observation: &R::Observation,
        seat: Seat,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let samples = if rules.has_hidden_information() || rules.has_chance() {
            self.options.samples.max(1)
        } else {
            1
        };
        let mut own = Vec::new();
        let mut totals: Vec<f64> = Vec::new();
        let mut evaluator = Evaluator { utilities: Utilities::new(rules), spent: 0 };
        for _ in 0..samples {
            let state = rules.determinize(observation, seat, rng);
            if own.is_empty() {
                rules.pruned_actions(&state, seat, &mut own);
                totals.resize(own.len(), 0.0);
            }
            let joints = joint_replies(rules, &state, seat, rng);
            for (action, total) in own.iter().zip(&mut totals) {
                *total +=
                    evaluator.evaluate(rules, &state, seat, action, &joints, &self.options, rng);
            }
        }
        let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties: Vec<usize> = (0..own.len()).filter(|&index| totals[index] == best).collect();
        let index = ties[rng.below(ties.len())];
        let value = best / f64::from(samples);
        SearchResult { action: own.swap_remove(index), value, depth: 1, spent: evaluator.spent }
    }
}

/// The joint actions of a turn, without the action of the seat that searches.
struct JointReplies<A> {
    /// The index of the own action in a joint action.
    own: usize,
    /// The actions of the other moving seats, in order of seats.
    joints: Vec<Vec<A>>,
}

/// All joint replies to `seat`, or [`REPLIES`] drawn from them.
fn joint_replies<R: Rules>(
    rules: &R,
    state: &R::State,
    seat: Seat,
    rng: &mut Rng,
) -> JointReplies<R::Action> {
    let mut seats = Vec::new();
    collect_acting(rules, state, rules.turn(state), &mut seats);
    let own = seats.iter().position(|other| *other == seat).unwrap_or(0);
    let others: Vec<Vec<R::Action>> = seats
        .iter()
        .filter(|other| **other != seat)
        .map(|other| {
            let mut actions = Vec::new();
            rules.pruned_actions(state, *other, &mut actions);
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
    JointReplies { own, joints: joints.collect() }
}

/// Evaluates own actions, and counts the positions evaluated.
struct Evaluator {
    utilities: Utilities,
    spent: u64,
}

impl Evaluator {
    /// The utility to `seat` of the position after `action`, combined over the replies.
    #[allow(clippy::too_many_arguments)]
    fn evaluate<R: Rules>(
        &mut self,
        rules: &R,
        state: &R::State,
        seat: Seat,
        action: &R::Action,
        replies: &JointReplies<R::Action>,
        options: &Options,
        rng: &mut Rng,
    ) -> f64 {
        let (mut total, mut worst) = (0.0, f64::INFINITY);
        for reply in &replies.joints {
            let mut joint = reply.clone();
            joint.insert(replies.own, action.clone());
            let mut next = state.clone();
            rules.step(&mut next, &joint);
            self.spent += 1;
            let utilities = match resolve_chance(rules, &mut next, rng) {
                Turn::Over => self.utilities.of_score(rules, &next),
                _ => self.utilities.of_estimate(rules, &next),
            };
            total += utilities[seat.index()];
            worst = worst.min(utilities[seat.index()]);
        }
        match options.replies {
            Replies::Average => total / replies.joints.len() as f64,
            Replies::Worst => worst,
        }
    }
}

impl<R: Rules> Player<R> for Greedy {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (rules, seat, observation) =
            (decision.rules(), decision.seat(), decision.observation());
        let result = self.search(rules, &observation, seat, decision.rng());
        Ok(result.record("nodes", decision))
    }
}
