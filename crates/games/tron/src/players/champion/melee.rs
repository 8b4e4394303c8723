//! Three and four players: the champion's search where two or more others can still come near.
//!
//! A player alone in its part of the board fills it, and one that shares it with one other is in a
//! duel, for which there is [`super::search`]. Only the rest is searched here, one player after
//! another even where all move at once: with two others as if they played together against us
//! (paranoid search, Sturtevant and Korf 2000), with three as if everyone played for itself (max^n,
//! Luckhardt and Irani 1986). A value is the share of the others that a player outlives.
//! `quintain-search` has no search for more than two seats that take turns without rollouts.

use quintain_grid::{Cell, Lane, Rows, Rows128, reach};

use super::super::duel::{Choice, Duel, Order, Scale};
use super::chambers::Evaluator;
use super::filling::LimitReached;
use super::holding::Degrees;
use super::odds;
use crate::Direction;

/// The most heads, ours among them.
const MAX_HEADS: usize = 4;

/// The value of outliving all others.
pub(crate) const ALL: i32 = 1_000_000;

/// The depth of the deepest search, in moves of single players; it keeps the stack small.
const DEEPEST: u32 = 200;

/// A position of more than two players.
#[derive(Clone, Debug)]
pub(crate) struct Melee {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) free: Rows128,
    /// The living players' heads with their trails, in the order in which they move, ours first.
    pub(crate) living: Vec<(Cell, Rows128)>,
    /// The number of players that have crashed.
    pub(crate) fallen: usize,
    pub(crate) order: Order,
    /// Whether the trail of a crashed player becomes free again.
    pub(crate) trails_vanish: bool,
}

impl Melee {
    /// The duel to which the position reduces if at most one other can reach what we can. What the
    /// rest do elsewhere does not matter then, except where a wall of trails vanishes, which is not
    /// foreseen.
    pub(crate) fn duel(&self) -> Option<Duel> {
        let reach_of = |head: Cell| reach(&self.free, &Rows::of(head));
        let (&(ours, _), others) = self.living.split_first()?;
        let our_reach = reach_of(ours);
        let mut near = others.iter().filter(|(head, _)| !(reach_of(*head) & our_reach).is_empty());
        let &(rival, _) = near.next().or(others.first())?;
        near.next().is_none().then_some(Duel {
            height: self.height,
            width: self.width,
            free: self.free,
            heads: [ours, rival],
            order: self.order,
        })
    }
}

/// A position within the search.
#[derive(Clone, Copy)]
struct Board<L: Lane, const N: usize> {
    free: Rows<L, N>,
    heads: [Cell; MAX_HEADS],
    trails: [Rows<L, N>; MAX_HEADS],
    lives: [bool; MAX_HEADS],
    /// The number of players that have crashed, also before the search.
    fallen: i32,
}

impl<L: Lane, const N: usize> Board<L, N> {
    fn of(melee: &Melee) -> Self {
        let mut board = Board {
            free: melee.free.cells().collect(),
            heads: [Cell::new(0, 0); MAX_HEADS],
            trails: [Rows::EMPTY; MAX_HEADS],
            lives: [false; MAX_HEADS],
            fallen: melee.fallen as i32,
        };
        for (player, (head, trail)) in melee.living.iter().enumerate() {
            board.heads[player] = *head;
            board.lives[player] = true;
            board.trails[player] = trail.cells().collect();
        }
        board
    }

    fn open_directions(&self, player: usize) -> impl Iterator<Item = Direction> + use<L, N> {
        let open = self.free.sides(self.heads[player]);
        Direction::ALL.into_iter().zip(open).filter_map(|(to, is_open)| is_open.then_some(to))
    }

    /// Returns the position after a player's move.
    fn after_move(&self, player: usize, to: Direction) -> Self {
        let mut after = *self;
        let cell = to.step(self.heads[player]);
        after.free.remove(cell);
        after.heads[player] = cell;
        after.trails[player].insert(cell);
        after
    }

    /// Returns the position after a player's crash.
    fn after_crash(&self, player: usize, trails_vanish: bool) -> Self {
        let mut after = *self;
        after.lives[player] = false;
        after.fallen += 1;
        if trails_vanish {
            after.free = after.free | after.trails[player];
        }
        after
    }
}

/// The expected result of each player.
type Values = [i32; MAX_HEADS];

/// A search for one decision.
pub(super) struct MeleeSearch<'a, L: Lane, const N: usize> {
    evaluator: &'a mut Evaluator<L, N>,
    spend: &'a mut dyn FnMut() -> bool,
    nodes: u64,
    /// The number of players alive before the search.
    heads: usize,
    /// The number of all players but one.
    others: i32,
    trails_vanish: bool,
    /// Whether some value was a guess: if none was, a deeper search has nothing left to see.
    has_guessed: bool,
}

impl<'a, L: Lane, const N: usize> MeleeSearch<'a, L, N> {
    /// Decides for the first head.
    pub(super) fn choose(
        melee: &Melee,
        evaluator: &'a mut Evaluator<L, N>,
        spend: &'a mut dyn FnMut() -> bool,
    ) -> Choice {
        let heads = melee.living.len();
        let mut search = MeleeSearch {
            evaluator,
            spend,
            nodes: 0,
            heads,
            others: (heads + melee.fallen) as i32 - 1,
            trails_vanish: melee.trails_vanish,
            has_guessed: true,
        };
        search.deepen(&Board::of(melee))
    }

    /// Searches with increasing depth until the limit, or until there is nothing left to guess.
    fn deepen(&mut self, board: &Board<L, N>) -> Choice {
        let mut directions: Vec<Direction> = board.open_directions(0).collect();
        let any = directions.first().copied().unwrap_or(Direction::Up);
        let mut choice =
            Choice { direction: any, depth: 0, nodes: 0, value: 0, scale: Scale::Outlived };
        if directions.len() < 2 {
            return choice;
        }
        for depth in 1..=DEEPEST {
            self.has_guessed = false;
            // The best direction of the depth before comes first, so that what the limit leaves is
            // no worse.
            directions.sort_by_key(|to| *to != choice.direction);
            if self.look(board, depth, &directions, &mut choice).is_err() {
                break;
            }
            choice.depth = depth.div_ceil(self.heads as u32);
            if !self.has_guessed {
                break;
            }
        }
        Choice { nodes: self.nodes, ..choice }
    }

    /// Searches every direction to this depth. `choice` is updated as each is finished.
    fn look(
        &mut self,
        board: &Board<L, N>,
        depth: u32,
        directions: &[Direction],
        choice: &mut Choice,
    ) -> Result<(), LimitReached> {
        let mut best = None;
        for &direction in directions {
            let after = board.after_move(0, direction);
            let value = match self.heads {
                ..=3 => self.paranoid(&after, 1, depth - 1, best.unwrap_or(-ALL), 2 * ALL)?,
                _ => self.max_n(&after, 1, depth - 1)?[0],
            };
            if best.is_none_or(|best| value > best) {
                best = Some(value);
                *choice = Choice { direction, value, ..*choice };
            }
        }
        Ok(())
    }

    fn count_node(&mut self) -> Result<(), LimitReached> {
        self.nodes += 1;
        if (self.spend)() { Ok(()) } else { Err(LimitReached) }
    }

    /// The next player to move after this one.
    fn next(&self, board: &Board<L, N>, mover: usize) -> usize {
        let mut after = (1..=self.heads).map(|turn| (mover + turn) % self.heads);
        after.find(|player| board.lives[*player]).unwrap_or(mover)
    }

    /// The value of crashing now, by the players outlived: later is better.
    fn crashed(&self, board: &Board<L, N>, depth: u32) -> i32 {
        ALL / self.others * board.fallen - depth as i32
    }

    /// Returns the least that we get.
    fn paranoid(
        &mut self,
        board: &Board<L, N>,
        mover: usize,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, LimitReached> {
        if board.fallen == self.others {
            return Ok(ALL);
        }
        self.count_node()?;
        let mut open = board.open_directions(mover).peekable();
        if open.peek().is_none() {
            if mover == 0 {
                return Ok(self.crashed(board, depth));
            }
            let after = board.after_crash(mover, self.trails_vanish);
            return self.paranoid(&after, self.next(&after, mover), depth, alpha, beta);
        }
        if depth == 0 {
            return Ok(self.guess(board, mover)[0]);
        }
        let next = self.next(board, mover);
        let mut value = if mover == 0 { -ALL } else { 2 * ALL };
        for direction in open {
            let after = board.after_move(mover, direction);
            let answer = self.paranoid(&after, next, depth - 1, alpha, beta)?;
            if mover == 0 {
                value = value.max(answer);
                alpha = alpha.max(answer);
            } else {
                value = value.min(answer);
                beta = beta.min(answer);
            }
            if alpha >= beta {
                break;
            }
        }
        Ok(value)
    }

    /// Returns what each player gets if everyone plays for itself.
    fn max_n(
        &mut self,
        board: &Board<L, N>,
        mover: usize,
        depth: u32,
    ) -> Result<Values, LimitReached> {
        if board.fallen == self.others {
            return Ok(board.lives.map(|lives| if lives { ALL } else { 0 }));
        }
        self.count_node()?;
        let mut open = board.open_directions(mover).peekable();
        if open.peek().is_none() {
            let after = board.after_crash(mover, self.trails_vanish);
            let mut values = self.max_n(&after, self.next(&after, mover), depth)?;
            values[mover] = self.crashed(board, depth);
            return Ok(values);
        }
        if depth == 0 {
            return Ok(self.guess(board, mover));
        }
        let next = self.next(board, mover);
        let mut best: Option<Values> = None;
        for direction in open {
            let after = board.after_move(mover, direction);
            let values = self.max_n(&after, next, depth - 1)?;
            if best.is_none_or(|best| values[mover] > best[mover]) {
                best = Some(values);
            }
        }
        Ok(best.unwrap_or_default())
    }

    /// What each player may expect of a position, by what it can make of the cells that it reaches
    /// first; `mover` is about to move.
    fn guess(&mut self, board: &Board<L, N>, mover: usize) -> Values {
        self.has_guessed = true;
        let own = self.split(board, mover);
        let reached = own.iter().fold(Rows::EMPTY, |all, own| all | *own);
        let room = (reached.count() as f32).max(1.0).sqrt();
        let degrees = Degrees::of(&board.free);
        let mut worths = [0; MAX_HEADS];
        for player in (0..self.heads).filter(|player| board.lives[*player]) {
            let front = own[player] & (reached - own[player]).neighbours();
            let head = board.heads[player];
            worths[player] = self.evaluator.branch_worth(&own[player], &front, &degrees, head);
        }
        std::array::from_fn(|player| {
            if !board.lives[player] {
                return 0;
            }
            let rivals = (0..self.heads).filter(|other| *other != player && board.lives[*other]);
            let outlived = rivals.map(|rival| {
                let lead = (worths[player] - worths[rival]) as f32 / room;
                odds::share(lead)
            });
            (ALL * board.fallen + outlived.sum::<i32>()) / self.others
        })
    }

    /// The cells that each player reaches first if they move in turn, `mover` first.
    fn split(&self, board: &Board<L, N>, mover: usize) -> [Rows<L, N>; MAX_HEADS] {
        let mut waves = board.heads.map(Rows::of);
        let mut own = [Rows::EMPTY; MAX_HEADS];
        let mut dry = board.free;
        loop {
            let before = dry;
            for turn in 0..self.heads {
                let player = (mover + turn) % self.heads;
                if board.lives[player] {
                    waves[player] = waves[player].neighbours() & dry;
                    dry = dry - waves[player];
                    own[player] = own[player] | waves[player];
                }
            }
            if dry == before {
                return own;
            }
        }
    }
}
