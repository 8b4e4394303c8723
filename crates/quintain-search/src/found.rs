//! What every search hands back.

use quintain_core::Decision;
use quintain_core::Rules;

/// The action a search settled on, and what it knows about it.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<A> {
    /// The action to play.
    pub action: A,
    /// What it is worth: the score turned so that more is better, in games of rivals
    /// less the best rival's.
    pub value: f64,
    /// Turns looked ahead (in a tree that grows unevenly, at most).
    pub depth: u32,
    /// Iterations or nodes spent.
    pub spent: u64,
}

impl<A> SearchResult<A> {
    /// Keeps the figures with the record; `unit` names what was spent.
    pub(crate) fn noted<R: Rules>(self, unit: &str, decision: &mut Decision<'_, R>) -> A {
        decision.note("value", self.value);
        decision.note("depth", self.depth.into());
        decision.note(unit, self.spent as f64);
        self.action
    }
}
