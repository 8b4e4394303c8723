//! Small boards on which two players move in turn. Whoever cannot move loses, so nothing is drawn,
//! and a search for a move that wins finds the value.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::board::{Board, Cells, Position};
use super::solver::{Solver, Stopped, cells_of};

/// Positions between two looks at whether to stop.
const LOOK: u64 = 1 << 10;

/// A search with all that it remembers. In its positions, the first head is that of whoever moves.
pub(super) struct InTurn {
    /// Knows the lengths of ways.
    ways: Solver,
    /// Whether whoever moves wins.
    known: HashMap<Position, bool>,
    searched: u64,
    most: u64,
    stop: Arc<AtomicBool>,
}

impl InTurn {
    /// A search that may look at so many positions.
    pub(super) fn new(mut ways: Solver, most: u64, stop: Arc<AtomicBool>) -> InTurn {
        ways.allow(most);
        InTurn { ways, known: HashMap::new(), searched: 0, most, stop }
    }

    /// The board.
    pub(super) fn board(&self) -> &Board {
        self.ways.board()
    }

    /// The number of positions searched.
    pub(super) fn searched(&self) -> u64 {
        self.searched
    }

    /// The positions after each move of whoever moves, the most hopeful first, each with the cell
    /// that is entered.
    pub(super) fn moves(&self, at: Position) -> Vec<(u8, Position)> {
        let Position { open, heads: [own, other] } = at;
        let after = |cell: u8| Position { open: open & !(1 << cell), heads: [other, cell] };
        let cells = cells_of(self.board().beside(1 << own, open));
        let mut moves: Vec<(u8, Position)> = cells.map(|cell| (cell, after(cell))).collect();
        moves.sort_by_cached_key(|(_, after)| {
            let [own, other] = self.claims(*after);
            i64::from(own) - i64::from(other)
        });
        moves
    }

    /// Whether whoever moves wins.
    ///
    /// # Errors
    /// If the search was told to stop, or would take more positions than are allowed.
    pub(super) fn wins(&mut self, at: Position) -> Result<bool, Stopped> {
        let Position { open, heads: [own, other] } = at;
        let (first, second) = (self.board().reach(own, open), self.board().reach(other, open));
        if first == 0 || second == 0 {
            return Ok(first != 0);
        }
        if let Some([own, other]) = self.moves_left(at)? {
            return Ok(own > other);
        }
        // Cells that nobody can reach make no difference.
        let at = Position { open: first | second, ..at };
        if let Some(wins) = self.known.get(&at) {
            return Ok(*wins);
        }
        let is_stopped = self.searched.is_multiple_of(LOOK) && self.stop.load(Ordering::Relaxed);
        if is_stopped || self.searched >= self.most {
            return Err(Stopped);
        }
        self.searched += 1;
        let mut wins = false;
        for (_, after) in self.moves(at) {
            if !self.wins(after)? {
                wins = true;
                break;
            }
        }
        self.known.insert(at, wins);
        Ok(wins)
    }

    /// How many more moves each can make, once the two can no longer meet.
    ///
    /// # Errors
    /// As for [`InTurn::wins`].
    pub(super) fn moves_left(&mut self, at: Position) -> Result<Option<[u32; 2]>, Stopped> {
        self.ways.moves_left(at)
    }

    /// How many cells each reaches first.
    pub(super) fn claims(&self, at: Position) -> [u32; 2] {
        let mut free = at.open;
        let mut edges = at.heads.map(|head| 1 << head);
        let mut claimed = [0; 2];
        while edges != [0; 2] {
            for seat in 0..2 {
                let entered: Cells = self.board().beside(edges[seat], free);
                free &= !entered;
                edges[seat] = entered;
                claimed[seat] += entered.count_ones();
            }
        }
        claimed
    }
}
