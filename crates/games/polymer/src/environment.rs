//! How a walk of polymer starts: always in the same way. Nothing is random.

use quintain_core::{Rng, Scenario};

use crate::rules::Polymer;

/// The scenario of these rules: every walk starts with the first monomer on cell 0.
pub fn scenario(rules: Polymer) -> Scenario<Polymer> {
    Scenario::new(rules, |rules: &Polymer, _: &mut Rng| rules.first_state())
}
