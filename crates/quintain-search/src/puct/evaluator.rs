//! What PUCT asks of a position, and what answers: priors over the actions of every seat that moves,
//! and a value for every seat. Networks answer in batches; [`Estimates`] is the answer of a game that
//! has none.

use quintain_core::{Rng, Rules, Seat};

use crate::rollout::rollout;
use crate::utility::Utilities;

/// The actions of one seat that moves in a position, and how likely each is to be good.
#[derive(Clone, PartialEq, Debug)]
pub struct SeatChoice<A> {
    /// Who moves.
    pub seat: Seat,
    /// What it may do.
    pub actions: Vec<A>,
    /// A logit for each: the softmax of them is the prior. All 0 until they are evaluated.
    pub logits: Vec<f32>,
}

/// A position to be evaluated. The search fills in the position and who may do what in it; an
/// [`PriorEvaluator`] fills in logits and values.
#[derive(Clone, Debug)]
pub struct Leaf<R: Rules> {
    /// The position.
    pub state: R::State,
    /// The seats that move, in order.
    pub choices: Vec<SeatChoice<R::Action>>,
    /// The expected utility of each seat, in units of the score: its sign turned so that more is
    /// better, less the best rival's where seats are rivals.
    pub values: Vec<f64>,
    /// The nodes and arms from the root to here.
    pub(super) path: Vec<(u32, u32)>,
    /// What the position hangs on.
    pub(super) slot: u64,
    /// Turns from the root to here.
    pub(super) depth: u32,
}

/// Tells priors and values of positions.
pub trait PriorEvaluator<R: Rules> {
    /// Appends the actions of `seat` that the search considers: at least one. Unless an evaluator
    /// says otherwise, those that searches expand.
    fn actions(&self, rules: &R, state: &R::State, seat: Seat, out: &mut Vec<R::Action>) {
        rules.pruned_actions(state, seat, out);
    }

    /// The utilities between which its values lie, if it knows better than the rules: their bounds may be
    /// far beyond what happens, and then all values would look alike.
    fn range(&self) -> Option<(f64, f64)> {
        None
    }

    /// Fills in the logits of all choices and the values of all leaves. The same leaf gets the same
    /// answer in whatever batch it stands.
    fn evaluate(&mut self, rules: &R, leaves: &mut [Leaf<R>]);

    /// Why some position could not be evaluated since this was asked last, if that happened. What a
    /// search found meanwhile is worth nothing.
    fn failure(&mut self) -> Option<String> {
        None
    }
}

/// The evaluator of a game without a network: all actions are equally likely, and a position is worth
/// what the rules [estimate](Rules::estimate).
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

/// The evaluator of a game that is to be learned from nothing: all actions are equally likely, and a
/// position is worth what one rollout from it comes to. The position's own key is the seed of it, so
/// that it is worth the same whenever it is met.
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
