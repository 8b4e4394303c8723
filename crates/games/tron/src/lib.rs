//! Light cycles: one engine for the rules of four contests, the contests' boards and generated
//! ones, the three bots of the report and the improvements that it lists, and a champion.
//!
//! | | |
//! |---|---|
//! | `rules` | actions, step, score; submodules for the position, the four actions, territory |
//! | `environment` | how a match starts |
//! | `scenarios` | boards, fixed or made from a seed |
//! | `notation` | text and JSON forms, map files |
//! | `encoding` | numbers for learners |
//! | `protocols` | the contests' own protocols |
//! | `players` | one file per strategy |
//! | `tools` | values of small boards, and what players gave away on them |
//! | `scene`, `keyboard` | how a position looks, and how a person plays |

mod encoding;
mod environment;
mod keyboard;
mod notation;
mod players;
mod protocols;
mod roster;
mod rules;
mod scenarios;
mod scene;
mod tools;

use quintain_core::Entry;

pub use environment::scenario;
pub use notation::{DirectionError, MapError, read_map};
pub use rules::direction::Direction;
pub use rules::state::{Cell, MAX_SEATS, MAX_SIDE, State};
pub use rules::{Headings, Moves, Trails, Tron};

/// Returns Tron with its boards and players, for a catalog.
pub fn entry() -> Entry<Tron> {
    let entry = protocols::ALL.into_iter().fold(roster::roster(), Entry::protocol);
    entry
        .how_to_play(include_str!("../RULES.md"))
        .weak_to_strong(&[
            "random",
            "basic",
            "wall-hugger",
            "space",
            "improved",
            "flat-monte-carlo",
            "uct",
            "greedy",
            "advanced",
            "alpha-beta",
            "contest2010",
            "champion",
        ])
        .showcase("rooms?width=19&height=15", ["champion?nodes=3000", "contest2010?nodes=3000"])
        .presentation(scene::TronPresentation)
        .encoding_with(
            "board",
            |rules, start| Ok(encoding::TronEncoding::new(rules, start)),
            quintain_batch::batches,
        )
        .network(include_bytes!("../networks/tron.safetensors"))
        .tool(tools::solve_tool())
        .tool(tools::score_tool())
        .exact(tools::judge)
        .study(tools::TronStudy)
}

/// The page on writing a player, compiled and run as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/writing-a-player.md")]
pub struct WritingAPlayer;
