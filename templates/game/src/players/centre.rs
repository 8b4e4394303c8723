//! Marks the free cell that lies on the most lines: the centre, then corners, then edges. It
//! does not look at the marks of either seat.

use quintain_core::{Decision, Fault, Player, parameters};

use crate::rules::{Cell, NewGame};

/// Cells in order of the number of lines they lie on.
const BY_LINES: [u8; 9] = [5, 1, 3, 7, 9, 2, 4, 6, 8];

parameters! {
    /// Marks the free cell on the most lines.
    pub(crate) struct Centre {
        /// Whether edges come before corners.
        edges: bool = false;
    }
}

impl Player<NewGame> for Centre {
    fn decide(&mut self, decision: &mut Decision<'_, NewGame>) -> Result<Cell, Fault> {
        let state = decision.observation();
        let mut order = BY_LINES;
        if self.edges {
            order[1..].rotate_left(4);
        }
        let free = order.into_iter().find(|cell| state.mark(usize::from(*cell) - 1).is_none());
        Ok(Cell(free.expect("a seat's turn has a free cell")))
    }
}
