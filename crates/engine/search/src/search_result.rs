//! The result of a tree search or a Monte Carlo search.

use quintain_core::{Decision, Rules};

/// The action that a search chose, and what the search learned about it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SearchResult<A> {
    /// The action to play.
    pub action: A,
    /// The expected utility of the action, in units of the score: the score with its sign turned so
    /// that more is better, minus the best rival's if seats are rivals.
    pub value: f64,
    /// The number of turns looked ahead; in a tree that grows unevenly, the greatest.
    pub depth: u32,
    /// The number of iterations or nodes spent.
    pub spent: u64,
}

impl<A> SearchResult<A> {
    /// Records value, depth and work as notes of the decision, and returns the action. `unit` is
    /// the name of the note for the work.
    pub(crate) fn record<R: Rules>(self, unit: &str, decision: &mut Decision<'_, R>) -> A {
        decision.note("value", self.value);
        decision.note("depth", self.depth.into());
        decision.note(unit, self.spent as f64);
        self.action
    }
}
