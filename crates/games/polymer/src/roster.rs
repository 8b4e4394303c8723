//! The game with its scenarios and players, but without tools and pictures, which may build matches
//! from it.

use quintain_core::Entry;

use crate::rules::Polymer;
use crate::{players, scenarios};

/// The scenarios and players.
pub(crate) fn roster() -> Entry<Polymer> {
    let entry = Entry::new(
        "polymer",
        1,
        "a charged chain on a torus, laid so that opposites touch",
        "slides “CS5330 Randomized Algorithm Project”; the HP model (Dill 1985)",
    );
    players::add_to(scenarios::add_to(entry))
}
