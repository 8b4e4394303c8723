//! How one unit goes: where it is and where it has been. Units never go up, so of where
//! it has been only the pivot's present row can be met again.

use crate::board::Board;
use crate::commands::Command;
use crate::units::{Position, Unit};

/// A unit on its way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Walk {
    position: Position,
    /// By rotation, where the leftmost cell has been with the pivot in this row.
    seen: [u128; 6],
}

/// What comes of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Went {
    /// The unit has moved.
    On,
    /// There is no room: the unit locks where it is.
    Locks,
    /// It has been there before: an error.
    Back,
}

impl Walk {
    /// A unit that has just come to where it [fits](Unit::fits).
    #[inline]
    pub fn new(unit: &Unit, position: Position) -> Walk {
        let mut walk = Walk { position, seen: [0; 6] };
        walk.see(unit);
        walk
    }

    /// Where it is.
    #[inline]
    pub fn position(&self) -> Position {
        self.position
    }

    /// By rotation, where the leftmost cell has been with the pivot in this row: bit x for
    /// column x.
    #[inline]
    pub fn seen(&self) -> &[u128; 6] {
        &self.seen
    }

    /// A unit there that has been where `seen` says in this row.
    pub fn restored(position: Position, seen: [u128; 6]) -> Walk {
        Walk { position, seen }
    }

    /// Whether it has been there.
    #[inline]
    pub fn has_been(&self, unit: &Unit, position: Position) -> bool {
        position.y < self.position.y
            || position.y == self.position.y
                && self.seen[usize::from(position.rotation)] >> unit.left(position) & 1 == 1
    }

    /// Obeys a command.
    #[inline]
    pub fn go(&mut self, unit: &Unit, board: &Board, command: Command) -> Went {
        let next = self.position.after(command, unit.period());
        if !unit.fits(board, next) {
            return Went::Locks;
        }
        if command.is_down() {
            self.seen = [0; 6];
        } else if self.seen[usize::from(next.rotation)] >> unit.left(next) & 1 == 1 {
            return Went::Back;
        }
        self.position = next;
        self.see(unit);
        Went::On
    }

    #[inline]
    fn see(&mut self, unit: &Unit) {
        self.seen[usize::from(self.position.rotation)] |= 1 << unit.left(self.position);
    }
}
