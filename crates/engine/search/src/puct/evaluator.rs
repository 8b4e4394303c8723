//! What PUCT asks about a position, and what answers it: priors over the actions of every seat that
//! moves, and a value for every seat. Networks answer in batches; [`Estimates`] answers for a game
//! without a network.

use quintain_core::{Rng, Rules, Seat};

use crate::rollout::rollout;
use crate::utility::Utilities;

/// The actions of one seat that moves in a position, and how likely each is to be good.
#[derive(Clone, PartialEq, Debug)]
pub struct SeatChoice<A> {
    /// The seat that moves.
    pub seat: Seat,
    /// Its possible actions.
    pub actions: Vec<A>,
    /// A logit for each action: their softmax is the prior. All are 0 until the leaf is evaluated.
    pub logits: Vec<f32>,
}

/// A position to be evaluated. The search fills in the position, the seats that move and their
/// actions; a [`PriorEvaluator`] fills in logits and values.
#[derive(Clone, Debug)]
pub struct Leaf<R: Rules> {
    /// The position.
    pub state: R::State,
    /// The seats that move, in order.
    pub choices: Vec<SeatChoice<R::Action>>,
    /// The expected utility of each seat, in units of the score: its sign turned so that more is
    /// better, minus the best rival's if seats are rivals.
    pub values: Vec<f64>,
    /// Whether the search has asked about the position before, or will again.
    pub look: Look,
    /// The nodes and arms from the root to here.
    pub(super) path: Vec<(u32, u32)>,
    /// Where the position is attached.
    pub(super) slot: u64,
    /// The number of turns from the root to here.
    pub(super) depth: u32,
}

/// How often an evaluator is asked about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Once: the evaluator has no [second look](PriorEvaluator::second_look), or this is the root.
    Only,
    /// For the first time, when a cheap guess will do.
    First,
    /// For the second and last time.
    Second,
}

impl<R: Rules> Leaf<R> {
    /// Makes the values of two rivals each other's negatives: by the mover's value if one seat
    /// moves, otherwise by half of their difference.
    ///
    /// # Panics
    /// If there are not two seats.
    pub fn balance(&mut self) {
        if let [only] = &self.choices[..] {
            let own = only.seat.index();
            self.values[1 - own] = -self.values[own];
        } else {
            let half = (self.values[0] - self.values[1]) / 2.0;
            self.values.copy_from_slice(&[half, -half]);
        }
    }
}

/// Supplies priors and values of positions.
pub trait PriorEvaluator<R: Rules> {
    /// Appends the actions of `seat` that the search considers, at least one. By default these are
    /// the ones that searches expand.
    fn actions(&self, rules: &R, state: &R::State, seat: Seat, out: &mut Vec<R::Action>) {
        rules.pruned_actions(state, seat, out);
    }

    /// The range of utilities in which its values lie, if it knows a better one than the rules. The
    /// rules' bounds may be far beyond what happens, and then all values would look alike.
    fn range(&self) -> Option<(f64, f64)> {
        None
    }

    /// After how many visits a position is evaluated a second time, with new priors for the visits
    /// that follow; 0 if the first evaluation is as good as any. Most positions of a tree are
    /// visited once or twice, so an expensive evaluator saves much by guessing at first.
    fn second_look(&self) -> u32 {
        0
    }

    /// Fills in the logits of all choices and the values of all leaves. The same leaf gets the same
    /// answer in whatever batch it comes.
    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]);

    /// Why some position could not be evaluated since the last call, if that happened. What a
    /// search found in the meantime is then worthless.
    fn failure(&mut self) -> Option<String> {
        None
    }
}

/// The evaluator of a game without a network: all actions are equally likely, and a position is
/// worth the rules' [estimate](Rules::estimate).
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates;

impl<R: Rules> PriorEvaluator<R> for Estimates {
    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]) {
        let mut utilities = Utilities::new(rules);
        for leaf in leaves {
            leaf.values.copy_from_slice(utilities.of_estimate(rules, &leaf.state));
        }
    }
}

/// The evaluator of a game that is to be learned from scratch: all actions are equally likely, and
/// a position is worth the result of one rollout from it. The position's own key is the rollout's
/// seed, so that the position is worth the same whenever it is met.
#[derive(Clone, Copy, Debug)]
pub struct Rollouts {
    /// Turns of a rollout before the position is estimated.
    pub limit: u32,
}

impl<R: Rules> PriorEvaluator<R> for Rollouts {
    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]) {
        let mut utilities = Utilities::new(rules);
        let mut joint = Vec::new();
        for leaf in leaves {
            let (mut state, mut rng) = (leaf.state.clone(), Rng::from_seed(rules.key(&leaf.state)));
            let values = match rollout(rules, &mut state, self.limit, &mut rng, &mut joint) {
                true => utilities.of_score(rules, &state),
                false => utilities.of_estimate(rules, &state),
            };
            leaf.values.copy_from_slice(values);
        }
    }
}
