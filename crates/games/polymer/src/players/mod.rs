//! The players of polymer: each strategy has its own file or folder; generic players come from
//! `quintain-search`. Shared by several are [`solver`] (players that lay a whole walk at once),
//! [`playouts`] (random continuations) and [`free_cells`] (whether a walk still has room).

mod annealing;
mod beam;
mod champion;
pub(crate) mod free_cells;
mod nested;
mod nrpa;
mod perm;
mod playouts;
mod replicas;
mod solver;
mod tuned;
mod uct;

use quintain_core::parameters::NoParameters;
use quintain_core::{Description, Entry};
use quintain_search::greedy::{self, Greedy};

use crate::rules::Polymer;

pub use annealing::fold::{Fold, MoveMix, snake};
pub use annealing::{Cooling, anneal};
pub use beam::stretches::regrow_stretches;
pub use beam::{BeamOptions, BeamWidth, grow_beam};
pub use champion::champion;
pub use playouts::{PlayoutWalk, Preset, Reach, RunStatistics, UctOptions};
pub use replicas::{exchange, replica_temperatures};
pub use solver::{Incumbent, WholeWalk};
pub use tuned::{GrowthWeights, StretchOptions};
pub use uct::run_uct;

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Polymer>) -> Entry<Polymer> {
    quintain_search::players::add_random(entry, "any free neighbour, all equally likely")
        .player(
            Description {
                name: "greedy",
                version: 1,
                summary: "the step with the best contacts right away",
                source: "one-step look-ahead with the game's estimate",
            },
            |_, _: &NoParameters| Ok(Box::new(Greedy::new(greedy::Options::default()))),
        )
        .player(
            Description {
                name: "uct",
                version: 1,
                summary: "the slides' agent: an ensemble of five trees votes for each step",
                source: "slides “CS5330 Randomized Algorithm Project”; Kocsis & Szepesvári 2006",
            },
            solver::player::<UctOptions>,
        )
        .anytime()
        .player(
            Description {
                name: "annealing",
                version: 6,
                summary: "simulated annealing with pulls, backbites, bond-rebridging and regrowth",
                source: "Kirkpatrick et al. 1983; Lesh et al. 2003; Mansfield 1982; Deutsch 1997; \
                    Siepmann & Frenkel 1992",
            },
            solver::player::<annealing::Annealing>,
        )
        .anytime()
        .player(
            Description {
                name: "beam",
                version: 6,
                summary: "beam search with undo along the tree",
                source: "ours; see docs/polymer.md",
            },
            solver::player::<beam::Beam>,
        )
        .anytime()
        .player(
            Description {
                name: "replicas",
                version: 5,
                summary: "replica exchange over the moves of annealing",
                source: "Swendsen & Wang 1986; Geyer 1991",
            },
            solver::player::<replicas::Replicas>,
        )
        .anytime()
        .player(
            Description {
                name: "perm",
                version: 3,
                summary: "walks grown at random: heavy ones are doubled, light ones given up",
                source: "Grassberger 1997; Hsu et al. 2003",
            },
            solver::player::<perm::Perm>,
        )
        .anytime()
        .player(
            Description {
                name: "nested",
                version: 1,
                summary: "nested Monte Carlo search",
                source: "Cazenave 2009",
            },
            solver::player::<nested::Nested>,
        )
        .anytime()
        .player(
            Description {
                name: "nrpa",
                version: 1,
                summary: "nested rollout policy adaptation",
                source: "Rosin 2011",
            },
            solver::player::<nrpa::Nrpa>,
        )
        .anytime()
        .player(
            Description {
                name: "champion",
                version: 9,
                summary: "annealing for short chains, a population of walks for longer ones, a \
                    wide beam for long ones, replicas for long HP chains",
                source: "ours; see docs/polymer.md",
            },
            solver::player::<champion::Champion>,
        )
        .anytime()
}
