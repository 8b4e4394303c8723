//! Alpha-beta for two rivals with perfect information, without chance: principal variation search
//! (Marsland & Campbell 1982) with iterative deepening, a transposition table, killer actions and
//! the history heuristic (Schaeffer 1989). A position's value is the mover's gain minus the
//! rival's; at the horizon it is [`Rules::estimate`]. Nothing is carried over from earlier
//! searches, so that the same position gives the same result.
//!
//! If both seats move at once, [`SimultaneousTurns`] decides how the joint turn is treated.
//!
//! ```
//! # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nim/mod.rs")); }
//! # use nim::Nim;
//! use quintain_core::{Meter, Rng, Seat};
//! use quintain_search::alpha_beta::{AlphaBeta, Options, check_suitable};
//!
//! check_suitable(&Nim)?;
//! let mut search = AlphaBeta::new(Options { depth: 30, ..Options::default() });
//! let (mut meter, mut rng) = (Meter::of(10_000), Rng::from_seed(1));
//! let result = search.search(&Nim, &(21, 0), Seat::new(0), &mut meter, &mut rng);
//! // One stone leaves 20, a multiple of four; the win by one point is proved.
//! assert_eq!((result.action, result.value), (1, 1.0));
//! # Ok::<(), quintain_search::alpha_beta::UnsuitableGame>(())
//! ```

use std::cmp::Reverse;
use std::slice;

use quintain_core::{
    BuildError, Decision, Fault, Meter, Player, Rng, Rules, Scoring, Seat, Turn, Unit, choices,
    key_of, parameters,
};

use crate::matrix_game;
use crate::search_result::SearchResult;
use crate::transposition_table::{Bound, TableEntry, TranspositionTable};
use crate::utility::utility_range;

choices! {
    /// How a turn on which both seats move at once is taken.
    pub enum SimultaneousTurns {
        /// The rival replies knowing our action, so the value is a lower bound of the true one.
        Pessimistic = "pessimistic",
        /// The turn is a matrix game, solved exactly; the own optimal mixed strategy is played.
        Matrix = "matrix",
    }
}

parameters! {
    /// The options of [`AlphaBeta`]: what the search reads, and the parameters of the player
    /// `alpha-beta`.
    #[derive(Copy)]
    pub struct Options {
        /// The most turns to look ahead.
        depth: u32 = 64, in 1..=1_000;
        /// How turns on which both seats move are treated: as if the rival answered, or as a matrix
        /// game.
        together: SimultaneousTurns = SimultaneousTurns::Pessimistic;
        /// The most entries of the transposition table.
        table: usize = 1 << 20, in 1..=100_000_000;
        /// Nodes per decision where the budget sets no limit.
        nodes: u64 = 20_000, in 1..=1_000_000_000;
    }
}

/// Why a game cannot be searched by alpha-beta.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnsuitableGame {
    /// There are more or fewer than two seats.
    #[error("alpha-beta needs two seats; this game has {0}")]
    Seats(usize),
    /// Seats are not rivals.
    #[error("alpha-beta needs rivals; in this game each seat plays for its own score")]
    IndependentScores,
    /// Chance moves after the start.
    #[error("alpha-beta cannot foresee chance, which plays a part in this game")]
    Chance,
    /// A seat sees less than the whole position.
    #[error("alpha-beta needs to see everything; this game hides something")]
    HiddenInformation,
}

impl From<UnsuitableGame> for BuildError {
    fn from(reason: UnsuitableGame) -> Self {
        BuildError::from(reason.to_string())
    }
}

/// Checks that a game can be searched: two rivals, no chance, nothing hidden.
///
/// # Errors
/// The property that makes the game unsuitable.
pub fn check_suitable<R: Rules>(rules: &R) -> Result<(), UnsuitableGame> {
    if rules.seats() != 2 {
        return Err(UnsuitableGame::Seats(rules.seats()));
    }
    if rules.scoring() != Scoring::Adversarial {
        return Err(UnsuitableGame::IndependentScores);
    }
    if rules.has_chance() {
        return Err(UnsuitableGame::Chance);
    }
    if rules.has_hidden_information() {
        return Err(UnsuitableGame::HiddenInformation);
    }
    Ok(())
}

/// Slots of the history heuristic for each seat.
const HISTORY: usize = 1 << 10;

/// The search and its memory: tables that keep their allocations between decisions, but not their
/// contents.
pub struct AlphaBeta<R: Rules> {
    options: Options,
    table: TranspositionTable,
    /// The killer actions: for each ply, the two that caused a cutoff last.
    killers: Vec<[Option<R::Action>; 2]>,
    /// The history heuristic: how much each action has cut off, by seat and hash.
    history: Vec<u64>,
    /// The actions of each ply on the line that is being searched.
    plies: Vec<MoveList<R::Action>>,
}

/// The actions of one ply and the order in which they are tried.
struct MoveList<A> {
    actions: Vec<A>,
    /// Ranks, and indices into `actions`; the action with the least rank is tried first.
    order: Vec<(Reverse<u64>, u32)>,
}

/// A search in progress.
struct Search<'a, R: Rules> {
    memory: &'a mut AlphaBeta<R>,
    rules: &'a R,
    meter: &'a mut Meter,
    /// The seat that searches.
    own: Seat,
    /// Whether the meter is spent; values that are still returned are then meaningless.
    is_stopped: bool,
    /// The number of lines cut off at the horizon so far.
    cut_lines: u64,
    /// The best own action of the current iteration and its value.
    best: Option<(R::Action, f64)>,
    /// The own mixed strategy at the root, if the root is a matrix game.
    strategy: Vec<(R::Action, f64)>,
}

/// Alpha and beta: only values between them are of interest.
type Window = (f64, f64);

/// The window of a search that needs the exact value.
const OPEN_WINDOW: Window = (f64::NEG_INFINITY, f64::INFINITY);

/// The choice of one seat in a position.
struct Choice<'a, R: Rules> {
    state: &'a R::State,
    mover: Seat,
    /// The action that the other seat has already chosen in a simultaneous turn, if any; the mover
    /// knows it.
    pending: Option<&'a R::Action>,
    /// The number of turns to look ahead.
    depth: u32,
    /// The number of choices from the root: two in a simultaneous turn, one in others.
    ply: usize,
}

impl<R: Rules> AlphaBeta<R> {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        AlphaBeta {
            options,
            table: TranspositionTable::new(options.table),
            killers: Vec::new(),
            history: vec![0; 2 * HISTORY],
            plies: Vec::new(),
        }
    }

    /// Searches deeper and deeper until `meter` is spent, where a node takes one unit, and returns
    /// the best action of `seat`, whose turn it is in `state`. The game must be
    /// [suitable](check_suitable). `rng` is used only to draw from mixed strategies. If only one
    /// action is offered, it is returned without visiting any node.
    pub fn search(
        &mut self,
        rules: &R,
        state: &R::State,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let mut actions = Vec::new();
        rules.pruned_actions(state, seat, &mut actions);
        let mut result = SearchResult {
            value: gain_over(rules, seat, |seat| rules.estimate(state, seat)),
            action: actions[0].clone(),
            depth: 0,
            spent: 0,
        };
        if actions.len() == 1 {
            return result;
        }
        self.table.begin_search();
        self.killers.clear();
        self.history.fill(0);
        let (lowest, highest) = utility_range(rules).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let depth_limit = self.options.depth;
        let mut search = Search {
            memory: self,
            rules,
            meter,
            own: seat,
            is_stopped: false,
            cut_lines: 0,
            best: None,
            strategy: Vec::new(),
        };
        for depth in 1..=depth_limit {
            search.cut_lines = 0;
            search.best = None;
            search.strategy.clear();
            search.value(state, seat, depth, 0, OPEN_WINDOW);
            let Some((action, value)) = search.best.take() else { break };
            // If the loss is proved, this iteration sees all actions as equal; the best action of
            // the previous iteration delays the loss for longer.
            if value > lowest || depth == 1 {
                result.action = sample_action(&search.strategy, rng).unwrap_or(action);
            }
            result.value = value;
            if search.is_stopped {
                break;
            }
            result.depth = depth;
            // Nothing was cut off at the horizon, or the value cannot change: the game is solved.
            if search.cut_lines == 0 || value <= lowest || value >= highest {
                break;
            }
        }
        result.spent = search.meter.spent();
        result
    }
}

/// The gain of a seat minus the other's.
#[inline]
fn gain_over<R: Rules>(rules: &R, seat: Seat, score: impl Fn(Seat) -> f64) -> f64 {
    rules.objective().gain(score(seat)) - rules.objective().gain(score(other(seat)))
}

#[inline]
fn other(seat: Seat) -> Seat {
    Seat::new(1 - seat.index())
}

/// An action drawn from a mixed strategy.
fn sample_action<A: Clone>(strategy: &[(A, f64)], rng: &mut Rng) -> Option<A> {
    let weights: Vec<f64> = strategy.iter().map(|(_, weight)| *weight).collect();
    (!strategy.is_empty()).then(|| strategy[rng.weighted(&weights)].0.clone())
}

impl<R: Rules> Search<'_, R> {
    /// The value of `state` for `seat`, looking `depth` turns ahead, if it lies within the window
    /// `(alpha, beta)`; otherwise a bound on it, on the same side of the window (fail-soft). `ply`
    /// is that of [`Choice`].
    fn value(
        &mut self,
        state: &R::State,
        seat: Seat,
        depth: u32,
        ply: usize,
        (alpha, beta): Window,
    ) -> f64 {
        if !self.meter.spend() {
            self.is_stopped = true;
            return 0.0;
        }
        let rules = self.rules;
        let turn = rules.turn(state);
        if turn == Turn::Over {
            return gain_over(rules, seat, |seat| rules.score(state, seat));
        }
        // Chance does not move in suitable games; what cannot be foreseen is estimated.
        if depth == 0 || turn == Turn::Chance {
            self.cut_lines += 1;
            return gain_over(rules, seat, |seat| rules.estimate(state, seat));
        }
        let mover = match turn {
            Turn::Seat(mover) => mover,
            _ if !rules.is_acting(state, self.own) => other(self.own),
            _ if !rules.is_acting(state, other(self.own)) => self.own,
            _ if self.memory.options.together == SimultaneousTurns::Matrix => {
                let value = self.matrix_value(state, depth, ply);
                return if seat == self.own { value } else { -value };
            }
            _ => self.own,
        };
        let choice = Choice { state, mover, pending: None, depth, ply };
        if mover == seat {
            self.choice_value(&choice, (alpha, beta))
        } else {
            -self.choice_value(&choice, (-beta, -alpha))
        }
    }

    /// The value of a choice for its mover. Window and result are as in [`Search::value`].
    fn choice_value(&mut self, choice: &Choice<'_, R>, window: Window) -> f64 {
        let Choice { state, mover, pending, depth, ply } = *choice;
        // The same position with another pending action has another entry in the table.
        let key = self.rules.key(state) ^ pending.map_or(0, |action| key_of(action) | 1);
        let stored = self.memory.table.get(key);
        if let Some(value) = self.stored_value(stored, depth, ply, window) {
            return value;
        }
        let cut_before = self.cut_lines;
        let mut list = self.memory.take_list(ply);
        self.rules.pruned_actions(state, mover, &mut list.actions);
        self.memory.order_actions(&mut list, mover, ply, stored.map(|entry| entry.best));
        let (value, best) = self.best_action(choice, &list, window);
        self.memory.plies[ply] = list;
        if self.is_stopped {
            return 0.0;
        }
        let bound = match value {
            value if value <= window.0 => Bound::Upper,
            value if value >= window.1 => Bound::Lower,
            _ => Bound::Exact,
        };
        // No line below ended at the horizon, so a deeper search would give the same value.
        let is_final = self.cut_lines == cut_before;
        let best = u16::try_from(best).unwrap_or(u16::MAX);
        self.memory.table.put(key, TableEntry { value, depth, best, bound, is_final });
        value
    }

    /// The value that an entry of the transposition table gives, if its search was deep enough and
    /// its bound decides. At the root there is none, because the action is needed, not only the
    /// value.
    #[inline]
    fn stored_value(
        &mut self,
        stored: Option<TableEntry>,
        depth: u32,
        ply: usize,
        (alpha, beta): Window,
    ) -> Option<f64> {
        let entry = stored.filter(|entry| ply > 0 && (entry.is_final || entry.depth >= depth))?;
        let is_enough = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= beta,
            Bound::Upper => entry.value <= alpha,
        };
        if !is_enough {
            return None;
        }
        self.cut_lines += u64::from(!entry.is_final);
        Some(entry.value)
    }

    /// The value of the best of the listed actions, and its index, by principal variation search: a
    /// window of zero width shows at a fraction of the cost whether an action is better at all,
    /// which is rare after a good first one; only then is its value searched for.
    fn best_action(
        &mut self,
        choice: &Choice<'_, R>,
        list: &MoveList<R::Action>,
        (mut alpha, beta): Window,
    ) -> (f64, u32) {
        let &Choice { mover, depth, ply, .. } = choice;
        let joins = choice.pending.is_none()
            && self.rules.turn(choice.state) == Turn::Simultaneous
            && self.rules.is_acting(choice.state, other(mover));
        let mut best = (f64::NEG_INFINITY, 0);
        for (rank, &(_, index)) in list.order.iter().enumerate() {
            let action = &list.actions[index as usize];
            let is_first = rank == 0;
            let narrow = if is_first { (alpha, beta) } else { (alpha, alpha.next_up()) };
            let mut value = self.action_value(choice, joins, action, narrow);
            if !is_first && value > alpha && value < beta && !self.is_stopped {
                value = self.action_value(choice, joins, action, (alpha, beta));
            }
            if self.is_stopped {
                break;
            }
            if value > best.0 {
                best = (value, index);
                if ply == 0 {
                    self.best = Some((action.clone(), value));
                }
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.memory.record_cutoff(action, mover, depth, ply);
                break;
            }
        }
        best
    }

    /// The value of an action for the mover. If the turn is simultaneous and the other seat `joins`
    /// it, that seat chooses next, knowing the action.
    #[inline]
    fn action_value(
        &mut self,
        choice: &Choice<'_, R>,
        joins: bool,
        action: &R::Action,
        window: Window,
    ) -> f64 {
        let Choice { state, mover, pending, depth, ply } = *choice;
        if joins {
            let (mover, pending, ply) = (other(mover), Some(action), ply + 1);
            let reply = Choice { state, mover, pending, depth, ply };
            return -self.choice_value(&reply, (-window.1, -window.0));
        }
        let mut next = state.clone();
        match pending {
            None => self.rules.step(&mut next, slice::from_ref(action)),
            Some(chosen) if mover.index() == 0 => {
                self.rules.step(&mut next, &[action.clone(), chosen.clone()]);
            }
            Some(chosen) => self.rules.step(&mut next, &[chosen.clone(), action.clone()]),
        }
        self.value(&next, mover, depth - 1, ply + 1, window)
    }

    /// The value for the searching seat of a turn on which both move: that of the matrix game over
    /// all joint actions. Every payoff needs its exact value, so nothing is cut off here (the
    /// bounds of Saffidine, Finnsson & Buro 2012 are not implemented).
    fn matrix_value(&mut self, state: &R::State, depth: u32, ply: usize) -> f64 {
        let rules = self.rules;
        let key = rules.key(state);
        let stored = self.memory.table.get(key);
        if let Some(value) = self.stored_value(stored, depth, ply, OPEN_WINDOW) {
            return value;
        }
        let cut_before = self.cut_lines;
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        rules.pruned_actions(state, self.own, &mut rows);
        rules.pruned_actions(state, other(self.own), &mut columns);
        let mut payoffs = Vec::with_capacity(rows.len() * columns.len());
        for row in &rows {
            for column in &columns {
                let mut joint = [row.clone(), column.clone()];
                if self.own.index() == 1 {
                    joint.reverse();
                }
                let mut next = state.clone();
                rules.step(&mut next, &joint);
                payoffs.push(self.value(&next, self.own, depth - 1, ply + 1, OPEN_WINDOW));
                if self.is_stopped {
                    return 0.0;
                }
            }
        }
        let solution = matrix_game::solve(&payoffs, columns.len());
        let is_final = self.cut_lines == cut_before;
        let bound = Bound::Exact;
        let value = solution.value;
        self.memory.table.put(key, TableEntry { value, depth, best: 0, bound, is_final });
        if ply == 0 {
            self.best = rows.first().map(|action| (action.clone(), value));
            self.strategy = rows.into_iter().zip(solution.rows).collect();
        }
        value
    }
}

impl<R: Rules> AlphaBeta<R> {
    /// Takes the list of this ply, emptied; the caller puts it back.
    fn take_list(&mut self, ply: usize) -> MoveList<R::Action> {
        let new = || MoveList { actions: Vec::new(), order: Vec::new() };
        if self.plies.len() <= ply {
            self.plies.resize_with(ply + 1, new);
        }
        let mut list = std::mem::replace(&mut self.plies[ply], new());
        list.actions.clear();
        list
    }

    /// Sets the order in which actions are tried: `first`, the best action by the transposition
    /// table; then killers; then by history. Ties keep the order in which the game offers them.
    fn order_actions(
        &self,
        list: &mut MoveList<R::Action>,
        mover: Seat,
        ply: usize,
        first: Option<u16>,
    ) {
        let killers = self.killers.get(ply);
        list.order.clear();
        for (index, action) in list.actions.iter().enumerate() {
            let is_killer = |killer: &Option<R::Action>| killer.as_ref() == Some(action);
            let rank = match killers.and_then(|two| two.iter().position(is_killer)) {
                _ if first.is_some_and(|first| usize::from(first) == index) => u64::MAX,
                Some(at) => u64::MAX - 1 - at as u64,
                None => self.history[history_slot(action, mover)],
            };
            list.order.push((Reverse(rank), index as u32));
        }
        list.order.sort_unstable();
    }

    /// Records an action that caused a cutoff, as a killer and in the history. Deep cutoffs save
    /// the most, so they are weighted by the square of the depth.
    fn record_cutoff(&mut self, action: &R::Action, mover: Seat, depth: u32, ply: usize) {
        self.history[history_slot(action, mover)] += u64::from(depth) * u64::from(depth);
        if self.killers.len() <= ply {
            self.killers.resize_with(ply + 1, || [None, None]);
        }
        let two = &mut self.killers[ply];
        if two[0].as_ref() != Some(action) {
            two.swap(0, 1);
            two[0] = Some(action.clone());
        }
    }
}

/// The index of an action in the history table; actions may share one.
fn history_slot<A: std::hash::Hash>(action: &A, mover: Seat) -> usize {
    mover.index() * HISTORY + key_of(action) as usize % HISTORY
}

impl<R: Rules> Player<R> for AlphaBeta<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (rules, seat) = (decision.rules(), decision.seat());
        let state = decision.determinize();
        let mut meter = decision.meter(Unit::Nodes, self.options.nodes);
        let result = self.search(rules, &state, seat, &mut meter, decision.rng());
        Ok(result.record("nodes", decision))
    }
}
