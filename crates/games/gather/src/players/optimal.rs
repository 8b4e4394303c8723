//! The class's “Optimal Strategy” (Bogdan Caprita): player 0 goes around in a row and collects; all
//! others go across until they find its trail, and then against its course to meet it. The strategy
//! needs ids that mean the same to all, so it refuses masked ones.

use quintain_core::{BuildError, Decision, Fault, Player, parameters};

use crate::rules::Gather;
use crate::rules::torus::Move;

/// The number of the collector and of its unit.
const COLLECTOR: usize = 0;

parameters! {
    /// The class's strategy with a designated collector.
    pub(crate) struct Optimal {
        /// Whether players that have met the collector go along with it rather than stay put.
        along: bool = false;
    }
}

impl Optimal {
    /// Returns the player if ids are not masked.
    ///
    /// # Errors
    /// If they are.
    pub(crate) fn player(&self, rules: &Gather) -> Result<Optimal, BuildError> {
        if rules.variant().masked {
            return Err("it gives player 0 a role of its own, but ids are masked here, so nobody \
                        knows which player that is; write masked=false"
                .into());
        }
        Ok(self.clone())
    }
}

impl Player<Gather> for Optimal {
    fn decide(&mut self, decision: &mut Decision<'_, Gather>) -> Result<Move, Fault> {
        let seen = decision.observation();
        if usize::from(seen.me) == COLLECTOR {
            return Ok(Move::E);
        }
        if seen.holds.contains(COLLECTOR) {
            // A step off the row would lay the collector's unit where it never was.
            return Ok(if self.along { Move::E } else { Move::Stay });
        }
        // The collector is next to it on its row and comes by itself.
        if seen.at(Move::W).players.contains(COLLECTOR) {
            return Ok(Move::Stay);
        }
        let on_its_trail = seen.at(Move::Stay).trail.contains(COLLECTOR);
        Ok(if on_its_trail { Move::W } else { Move::S })
    }
}
