//! Let's Get Together (CS4444, 2004): players on a torus gather all units of
//! information in one hand. The rules, the course's boards, every player of the
//! report, a champion for teams of its own kind and a stranger for mixed ones.
//!
//! | | |
//! |---|---|
//! | `rules` | moves, meetings, trails, score |
//! | `variant` | what the sources leave open |
//! | `state` | a position |
//! | `torus` | the board, the compass, distances, the clairvoyant bound |
//! | `observation` | what a seat sees |
//! | `ids`, `units` | under which number a seat sees another; sets of units and players |
//! | `environment`, `scenarios` | how a match starts; the course's boards |
//! | `notation` | text and JSON forms |
//! | `encoding` | numbers for learners |
//! | `scene`, `keyboard` | how a position looks, and how a person plays |
//! | `players` | one strategy a file |
//!
//! `docs/gather.md` has the readings of the report and what was measured.

mod encoding;
mod environment;
mod ids;
mod keyboard;
mod notation;
mod observation;
mod players;
mod rules;
mod scenarios;
mod scene;
mod state;
mod torus;
mod units;
mod variant;

use quintain_core::Entry;

pub use notation::MoveError;
pub use observation::{LOOK_WORDS, Look, Observation};
pub use rules::Gather;
pub use state::State;
pub use torus::{Cell, Move, Torus};
pub use units::Units;
pub use variant::{Diagonals, Variant, VariantError};

/// Gather with its boards and players, for a catalog.
pub fn entry() -> Entry<Gather> {
    let entry = Entry::new(
        "gather",
        1,
        "let's get together: players on a torus pool what they know; all in one hand ends it",
        "CS4444 course problem, Columbia 2004",
    );
    let entry = players::add_to(scenarios::add_to(entry));
    entry
        .showcase("course?board=35x35&players=3", ["flower-v2", "groovy", "hybrid"])
        .presentation(scene::GatherPresentation)
        .encoding("views", |rules, _| encoding::GatherEncoding::new(rules.clone()))
        .regret(|score, metrics| Some(score - metrics.get("clairvoyant bound")?))
}
