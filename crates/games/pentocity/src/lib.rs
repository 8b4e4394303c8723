//! Pentocity (COMS 4444, 2016): buildings are asked for one by one and packed on square
//! land, with roads, ponds and fields. The rules in both readings, every sequencer of the
//! class, every strategy of the report.
//!
//! | | |
//! |---|---|
//! | [`rules`] | state, moves, score |
//! | [`land`] | what stands where, as bit boards |
//! | [`contact`] | outlines counted for all places at once |
//! | [`forms`] | pentominoes and rectangles |
//! | [`paths`] | shortest ways over empty cells |
//! | [`placements`] | where a request may go, and the shortest road to it |
//! | [`sequencers`] | who asks |
//! | [`scenarios`] | where it is played |
//! | [`notation`] | text and JSON forms |
//! | [`recorded`] | games of the original simulator |
//! | `players` | one strategy a file |

mod adversary;
pub mod contact;
mod encoding;
mod environment;
pub mod forms;
mod keyboard;
pub mod land;
pub mod notation;
pub mod paths;
pub mod placements;
mod players;
pub mod recorded;
pub mod rules;
pub mod scenarios;
mod scene;
pub mod sequencers;
mod sweep;
mod tools;

use quintain_core::Entry;

pub use environment::scenario;
pub use forms::Form;
pub use land::Land;
pub use rules::{Build, Move, Pentocity, Ruleset, State};

/// Pentocity with its scenarios and players, for a catalog.
pub fn entry() -> Entry<Pentocity> {
    let entry = Entry::new(
        "pentocity",
        1,
        "buildings are asked for one by one: pack them, with roads, ponds and fields",
        "COMS 4444 course problem, Columbia 2016",
    );
    players::add_to(scenarios::add_to(entry))
        .showcase("random", ["g1"])
        .score_tool(std::sync::Arc::new(tools::score))
        .tool("adversary", std::sync::Arc::new(adversary::adversary))
        .presentation(scene::PentocityPresentation)
        .encoding("placements", |scenario| {
            Ok(encoding::PentocityEncoding::new(scenario.rules().clone()))
        })
}

/// Adds the roster to an entry: how lands of other scenarios get it.
pub fn with_players(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    players::add_to(entry)
}
