//! Pentocity (COMS 4444, 2016): buildings are requested one by one and packed on a square board,
//! with roads, ponds and fields. This crate has the rules in both readings, every request source of
//! the class, and every strategy of the report.
//!
//! | | |
//! |---|---|
//! | `rules` | requests and answers, legality, score; the board, pieces, placements, paths |
//! | `environment` | how a match starts and what it asks for |
//! | [`requests`] | the sources of requests, where no seat makes them |
//! | `scenarios` | the boards and request sources that are played |
//! | `notation` | text and JSON forms |
//! | `encoding` | numbers for learners |
//! | `scene`, `keyboard` | how a position looks, and how a person plays |
//! | [`recorded`] | games of the original simulator |
//! | `roster` | the scenarios and players together, for tools |
//! | `players` | one strategy per file |
//! | `tools` | scoring recorded games, the search for adversarial requests |

mod encoding;
mod environment;
mod keyboard;
mod notation;
mod players;
pub mod recorded;
pub mod requests;
mod roster;
mod rules;
mod scenarios;
mod scene;
mod tools;

use quintain_core::Entry;
use roster::roster;

pub use environment::{duel, scenario};
pub use notation::{NotationError, Observation};
pub use players::champion::features::{BOARD_FEATURES, describe_board};
pub use players::champion::value::{VALUE_KNOTS, find_value_knot};
pub use rules::Pentocity;
pub use rules::board::{Board, Cells, Use, neighbours};
pub use rules::contact::{Counts, Outline};
pub use rules::paths::Prefer;
pub use rules::pieces::{Piece, PieceError};
pub use rules::placements::{Placement, Placements, shortest_road};
pub use rules::state::{BONUS, Build, Move, Ruleset, State, Totals};

/// Pentocity with its scenarios and players, for a catalog.
pub fn entry() -> Entry<Pentocity> {
    roster()
        .how_to_play(include_str!("../RULES.md"))
        .weak_to_strong(&[
            "random",
            "centre",
            "joint",
            "dry",
            "naive",
            "diagonal",
            "joint-roads",
            "components-first",
            "fractal",
            "cells",
            "components-second",
            "clinging",
            "g1",
            "champion",
        ])
        .showcase("random", ["g1"])
        .tool(tools::score_tool())
        .tool(tools::adversary_tool())
        .presentation(scene::PentocityPresentation)
        .encoding_with(
            "placements",
            |rules, _| match rules.par() {
                None => Ok(encoding::PentocityEncoding::new(rules.clone())),
                Some(_) => Err("a duel has none, since one seat builds and the other asks".into()),
            },
            quintain_batch::batches,
        )
        .network(include_bytes!("../networks/pentocity.safetensors"))
}

/// Adds the players to an entry that has its own scenarios.
pub fn with_players(entry: Entry<Pentocity>) -> Entry<Pentocity> {
    players::add_to(entry)
}
