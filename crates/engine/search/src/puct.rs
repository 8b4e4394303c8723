//! PUCT: Monte Carlo tree search guided by a policy and a value instead of rollouts (Rosin 2011;
//! Silver et al. 2018), for every game that [`Rules`] can express. The [`PriorEvaluator`] supplies
//! priors and values: from a network, or from the rules' own estimate.
//!
//! - simultaneous moves are decoupled: each seat chooses among its own actions as if alone, and the
//!   tree branches by joint action;
//! - chance is sampled on every descent, and hidden information determinized (open loop), as in
//!   [UCT](crate::uct);
//! - an expensive evaluator may guess at first, and evaluate a position once it has been visited
//!   some times ([`PriorEvaluator::second_look`]);
//! - several leaves may be evaluated at once: a pending descent counts as lost until its value is
//!   known (virtual loss);
//! - if the rules do not bound the score, values are scaled from the worst to the best seen in this
//!   search; if their bounds are far beyond what happens, an evaluator may give narrower ones;
//! - if seats move one after another and nothing is hidden, what finished games prove is kept as
//!   certain, and a search ends when its root is decided ([`Options::proofs`]);
//! - the root can distribute its visits by sequential halving over Gumbel's draws, which needs few
//!   simulations ([`Root::Gumbel`]), and can carry Dirichlet noise for self-play.
//!
//! A search can be driven from outside, one leaf at a time ([`Puct::begin`], [`Puct::descend`],
//! [`Puct::back_up`]), so that many matches can share one batch of a network.
//!
//! ```
//! # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nim/mod.rs")); }
//! # use nim::Nim;
//! use quintain_core::{Meter, Rng, Seat};
//! use quintain_search::puct::{Estimates, Options, Puct};
//!
//! // Seven stones: take three, and whatever the other takes of four, the rest is ours.
//! let mut puct = Puct::new(Options::default());
//! let (observation, seat) = ((7, 0), Seat::new(0));
//! let (mut meter, mut rng) = (Meter::of(500), Rng::from_seed(1));
//! let result = puct.search(&Nim, &observation, seat, &mut Estimates, &mut meter, &mut rng);
//! // Here the search has seen all there is before its simulations are spent.
//! assert!(result.action == 3 && result.spent <= 500);
//! ```

mod evaluator;
mod options;
mod tree;

use quintain_core::{Meter, Rng, Rules, Scoring, Seat, Turn, key_of};

use crate::rollout::{collect_acting, resolve_chance};
use crate::search_result::SearchResult;
use crate::utility::{Utilities, utility_range};
use tree::Tree;

pub use evaluator::{Estimates, Leaf, Look, PriorEvaluator, Rollouts, SeatChoice};
pub use options::{Options, Root};

/// What a search learned about one seat's decision at its root.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Policy<A> {
    /// The seat that moves.
    pub seat: Seat,
    /// Its possible actions.
    pub actions: Vec<A>,
    /// How often each action was tried.
    pub visits: Vec<u32>,
    /// How good each action is, as shares that sum to 1: what a policy should learn.
    pub shares: Vec<f64>,
    /// The expected utility of the position to the seat.
    pub value: f64,
}

/// The search. Nothing that it learned is kept between decisions.
pub struct Puct<R: Rules> {
    tree: Tree<R::Action>,
    root: Option<Start<R>>,
    acting: Vec<Seat>,
    joint: Vec<R::Action>,
    actions: Vec<R::Action>,
    deepest: u32,
}

/// The root of a search.
struct Start<R: Rules> {
    observation: R::Observation,
    seat: Seat,
    state: R::State,
    simulations: u64,
    is_open: bool,
    /// Whether a finished game proves something about the positions above it.
    proves: bool,
}

impl<R: Rules> Puct<R> {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        Puct {
            tree: Tree::new(options),
            root: None,
            acting: Vec::new(),
            joint: Vec::new(),
            actions: Vec::new(),
            deepest: 0,
        }
    }

    /// Searches until `meter` is spent, where a simulation takes one unit (the evaluation of the
    /// root takes none), and returns the best action of `seat`, which sees `observation`. If only
    /// one action is considered, it is returned without any simulation.
    ///
    /// # Panics
    /// If it is not the turn of `seat`.
    pub fn search(
        &mut self,
        rules: &R,
        observation: &R::Observation,
        seat: Seat,
        evaluator: &mut impl PriorEvaluator<R>,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let simulations = meter.left().min(self.tree.options.simulations.max(1));
        self.begin(rules, observation, seat, simulations, rng);
        let mut leaves = Vec::new();
        leaves.extend(self.descend(rules, evaluator, rng));
        let own = leaves[0].choices.iter().find(|choice| choice.seat == seat);
        let own = &own.expect("it is the seat's turn").actions;
        let only = (own.len() == 1).then(|| own[0].clone());
        evaluator.evaluate(rules, &mut leaves);
        if let Some(action) = only {
            let value = leaves[0].values[seat.index()];
            return SearchResult { action, value, depth: 0, spent: 0 };
        }
        while let Some(leaf) = leaves.pop() {
            self.back_up(leaf, rng);
        }
        let batch = self.tree.options.leaves;
        let mut goes_on = true;
        while goes_on {
            for _ in 0..batch {
                goes_on = meter.spend();
                if !goes_on {
                    break;
                }
                leaves.extend(self.descend(rules, evaluator, rng));
            }
            if !leaves.is_empty() {
                evaluator.evaluate(rules, &mut leaves);
            }
            for leaf in leaves.drain(..) {
                self.back_up(leaf, rng);
            }
            if self.tree.is_decided(self.own_node()) {
                break;
            }
        }
        let own = self.own_node();
        let best = self.tree.best(own);
        let value = best.mean().unwrap_or_else(|| self.tree.nodes[own as usize].value());
        let action = best.action.clone();
        SearchResult { action, value, depth: self.deepest, spent: meter.spent() }
    }

    /// Begins a search for `seat`, which sees `observation`. `simulations` is the number of planned
    /// descents; a root by Gumbel distributes them.
    pub fn begin(
        &mut self,
        rules: &R,
        observation: &R::Observation,
        seat: Seat,
        simulations: u64,
        rng: &mut Rng,
    ) {
        let state = rules.determinize(observation, seat, rng);
        let is_open = rules.has_hidden_information() || rules.has_chance();
        let are_rivals = rules.seats() == 2 && rules.scoring() == Scoring::Adversarial;
        let proves = self.tree.options.proofs && !is_open && (rules.seats() == 1 || are_rivals);
        self.tree.clear(utility_range(rules));
        self.deepest = 0;
        let observation = observation.clone();
        self.root = Some(Start { observation, seat, state, simulations, is_open, proves });
    }

    /// Descends the tree once, to a position that has to be evaluated, which is returned. If the
    /// descent ends in a finished game, its value is backed up at once and nothing is returned. The
    /// first descent returns the root, and no other may begin until that is backed up.
    ///
    /// # Panics
    /// If no search has begun.
    pub fn descend(
        &mut self,
        rules: &R,
        evaluator: &impl PriorEvaluator<R>,
        rng: &mut Rng,
    ) -> Option<Leaf<R>> {
        let root = self.root.as_ref().expect("a search was begun");
        let (is_open, proves) = (root.is_open, root.proves);
        let mut state = match rules.has_hidden_information() && !self.tree.nodes.is_empty() {
            true => rules.determinize(&root.observation, root.seat, rng),
            false => root.state.clone(),
        };
        let mut path = Vec::new();
        if self.tree.nodes.is_empty() {
            if let Some(range) = evaluator.range() {
                self.tree.narrow(range);
            }
            let turn = rules.turn(&state);
            return Some(self.leaf(rules, evaluator, state, turn, path, 0, 0));
        }
        let second_look = evaluator.second_look();
        let (mut at, mut depth) = (0, 0);
        loop {
            let before = path.len();
            self.choose(rules, evaluator, at, &state, is_open, &mut path);
            if proves && let Some((seat, proven)) = self.proven_end(&path) {
                for &(node, arm) in path.iter().rev() {
                    let own = self.tree.nodes[node as usize].seat;
                    self.tree.update(node, arm, if own == seat { proven } else { -proven });
                }
                return None;
            }
            rules.step(&mut state, &self.joint);
            depth += 1;
            let turn = resolve_chance(rules, &mut state, rng);
            if turn == Turn::Over {
                self.deepest = self.deepest.max(depth);
                let mut utilities = Utilities::new(rules);
                let values = utilities.of_score(rules, &state);
                for &(node, arm) in path.iter().rev() {
                    let seat = self.tree.nodes[node as usize].seat;
                    self.tree.update(node, arm, values[seat.index()]);
                }
                if proves && let Some(&(last, _)) = path.last() {
                    let seat = self.tree.nodes[last as usize].seat;
                    self.tree.prove(&path, values[seat.index()]);
                }
                return None;
            }
            // Chance may let other seats move next; that is another node.
            collect_acting(rules, &state, turn, &mut self.acting);
            let movers: &[Seat] = if is_open { &self.acting } else { &[] };
            let slot = key_of(&(at, &path[before..], movers));
            match self.tree.children.get(&slot) {
                Some(child) => at = *child,
                None => {
                    let leaf = self.leaf(rules, evaluator, state, turn, path, slot, depth);
                    let look = if second_look > 0 { Look::First } else { Look::Only };
                    return Some(Leaf { look, ..leaf });
                }
            }
            if self.tree.is_due(at, second_look) {
                let leaf = self.leaf(rules, evaluator, state, turn, path, slot, depth);
                return Some(Leaf { look: Look::Second, ..leaf });
            }
        }
    }

    /// The proven worth of the last arm of a path, and the seat for which it holds.
    fn proven_end(&self, path: &[(u32, u32)]) -> Option<(Seat, f64)> {
        let &(node, arm) = path.last()?;
        let node = &self.tree.nodes[node as usize];
        Some((node.seat, node.arms[arm as usize].proven?))
    }

    /// Chooses an arm for every seat that moves in the position at node `at`, each for itself, and
    /// puts them on the path and their actions into `self.joint`.
    fn choose(
        &mut self,
        rules: &R,
        evaluator: &impl PriorEvaluator<R>,
        at: u32,
        state: &R::State,
        is_open: bool,
        path: &mut Vec<(u32, u32)>,
    ) {
        self.joint.clear();
        let mut node = at;
        loop {
            self.actions.clear();
            if is_open {
                let seat = self.tree.nodes[node as usize].seat;
                evaluator.actions(rules, state, seat, &mut self.actions);
            }
            let arm = self.tree.select(node, is_open.then_some(&self.actions[..]));
            self.tree.enter(node, arm);
            path.push((node, arm));
            let chosen = &self.tree.nodes[node as usize];
            self.joint.push(chosen.arms[arm as usize].action.clone());
            if !chosen.has_sibling {
                return;
            }
            node += 1;
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn leaf(
        &mut self,
        rules: &R,
        evaluator: &impl PriorEvaluator<R>,
        state: R::State,
        turn: Turn,
        path: Vec<(u32, u32)>,
        slot: u64,
        depth: u32,
    ) -> Leaf<R> {
        collect_acting(rules, &state, turn, &mut self.acting);
        let choices = self.acting.iter().map(|&seat| {
            let mut actions = Vec::new();
            evaluator.actions(rules, &state, seat, &mut actions);
            let logits = vec![0.0; actions.len()];
            SeatChoice { seat, actions, logits }
        });
        let choices = choices.collect();
        let values = vec![0.0; rules.seats()];
        Leaf { state, choices, values, look: Look::Only, path, slot, depth }
    }

    /// Adds the position of an evaluated leaf to the tree, and its value to everything on the path
    /// to it.
    pub fn back_up(&mut self, leaf: Leaf<R>, rng: &mut Rng) {
        let Leaf { choices, values, look, path, slot, depth, .. } = leaf;
        self.deepest = self.deepest.max(depth);
        for &(node, arm) in path.iter().rev() {
            let seat = self.tree.nodes[node as usize].seat;
            self.tree.update(node, arm, values[seat.index()]);
        }
        if path.is_empty() {
            for choice in &choices {
                self.tree.see(values[choice.seat.index()]);
            }
            self.tree.add_position(choices, &values);
            let simulations = self.root.as_ref().map_or(0, |root| root.simulations);
            self.tree.begin_root(simulations, rng);
        } else if let Some(&first) = self.tree.children.get(&slot) {
            if look == Look::Second {
                self.tree.look_again(first, choices, &values);
            }
        } else if self.tree.nodes.len() < self.tree.options.nodes as usize {
            let first = self.tree.add_position(choices, &values);
            self.tree.nodes[first as usize].is_guessed = look == Look::First;
            self.tree.children.insert(slot, first);
        }
    }

    /// What was learned about the decision of each seat that moves at the root.
    pub fn policies(&self) -> Vec<Policy<R::Action>> {
        let mut policies = Vec::new();
        for (index, node) in self.tree.nodes.iter().enumerate() {
            policies.push(Policy {
                seat: node.seat,
                actions: node.arms.iter().map(|arm| arm.action.clone()).collect(),
                visits: node.arms.iter().map(|arm| arm.tally.visits).collect(),
                shares: self.tree.shares(index as u32),
                value: node.value(),
            });
            if !node.has_sibling {
                break;
            }
        }
        policies
    }

    /// The best action of each seat that moves at the root, in the order of seats.
    pub fn best_actions(&self) -> Vec<R::Action> {
        let count = self.tree.nodes.iter().take_while(|node| node.has_sibling).count() + 1;
        (0..count).map(|node| self.tree.best(node as u32).action.clone()).collect()
    }

    /// The node of the seat that searches.
    fn own_node(&self) -> u32 {
        let seat = self.root.as_ref().map(|root| root.seat);
        let own = self.tree.nodes.iter().position(|node| Some(node.seat) == seat);
        own.unwrap_or(0) as u32
    }
}
