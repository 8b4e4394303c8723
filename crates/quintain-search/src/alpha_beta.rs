//! Alpha-beta for two rivals who see everything, without chance: principal
//! variation search (Marsland & Campbell 1982) with iterative deepening, a
//! transposition table, killer actions and the history heuristic (Schaeffer 1989).
//! A position's value is the mover's gain less the rival's; at the horizon it is
//! [`Rules::estimate`]. Each search stands for itself: nothing is carried over from
//! earlier ones, so that the same position gives the same result.
//!
//! Where both seats move at once, [`Together`] says how a joint turn is taken.

use std::cmp::Reverse;
use std::slice;

use quintain_core::{
    Decision, Fault, Meter, Player, Rng, Rules, Scoring, Seat, Turn, Unit, choices, key_of,
};

use crate::found::SearchResult;
use crate::matrix_game;
use crate::transpositions::{Bound, Known, Transpositions};
use crate::worth::range;

choices! {
    /// How a turn on which both seats move at once is taken.
    pub enum Together {
        /// The rival answers knowing our action: never better than the truth.
        Pessimistic = "pessimistic",
        /// As a matrix game, solved exactly; we play our optimal mixed strategy.
        Matrix = "matrix",
    }
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Turns to look ahead at most.
    pub depth: u32,
    /// How simultaneous turns are taken.
    pub together: Together,
    /// Entries of the transposition table at most.
    pub table: usize,
    /// Nodes a decision where the budget sets no limit.
    pub nodes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { depth: 64, together: Together::Pessimistic, table: 1 << 20, nodes: 20_000 }
    }
}

/// Why a game cannot be searched, if it cannot.
///
/// # Errors
/// The reason, in a line.
pub fn suits<R: Rules>(game: &R) -> Result<(), String> {
    if game.seats() != 2 {
        return Err(format!("alpha-beta needs two seats; this game has {}", game.seats()));
    }
    if game.scoring() != Scoring::Adversarial {
        return Err("alpha-beta needs rivals; in this game scores stand for themselves".to_owned());
    }
    if game.has_chance() {
        return Err("alpha-beta cannot foresee chance, which moves in this game".to_owned());
    }
    if game.has_hidden_information() {
        return Err("alpha-beta needs to see everything; this game hides something".to_owned());
    }
    Ok(())
}

/// Slots of the history heuristic for each seat.
const HISTORY: usize = 1 << 10;

/// The search, with the memory it works in.
pub struct AlphaBeta<R: Rules> {
    options: Options,
    table: Transpositions,
    /// Two actions a ply that lately refuted their siblings.
    killers: Vec<[Option<R::Action>; 2]>,
    /// How much an action has cut off, by seat and hash.
    history: Vec<u64>,
    /// Room for the actions of each ply.
    room: Vec<Room<R::Action>>,
}

/// The actions of one ply and the order in which they are tried.
struct Room<A> {
    actions: Vec<A>,
    /// Ranks, and indices into `actions`.
    order: Vec<(Reverse<u64>, u32)>,
}

/// One search under way.
struct Search<'a, R: Rules> {
    memory: &'a mut AlphaBeta<R>,
    game: &'a R,
    meter: &'a mut Meter,
    /// Who searches.
    own: Seat,
    /// The meter is spent: values that come back mean nothing.
    is_stopped: bool,
    /// Lines cut off at the horizon so far.
    cut_lines: u64,
    /// The best own action of the iteration at hand and its value.
    best: Option<(R::Action, f64)>,
    /// The own mixed strategy at the root, where it is a matrix game.
    mixed: Vec<(R::Action, f64)>,
}

/// The part of a simultaneous turn that the other seat has chosen already.
type Pending<A> = Option<A>;

impl<R: Rules> AlphaBeta<R> {
    /// A search with these settings.
    pub fn new(options: Options) -> Self {
        AlphaBeta {
            options,
            table: Transpositions::new(options.table),
            killers: Vec::new(),
            history: vec![0; 2 * HISTORY],
            room: Vec::new(),
        }
    }

    /// The best action of `seat`, which must move in `state`, found before `meter` is
    /// spent; it counts nodes. The game must [suit](suits). `rng` draws from mixed
    /// strategies only. A sole action takes no nodes.
    pub fn search(
        &mut self,
        game: &R,
        state: &R::State,
        seat: Seat,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> SearchResult<R::Action> {
        let mut actions = Vec::new();
        game.pruned_actions(state, seat, &mut actions);
        let mut found = SearchResult {
            value: gain_over(game, seat, |seat| game.estimate(state, seat)),
            action: actions[0].clone(),
            depth: 0,
            spent: 0,
        };
        if actions.len() == 1 {
            return found;
        }
        self.table.begin_search();
        self.killers.clear();
        self.history.fill(0);
        let (lowest, highest) = range(game).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let depth_limit = self.options.depth;
        let mut search = Search {
            memory: self,
            game,
            meter,
            own: seat,
            is_stopped: false,
            cut_lines: 0,
            best: None,
            mixed: Vec::new(),
        };
        for depth in 1..=depth_limit {
            search.cut_lines = 0;
            search.best = None;
            search.mixed.clear();
            search.value(state, seat, depth, 0, (f64::NEG_INFINITY, f64::INFINITY));
            let Some((action, value)) = search.best.take() else { break };
            // A proved loss: the best of the iteration before holds out longer.
            if value > lowest || depth == 1 {
                found.action = draw(&search.mixed, rng).unwrap_or(action);
            }
            found.value = value;
            if search.is_stopped {
                break;
            }
            found.depth = depth;
            if search.cut_lines == 0 || value <= lowest || value >= highest {
                break;
            }
        }
        found.spent = search.meter.spent();
        found
    }
}

/// The gain of a seat less the other's.
#[inline]
fn gain_over<R: Rules>(game: &R, seat: Seat, score: impl Fn(Seat) -> f64) -> f64 {
    game.objective().gain(score(seat)) - game.objective().gain(score(other(seat)))
}

#[inline]
fn other(seat: Seat) -> Seat {
    Seat::new(1 - seat.index())
}

/// An action drawn from a mixed strategy.
fn draw<A: Clone>(mixed: &[(A, f64)], rng: &mut Rng) -> Option<A> {
    let weights: Vec<f64> = mixed.iter().map(|(_, weight)| *weight).collect();
    (!mixed.is_empty()).then(|| mixed[rng.weighted(&weights)].0.clone())
}

impl<R: Rules> Search<'_, R> {
    /// The value of `state` for `seat`, `depth` turns deep, within a window of
    /// `(alpha, beta)`: beyond it, a bound.
    fn value(
        &mut self,
        state: &R::State,
        seat: Seat,
        depth: u32,
        ply: usize,
        (alpha, beta): (f64, f64),
    ) -> f64 {
        if !self.meter.spend() {
            self.is_stopped = true;
            return 0.0;
        }
        let game = self.game;
        let turn = game.turn(state);
        if turn == Turn::Over {
            return gain_over(game, seat, |seat| game.score(state, seat));
        }
        // Chance does not move in games that suit; what cannot be foreseen is estimated.
        if depth == 0 || turn == Turn::Chance {
            self.cut_lines += 1;
            return gain_over(game, seat, |seat| game.estimate(state, seat));
        }
        let mover = match turn {
            Turn::Seat(mover) => mover,
            _ if !game.is_acting(state, self.own) => other(self.own),
            _ if !game.is_acting(state, other(self.own)) => self.own,
            _ if self.memory.options.together == Together::Matrix => {
                let value = self.matrix(state, depth, ply);
                return if seat == self.own { value } else { -value };
            }
            _ => self.own,
        };
        if mover == seat {
            self.choice(state, seat, None, depth, ply, (alpha, beta))
        } else {
            -self.choice(state, mover, None, depth, ply, (-beta, -alpha))
        }
    }

    /// The value of `state` for `mover`, who chooses now; with `pending`, knowing what
    /// the other has chosen for the same turn.
    fn choice(
        &mut self,
        state: &R::State,
        mover: Seat,
        pending: Pending<R::Action>,
        depth: u32,
        ply: usize,
        (mut alpha, beta): (f64, f64),
    ) -> f64 {
        let game = self.game;
        let key = game.key(state) ^ pending.as_ref().map_or(0, |action| key_of(action) | 1);
        let known = self.memory.table.get(key);
        if let Some(known) =
            known.filter(|known| ply > 0 && (known.is_final || known.depth >= depth))
        {
            let is_enough = match known.bound {
                Bound::Exact => true,
                Bound::Least => known.value >= beta,
                Bound::Most => known.value <= alpha,
            };
            if is_enough {
                self.cut_lines += u64::from(!known.is_final);
                return known.value;
            }
        }
        let joins = pending.is_none()
            && game.turn(state) == Turn::Simultaneous
            && game.is_acting(state, other(mover));
        let cut_before = self.cut_lines;
        let mut room = self.memory.take_room(ply);
        game.pruned_actions(state, mover, &mut room.actions);
        self.memory.put_in_order(&mut room, mover, ply, known.map(|known| known.best));
        let window = (alpha, beta);
        let mut best = (f64::NEG_INFINITY, 0);
        for (rank, &(_, index)) in room.order.iter().enumerate() {
            let action = &room.actions[index as usize];
            let look = |search: &mut Self, window: (f64, f64)| {
                if joins {
                    let reversed = (-window.1, -window.0);
                    let pending = Some(action.clone());
                    return -search.choice(state, other(mover), pending, depth, ply + 1, reversed);
                }
                let mut next = state.clone();
                match &pending {
                    None => game.step(&mut next, slice::from_ref(action)),
                    Some(chosen) if mover.index() == 0 => {
                        game.step(&mut next, &[action.clone(), chosen.clone()]);
                    }
                    Some(chosen) => game.step(&mut next, &[chosen.clone(), action.clone()]),
                }
                search.value(&next, mover, depth - 1, ply + 1, window)
            };
            let value = if rank == 0 {
                look(self, (alpha, beta))
            } else {
                // Only whether it is better; how much better, if it is.
                let value = look(self, (alpha, alpha.next_up()));
                match value > alpha && value < beta && !self.is_stopped {
                    true => look(self, (alpha, beta)),
                    false => value,
                }
            };
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
                self.memory.refuted(action, mover, depth, ply);
                break;
            }
        }
        self.memory.room[ply] = room;
        if self.is_stopped {
            return 0.0;
        }
        let bound = match best.0 {
            value if value <= window.0 => Bound::Most,
            value if value >= window.1 => Bound::Least,
            _ => Bound::Exact,
        };
        let is_final = self.cut_lines == cut_before;
        let index = u16::try_from(best.1).unwrap_or(u16::MAX);
        self.memory.table.put(key, Known { value: best.0, depth, best: index, bound, is_final });
        best.0
    }

    /// The value for the searching seat of a turn on which both move: that of the
    /// matrix game over all joint actions.
    fn matrix(&mut self, state: &R::State, depth: u32, ply: usize) -> f64 {
        let game = self.game;
        let key = game.key(state);
        let known = self.memory.table.get(key).filter(|_| ply > 0);
        if let Some(known) = known.filter(|k| k.is_final || k.depth >= depth) {
            self.cut_lines += u64::from(!known.is_final);
            return known.value;
        }
        let cut_before = self.cut_lines;
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        game.pruned_actions(state, self.own, &mut rows);
        game.pruned_actions(state, other(self.own), &mut columns);
        let mut payoffs = Vec::with_capacity(rows.len() * columns.len());
        for row in &rows {
            for column in &columns {
                let mut joint = [row.clone(), column.clone()];
                if self.own.index() == 1 {
                    joint.reverse();
                }
                let mut next = state.clone();
                game.step(&mut next, &joint);
                let window = (f64::NEG_INFINITY, f64::INFINITY);
                payoffs.push(self.value(&next, self.own, depth - 1, ply + 1, window));
                if self.is_stopped {
                    return 0.0;
                }
            }
        }
        let solution = matrix_game::solve(&payoffs, columns.len());
        let is_final = self.cut_lines == cut_before;
        let bound = Bound::Exact;
        let value = solution.value;
        self.memory.table.put(key, Known { value, depth, best: 0, bound, is_final });
        if ply == 0 {
            self.best = rows.first().map(|action| (action.clone(), value));
            self.mixed = rows.into_iter().zip(solution.rows).collect();
        }
        value
    }
}

impl<R: Rules> AlphaBeta<R> {
    /// Room for the actions of this ply, empty.
    fn take_room(&mut self, ply: usize) -> Room<R::Action> {
        let new = || Room { actions: Vec::new(), order: Vec::new() };
        if self.room.len() <= ply {
            self.room.resize_with(ply + 1, new);
        }
        let mut room = std::mem::replace(&mut self.room[ply], new());
        room.actions.clear();
        room
    }

    /// Sets the order in which actions are tried: the one known as best, killers, then
    /// by history; among equals as the game offers them.
    fn put_in_order(
        &self,
        room: &mut Room<R::Action>,
        mover: Seat,
        ply: usize,
        first: Option<u16>,
    ) {
        let killers = self.killers.get(ply);
        room.order.clear();
        for (index, action) in room.actions.iter().enumerate() {
            let is_killer = |killer: &Option<R::Action>| killer.as_ref() == Some(action);
            let rank = match killers.and_then(|two| two.iter().position(is_killer)) {
                _ if first.is_some_and(|first| usize::from(first) == index) => u64::MAX,
                Some(place) => u64::MAX - 1 - place as u64,
                None => self.history[slot(action, mover)],
            };
            room.order.push((Reverse(rank), index as u32));
        }
        room.order.sort_unstable();
    }

    /// Remembers an action that cut off its siblings.
    fn refuted(&mut self, action: &R::Action, mover: Seat, depth: u32, ply: usize) {
        self.history[slot(action, mover)] += u64::from(depth) * u64::from(depth);
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

/// Where the history of an action is kept; actions may share a slot.
fn slot<A: std::hash::Hash>(action: &A, mover: Seat) -> usize {
    mover.index() * HISTORY + key_of(action) as usize % HISTORY
}

impl<R: Rules> Player<R> for AlphaBeta<R> {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        let (game, seat) = (decision.rules(), decision.seat());
        let state = decision.determinize();
        let mut meter = decision.meter(Unit::Nodes, self.options.nodes);
        let found = self.search(game, &state, seat, &mut meter, decision.rng());
        Ok(found.noted("nodes", decision))
    }
}
