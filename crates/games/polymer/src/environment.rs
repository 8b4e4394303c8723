//! How a walk of polymer starts: always alike. Nothing is left to chance.

use quintain_core::Rng;

use crate::rules::{Polymer, State};

/// The first monomer on cell 0.
pub(crate) fn start(rules: &Polymer, _rng: &mut Rng) -> State {
    rules.first_state()
}
