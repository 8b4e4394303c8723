//! The game with its scenarios and players, but without tools and pictures, which may build matches
//! from it.

use quintain_core::Entry;

use crate::rules::Pentocity;
use crate::{players, scenarios};

/// The scenarios and players.
pub(crate) fn roster() -> Entry<Pentocity> {
    let entry = Entry::new(
        "pentocity",
        1,
        "buildings are requested one by one; pack them in with roads, ponds and fields",
        "COMS 4444 course problem, Columbia 2016",
    );
    players::add_to(scenarios::add_to(entry))
}
