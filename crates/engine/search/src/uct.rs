//! UCT: Monte Carlo tree search that treats every decision as a bandit problem (Kocsis &
//! Szepesvári 2006), for every game that [`Rules`] can express:
//!
//! - any number of seats: each maximises its own utility (max^n);
//! - simultaneous moves by decoupled UCT: each seat chooses among its own actions as
//!   if alone, and the tree branches by joint action (Tak, Lanctot & Winands 2014);
//! - chance by open-loop sampling: the tree branches by the actions of seats, not by the outcomes
//!   of chance;
//! - hidden information by determinizing the observation in every iteration; each arm counts only
//!   the rounds in which it was on offer (single-observer ISMCTS, Cowling, Powley & Whitehouse
//!   2012).
//!
//! With the same stream of random numbers and a meter that counts iterations the
//! result is the same on every platform. The tree is cleared after every decision.
//!
//! ```
//! # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nim/mod.rs")); }
//! # use nim::Nim;
//! use quintain_core::{Meter, Rng, Seat};
//! use quintain_search::uct::{Options, Uct};
//!
//! // Seven stones: take three, and whatever the other takes of four, the rest is ours.
//! let mut uct = Uct::new(Options { exploration: 0.7, ..Options::default() });
//! let (observation, seat) = ((7, 0), Seat::new(0));
//! let (mut meter, mut rng) = (Meter::of(2_000), Rng::from_seed(1));
//! let result = uct.search(&Nim, &observation, seat, &mut meter, &mut rng);
//! assert_eq!((result.action, result.spent), (3, 2_000));
//! ```

mod options;
mod tree;

use quintain_core::{Decision, Fault, Meter, Player, Rng, Rules, Seat, Turn, Unit};

use crate::arms::UpperBound;
use crate::rollout::{collect_acting, resolve_chance, rollout};
use crate::search_result::SearchResult;
use crate::utility::{Utilities, utility_range};
use tree::{Descent, Tree};

pub use crate::arms::{Choice, Selection};
pub use options::{Options, ValueScale};

/// The search and its buffers, which are kept between decisions so that in the long run no
/// iteration allocates. What was learned is not kept.
pub struct Uct<R: Rules> {
    options: Options,
    tree: Tree<R::Action>,
    /// The nodes and arms chosen in this iteration, from the root on; if several seats move at
    /// once, one entry for each.
    path: Vec<(u32, u32)>,
    acting: Vec<Seat>,
    joint: Vec<R::Action>,
    actions: Vec<R::Action>,
}

/// What stays the same, or only grows, during one search.
struct Search<'a, R> {
    rules: &'a R,
    utilities: Utilities,
    /// The worst and the best utility, by the rules or as seen so far.
    range: (f64, f64),
    range_is_fixed: bool,
    /// Whether the tree is open-loop: what a node stands for depends on chance or on hidden
    /// information.
    is_open: bool,
    deepest: u32,
}

impl<R: Rules> Uct<R> {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        Uct {
            options,
            tree: Tree::new(),
            path: Vec::new(),
            acting: Vec::new(),
            joint: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// Searches until `meter` is spent, where an iteration takes one unit, and returns the best
    /// action of `seat`, which sees `observation`. If only one action is offered, it is returned
    /// without any iteration.
    ///
    /// # Panics
    /// If it is not the turn of `seat`.
    pub fn search(
        &mut self,
        rules: &R,
        observation: &R::Observation,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let root = rules.determinize(observation, seat, rng);
        self.actions.clear();
        rules.pruned_actions(&root, seat, &mut self.actions);
        if self.actions.len() == 1 {
            let action = self.actions.swap_remove(0);
            let value = Utilities::new(rules).of_estimate(rules, &root)[seat.index()];
            return SearchResult { action, value, depth: 0, spent: 0 };
        }
        let fixed = utility_range(rules).filter(|_| self.options.scale == ValueScale::Rules);
        let mut search = Search {
            rules,
            utilities: Utilities::new(rules),
            range: fixed.unwrap_or((f64::INFINITY, f64::NEG_INFINITY)),
            range_is_fixed: fixed.is_some(),
            is_open: rules.has_hidden_information() || rules.has_chance(),
            deepest: 0,
        };
        self.tree.clear(search.is_open, self.options.selection);
        collect_acting(rules, &root, rules.turn(&root), &mut self.acting);
        let own = self.acting.iter().position(|other| *other == seat);
        let own = own.expect("it is the seat's turn") as u32;
        self.add_position(&search, &root);

        let mut state = root.clone();
        while meter.spend() {
            if rules.has_hidden_information() {
                state = rules.determinize(observation, seat, rng);
            } else {
                state.clone_from(&root);
            }
            self.iterate(&mut search, &mut state, rng);
        }
        let (action, value) = match self.tree.best(own, self.options.choice) {
            Some((action, value)) => (action.clone(), value),
            None => (rules.rollout_action(&root, seat, rng), 0.0),
        };
        SearchResult { action, value, depth: search.deepest, spent: meter.spent() }
    }

    /// Adds the nodes of a position, one for each of `self.acting`.
    fn add_position(&mut self, search: &Search<'_, R>, state: &R::State) {
        for (index, &seat) in self.acting.iter().enumerate() {
            self.actions.clear();
            if !search.is_open {
                search.rules.pruned_actions(state, seat, &mut self.actions);
            }
            self.tree.add_node(seat, index + 1 < self.acting.len(), &mut self.actions);
        }
    }

    /// Runs one iteration from the root's `state`: down the tree by upper confidence bounds, a
    /// rollout from where the descent ends, and the result back up along the path.
    ///
    /// A joint action gets its own node only on its second visit. After the first, its statistics
    /// are in the arms above, and most of these nodes would never be visited again.
    fn iterate(&mut self, search: &mut Search<'_, R>, state: &mut R::State, rng: &mut Rng) {
        let rules = search.rules;
        let (low, high) = search.range;
        let spread = if high > low { high - low } else { 1.0 };
        let Options { selection, exploration, .. } = self.options;
        let bound = UpperBound { selection, exploration, spread };
        self.path.clear();
        let mut at = 0;
        let mut depth = 0;
        let is_over = loop {
            let before = self.path.len();
            self.choose(search, at, state, bound, rng);
            rules.step(state, &self.joint);
            depth += 1;
            let turn = resolve_chance(rules, state, rng);
            if turn == Turn::Over {
                break true;
            }
            if search.is_open {
                collect_acting(rules, state, turn, &mut self.acting);
            }
            match self.tree.descend(at, &self.path[before..], &self.acting) {
                Descent::Child(child) => at = child,
                Descent::Expand(slot) if self.tree.nodes.len() < self.options.nodes as usize => {
                    at = self.tree.nodes.len() as u32;
                    if !search.is_open {
                        collect_acting(rules, state, turn, &mut self.acting);
                    }
                    self.add_position(search, state);
                    self.tree.attach(slot, at);
                }
                Descent::FirstVisit | Descent::Expand(_) => {
                    let limit = self.options.playout;
                    break rollout(rules, state, limit, rng, &mut self.joint);
                }
            }
        };
        search.deepest = search.deepest.max(depth);
        let utilities = match is_over {
            true => search.utilities.of_score(rules, state),
            false => search.utilities.of_estimate(rules, state),
        };
        for &(node, arm) in &self.path {
            let value = utilities[self.tree.nodes[node as usize].seat.index()];
            self.tree.update(node, arm, value);
            if !search.range_is_fixed {
                search.range = (search.range.0.min(value), search.range.1.max(value));
            }
        }
    }

    /// Chooses an arm for every seat that moves in the position at node `at`, each for itself, and
    /// puts them on the path and their actions into `self.joint`.
    #[inline]
    fn choose(
        &mut self,
        search: &Search<'_, R>,
        at: u32,
        state: &R::State,
        bound: UpperBound,
        rng: &mut Rng,
    ) {
        self.joint.clear();
        let mut node = at;
        loop {
            let arm = if search.is_open {
                let seat = self.tree.nodes[node as usize].seat;
                self.actions.clear();
                search.rules.pruned_actions(state, seat, &mut self.actions);
                self.tree.select_open(node, &mut self.actions, bound, rng)
            } else {
                self.tree.select(node, bound, rng)
            };
            self.path.push((node, arm));
            self.joint.push(self.tree.action(arm).clone());
            if !self.tree.nodes[node as usize].has_sibling {
                return;
            }
            node += 1;
        }
    }
}

impl<R: Rules> Player<R> for Uct<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (rules, seat, observation) =
            (decision.rules(), decision.seat(), decision.observation());
        let mut meter = decision.meter(Unit::Iterations, self.options.iterations);
        let result = self.search(rules, &observation, seat, &mut meter, decision.rng());
        Ok(result.record("iterations", decision))
    }
}
