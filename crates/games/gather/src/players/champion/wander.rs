//! What one of a crowd does that has learnt nothing for very long.
//!
//! Two groups may go around each other's old trails for ever, and never come into sight of each
//! other. So now and then each player walks straight ahead in a random direction, wherever trails
//! lead, and then goes on as before. Players of one group part that way, and carry what they hold
//! to different places.

use quintain_core::Rng;

use super::parameters::ChampionParameters;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// Walks, and the times between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Wander {
    /// The direction of the present walk, if it is on one.
    to: Option<Move>,
    /// The round in which the walk or the time without one ends.
    until: u32,
}

impl Wander {
    /// The next step of a walk, if it is on one. It learnt the last unit in the round `news`, and
    /// `scale` is the unit of measure of the parameters.
    pub(super) fn step(
        &mut self,
        habits: &ChampionParameters,
        seen: &Observation,
        news: u32,
        scale: f64,
        rng: &mut Rng,
    ) -> Option<Move> {
        if f64::from(seen.round - news) < habits.stuck * scale {
            *self = Wander::default();
            return None;
        }
        if seen.round >= self.until {
            let longest = ((habits.wander * scale) as usize).max(1);
            self.until = seen.round + 1 + rng.below(longest) as u32;
            self.to = match self.to {
                None => Some(Move::STEPS[rng.below(Move::STEPS.len())]),
                Some(_) => None,
            };
        }
        self.to
    }
}
