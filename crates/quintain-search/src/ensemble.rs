//! UCT for single-seat games, by several trees that vote (ensemble UCT, Fern & Lewis
//! 2011): each tree is searched alone from the same position, and the step that most of
//! them would play is played. Positions are undone along the tree; or each node keeps a
//! copy, which costs what [`Decided::copies`] tells.

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

/// The settings of a decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// c of Q/N + c·√(2 ln N(v) / N(v′)).
    pub exploration: f64,
    /// Trees.
    pub trees: usize,
    /// Which step a tree votes for.
    pub vote: Vote,
    /// Every node keeps its position.
    pub copying: bool,
}

/// What was decided, and how.
#[derive(Clone, Debug)]
pub struct Decided<S> {
    /// The step; none where the game has ended.
    pub step: Option<S>,
    /// The steps on offer, with the trees that voted for them and their visits.
    pub votes: Vec<(S, u32, u32)>,
    /// Nodes over all trees.
    pub nodes: usize,
    /// Positions copied.
    pub copies: usize,
}

struct Node<S> {
    step: S,
    visits: u32,
    total: f64,
    prior: f64,
    /// The first child and the next sibling; 0 is none, as the root is nobody's child.
    child: u32,
    sibling: u32,
    /// Steps not tried yet.
    untried: Vec<S>,
    is_open: bool,
}

struct Tree<P: Solitaire> {
    nodes: Vec<Node<P::Step>>,
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
            is_open: false,
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

/// One decision: `iterations` for each tree, each a unit of `meter`.
pub fn decide<P: Solitaire>(
    position: &mut P,
    options: Options,
    iterations: u64,
    meter: &mut Meter,
    rng: &mut Rng,
) -> Decided<P::Step> {
    let mut steps = Vec::new();
    position.steps(&mut steps);
    let mut decided = Decided {
        step: steps.first().copied(),
        votes: steps.iter().map(|step| (*step, 0, 0)).collect(),
        nodes: 0,
        copies: 0,
    };
    if steps.len() < 2 {
        return decided;
    }
    let mut means = vec![0.0; steps.len()];
    for _ in 0..options.trees {
        let tree = search(position, steps[0], options, iterations, meter, rng);
        decided.nodes += tree.nodes.len();
        decided.copies += tree.positions.len();
        let mut best: Option<((f64, f64), usize)> = None;
        let mut child = tree.nodes[0].child;
        while child != 0 {
            let Node { step, visits, total, sibling, .. } = tree.nodes[child as usize];
            let index = steps.iter().position(|known| *known == step).expect("a known step");
            let mean = total / f64::from(visits);
            means[index] += mean;
            decided.votes[index].2 += visits;
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
            decided.votes[index].1 += 1;
        }
    }
    // Among steps with as many votes, the better mean over all trees.
    let rank = |index: &usize| (f64::from(decided.votes[*index].1), means[*index]);
    let best = (0..steps.len()).max_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("finite"));
    decided.step = best.map(|index| steps[index]);
    decided
}

/// One tree.
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
            // With copies, the walk down reads the copy of the node it ends in.
            let position = match &mut copy {
                _ if !options.copying => &mut *position,
                copy => copy.insert(tree.positions[0].clone()),
            };
            loop {
                if !tree.nodes[at as usize].is_open {
                    let mut untried = Vec::new();
                    position.steps(&mut untried);
                    rng.shuffle(&mut untried);
                    tree.nodes[at as usize].untried = untried;
                    tree.nodes[at as usize].is_open = true;
                }
                if let Some(step) = tree.nodes[at as usize].untried.pop() {
                    position.step(step);
                    let child = tree.add(step, position, options.copying);
                    tree.nodes[child as usize].sibling = tree.nodes[at as usize].child;
                    tree.nodes[at as usize].child = child;
                    path.push(child);
                    break position.playout(rng);
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
