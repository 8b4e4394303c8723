//! The roster. Each strategy is a file of its own; generic players come from
//! `quintain-search`.

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::random::Random;

use crate::rules::Pentocity;

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    entry.player(
        "random",
        1,
        "any of the tightest placements with a shortest road, or a rejection",
        "–",
        |_, _: &NoParameters| Ok(Box::new(Random)),
    )
}
