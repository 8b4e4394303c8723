//! Uniform play: any of the offered actions, all equally likely. The baseline for all others.

use quintain_core::{Decision, Fault, Player, Rules};

/// A player that draws any of the offered actions with equal probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<R: Rules> Player<R> for Random {
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
        Ok(decision.random_action())
    }
}
