//! How a game of hextris starts: always alike, since the source of units is part of the
//! problem. Nothing is left to chance.

use quintain_core::Rng;

use crate::rules::{Hextris, State};

/// The first unit on the empty board.
pub(crate) fn start(rules: &Hextris, _rng: &mut Rng) -> State {
    rules.instance().start()
}
