//! What is computed once per game and does not change: the automaton of the phrases, and how units
//! move.

use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::players::champion::steps::Steps;
use crate::players::solver::SolverInput;

/// Everything that is computed once per game.
pub(super) struct Precomputed {
    pub(super) scorer: PhraseScorer,
    /// By number of the unit among the problem's.
    pub(super) steps: Vec<Steps>,
}

impl Precomputed {
    pub(super) fn new(input: &SolverInput<'_>) -> Precomputed {
        let instance = input.instance;
        let came = (input.start.came as usize).saturating_sub(1);
        let mut periods: Vec<u8> =
            (came..instance.queue().len()).map(|n| instance.nth(n).period()).collect();
        periods.sort_unstable();
        periods.dedup();
        let steps = instance.problem().units().iter().map(Steps::new).collect();
        Precomputed { scorer: PhraseScorer::new(instance.phrases(), &periods), steps }
    }
}
