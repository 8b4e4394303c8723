//! The players of hextris: each strategy has its own folder, generic ones come from
//! `quintain-search`. Solvers plan a whole game at once ([`TextSolver`]) and are players too.

pub(crate) mod champion;
pub(crate) mod post;
mod solver;

use std::sync::Arc;

use quintain_core::parameters::NoParameters;
use quintain_core::{Description, Entry, Parameters, Spec, ToolError, did_you_mean};
use quintain_search::greedy::{self, Greedy};

use crate::rules::Hextris;
pub(crate) use champion::points_per_down;
use champion::{Champion, ChampionParameters};
use post::{Post, PostParameters};
pub use solver::{Incumbent, SolverInput, TextSolver};

/// The solver that `quintain solve` uses if none is named.
pub(crate) const USUAL_SOLVER: &str = "champion";

/// Returns the solver that a player's text names.
pub(crate) fn parse_solver(player: &str) -> Result<Arc<dyn TextSolver>, ToolError> {
    let spec: Result<Spec, _> = player.strip_prefix("hextris/").unwrap_or(player).parse();
    let usage = |problem: String| ToolError::Usage(format!("player {player}: {problem}"));
    let Spec { path, arguments } = spec.map_err(|error| usage(error.to_string()))?;
    match path.as_str() {
        "post" => {
            let given = PostParameters::from_arguments(&arguments);
            Ok(Arc::new(Post::from(&given.map_err(|error| usage(error.to_string()))?)))
        }
        "champion" => {
            let given = ChampionParameters::from_arguments(&arguments);
            Ok(Arc::new(Champion::from(&given.map_err(|error| usage(error.to_string()))?)))
        }
        _ => Err(ToolError::Usage(did_you_mean("hextris solver", &path, ["champion", "post"]))),
    }
}

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Hextris>) -> Entry<Hextris> {
    quintain_search::players::add_random(entry, "any place, all equally likely")
        .player(
            Description {
                name: "greedy",
                version: 1,
                summary: "the place that looks best immediately",
                source: "one-step look-ahead by the post's features with its default weights",
            },
            |_, _: &NoParameters| Ok(Box::new(Greedy::new(greedy::Options::default()))),
        )
        .player(
            Description {
                name: "post",
                version: 1,
                summary: "the post's solver: weighted features of the board, phrases on the way",
                source: "post “ICFPC 2015: Hexagonal Tetris”",
            },
            |_, given: &PostParameters| Ok(solver::plan_with(Arc::new(Post::from(given)))),
        )
        .anytime()
        .player(
            Description {
                name: "champion",
                version: 9,
                summary: "beam search over boards, with several phrase states each; paths by \
                    dynamic programming",
                source: "ICFPC 2015, the winner's and the finalists' reports; weights ours",
            },
            |_, given: &ChampionParameters| Ok(solver::plan_with(Arc::new(Champion::from(given)))),
        )
        .anytime()
}
