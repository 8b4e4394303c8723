//! UCT for single-seat games, by several trees that vote (ensemble UCT, Fern & Lewis 2011): each
//! tree is searched alone from the same position, and the step with the most votes is played. Steps
//! are undone on the way back up the tree, or each node keeps a copy of its position;
//! [`EnsembleResult::copies`] counts the copies.
//!
//! ```
//! # mod digits { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digits/mod.rs")); }
//! # use digits::Digits;
//! use quintain_core::{Meter, Rng};
//! use quintain_search::ensemble::{Choice, Options, decide};
//!
//! // Four digits from 0 to 2; the value is their share of the greatest sum.
//! let options = Options { exploration: 0.5, trees: 3, vote: Choice::Visits, copying: false };
//! let (mut meter, mut rng) = (Meter::of(3 * 200), Rng::from_seed(1));
//! let result = decide(&mut Digits(Vec::new()), options, 200, &mut meter, &mut rng);
//! assert_eq!(result.step, Some(2));
//! // All three trees voted for it.
//! assert_eq!(result.votes[2].trees, 3);
//! ```

use quintain_core::{Meter, Rng};

use crate::arms::{Tally, greatest};
use crate::solitaire::Solitaire;

pub use crate::arms::Choice;

/// The options of a decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The weight c of uncertainty in Q/N + c·√(2 ln N(v) / N(v′)), for values from 0 to 1.
    pub exploration: f64,
    /// The number of trees.
    pub trees: usize,
    /// Which step a tree votes for.
    pub vote: Choice,
    /// Whether every node keeps a copy of its position, instead of undoing steps. Fast programs for
    /// small positions do so; it is kept for comparison.
    pub copying: bool,
}

/// What the trees decided.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnsembleResult<S> {
    /// The step to play; none if the game has ended.
    pub step: Option<S>,
    /// The votes for each step on offer, in the order of [`Solitaire::steps`].
    pub votes: Vec<StepVotes<S>>,
    /// The number of nodes of all trees.
    pub nodes: usize,
    /// The number of positions copied.
    pub copies: usize,
}

/// The support for one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepVotes<S> {
    /// The step.
    pub step: S,
    /// The number of trees that voted for it.
    pub trees: u32,
    /// How often it was visited, over all trees.
    pub visits: u32,
}

/// A node, and the step that leads to it. Children form a linked list.
struct Node<S> {
    step: S,
    tally: Tally,
    prior: f64,
    /// The first child, and the next sibling; 0 means none, as the root is not a child.
    child: u32,
    sibling: u32,
    /// Steps not tried yet.
    untried: Vec<S>,
    /// Whether `untried` has been filled.
    is_expanded: bool,
}

struct Tree<P: Solitaire> {
    nodes: Vec<Node<P::Step>>,
    /// A position for each node, if positions are copied; otherwise empty.
    positions: Vec<P>,
}

impl<P: Solitaire> Tree<P> {
    /// Adds the node of the position reached by `step`.
    fn add(&mut self, step: P::Step, position: &mut P, copying: bool) -> u32 {
        let prior = position.prior();
        self.nodes.push(Node {
            step,
            tally: Tally::default(),
            prior,
            child: 0,
            sibling: 0,
            untried: Vec::new(),
            is_expanded: false,
        });
        if copying {
            self.positions.push(position.clone());
        }
        self.nodes.len() as u32 - 1
    }

    /// Adds the node of the position reached by `step` from the node `at`.
    fn add_child(&mut self, at: u32, step: P::Step, position: &mut P, copying: bool) -> u32 {
        let child = self.add(step, position, copying);
        let sibling = std::mem::replace(&mut self.nodes[at as usize].child, child);
        self.nodes[child as usize].sibling = sibling;
        child
    }

    /// The children of a node with their indices, the last one added first.
    fn children(&self, at: u32) -> impl Iterator<Item = (u32, &Node<P::Step>)> {
        let node = |index: u32| (index != 0).then(|| (index, &self.nodes[index as usize]));
        std::iter::successors(node(self.nodes[at as usize].child), move |(_, child)| {
            node(child.sibling)
        })
    }

    /// The child with the greatest upper confidence bound, or 0 if there is none.
    fn select(&self, at: u32, exploration: f64) -> u32 {
        let log = 2.0 * f64::from(self.nodes[at as usize].tally.visits).ln();
        let bound = |node: &Node<_>| node.tally.upper_bound(exploration, log) + node.prior;
        greatest(0, self.children(at).map(|(index, child)| (index, bound(child))))
    }

    /// Takes a step from node `at` that was not tried there, if one is left. The first call lists
    /// the steps in random order.
    fn take_untried(&mut self, at: u32, position: &mut P, rng: &mut Rng) -> Option<P::Step> {
        let node = &mut self.nodes[at as usize];
        if !node.is_expanded {
            position.steps(&mut node.untried);
            rng.shuffle(&mut node.untried);
            node.is_expanded = true;
        }
        node.untried.pop()
    }

    /// Descends from the root, where `position` is, to a step not tried before, and returns the
    /// value of a rollout from there; or, if the game ends first, that of its end. `path` becomes
    /// the nodes passed.
    fn descend(
        &mut self,
        position: &mut P,
        options: Options,
        path: &mut Vec<u32>,
        rng: &mut Rng,
    ) -> f64 {
        path.clear();
        path.push(0);
        let mut at = 0;
        loop {
            if let Some(step) = self.take_untried(at, position, rng) {
                position.step(step);
                path.push(self.add_child(at, step, position, options.copying));
                return position.rollout(rng);
            }
            at = self.select(at, options.exploration);
            if at == 0 {
                return position.value();
            }
            if options.copying {
                position.clone_from(&self.positions[at as usize]);
            } else {
                position.step(self.nodes[at as usize].step);
            }
            path.push(at);
        }
    }
}

/// Decides one step by `iterations` of each tree, each of which takes a unit of `meter`. When
/// `meter` is spent, the trees decide by what they know so far. A sole step takes no iterations.
/// The position is left as it was.
pub fn decide<P: Solitaire>(
    position: &mut P,
    options: Options,
    iterations: u64,
    meter: &mut Meter,
    rng: &mut Rng,
) -> EnsembleResult<P::Step> {
    let mut steps = Vec::new();
    position.steps(&mut steps);
    let mut result = EnsembleResult {
        step: steps.first().copied(),
        votes: steps.iter().map(|&step| StepVotes { step, trees: 0, visits: 0 }).collect(),
        nodes: 0,
        copies: 0,
    };
    if steps.len() < 2 {
        return result;
    }
    let mut means = vec![0.0; steps.len()];
    for _ in 0..options.trees {
        let tree = search(position, steps[0], options, iterations, meter, rng);
        result.nodes += tree.nodes.len();
        result.copies += tree.positions.len();
        let mut best: Option<((f64, f64), usize)> = None;
        for (_, Node { step, tally, .. }) in tree.children(0) {
            let index = steps.iter().position(|known| known == step).expect("a known step");
            means[index] += tally.mean();
            result.votes[index].visits += tally.visits;
            let rank = options.vote.rank(tally.visits, tally.mean());
            if best.is_none_or(|(known, _)| rank > known) {
                best = Some((rank, index));
            }
        }
        if let Some((_, index)) = best {
            result.votes[index].trees += 1;
        }
    }
    // Among steps with equal votes, the one with the better mean over all trees wins.
    let rank = |index: &usize| (f64::from(result.votes[*index].trees), means[*index]);
    let best = (0..steps.len()).max_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("finite"));
    result.step = best.map(|index| steps[index]);
    result
}

/// Searches one tree. `any` is an arbitrary step that fills the root's field, as no step leads to
/// the root.
fn search<P: Solitaire>(
    position: &mut P,
    any: P::Step,
    options: Options,
    iterations: u64,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Tree<P> {
    let mut tree = Tree { nodes: Vec::new(), positions: Vec::new() };
    tree.add(any, position, options.copying);
    let mut path = Vec::new();
    // With copies, a descent moves a copy of the root, and what it passes is read from the nodes'
    // own.
    let mut copy = options.copying.then(|| position.clone());
    for _ in 0..iterations {
        if !meter.spend() {
            break;
        }
        let value = match &mut copy {
            Some(copy) => {
                copy.clone_from(&tree.positions[0]);
                tree.descend(copy, options, &mut path, rng)
            }
            None => {
                let value = tree.descend(position, options, &mut path, rng);
                path[1..].iter().for_each(|_| position.undo());
                value
            }
        };
        for node in &path {
            tree.nodes[*node as usize].tally.add(value);
        }
    }
    tree
}
