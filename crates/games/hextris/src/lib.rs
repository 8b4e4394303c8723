//! Tetris on a honeycomb, where the commands are letters and some strings of letters are
//! phrases of power: the ICFP Programming Scoring of 2015.
//!
//! | | |
//! |---|---|
//! | [`commands`] | letters and what they command |
//! | [`units`], [`board`], [`walk`] | positions, what fits, locking, where a unit has been |
//! | [`problem`], [`notation`] | problems, solutions and their JSON |
//! | [`phrases`] | the automaton that hears phrases |
//! | [`play`], [`score`] | a game letter by letter; what a text is worth |
//! | [`paths`], [`reach`] | where a unit can come to, with the ways or in no time |
//! | [`dialect`] | the contest's command line as a protocol |
//! | [`evaluation`] | how a board looks, after the post |
//! | [`rules`], `players`, [`scenarios`], [`generate`] | the game on the workbench |
//! | [`tools`] | `solve`, `score`, `stats`, `leaderboard`, `play` |
//! | [`solvers`] | whole games: the post's solver and the champion |

pub mod board;
pub mod commands;
mod dialect;
mod encoding;
mod environment;
pub mod evaluation;
pub mod generate;
pub mod notation;
pub mod paths;
pub mod phrases;
pub mod play;
mod players;
pub mod problem;
pub mod reach;
pub mod rules;
pub mod scenarios;
pub mod scene;
pub mod score;
pub mod solvers;
pub mod tools;
pub mod units;
pub mod walk;

use std::sync::Arc;

use quintain_core::Entry;

pub use play::{Course, State};
pub use problem::Problem;
pub use rules::Hextris;

/// Hextris with its problems and players, for a catalog.
pub fn entry() -> Entry<Hextris> {
    let entry = Entry::new(
        "hextris",
        1,
        "Tetris on a honeycomb, with phrases of power",
        "ICFP Programming Scoring 2015; post “ICFPC 2015: Hexagonal Tetris”",
    );
    players::add_to(scenarios::add_to(entry))
        .showcase("drawn", ["post"])
        .dialect(dialect::DIALECT)
        .solve_tool(Arc::new(tools::solve::solve))
        .score_tool(Arc::new(tools::score::score))
        .tool("stats", Arc::new(tools::stats::stats))
        .tool("leaderboard", Arc::new(tools::leaderboard::leaderboard))
        .presentation(scene::HextrisPresentation)
        .encoding("commands", |scenario| {
            Ok(encoding::HextrisEncoding::new(scenario.rules().clone(), false))
        })
        .encoding("letters", |scenario| {
            Ok(encoding::HextrisEncoding::new(scenario.rules().clone(), true))
        })
}
