//! The game with its scenarios and players, but without tools and pictures, which may build matches
//! from it.

use quintain_core::Entry;

use crate::rules::Hextris;
use crate::{players, scenarios};

/// The scenarios and players.
pub(crate) fn roster() -> Entry<Hextris> {
    let entry = Entry::new(
        "hextris",
        1,
        "Tetris on a honeycomb, with phrases of power",
        "ICFP Programming Contest 2015; post “ICFPC 2015: Hexagonal Tetris”",
    );
    players::add_to(scenarios::add_to(entry))
}
