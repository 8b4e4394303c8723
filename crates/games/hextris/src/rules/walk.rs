//! One unit on its way down: where it is, and where it has been since it came. A command that
//! brings it back to an earlier position is an error. Units never move up, so only positions with
//! the pivot in its present row can recur. Only these are remembered, which makes a walk small and
//! cheap to copy.

use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::units::{Position, Unit};

/// A unit on its way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Walk {
    position: Position,
    /// By rotation, a row of bits: the columns in which the leftmost cell has been with the
    /// pivot in the present row.
    seen: [u128; 6],
}

/// What a command does to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveResult {
    /// The unit has moved.
    Moved,
    /// There is no room: the unit locks where it is.
    Locks,
    /// The unit would be back at an earlier position: an error.
    Repeated,
}

impl Walk {
    /// Starts the walk of a unit at a position where it [fits](Unit::fits).
    #[inline]
    pub fn new(unit: &Unit, position: Position) -> Walk {
        let mut walk = Walk { position, seen: [0; 6] };
        walk.mark_seen(unit);
        walk
    }

    /// Where the unit is.
    #[inline]
    pub fn position(&self) -> Position {
        self.position
    }

    /// By rotation, a row of bits: bit x is set if the leftmost cell has been in column x
    /// with the pivot in the present row.
    #[inline]
    pub fn visited_columns(&self) -> &[u128; 6] {
        &self.seen
    }

    /// Restores the walk of a unit at a position that has [visited](Walk::visited_columns) these
    /// columns in its row.
    pub(crate) fn restore(position: Position, seen: [u128; 6]) -> Walk {
        Walk { position, seen }
    }

    /// Whether the unit has been at a position; true for every position in a higher row.
    #[inline]
    pub fn has_been(&self, unit: &Unit, position: Position) -> bool {
        position.y < self.position.y
            || position.y == self.position.y
                && self.seen[usize::from(position.rotation)] >> unit.left(position) & 1 == 1
    }

    /// Obeys a command. Unless the result is [`MoveResult::Moved`], nothing changes.
    #[inline]
    pub fn go(&mut self, unit: &Unit, board: &Board, command: Command) -> MoveResult {
        let next = self.position.after(command, unit.period());
        // Room is checked first: a unit that cannot move locks, wherever the command would have
        // led.
        if !unit.fits(board, next) {
            return MoveResult::Locks;
        }
        if command.is_down() {
            // No position of the row above can recur.
            self.seen = [0; 6];
        } else if self.seen[usize::from(next.rotation)] >> unit.left(next) & 1 == 1 {
            return MoveResult::Repeated;
        }
        self.position = next;
        self.mark_seen(unit);
        MoveResult::Moved
    }

    #[inline]
    fn mark_seen(&mut self, unit: &Unit) {
        self.seen[usize::from(self.position.rotation)] |= 1 << unit.left(self.position);
    }
}
