//! How a game of hextris starts: always the same way, since the source of units is part of the
//! problem. Nothing is left to chance.

use quintain_core::{Rng, Scenario};

use crate::rules::history::Spoken;
use crate::rules::{Hextris, State};

/// The scenario of these rules: every game starts with the first unit on the problem's board.
pub fn scenario(rules: Hextris) -> Scenario<Hextris> {
    Scenario::new(rules, |rules: &Hextris, _: &mut Rng| State {
        text: Spoken::empty(),
        ..rules.instance().start()
    })
}
