//! Uniform play: any offered action, all equally likely.

use quintain_core::{Decision, Fault, Game, Player};

/// Plays any offered action.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Player<G> for Random {
    fn decide(&mut self, decision: &mut Decision<'_, G>) -> Result<G::Action, Fault> {
        Ok(decision.random_action())
    }
}
