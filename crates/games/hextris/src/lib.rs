//! Tetris on a honeycomb, where the commands are letters and some strings of letters are
//! phrases of power: the ICFP Programming Contest of 2015.
//!
//! | | |
//! |---|---|
//! | [`rules`] | all of the rules: instance, state, letters, score |
//! | [`notation`] | command strings, observations, problems and solutions in JSON |
//! | [`environment`], [`encoding`] | how a game starts; numbers for learners |
//! | [`scenarios`] | drawn problems, those of the contest, files |
//! | [`scene`], [`keyboard`] | how a position looks, and how a person plays |
//! | [`protocols`] | the contest's command line as a protocol |
//! | [`roster`] | the scenarios and players together, for tools and keyboards |
//! | [`players`] | one folder per strategy: the post's solver, the champion |
//! | [`tools`] | `solve`, `score`, `stats`, `leaderboard` |

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
use roster::roster;

pub use environment::scenario;
pub use notation::{
    CommandString, CommandStringError, Observation, Solution, read_problem, read_solutions,
    write_problem, write_solutions,
};
pub use players::champion::{BeamSettings, BoardWeights, Champion, FEATURES, Reach};
pub use players::post::Post;
pub use players::{Incumbent, SolverInput, TextSolver};
pub use rules::board::Board;
pub use rules::commands::{Command, command_of};
pub use rules::errors::{ProblemError, SolutionsError};
pub use rules::estimate::{Evaluation, POST_DEFAULT, Weights};
pub use rules::paths::{Paths, Shortcuts};
pub use rules::phrases::Phrases;
pub use rules::problem::Problem;
pub use rules::units::{Cell, Position, Unit};
pub use rules::walk::Walk;
pub use rules::{Hextris, Instance, LetterEffect, LetterError, State};
pub use scenarios::generate::{Filling, Units, draw_problem};
pub use scenarios::{NoContestFolder, contest_folder};
pub use tools::account::{Account, End, Mistake, average, dense_rank, score};

/// Returns Hextris with its problems and players, for a catalog.
pub fn entry() -> Entry<Hextris> {
    roster()
        .how_to_play(include_str!("../RULES.md"))
        .weak_to_strong(&["random", "greedy", "post", "champion"])
        .showcase("drawn", ["post"])
        .protocol(protocols::icfp2015::PROTOCOL)
        .tool(tools::solve::tool())
        .tool(tools::score::tool())
        .tool(tools::stats::tool())
        .tool(tools::leaderboard::tool())
        .presentation(scene::HextrisPresentation)
        .encoding_with(
            "commands",
            |rules, _| Ok(encoding::HextrisEncoding::new(rules.clone(), false)),
            quintain_batch::batches,
        )
        .encoding_with(
            "letters",
            |rules, _| Ok(encoding::HextrisEncoding::new(rules.clone(), true)),
            quintain_batch::batches,
        )
        .encoding_with(
            "places",
            |rules, _| Ok(encoding::places::PlacesEncoding::new(rules.clone())),
            quintain_batch::batches,
        )
        .network(include_bytes!("../networks/hextris.safetensors"))
}
