//! The search: principal variation search with iterative deepening.
//!
//! Both move at once, but the search lets the opponent answer each of our moves as if it had seen
//! it. That makes the values a little too low for us, but it turns a matrix game into a tree with
//! two plies a turn, which alpha-beta can prune: [`Engine::search_both_movers`] is our ply and
//! [`Engine::answer`] theirs. The depth counts turns.
//!
//! It is not the alpha-beta of `quintain-search`, which copies positions, and has neither
//! reductions nor extensions nor a solver for players that are apart.
//!
//! Four things shape the tree:
//! - moves are ordered by the transposition table's move, then by how often a direction
//!   was best from this cell (the history heuristic, Schaeffer 1989);
//! - moves after the first are searched with a window of width one (is it better at all?) and only
//!   searched again if they are better (principal variation search);
//! - moves after the first are also searched a turn less deep first, and dropped if that shows no
//!   gain (late move reductions);
//! - a turn in which both together have at most two ways does not count as depth (an extension for
//!   forced moves, as in chess), because the tree hardly grows there.
//!
//! Once the players can no longer reach each other, the game is two separate puzzles in which each
//! fills its own space; [`super::filling`] takes over.

use super::super::duel::{Choice, Duel, Scale};
use super::chambers::Evaluator;
use super::filling::{Filler, LimitReached};
use super::melee::{Melee, MeleeSearch};
use super::network::Inputs;
use super::odds;
use super::settings::Settings;
use super::table::{Bound, Keys, Table};
use crate::Direction;
use quintain_grid::{Cell, Lane, Rows};

/// More than any value of an undecided position.
pub(crate) const DECIDED: i32 = 100_000_000;

/// The depth stored for values that no deeper search can improve.
const FOREVER: u32 = u8::MAX as u32;

/// Stands for no direction, instead of its number.
const NO_DIRECTION: usize = 4;

/// The engine for boards of one width.
pub(super) struct Engine<L: Lane, const N: usize> {
    settings: Settings,
    in_turn: bool,
    evaluator: Evaluator<L, N>,
    table: Table,
    keys: Keys,
    free: Rows<L, N>,
    heads: [Cell; 2],
    key: u64,
    /// Turns since the board was empty, so that equal positions have equal values whenever they are
    /// met.
    turn: i32,
    /// The turn to be decided, and the depth to which it is searched.
    root: i32,
    iteration: u32,
    /// All cells of the board, including walls.
    room: i32,
    nodes: u64,
    /// The rest of the longest path found so far through our own space. It is kept from turn to
    /// turn, so that a later, shorter search cannot do worse than an earlier one.
    plan: Vec<Direction>,
    /// How often each direction from a cell was best, by player; deep searches count more.
    history: [Vec<[u32; 4]>; 2],
}

impl<L: Lane, const N: usize> Engine<L, N> {
    /// The most turns that a search may look ahead: its stack stays within a megabyte, with room
    /// for some thirty bit boards a turn.
    const DEEPEST: u32 = (1 << 20) / (32 * size_of::<Rows<L, N>>() as u32);

    pub(super) fn new(settings: &Settings, in_turn: bool) -> Self {
        // The network's values are for positions in which both are about to move.
        let network = settings.network.clone().filter(|_| !in_turn);
        Engine {
            settings: Settings { network, ..settings.clone() },
            in_turn,
            evaluator: Evaluator::new(settings.weights, in_turn),
            table: Table::new(settings.table_bits),
            keys: Keys::new(N, L::WIDTH),
            free: Rows::EMPTY,
            heads: [Cell::new(0, 0); 2],
            key: 0,
            turn: 0,
            root: 0,
            iteration: 0,
            room: 0,
            nodes: 0,
            plan: Vec::new(),
            history: [vec![[0; 4]; N * L::WIDTH], vec![[0; 4]; N * L::WIDTH]],
        }
    }

    /// Decides for the first head.
    pub(super) fn choose(&mut self, duel: &Duel, spend: &mut dyn FnMut() -> bool) -> Choice {
        let board = Rows::rectangle(duel.height, duel.width);
        self.free = duel.free.cells().collect();
        self.heads = duel.heads;
        self.key = (board - self.free).cells().fold(
            self.keys.head(0, self.heads[0]) ^ self.keys.head(1, self.heads[1]),
            |key, cell| key ^ self.keys.cell_key(cell),
        );
        // Each turn takes two cells. The board's walls are counted too, but equally in every
        // position of a match, so only differences matter.
        self.room = (duel.height * duel.width) as i32;
        self.turn = (self.room - self.free.count() as i32) / 2;
        self.root = self.turn;
        self.nodes = 0;
        // What was learnt on earlier moves still helps, but fades.
        for directions in self.history.iter_mut().flatten().flatten() {
            *directions /= 8;
        }
        if self.evaluator.are_apart(&self.free, self.heads) {
            self.fill(spend)
        } else {
            self.fight(spend)
        }
    }

    /// Decides for the first head of a position in which two or more others can come near.
    pub(super) fn choose_among(
        &mut self,
        melee: &Melee,
        spend: &mut dyn FnMut() -> bool,
    ) -> Choice {
        MeleeSearch::choose(melee, &mut self.evaluator, spend)
    }

    fn spend(&mut self, spend: &mut dyn FnMut() -> bool) -> Result<(), LimitReached> {
        self.nodes += 1;
        if spend() { Ok(()) } else { Err(LimitReached) }
    }

    fn open_directions(&self, player: usize) -> impl Iterator<Item = usize> + use<L, N> {
        let (free, head) = (self.free, self.heads[player]);
        (0..4).filter(move |&direction| free.contains(Direction::ALL[direction].step(head)))
    }

    /// Fills our own space along the longest path found on this turn or before, unless an exact
    /// search finds a longer one.
    fn fill(&mut self, spend: &mut dyn FnMut() -> bool) -> Choice {
        let (free, head) = (self.free, self.heads[0]);
        let mut plan = std::mem::take(&mut self.plan);
        // The plan is from the turn before; another opponent's move may have crossed it.
        let (mut left, mut at) = (free, head);
        let can_be_walked = plan.iter().all(|direction| {
            at = direction.step(at);
            let open = left.contains(at);
            left.remove(at);
            open
        });
        if !can_be_walked {
            plan.clear();
        }
        let mut filler =
            Filler { evaluator: &mut self.evaluator, spend: &mut *spend, nodes: &mut self.nodes };
        let mut depth = 0;
        let mut longer = None;
        // First a complete path is improved step by step, so that one is available whenever the
        // limit comes. Then an exact search may prove that path the longest (its upper bound is no
        // greater) or find a longer one.
        if filler.improve(&free, head, &mut plan).is_ok() {
            while depth < Self::DEEPEST
                && let Ok((value, first)) = filler.longest(&free, head, depth + 1)
            {
                depth += 1;
                // No line got past the depth limit, so the value is the exact length and no longer
                // just a bound.
                if depth as i32 >= value {
                    longer = first
                        .filter(|_| value > plan.len() as i32)
                        .map(|direction| (direction, value));
                    break;
                }
                // The value is an upper bound, so the plan cannot be beaten.
                if value <= plan.len() as i32 {
                    break;
                }
            }
        }
        if let Some((direction, value)) = longer {
            return Choice { direction, depth, nodes: self.nodes, value, scale: Scale::MovesLeft };
        }
        let value = plan.len() as i32;
        let direction = match plan.first() {
            Some(&direction) => {
                self.plan = plan.split_off(1);
                direction
            }
            None => Direction::ALL[self.open_directions(0).next().unwrap_or(0)],
        };
        Choice { direction, depth, nodes: self.nodes, value, scale: Scale::MovesLeft }
    }

    /// Searches with increasing depth until the limit.
    fn fight(&mut self, spend: &mut dyn FnMut() -> bool) -> Choice {
        let any = self.open_directions(0).next().unwrap_or(0);
        let direction = Direction::ALL[any];
        let is_forced = self.open_directions(0).count() <= 1;
        let scale = if is_forced { Scale::Forced } else { Scale::Value };
        let mut choice = Choice { direction, depth: 0, nodes: 0, value: 0, scale };
        // Late directions, ours and theirs, are searched a turn less deep, so it takes up to three
        // turns of depth per turn to see a game to its end. With only one way to go, there is
        // nothing to search for.
        let deepest = if is_forced { 1 } else { self.free.count() * 3 / 2 + 3 };
        for depth in 1..=deepest.min(Self::DEEPEST) {
            let mut best = None;
            self.iteration = depth;
            let searched = self.root(depth, &mut best, choice.direction as usize, spend);
            if let Some((direction, value)) = best {
                choice = Choice { direction: Direction::ALL[direction], value, ..choice };
            }
            if searched.is_err() {
                break;
            }
            choice.depth = depth;
            if choice.value.abs() > DECIDED / 2 {
                break;
            }
        }
        Choice { nodes: self.nodes, ..choice }
    }

    /// Searches every direction to this depth. `best` is updated as each direction is finished, so
    /// that it can be used if the limit stops the rest.
    fn root(
        &mut self,
        depth: u32,
        best: &mut Option<(usize, i32)>,
        first: usize,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<(), LimitReached> {
        self.spend(spend)?;
        let mut directions: Vec<usize> = self.open_directions(0).collect();
        directions.sort_by_key(|&direction| direction != first);
        let mut alpha = -DECIDED;
        for direction in directions {
            let ours = Direction::ALL[direction].step(self.heads[0]);
            // A window of width one first tells whether it is better at all; only then is its value
            // searched.
            let mut value = if best.is_some() {
                self.answer(ours, depth, alpha, alpha + 1, spend)?
            } else {
                DECIDED
            };
            if value > alpha {
                value = self.answer(ours, depth, alpha, DECIDED, spend)?;
            }
            if value > alpha || best.is_none() {
                alpha = alpha.max(value);
                *best = Some((direction, value));
            }
        }
        Ok(())
    }

    /// The value of the position before both players move, from our side.
    fn search_both_movers(
        &mut self,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<i32, LimitReached> {
        self.spend(spend)?;
        let ours: [bool; 4] = self.open(0);
        if let Some(value) = self.value_of_end(ours, self.open(1)) {
            return Ok(value);
        }
        let mut tried = NO_DIRECTION;
        if let Some(entry) = self.table.get(self.key) {
            tried = entry.direction as usize;
            if entry.depth as u32 >= depth {
                match entry.bound {
                    Bound::Exact => return Ok(entry.value),
                    Bound::AtLeast => alpha = alpha.max(entry.value),
                    Bound::AtMost => beta = beta.min(entry.value),
                }
                if alpha >= beta {
                    return Ok(entry.value);
                }
            }
        }
        if let Some(value) = self.value_without_search(depth, tried, spend)? {
            return Ok(value);
        }
        let (value, best) = self.best_direction(depth, (alpha, beta), ours, tried, spend)?;
        self.reward(0, self.heads[0], best, depth);
        let bound = if value >= beta {
            Bound::AtLeast
        } else if value <= alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        self.table.put(self.key, value, depth, bound, best as u8);
        Ok(value)
    }

    /// The value if one player or both have no way to go.
    #[inline]
    fn value_of_end(&self, ours: [bool; 4], theirs: [bool; 4]) -> Option<i32> {
        match (ours.contains(&true), theirs.contains(&true)) {
            (false, false) if !self.in_turn => Some(self.settings.draw),
            // A late loss is better than an early one, and an early win better than a late one: it
            // makes a difference against an opponent that errs.
            (false, _) => Some(-DECIDED + self.turn),
            (true, false) => Some(DECIDED - self.turn),
            (true, true) => None,
        }
    }

    /// The value at the horizon, where it is guessed, and wherever the players are apart, since a
    /// race has no answers. If the table knows a direction, the position was searched before and is
    /// not apart.
    #[inline]
    fn value_without_search(
        &mut self,
        depth: u32,
        tried: usize,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<Option<i32>, LimitReached> {
        let is_apart = if depth == 0 {
            if let Some(value) = self.guess() {
                self.table.put(self.key, value, 0, Bound::Exact, NO_DIRECTION as u8);
                return Ok(Some(value));
            }
            true
        } else {
            tried == NO_DIRECTION && self.evaluator.are_apart(&self.free, self.heads)
        };
        if !is_apart {
            return Ok(None);
        }
        let (value, is_exact) = self.race(depth, spend)?;
        let known_to = if is_exact { FOREVER } else { depth };
        self.table.put(self.key, value, known_to, Bound::Exact, NO_DIRECTION as u8);
        Ok(Some(value))
    }

    /// The value of our best direction and the direction, searched within the window from alpha to
    /// beta.
    #[inline]
    fn best_direction(
        &mut self,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        ours: [bool; 4],
        tried: usize,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<(i32, usize), LimitReached> {
        let (low, mut best, mut value) = (alpha, NO_DIRECTION, -DECIDED * 2);
        let head = self.heads[0];
        for direction in self.order(0, ours, tried) {
            let cell = Direction::ALL[direction].step(head);
            let is_first = best == NO_DIRECTION;
            // Late move reduction: a direction that a search one turn less deep does not find
            // better is not searched again.
            if !is_first
                && depth >= 3
                && self.answer(cell, depth - 1, alpha, alpha + 1, spend)? <= alpha
            {
                // It was not better than what is known, but how much worse is unknown. So the value
                // must not fall below the window, or the bound stored for it would claim too much.
                value = value.max(low);
                continue;
            }
            // The first direction gets the whole window, and so does any other if the window is
            // narrow anyway; the rest must first show with a window of width one that they are
            // better.
            let has_window = is_first || beta - alpha <= 1;
            let upper = if has_window { beta } else { alpha + 1 };
            let mut answer = self.answer(cell, depth, alpha, upper, spend)?;
            if !has_window && answer > alpha && answer < beta {
                answer = self.answer(cell, depth, alpha, beta, spend)?;
            }
            if answer > value {
                value = answer;
                best = direction;
                alpha = alpha.max(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok((value, best))
    }

    /// The value when we are about to enter `ours` and the opponent knows it. The opponent's late
    /// directions, too, are first searched a turn less deep.
    fn answer(
        &mut self,
        ours: Cell,
        depth: u32,
        alpha: i32,
        mut beta: i32,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<i32, LimitReached> {
        let (heads, key, free) = (self.heads, self.key, self.free);
        let depth = depth + self.is_narrow(depth) as u32;
        let mut value = DECIDED * 2;
        let mut best = NO_DIRECTION;
        for direction in self.order(1, self.open(1), NO_DIRECTION) {
            let theirs = Direction::ALL[direction].step(heads[1]);
            let answer = if theirs == ours {
                // Moving second, they find the cell taken; moving at once, both crash.
                if self.in_turn {
                    continue;
                }
                self.head_on()
            } else {
                self.free.remove(ours);
                self.free.remove(theirs);
                self.key ^= self.keys.head(0, heads[0])
                    ^ self.keys.head(1, heads[1])
                    ^ self.keys.head(0, ours)
                    ^ self.keys.head(1, theirs)
                    ^ self.keys.cell_key(ours)
                    ^ self.keys.cell_key(theirs);
                self.heads = [ours, theirs];
                self.turn += 1;
                let quick = if best != NO_DIRECTION && depth >= 3 {
                    self.search_both_movers(depth - 2, alpha, beta, spend)
                } else {
                    Ok(alpha)
                };
                let answer = match quick {
                    Ok(value) if value < beta => {
                        self.search_both_movers(depth - 1, alpha, beta, spend)
                    }
                    other => other,
                };
                self.turn -= 1;
                (self.heads, self.key, self.free) = (heads, key, free);
                answer?
            };
            if answer < value {
                value = answer;
                best = direction;
                beta = beta.min(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        if best == NO_DIRECTION {
            return Ok(DECIDED - self.turn);
        }
        self.reward(1, heads[1], best, depth);
        Ok(value)
    }

    /// Whether this turn does not count as depth because both together have at most two ways. These
    /// extensions take a search no further than three times its depth, and no deeper than its stack
    /// allows.
    fn is_narrow(&self, depth: u32) -> bool {
        let ways = |player| self.open(player).into_iter().filter(|open| *open).count();
        let looked_ahead = (self.turn - self.root) as u32;
        ways(0) * ways(1) <= 2 && looked_ahead + depth < Self::DEEPEST.min(3 * self.iteration)
    }

    /// The value once the players are apart, by how many more cells one can fill than the other,
    /// each bounded by a search of `depth` steps. Also returns whether the value is proven, so that
    /// no deeper search changes it.
    fn race(
        &mut self,
        depth: u32,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<(i32, bool), LimitReached> {
        let (free, heads) = (self.free, self.heads);
        let mut filler = Filler { evaluator: &mut self.evaluator, spend, nodes: &mut self.nodes };
        let (mine, _) = filler.longest(&free, heads[0], depth)?;
        let (theirs, _) = filler.longest(&free, heads[1], depth)?;
        // No line got past the depth limit, so both bounds are exact lengths.
        let is_proven = mine.max(theirs) <= depth as i32;
        // The player who moves first runs out first, so an equal race is lost.
        let lead = mine - theirs - (self.in_turn && mine <= theirs) as i32;
        let value = if lead == 0 {
            self.settings.draw
        } else {
            odds::of_race(lead, is_proven, self.settings.spare_cell)
        };
        Ok((value, is_proven))
    }

    /// The value of both entering the same cell now. Between equals it would be an even game; but
    /// the more cells are free, the more a better player could still have made of them.
    fn head_on(&self) -> i32 {
        self.settings.draw - self.settings.contempt * (self.room - 2 * self.turn) / 1000
    }

    /// The value of an undecided position without looking ahead; `None` once the players are apart.
    fn guess(&mut self) -> Option<i32> {
        match &self.settings.network {
            None => {
                let evaluation = self.evaluator.evaluate(&self.free, self.heads);
                (!evaluation.apart).then(|| odds::of_territories(&evaluation))
            }
            Some(network) => {
                let (evaluation, findings) = self.evaluator.examine(&self.free, self.heads);
                (!evaluation.apart).then(|| {
                    odds::of_guess(network.value(&Inputs::of(&evaluation, &findings, self.heads)))
                })
            }
        }
    }

    /// Which of the four directions lead to a free cell.
    fn open(&self, player: usize) -> [bool; 4] {
        self.free.sides(self.heads[player])
    }

    fn index(cell: Cell) -> usize {
        cell.row as usize * L::WIDTH + cell.col as usize
    }

    /// The open directions: the one to try first, then the others by their history.
    fn order(
        &self,
        player: usize,
        open: [bool; 4],
        first: usize,
    ) -> impl Iterator<Item = usize> + use<L, N> {
        let history = self.history[player][Self::index(self.heads[player])];
        let mut directions = [0, 1, 2, 3];
        directions.sort_by_key(|&direction| {
            (!open[direction], direction != first, std::cmp::Reverse(history[direction]))
        });
        directions.into_iter().take_while(move |&direction| open[direction])
    }

    /// Counts a direction that was best; 4 means none.
    fn reward(&mut self, player: usize, head: Cell, direction: usize, depth: u32) {
        if direction < 4 {
            self.history[player][Self::index(head)][direction] += depth * depth + 1;
        }
    }
}
