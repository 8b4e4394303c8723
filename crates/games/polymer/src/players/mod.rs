//! The players of polymer: each strategy is a file or folder of its own, generic ones come from
//! `quintain-search`. What they share is in [`solver`] (players that lay a whole walk at once),
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
mod uct;

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::greedy::{self, Greedy};
use quintain_search::random::Random;

use crate::rules::Polymer;

pub use annealing::fold::{Fold, MoveMix, snake};
pub use annealing::{Cooling, anneal};
pub use beam::grow_beam;
pub use beam::growth::GrowthWeights;
pub use champion::champion;
pub use playouts::{PlayoutWalk, Preset, Reach, RunStatistics, SLIDES, UctOptions};
pub use solver::{Incumbent, WholeWalk};
pub use uct::run;

/// Registers all players.
pub(crate) fn add_to(entry: Entry<Polymer>) -> Entry<Polymer> {
    entry
        .player(
            "random",
            1,
            "any free neighbour, all equally likely",
            "–",
            |_, _: &NoParameters| Ok(Box::new(Random)),
        )
        .player(
            "greedy",
            1,
            "the step with the best contacts at once",
            "one-step look-ahead by the game's estimate",
            |_, _: &NoParameters| Ok(Box::new(Greedy::new(greedy::Options::default()))),
        )
        .player(
            "uct",
            1,
            "the slides' agent: an ensemble of five trees votes for each step",
            "slides “CS5330 Randomized Algorithm Project”; Kocsis & Szepesvári 2006",
            solver::player::<uct::Uct>,
        )
        .player(
            "annealing",
            3,
            "simulated annealing with pulls, backbites, bond-rebridging and regrowth",
            "Kirkpatrick et al. 1983; Lesh et al. 2003; Mansfield 1982; Deutsch 1997; Siepmann & Frenkel 1992",
            solver::player::<annealing::Annealing>,
        )
        .player(
            "beam",
            2,
            "beam search with undo along the tree",
            "ours; see docs/polymer.md",
            solver::player::<beam::Beam>,
        )
        .player(
            "replicas",
            2,
            "replica exchange over the moves of annealing",
            "Swendsen & Wang 1986; Geyer 1991",
            solver::player::<replicas::Replicas>,
        )
        .player(
            "perm",
            1,
            "walks grown by chance, the heavy doubled, the light given up",
            "Grassberger 1997; Hsu et al. 2003",
            solver::player::<perm::Perm>,
        )
        .player("nested", 1, "nested Monte Carlo search", "Cazenave 2009", solver::player::<nested::Nested>)
        .player("nrpa", 1, "nested rollout policy adaptation", "Rosin 2011", solver::player::<nrpa::Nrpa>)
        .player(
            "champion",
            3,
            "annealing for short chains, beam then polish for long ones",
            "ours; see docs/polymer.md",
            solver::player::<champion::Champion>,
        )
}
