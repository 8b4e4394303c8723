//! Uniform play: any offered action, all equally likely.

use quintain_core::{Decision, Fault, Player, Rules};

/// Plays any offered action.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<R: Rules> Player<R> for Random {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        Ok(decision.random_action())
    }
}
