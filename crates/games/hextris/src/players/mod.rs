//! The roster. Each strategy is a file of its own; generic players come from
//! `quintain-search`.

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::greedy::{self, Greedy};
use quintain_search::random::Random;

use crate::rules::Hextris;

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Hextris>) -> Entry<Hextris> {
    entry
        .player("random", 1, "any place, all equally likely", "–", |_, _: &NoParameters| {
            Ok(Box::new(Random))
        })
        .player(
            "greedy",
            1,
            "the place that looks best at once",
            "one-step look-ahead by the post's features with its default weights",
            |_, _: &NoParameters| Ok(Box::new(Greedy::new(greedy::Options::default()))),
        )
}
