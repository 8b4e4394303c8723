//! Let's Get Together (CS4444, 2004): players on a torus gather all units of
//! information in one hand. The rules, the course's boards, every player of the
//! report, a champion for teams of its kind and a stranger for mixed ones.
//!
//! | | |
//! |---|---|
//! | `rules` | moves, meetings, trails, score; the position, the torus, what a seat sees |
//! | `environment`, `scenarios` | how a match starts; the course's boards |
//! | `notation` | text and JSON forms |
//! | `encoding` | numbers for learners |
//! | `scene`, `keyboard` | how a position looks, and how a person plays |
//! | `players` | one file per strategy |
//!
//! `docs/gather.md` has the readings of the report and the measurements.

mod encoding;
mod environment;
mod keyboard;
mod notation;
mod players;
mod rules;
mod scenarios;
mod scene;

use quintain_core::Entry;

pub use environment::scenario;
pub use notation::MoveError;
pub use rules::Gather;
pub use rules::observation::{LOOK_WORDS, Look, Observation};
pub use rules::state::State;
pub use rules::torus::{Cell, Move, Torus};
pub use rules::units::Units;
pub use rules::variant::{Diagonals, Variant, VariantError};

/// Returns Gather with its boards and players, for a catalog.
pub fn entry() -> Entry<Gather> {
    let entry = Entry::new(
        "gather",
        1,
        "let's get together: players on a torus pool what they know until one of them knows all",
        "CS4444 course problem, Columbia 2004",
    );
    let entry = players::add_to(scenarios::add_to(entry));
    entry
        .how_to_play(include_str!("../RULES.md"))
        .weak_to_strong(&[
            "convention",
            "random",
            "flower-v2",
            "stranger",
            "flower-v1",
            "salsa",
            "hybrid",
            "cra-z-y",
            "groovy",
            "champion",
        ])
        .showcase("course?board=35x35&players=3", ["flower-v2", "groovy", "hybrid"])
        .presentation(scene::GatherPresentation)
        .encoding_with(
            "views",
            |rules, _| encoding::GatherEncoding::new(rules.clone()),
            quintain_batch::batches,
        )
        .encoding_with(
            "looks",
            |rules, _| Ok(encoding::GatherEncoding::new(rules.clone())?.with_late_rounds_alike()),
            quintain_batch::batches,
        )
        .network(include_bytes!("../networks/gather.safetensors"))
        .regret(|score, metrics| Some(score - metrics.get("clairvoyant bound")?))
}
