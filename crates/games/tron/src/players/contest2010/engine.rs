//! What the method's two searches share: the board, the evaluation and the limit.

use super::board::Board;
use super::territory::Evaluator;

/// The error for a limit that was reached in the middle of a search.
pub(super) struct LimitReached;

/// The board at hand, the evaluation and the nodes spent.
pub(super) struct Engine<'a> {
    pub(super) board: Board,
    pub(super) evaluator: Evaluator,
    /// Called once per node; returns whether to go on.
    pub(super) spend: &'a mut dyn FnMut() -> bool,
    pub(super) nodes: u64,
}

impl Engine<'_> {
    pub(super) fn spend_node(&mut self) -> Result<(), LimitReached> {
        self.nodes += 1;
        if (self.spend)() { Ok(()) } else { Err(LimitReached) }
    }
}
