//! The roster. Each strategy is a file of its own.

mod flower_or_bee;
mod meeting;
mod trail;

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::random::Random;

use crate::rules::Gather;

const REPORT: &str = "report “Project 3: Let's Get Together”, group 4, CS4444, 2004";

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Gather>) -> Entry<Gather> {
    entry
        .player("random", 1, "any move, all equally likely", "–", |_, _: &NoParameters| {
            Ok(Box::new(Random))
        })
        .player(
            "flower-v1",
            1,
            "one in N lays a row and waits, the others go south to find it",
            REPORT,
            |_, v1: &flower_or_bee::V1| Ok(Box::new(v1.player())),
        )
        .player(
            "flower-v2",
            1,
            "the same along the shorter side, with diagonal bees",
            REPORT,
            |_, v2: &flower_or_bee::V2| Ok(Box::new(v2.player())),
        )
}
