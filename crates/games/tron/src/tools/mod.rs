//! Exact values of small boards with two players who move at once.
//!
//! Such a game has no best move, but an equilibrium: a mixture of moves that no reply can exploit.
//! The value of a position is the score that seat 0 expects when both play so. [`solver`] finds it
//! by solving one matrix game a position; [`board`] holds a position in bits, [`table`] remembers
//! the values, [`optimal`] says what moves are worth against perfect
//! opponents, [`judge`] compares a recorded match with them, and [`regret`] sums that up for
//! players. [`checkpoint`] keeps values in a file, and [`positions`] makes small boards of large
//! ones for lessons, also where players move in turn ([`in_turn`]).

mod board;
mod checkpoint;
mod in_turn;
mod judge;
mod optimal;
mod positions;
mod regret;
mod solver;
mod table;
mod tool;

#[cfg(test)]
mod tests;

pub(crate) use judge::judge;
pub(crate) use positions::TronStudy;
pub(crate) use regret::score_tool;
pub(crate) use tool::solve_tool;
