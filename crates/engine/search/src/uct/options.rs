//! The options of UCT, both as parameters of its player and for the search itself.

use quintain_core::{choices, parameters};

use crate::arms::{Choice, Selection};

choices! {
    /// On what scale exploration is measured.
    pub enum ValueScale {
        /// The score range of the rules; what was seen so far where they have none.
        Rules = "rules",
        /// From the worst to the best value seen so far in this search.
        Seen = "seen",
    }
}

parameters! {
    /// The options of [`Uct`](super::Uct): what the search reads, and the parameters of the player
    /// `uct`.
    #[derive(Copy)]
    pub struct Options {
        /// The weight of uncertainty, for values on a scale from 0 to 1.
        exploration: f64 = 0.5, in 0.0..=100.0;
        /// The rule that chooses the next action to try at a node.
        selection: Selection = Selection::Ucb1;
        /// The action played in the end: the one tried most often or the best on average.
        choice: Choice = Choice::Visits;
        /// The scale of exploration: the rules' score range, or the range of values seen so far.
        scale: ValueScale = ValueScale::Rules;
        /// The most turns of a playout, after which its position is estimated.
        playout: u32 = 10_000;
        /// The most nodes of the tree.
        nodes: u32 = 2_000_000, in 1..=100_000_000;
        /// Iterations per decision where the budget sets no limit.
        iterations: u64 = 1_000, in 1..=1_000_000_000;
    }
}
