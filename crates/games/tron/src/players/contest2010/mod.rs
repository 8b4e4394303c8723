//! The method that won the Google AI Challenge of February 2010 among about 700 entries (Andy
//! Sloane's "a1k0n"), rewritten from descriptions of it.
//!
//! While the players can reach each other, it searches their moves by alpha-beta with iterative
//! deepening, in which the opponent answers each of our moves. It scores positions by the chambers
//! of each player's territory ([`fight`], [`territory`]). Once they are apart, what counts is who
//! fills more cells ([`filling`]).
//!
//! It is the yardstick of the champion and shares no code with it.

mod board;
mod engine;
mod fight;
mod filling;
mod territory;

use self::board::Board;
use self::engine::Engine;
use self::territory::Evaluator;
use super::duel::{Choice, Duel};

/// Decides for the first head of the duel. `spend` is called once per node and returns whether to
/// go on.
pub(crate) fn choose(duel: &Duel, spend: &mut dyn FnMut() -> bool) -> Choice {
    let board = Board::of(duel);
    let evaluator = Evaluator::new(&board);
    let mut engine = Engine { board, evaluator, spend, nodes: 0 };
    if engine.evaluator.are_apart(&engine.board) {
        filling::choose(&mut engine)
    } else {
        fight::choose(&mut engine)
    }
}

/// Whether the players are apart, and how much more our best branch of chambers is worth than
/// theirs.
#[cfg(test)]
pub(crate) fn worth(duel: &Duel) -> (bool, i32) {
    let board = Board::of(duel);
    let (apart, branches) = Evaluator::new(&board).best_branches(&board);
    let [ours, theirs] =
        [0, 1].map(|player| branches[player].score(1 - board.colour(board.heads[player])));
    (apart, ours - theirs)
}
