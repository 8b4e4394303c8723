//! UCT for single-seat games, by several trees that vote (ensemble UCT, Fern & Lewis 2011): each tree is
//! searched alone from the same position, and the step with the most votes is played. Steps are undone on the
//! way back up the tree, or each node keeps a copy of its position; [`EnsembleResult::copies`] counts the
//! copies.
//!
//! ```
//! use quintain_core::{Meter, Rng};
//! use quintain_search::ensemble::{Options, Vote, decide};
//! use quintain_search::solitaire::Solitaire;
//!
//! /// Four digits from 0 to 2; the value is their share of the greatest sum.
//! #[derive(Clone)]
//! struct Digits(Vec<u8>);
//!
//! impl Solitaire for Digits {
//!     type Step = u8;
//!     fn steps(&mut self, out: &mut Vec<u8>) {
//!         if self.0.len() < 4 {
//!             out.extend([0, 1, 2]);
//!         }
//!     }
//!     fn step(&mut self, digit: u8) {
//!         self.0.push(digit);
//!     }
//!     fn undo(&mut self) {
//!         self.0.pop();
//!     }
//!     fn rollout(&mut self, rng: &mut Rng) -> f64 {
//!         let rest = (self.0.len()..4).map(|_| rng.below(3) as u8);
//!         Digits(self.0.iter().copied().chain(rest).collect()).value()
//!     }
//!     fn code(&self, digit: u8) -> u64 {
//!         3 * self.0.len() as u64 + u64::from(digit)
//!     }
//!     fn value(&self) -> f64 {
//!         self.0.iter().map(|digit| f64::from(*digit)).sum::<f64>() / 8.0
//!     }
//! }
//!
//! let options = Options { exploration: 0.5, trees: 3, vote: Vote::Visits, copying: false };
//! let (mut meter, mut rng) = (Meter::of(3 * 200), Rng::from_seed(1));
//! let result = decide(&mut Digits(Vec::new()), options, 200, &mut meter, &mut rng);
//! assert_eq!(result.step, Some(2));
//! // All three trees voted for it.
//! assert_eq!(result.votes[2].trees, 3);
//! ```

use quintain_core::{Meter, Rng, choices};

use crate::solitaire::Solitaire;

choices! {
    /// Which step a tree votes for.
    pub enum Vote {
        /// The one tried most often.
        Visits = "visits",
        /// The one with the best mean.
        Mean = "mean",
    }
}

/// The options of a decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The weight c of uncertainty in Q/N + c·√(2 ln N(v) / N(v′)), for values from 0 to 1.
    pub exploration: f64,
    /// The number of trees.
    pub trees: usize,
    /// Which step a tree votes for.
    pub vote: Vote,
    /// Whether every node keeps a copy of its position, instead of undoing steps. Fast programs for small
    /// positions do so; it is kept for comparison.
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
    visits: u32,
    total: f64,
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
            visits: 0,
            total: 0.0,
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

    /// The child with the greatest upper confidence bound.
    fn select(&self, at: u32, exploration: f64) -> u32 {
        let parent = &self.nodes[at as usize];
        let log = 2.0 * f64::from(parent.visits).ln();
        let mut best = (f64::NEG_INFINITY, 0);
        let mut child = parent.child;
        while child != 0 {
            let Node { visits, total, prior, sibling, .. } = self.nodes[child as usize];
            let visits = f64::from(visits);
            let bound = total / visits + exploration * (log / visits).sqrt() + prior;
            if bound > best.0 {
                best = (bound, child);
            }
            child = sibling;
        }
        best.1
    }
}

/// Decides one step by `iterations` of each tree, each of which takes a unit of `meter`. When `meter` is
/// spent, the trees decide by what they know so far. A sole step takes no iterations. The position is left as
/// it was.
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
        let mut child = tree.nodes[0].child;
        while child != 0 {
            let Node { step, visits, total, sibling, .. } = tree.nodes[child as usize];
            let index = steps.iter().position(|known| *known == step).expect("a known step");
            let mean = total / f64::from(visits);
            means[index] += mean;
            result.votes[index].visits += visits;
            let rank = match options.vote {
                Vote::Visits => (f64::from(visits), mean),
                Vote::Mean => (mean, f64::from(visits)),
            };
            if best.is_none_or(|(known, _)| rank > known) {
                best = Some((rank, index));
            }
            child = sibling;
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

/// Searches one tree. `any` is an arbitrary step that fills the root's field, as no step leads to the root.
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
    let mut copy: Option<P> = None;
    for _ in 0..iterations {
        if !meter.spend() {
            break;
        }
        path.clear();
        path.push(0u32);
        let mut at = 0u32;
        let value = {
            // With copies, the descent reads the copy of the node in which it ends.
            let position = match &mut copy {
                _ if !options.copying => &mut *position,
                copy => copy.insert(tree.positions[0].clone()),
            };
            loop {
                if !tree.nodes[at as usize].is_expanded {
                    let mut untried = Vec::new();
                    position.steps(&mut untried);
                    rng.shuffle(&mut untried);
                    tree.nodes[at as usize].untried = untried;
                    tree.nodes[at as usize].is_expanded = true;
                }
                if let Some(step) = tree.nodes[at as usize].untried.pop() {
                    position.step(step);
                    let child = tree.add(step, position, options.copying);
                    tree.nodes[child as usize].sibling = tree.nodes[at as usize].child;
                    tree.nodes[at as usize].child = child;
                    path.push(child);
                    break position.rollout(rng);
                }
                let child = tree.select(at, options.exploration);
                if child == 0 {
                    break position.value();
                }
                if options.copying {
                    position.clone_from(&tree.positions[child as usize]);
                } else {
                    position.step(tree.nodes[child as usize].step);
                }
                path.push(child);
                at = child;
            }
        };
        if !options.copying {
            for _ in 1..path.len() {
                position.undo();
            }
        }
        for node in &path {
            tree.nodes[*node as usize].visits += 1;
            tree.nodes[*node as usize].total += value;
        }
    }
    tree
}
