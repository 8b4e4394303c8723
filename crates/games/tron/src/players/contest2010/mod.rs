//! The method that won the Google AI Challenge of February 2010 among about 700
//! entries (Andy Sloane's "a1k0n"), written anew from descriptions of it.
//!
//! While the players can reach each other it searches their moves by alpha-beta
//! with iterative deepening, the opponent answering each of our moves, and
//! scores positions by the chambers of each player's territory
//! ([`territory`]). Once they are apart, what counts is who fills more cells
//! ([`filling`]).
//!
//! It is the yardstick of the champion and shares no code with it.

mod board;
mod filling;
mod territory;

use self::board::Board;
use self::territory::Evaluator;
use crate::duel::{Choice, Direction, Duel};

/// More than any score of a position that is not decided.
const DECIDED: i32 = 100_000_000;
/// A separated position is worth this for each cell that one player can fill
/// more than the other.
const PER_SPARE_CELL: i32 = 10_000;

/// Whether the players are apart, and what our best branch of chambers is worth
/// more than theirs.
#[cfg(test)]
pub(crate) fn worth(duel: &Duel) -> (bool, i32) {
    let board = Board::of(duel);
    let (apart, branches) = Evaluator::new(&board).best_branches(&board);
    let [ours, theirs] =
        [0, 1].map(|player| branches[player].score(1 - board.colour(board.heads[player])));
    (apart, ours - theirs)
}

/// The limit was reached in the middle of a search.
struct Stopped;

/// The engine with its working memory.
pub(crate) struct Contest2010<'a> {
    board: Board,
    evaluator: Evaluator,
    spend: &'a mut dyn FnMut() -> bool,
    nodes: u64,
    /// The best moves of the last iteration by ply, tried first.
    best_line: Vec<usize>,
}

impl<'a> Contest2010<'a> {
    /// Decides for the first head of the duel. `spend` is called once a node and
    /// answers whether to go on.
    pub(crate) fn choose(duel: &Duel, spend: &'a mut dyn FnMut() -> bool) -> Choice {
        let board = Board::of(duel);
        let evaluator = Evaluator::new(&board);
        let mut engine = Contest2010 { board, evaluator, spend, nodes: 0, best_line: Vec::new() };
        if engine.evaluator.are_apart(&engine.board) {
            filling::choose(&mut engine)
        } else {
            engine.fight()
        }
    }

    fn spend_node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if (self.spend)() { Ok(()) } else { Err(Stopped) }
    }

    /// Alpha-beta by iterative deepening, in turns of both players.
    fn fight(&mut self) -> Choice {
        let mut choice = Choice { direction: self.board.any_way(0), depth: 0, nodes: 0, value: 0 };
        let most = self.board.free_cells() as u32;
        for depth in 1..=most {
            self.best_line.resize(depth as usize * 2, 0);
            let mut best = None;
            match self.our_move(depth, 0, -DECIDED, DECIDED, &mut best) {
                Ok(value) => {
                    let way = best.unwrap_or(choice.direction as usize);
                    choice = Choice { direction: Direction::ALL[way], depth, nodes: 0, value };
                    if value.abs() > DECIDED / 2 {
                        break;
                    }
                }
                Err(Stopped) => {
                    // The move tried first is that of the last iteration, so one
                    // found since is better.
                    if let Some(way) = best {
                        choice.direction = Direction::ALL[way];
                    }
                    break;
                }
            }
        }
        Choice { nodes: self.nodes, ..choice }
    }

    /// The ways in the order to try them: that of the last iteration first.
    fn ways(&self, ply: usize) -> [usize; 4] {
        let first = self.best_line[ply];
        let mut ways = [0, 1, 2, 3];
        ways[..=first].rotate_right(1);
        ways
    }

    /// The score of the position before both move, from our side.
    fn our_move(
        &mut self,
        depth: u32,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        best: &mut Option<usize>,
    ) -> Result<i32, Stopped> {
        self.spend_node()?;
        if depth == 0 {
            return Ok(self.score(ply));
        }
        let lost = if self.board.has_way(1) { -DECIDED + ply as i32 } else { 0 };
        let mut value = i32::MIN;
        let here = self.board.heads[0];
        for way in self.ways(ply) {
            let there = self.board.neighbour(here, way);
            if self.board.walls[there] {
                continue;
            }
            let answer = self.their_answer(there, depth, ply + 1, alpha, beta)?;
            if answer > value {
                value = answer;
                if answer > alpha || best.is_none() {
                    *best = Some(way);
                    self.best_line[ply] = way;
                }
                alpha = alpha.max(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(if value == i32::MIN { lost } else { value })
    }

    /// The score when we are about to enter `ours` and they know it.
    fn their_answer(
        &mut self,
        ours: usize,
        depth: u32,
        ply: usize,
        alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Stopped> {
        let heads = self.board.heads;
        let mut value = i32::MAX;
        for way in self.ways(ply) {
            let theirs = self.board.neighbour(heads[1], way);
            if self.board.walls[theirs] {
                continue;
            }
            let answer = if theirs == ours {
                0
            } else {
                self.board.enter([ours, theirs]);
                let answer = self.our_move(depth - 1, ply + 1, alpha, beta, &mut None);
                self.board.leave(heads);
                answer?
            };
            if answer < value {
                value = answer;
                self.best_line[ply] = way;
                beta = beta.min(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(if value == i32::MAX { DECIDED - ply as i32 } else { value })
    }

    fn score(&mut self, ply: usize) -> i32 {
        if !self.board.has_way(0) || !self.board.has_way(1) {
            return match (self.board.has_way(0), self.board.has_way(1)) {
                (false, false) => 0,
                (false, true) => -DECIDED + ply as i32,
                _ => DECIDED - ply as i32,
            };
        }
        self.evaluator.score(&self.board)
    }
}
