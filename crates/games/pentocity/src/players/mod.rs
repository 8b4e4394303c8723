//! The players. Each strategy has its own file; generic players come from `quintain-search`.

mod asking;
pub(crate) mod champion;
mod report;
mod sequencer;

use quintain_core::{Description, Entry};

use crate::rules::Pentocity;

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    let entry = quintain_search::players::add_random(
        entry,
        "any of the tightest placements with a shortest road, or a rejection",
    )
    .player(
        Description {
            name: "report",
            version: 1,
            summary: "every strategy of the report, as parameters that combine freely",
            source: "“Project 1: Pentocity”, Lin, Meiyappan, Sheng 2016",
        },
        report::build_report,
    );
    sequencer::add_to(champion::add_to(report::presets::add_to(entry)))
}
