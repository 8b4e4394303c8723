//! The search: principal variation search with iterative deepening.
//!
//! Both move at once, but the search lets them answer each move of ours, which
//! makes its values a little too low for us and keeps alpha-beta simple.

use super::Settings;
use super::chambers::Evaluator;
use super::filling::{Filler, Stopped};
use super::table::{Bound, Keys, Table};
use crate::duel::{Choice, Direction, Duel};
use quintain_grid::{Cell, Lane, Rows};

/// More than any value of a position that is not decided.
pub(crate) const DECIDED: i32 = 100_000_000;

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
    /// Turns since the board was empty, so that equal positions have equal
    /// values whenever they are met.
    turn: i32,
    nodes: u64,
    /// The rest of the longest way through our own space found so far.
    plan: Vec<Direction>,
    /// How often a way from a cell was best, by player.
    history: [Vec<[u32; 4]>; 2],
}

impl<L: Lane, const N: usize> Engine<L, N> {
    /// Turns that a search may look ahead: its stack stays within a megabyte, with
    /// room for some thirty bit boards a turn.
    const DEEPEST: u32 = (1 << 20) / (32 * size_of::<Rows<L, N>>() as u32);

    pub(super) fn new(settings: &Settings, in_turn: bool) -> Self {
        Engine {
            settings: *settings,
            in_turn,
            evaluator: Evaluator::new(settings.weights, in_turn),
            table: Table::new(settings.table_bits),
            keys: Keys::new(N, L::WIDTH),
            free: Rows::EMPTY,
            heads: [Cell::new(0, 0); 2],
            key: 0,
            turn: 0,
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
            |key, cell| key ^ self.keys.taken(cell),
        );
        self.turn = (duel.height * duel.width) as i32 - self.free.count() as i32;
        self.turn /= 2;
        self.nodes = 0;
        for ways in self.history.iter_mut().flatten().flatten() {
            *ways /= 8;
        }
        if self.evaluator.evaluate(&self.free, self.heads).apart {
            self.fill(spend)
        } else {
            self.fight(spend)
        }
    }

    fn spend(&mut self, spend: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        self.nodes += 1;
        if spend() { Ok(()) } else { Err(Stopped) }
    }

    fn ways(&self, player: usize) -> impl Iterator<Item = usize> + use<L, N> {
        let (free, head) = (self.free, self.heads[player]);
        (0..4).filter(move |&way| free.contains(Direction::ALL[way].step(head)))
    }

    /// Fills the own space: along the longest way found so far, this turn or
    /// before, unless an exact search finds a longer one.
    fn fill(&mut self, spend: &mut dyn FnMut() -> bool) -> Choice {
        let (free, head) = (self.free, self.heads[0]);
        let mut plan = std::mem::take(&mut self.plan);
        let (mut left, mut at) = (free, head);
        let can_be_walked = plan.iter().all(|way| {
            at = way.step(at);
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
        if filler.improve(&free, head, &mut plan).is_ok() {
            while depth < Self::DEEPEST
                && let Ok((value, first)) = filler.longest(&free, head, depth + 1)
            {
                depth += 1;
                if depth as i32 >= value {
                    longer = first.filter(|_| value > plan.len() as i32).map(|way| (way, value));
                    break;
                }
                if value <= plan.len() as i32 {
                    break;
                }
            }
        }
        if let Some((direction, value)) = longer {
            return Choice { direction, depth, nodes: self.nodes, value };
        }
        let value = plan.len() as i32;
        let direction = match plan.first() {
            Some(&way) => {
                self.plan = plan.split_off(1);
                way
            }
            None => Direction::ALL[self.ways(0).next().unwrap_or(0)],
        };
        Choice { direction, depth, nodes: self.nodes, value }
    }

    /// Searches deeper and deeper until the limit.
    fn fight(&mut self, spend: &mut dyn FnMut() -> bool) -> Choice {
        let any = self.ways(0).next().unwrap_or(0);
        let mut choice = Choice { direction: Direction::ALL[any], depth: 0, nodes: 0, value: 0 };
        // Late ways are searched a turn less deep, ours and theirs, so it takes up
        // to three for one to see a game to its end.
        for depth in 1..=(self.free.count() * 3 / 2 + 3).min(Self::DEEPEST) {
            let mut best = None;
            let searched = self.root(depth, &mut best, choice.direction as usize, spend);
            if let Some((way, value)) = best {
                choice = Choice { direction: Direction::ALL[way], value, ..choice };
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

    /// Searches every way to this depth; `best` is kept up as ways are finished.
    fn root(
        &mut self,
        depth: u32,
        best: &mut Option<(usize, i32)>,
        first: usize,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<(), Stopped> {
        self.spend(spend)?;
        let mut ways: Vec<usize> = self.ways(0).collect();
        ways.sort_by_key(|&way| way != first);
        let mut alpha = -DECIDED;
        for way in ways {
            let ours = Direction::ALL[way].step(self.heads[0]);
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
                *best = Some((way, value));
            }
        }
        Ok(())
    }

    /// The value of the position before both move, from our side.
    fn both(
        &mut self,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<i32, Stopped> {
        self.spend(spend)?;
        let ours: [bool; 4] = self.open(0);
        let theirs: [bool; 4] = self.open(1);
        match (ours.contains(&true), theirs.contains(&true)) {
            (false, false) if !self.in_turn => return Ok(self.settings.draw),
            (false, _) => return Ok(-DECIDED + self.turn),
            (true, false) => return Ok(DECIDED - self.turn),
            (true, true) => {}
        }
        let mut tried = 4;
        if let Some(entry) = self.table.get(self.key) {
            tried = entry.way as usize;
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
        if tried == 4 || depth == 0 {
            let evaluation = self.evaluator.evaluate(&self.free, self.heads);
            if evaluation.apart {
                let value = self.race(depth, spend)?;
                self.table.put(self.key, value, 255, Bound::Exact, 4);
                return Ok(value);
            }
            if depth == 0 {
                self.table.put(self.key, evaluation.worth, 0, Bound::Exact, 4);
                return Ok(evaluation.worth);
            }
        }
        let (low, mut best, mut value) = (alpha, 4, -DECIDED * 2);
        let head = self.heads[0];
        for way in self.order(0, ours, tried) {
            let cell = Direction::ALL[way].step(head);
            // A way that a search one turn less deep does not find better is
            // not looked at again.
            if best != 4
                && depth >= 3
                && self.answer(cell, depth - 1, alpha, alpha + 1, spend)? <= alpha
            {
                // It was not better than what is known.
                value = value.max(low);
                continue;
            }
            let mut answer = if best == 4 || beta - alpha <= 1 {
                self.answer(cell, depth, alpha, beta, spend)?
            } else {
                self.answer(cell, depth, alpha, alpha + 1, spend)?
            };
            if best != 4 && answer > alpha && answer < beta && beta - alpha > 1 {
                answer = self.answer(cell, depth, alpha, beta, spend)?;
            }
            if answer > value {
                value = answer;
                best = way;
                alpha = alpha.max(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.reward(0, head, best, depth);
        let bound = if value >= beta {
            Bound::AtLeast
        } else if value <= low {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        self.table.put(self.key, value, depth, bound, best as u8);
        Ok(value)
    }

    /// The value when we are about to enter `ours` and they know it. Their late
    /// ways, too, are first looked at a turn less deep.
    fn answer(
        &mut self,
        ours: Cell,
        depth: u32,
        alpha: i32,
        mut beta: i32,
        spend: &mut dyn FnMut() -> bool,
    ) -> Result<i32, Stopped> {
        let (heads, key, free) = (self.heads, self.key, self.free);
        let mut value = DECIDED * 2;
        let mut best = 4;
        for way in self.order(1, self.open(1), 4) {
            let theirs = Direction::ALL[way].step(heads[1]);
            let answer = if theirs == ours {
                if self.in_turn {
                    continue;
                }
                self.settings.draw
            } else {
                self.free.remove(ours);
                self.free.remove(theirs);
                self.key ^= self.keys.head(0, heads[0])
                    ^ self.keys.head(1, heads[1])
                    ^ self.keys.head(0, ours)
                    ^ self.keys.head(1, theirs)
                    ^ self.keys.taken(ours)
                    ^ self.keys.taken(theirs);
                self.heads = [ours, theirs];
                self.turn += 1;
                let quick = if best != 4 && depth >= 3 {
                    self.both(depth - 2, alpha, beta, spend)
                } else {
                    Ok(alpha)
                };
                let answer = match quick {
                    Ok(value) if value < beta => self.both(depth - 1, alpha, beta, spend),
                    other => other,
                };
                self.turn -= 1;
                (self.heads, self.key, self.free) = (heads, key, free);
                answer?
            };
            if answer < value {
                value = answer;
                best = way;
                beta = beta.min(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        if best == 4 {
            return Ok(DECIDED - self.turn);
        }
        self.reward(1, heads[1], best, depth);
        Ok(value)
    }

    /// The value once nobody can reach the other: who fills more.
    fn race(&mut self, depth: u32, spend: &mut dyn FnMut() -> bool) -> Result<i32, Stopped> {
        let (free, heads) = (self.free, self.heads);
        let mut filler = Filler { evaluator: &mut self.evaluator, spend, nodes: &mut self.nodes };
        let (mine, _) = filler.longest(&free, heads[0], depth)?;
        let (theirs, _) = filler.longest(&free, heads[1], depth)?;
        let spare = self.settings.spare_cell;
        Ok(if self.in_turn {
            // Who moves first runs out first.
            spare * (mine - theirs) - spare / 2
        } else if mine == theirs {
            self.settings.draw
        } else {
            spare * (mine - theirs)
        })
    }

    fn open(&self, player: usize) -> [bool; 4] {
        self.free.sides(self.heads[player])
    }

    fn index(cell: Cell) -> usize {
        cell.row as usize * L::WIDTH + cell.col as usize
    }

    /// The open ways, the one to try first in front, then by history.
    fn order(
        &self,
        player: usize,
        open: [bool; 4],
        first: usize,
    ) -> impl Iterator<Item = usize> + use<L, N> {
        let history = self.history[player][Self::index(self.heads[player])];
        let mut ways = [0, 1, 2, 3];
        ways.sort_by_key(|&way| (!open[way], way != first, std::cmp::Reverse(history[way])));
        ways.into_iter().take_while(move |&way| open[way])
    }

    fn reward(&mut self, player: usize, head: Cell, way: usize, depth: u32) {
        if way < 4 {
            self.history[player][Self::index(head)][way] += depth * depth + 1;
        }
    }
}
