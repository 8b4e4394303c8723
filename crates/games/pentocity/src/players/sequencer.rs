//! The seat that makes the requests in a duel: the class's sequencers as players.

use quintain_core::{Decision, Description, Entry, Fault, Player, parameters};

use super::asking::ask;
use super::report;
use crate::requests::{Class, ClassSource};
use crate::rules::Pentocity;
use crate::rules::state::Move;

parameters! {
    /// Asks like a sequencer of the class.
    struct SequencerSettings {
        /// The sequencer of the class whose requests it makes.
        of: Class = Class::Random;
    }
}

/// Makes requests like a sequencer of the class, and builds like g1.
struct ClassSequencer {
    source: ClassSource,
    builder: Box<dyn Player<Pentocity>>,
}

/// Registers the player.
pub(super) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        Description {
            name: "sequencer",
            version: 1,
            summary: "in a duel, makes requests like a sequencer of the class; builds like g1",
            source: "COMS 4444 course problem, Columbia 2016: the class's simulator",
        },
        |_, given: &SequencerSettings| {
            Ok(Box::new(ClassSequencer { source: given.of.source(), builder: report::g1() }))
        },
    )
}

impl Player<Pentocity> for ClassSequencer {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen = decision.observation();
        match seen.state().request() {
            None => Ok(ask(&self.source, seen.state(), scoring, decision.rng())),
            Some(_) => self.builder.decide(decision),
        }
    }
}
