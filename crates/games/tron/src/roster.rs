//! The game with its boards and players.

use quintain_core::Entry;

use crate::rules::Tron;
use crate::{players, scenarios};

/// Returns the game with its boards and players, by which the tools know both.
pub(crate) fn roster() -> Entry<Tron> {
    let entry = Entry::new(
        "tron",
        1,
        "light cycles: each leaves a wall behind, the last one alive wins",
        "HackerRank, Google AI Challenge 2010, CodinGame, Riddles",
    );
    players::add_to(scenarios::add_to(entry))
}
