//! The search while the players can reach each other: alpha-beta with iterative deepening, in which
//! the opponent answers each of our moves. It is the winner's own, without the reductions, table
//! and ordering of `quintain-search`, so that its decisions are those of the method described.

use super::super::duel::{Choice, Scale};
use super::engine::{Engine, LimitReached};
use crate::Direction;

/// More than any score of an undecided position.
const DECIDED: i32 = 100_000_000;

/// Decides for the first head while both can still reach some cell.
pub(super) fn choose(engine: &mut Engine<'_>) -> Choice {
    Fight { engine, best_line: Vec::new() }.choose()
}

/// The search, with what one iteration passes on to the next.
struct Fight<'a, 'b> {
    engine: &'a mut Engine<'b>,
    /// The best moves of the last iteration by ply, tried first.
    best_line: Vec<usize>,
}

impl Fight<'_, '_> {
    /// Runs alpha-beta with iterative deepening; the depth counts turns of both players.
    fn choose(&mut self) -> Choice {
        let direction = self.engine.board.any_open(0);
        let mut choice = Choice { direction, depth: 0, nodes: 0, value: 0, scale: Scale::Value };
        let most = self.engine.board.free_cells() as u32;
        for depth in 1..=most {
            self.best_line.resize(depth as usize * 2, 0);
            let mut best = None;
            match self.our_move(depth, 0, -DECIDED, DECIDED, &mut best) {
                Ok(value) => {
                    let direction = best.unwrap_or(choice.direction as usize);
                    let direction = Direction::ALL[direction];
                    choice = Choice { direction, depth, value, ..choice };
                    if value.abs() > DECIDED / 2 {
                        break;
                    }
                }
                Err(LimitReached) => {
                    // The last iteration's move is tried first, so any move found since is better.
                    if let Some(direction) = best {
                        choice.direction = Direction::ALL[direction];
                    }
                    break;
                }
            }
        }
        Choice { nodes: self.engine.nodes, ..choice }
    }

    /// The directions in the order to try them, beginning with the last iteration's best.
    fn directions(&self, ply: usize) -> [usize; 4] {
        let first = self.best_line[ply];
        let mut directions = [0, 1, 2, 3];
        directions[..=first].rotate_right(1);
        directions
    }

    /// The score of the position before both players move, from our side.
    fn our_move(
        &mut self,
        depth: u32,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        best: &mut Option<usize>,
    ) -> Result<i32, LimitReached> {
        self.engine.spend_node()?;
        if depth == 0 {
            return Ok(self.score(ply));
        }
        let lost = if self.engine.board.can_move(1) { -DECIDED + ply as i32 } else { 0 };
        let mut value = i32::MIN;
        let here = self.engine.board.heads[0];
        for direction in self.directions(ply) {
            let there = self.engine.board.neighbour(here, direction);
            if self.engine.board.walls[there] {
                continue;
            }
            let answer = self.their_answer(there, depth, ply + 1, alpha, beta)?;
            if answer > value {
                value = answer;
                if answer > alpha || best.is_none() {
                    *best = Some(direction);
                    self.best_line[ply] = direction;
                }
                alpha = alpha.max(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(if value == i32::MIN { lost } else { value })
    }

    /// The score when we are about to enter `ours` and the opponent knows it.
    fn their_answer(
        &mut self,
        ours: usize,
        depth: u32,
        ply: usize,
        alpha: i32,
        mut beta: i32,
    ) -> Result<i32, LimitReached> {
        let heads = self.engine.board.heads;
        let mut value = i32::MAX;
        for direction in self.directions(ply) {
            let theirs = self.engine.board.neighbour(heads[1], direction);
            if self.engine.board.walls[theirs] {
                continue;
            }
            let answer = if theirs == ours {
                0
            } else {
                self.engine.board.enter([ours, theirs]);
                let answer = self.our_move(depth - 1, ply + 1, alpha, beta, &mut None);
                self.engine.board.leave(heads);
                answer?
            };
            if answer < value {
                value = answer;
                self.best_line[ply] = direction;
                beta = beta.min(answer);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(if value == i32::MAX { DECIDED - ply as i32 } else { value })
    }

    fn score(&mut self, ply: usize) -> i32 {
        if !self.engine.board.can_move(0) || !self.engine.board.can_move(1) {
            return match (self.engine.board.can_move(0), self.engine.board.can_move(1)) {
                (false, false) => 0,
                (false, true) => -DECIDED + ply as i32,
                _ => DECIDED - ply as i32,
            };
        }
        self.engine.evaluator.score(&self.engine.board)
    }
}
