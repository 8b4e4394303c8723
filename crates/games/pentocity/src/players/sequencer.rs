//! Who asks in a duel: the class's sequencers as players, and how the others ask.

use quintain_core::{Decision, Entry, Fault, Player, PlayerInfo, Rng, parameters};

use super::report;
use crate::requests::{Class, ClassSource, RequestHistory, RequestSource};
use crate::rules::Pentocity;
use crate::rules::state::{Move, Ruleset, State};

parameters! {
    /// Asks like a sequencer of the class.
    struct Sequencer {
        /// Whose requests.
        of: Class = Class::Random;
    }
}

/// Asks like the class, and builds like g1.
struct ClassSequencer {
    source: ClassSource,
    builder: Box<dyn Player<Pentocity>>,
}

/// What a source asks for in this position.
pub(super) fn ask(
    source: &dyn RequestSource,
    state: &State,
    scoring: Ruleset,
    rng: &mut Rng,
) -> Move {
    let history = RequestHistory { board: state.board(), totals: state.totals(), scoring };
    Move::Ask(source.next(&history, rng))
}

/// Registers it.
pub(super) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        PlayerInfo {
            name: "sequencer",
            version: 1,
            summary: "in a duel, asks like a sequencer of the class; builds like g1",
            source: "COMS 4444 course problem, Columbia 2016: the class's simulator",
        },
        |_, given: &Sequencer| {
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
