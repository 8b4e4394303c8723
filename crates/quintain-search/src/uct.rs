//! UCT: Monte Carlo tree search that treats every decision as a bandit (Kocsis &
//! Szepesvári 2006), for any game there is:
//!
//! - any number of seats: each maximises its own worth (max^n);
//! - simultaneous moves by decoupled UCT: each seat chooses among its own actions as
//!   if alone, and the tree branches by joint action (Tak, Lanctot & Winands 2014);
//! - chance by open-loop sampling: the tree knows only what seats did;
//! - hidden information by imagining a position anew for every iteration, with arms
//!   counted when on offer (single-observer ISMCTS, Cowling, Powley & Whitehouse 2012).
//!
//! With the same stream of random numbers and a meter that counts iterations the
//! result is the same on every platform.

mod tree;

use quintain_core::{Decision, Fault, Meter, Player, Rng, Rules, Seat, Turn, Unit, choices};

use crate::found::SearchResult;
use crate::playout::{acting, play_out, settle};
use crate::worth::{Worth, range};
use tree::{Descent, Rule, Tree};

choices! {
    /// Which arm of a node is tried next.
    pub enum Selection {
        /// mean + c·√(ln N / n) (Auer, Cesa-Bianchi & Fischer 2002).
        Ucb1 = "ucb1",
        /// Narrower where what the arm gave varies little (ibid.).
        Ucb1Tuned = "ucb1-tuned",
    }
}

choices! {
    /// Which action is played in the end.
    pub enum Choice {
        /// The one tried most often.
        Visits = "visits",
        /// The one with the best mean.
        Mean = "mean",
    }
}

choices! {
    /// On what scale exploration is measured.
    pub enum Scale {
        /// The score range of the rules; what was seen so far where they have none.
        Rules = "rules",
        /// From the worst to the best seen so far in this search.
        Seen = "seen",
    }
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// c, for values on a scale from 0 to 1.
    pub exploration: f64,
    /// Which arm of a node is tried next.
    pub selection: Selection,
    /// Which action is played in the end.
    pub choice: Choice,
    /// On what scale exploration is measured.
    pub scale: Scale,
    /// Turns of a playout before the position is estimated.
    pub playout: u32,
    /// Nodes of the tree; a full tree grows no further.
    pub nodes: u32,
    /// Iterations a decision where the budget sets no limit.
    pub iterations: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exploration: 0.5,
            selection: Selection::Ucb1,
            choice: Choice::Visits,
            scale: Scale::Rules,
            playout: 10_000,
            nodes: 2_000_000,
            iterations: 1_000,
        }
    }
}

/// The search, with the room it works in: kept between decisions, so that in the
/// long run no node allocates.
pub struct Uct<R: Rules> {
    options: Options,
    tree: Tree<R::Action>,
    /// The node and the arm of each seat's choice in this iteration, in order.
    path: Vec<(u32, u32)>,
    acting: Vec<Seat>,
    joint: Vec<R::Action>,
    actions: Vec<R::Action>,
}

/// What one search goes by.
struct Search<'a, R> {
    game: &'a R,
    worth: Worth,
    /// The worst and the best value, of the rules or seen so far.
    range: (f64, f64),
    range_is_fixed: bool,
    is_open: bool,
    deepest: u32,
}

impl<R: Rules> Uct<R> {
    /// A search with these settings.
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

    /// The best action of `seat`, which sees `observation` and must move, found
    /// before `meter` is spent; it counts iterations. A sole action takes none.
    pub fn search(
        &mut self,
        game: &R,
        observation: &R::Observation,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let root = game.determinize(observation, seat, rng);
        self.actions.clear();
        game.pruned_actions(&root, seat, &mut self.actions);
        if self.actions.len() == 1 {
            let action = self.actions.swap_remove(0);
            let value = Worth::new(game).by_estimate(game, &root)[seat.index()];
            return SearchResult { action, value, depth: 0, spent: 0 };
        }
        let fixed = range(game).filter(|_| self.options.scale == Scale::Rules);
        let mut search = Search {
            game,
            worth: Worth::new(game),
            range: fixed.unwrap_or((f64::INFINITY, f64::NEG_INFINITY)),
            range_is_fixed: fixed.is_some(),
            is_open: game.has_hidden_information() || game.has_chance(),
            deepest: 0,
        };
        self.tree.clear(search.is_open, self.options.selection);
        acting(game, &root, game.turn(&root), &mut self.acting);
        let own = self.acting.iter().position(|other| *other == seat);
        let own = own.expect("a seat that must move is asked") as u32;
        self.add_position(&search, &root);

        let mut state = root.clone();
        while meter.spend() {
            if game.has_hidden_information() {
                state = game.determinize(observation, seat, rng);
            } else {
                state.clone_from(&root);
            }
            self.iterate(&mut search, &mut state, rng);
        }
        let (action, value) = match self.tree.best(own, self.options.choice) {
            Some((action, value)) => (action.clone(), value),
            None => (game.rollout_action(&root, seat, rng), 0.0),
        };
        SearchResult { action, value, depth: search.deepest, spent: meter.spent() }
    }

    /// Adds the nodes of a position, one for each of `self.acting`.
    fn add_position(&mut self, search: &Search<'_, R>, state: &R::State) {
        for (index, &seat) in self.acting.iter().enumerate() {
            self.actions.clear();
            if !search.is_open {
                search.game.pruned_actions(state, seat, &mut self.actions);
            }
            self.tree.add_node(seat, index + 1 < self.acting.len(), &mut self.actions);
        }
    }

    /// Down the tree, a playout from where it ends, and back up.
    fn iterate(&mut self, search: &mut Search<'_, R>, state: &mut R::State, rng: &mut Rng) {
        let game = search.game;
        let (low, high) = search.range;
        let spread = if high > low { high - low } else { 1.0 };
        let Options { selection, exploration, .. } = self.options;
        let rule = Rule { selection, exploration, spread };
        self.path.clear();
        let mut at = 0;
        let mut depth = 0;
        let is_over = loop {
            let before = self.path.len();
            self.choose(search, at, state, rule, rng);
            game.step(state, &self.joint);
            depth += 1;
            let turn = settle(game, state, rng);
            if turn == Turn::Over {
                break true;
            }
            if search.is_open {
                acting(game, state, turn, &mut self.acting);
            }
            match self.tree.descend(at, &self.path[before..], &self.acting) {
                Descent::Node(child) => at = child,
                Descent::Make(place) if self.tree.nodes.len() < self.options.nodes as usize => {
                    at = self.tree.nodes.len() as u32;
                    if !search.is_open {
                        acting(game, state, turn, &mut self.acting);
                    }
                    self.add_position(search, state);
                    self.tree.attach(place, at);
                }
                Descent::Fresh | Descent::Make(_) => {
                    let limit = self.options.playout;
                    break play_out(game, state, limit, rng, &mut self.joint);
                }
            }
        };
        search.deepest = search.deepest.max(depth);
        let worths = match is_over {
            true => search.worth.by_score(game, state),
            false => search.worth.by_estimate(game, state),
        };
        for &(node, arm) in &self.path {
            let value = worths[self.tree.nodes[node as usize].seat.index()];
            self.tree.credit(node, arm, value);
            if !search.range_is_fixed {
                search.range = (search.range.0.min(value), search.range.1.max(value));
            }
        }
    }

    /// Chooses for every seat that moves in the position at node `at`.
    #[inline]
    fn choose(
        &mut self,
        search: &Search<'_, R>,
        at: u32,
        state: &R::State,
        rule: Rule,
        rng: &mut Rng,
    ) {
        self.joint.clear();
        let mut node = at;
        loop {
            let arm = if search.is_open {
                let seat = self.tree.nodes[node as usize].seat;
                self.actions.clear();
                search.game.pruned_actions(state, seat, &mut self.actions);
                self.tree.select_open(node, &mut self.actions, rule, rng)
            } else {
                self.tree.select(node, rule, rng)
            };
            self.path.push((node, arm));
            self.joint.push(self.tree.action(arm).clone());
            if !self.tree.nodes[node as usize].more {
                return;
            }
            node += 1;
        }
    }
}

impl<R: Rules> Player<R> for Uct<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (game, seat, observation) = (decision.rules(), decision.seat(), decision.observation());
        let mut meter = decision.meter(Unit::Iterations, self.options.iterations);
        let found = self.search(game, &observation, seat, &mut meter, decision.rng());
        Ok(found.noted("iterations", decision))
    }
}
