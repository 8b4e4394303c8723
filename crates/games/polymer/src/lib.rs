//! A charged chain on a torus, to be laid so that it touches itself as well as it can; and the HP
//! model on the same torus.
//!
//! | | |
//! |---|---|
//! | [`rules`] | the rules: instance, state, steps, score; bounds on the score |
//! | [`notation`] | text and JSON forms, checking walks |
//! | [`environment`], [`encoding`] | how a walk starts; numbers for learners |
//! | [`scenarios`] | chains of the course's sizes, HP chains, files |
//! | [`scene`], [`keyboard`] | how a position looks, and how a person plays |
//! | [`protocols`] | the course's format as a protocol |
//! | [`roster`] | the scenarios and players together, for tools and keyboards |
//! | [`players`] | one strategy per file: annealing, beam, the slides' agent, the champion |
//! | [`tools`] | `solve` and `score`; branch and bound, proofs and their checker |

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
pub use notation::{Observation, check_walk, draw, read_instance, read_walk, steps_of};
pub use players::{
    BeamOptions, BeamWidth, Cooling, Fold, GrowthWeights, Incumbent, MoveMix, PlayoutWalk, Preset,
    Reach, RunStatistics, StretchOptions, UctOptions, WholeWalk, anneal, champion, exchange,
    grow_beam, regrow_stretches, replica_temperatures, run_uct, snake,
};
pub use rules::bounds;
pub use rules::errors::{InstanceError, WalkError};
pub use rules::instance::{Instance, Interaction};
pub use rules::step::{Step, StepError};
pub use rules::torus::Torus;
pub use rules::{Polymer, State};
pub use scenarios::{Charges, HP_CHAINS, HP_CHAINS_IN_SPACE, HpChain, course};
pub use tools::exact::{Certificate, certify};

/// Polymer with its instances and players, for a catalog.
pub fn entry() -> Entry<Polymer> {
    roster()
        .how_to_play(include_str!("../RULES.md"))
        .weak_to_strong(&[
            "random",
            "greedy",
            "nested",
            "nrpa",
            "uct",
            "perm",
            "beam",
            "annealing",
            "replicas",
            "champion",
        ])
        .showcase("L08_s01", ["champion"])
        .regret(regret)
        .protocol(protocols::polymer_file::PROTOCOL)
        .tool(tools::solve_tool())
        .tool(tools::score_tool())
        .presentation(scene::PolymerPresentation)
        .encoding_with(
            "torus",
            |rules, _| Ok(encoding::PolymerEncoding::new(rules.clone())),
            quintain_batch::batches,
        )
        .encoding_with(
            "head",
            |rules, _| encoding::head::HeadEncoding::new(rules.clone()),
            quintain_batch::batches,
        )
        .network(include_bytes!("../networks/polymer.safetensors"))
}

/// How much more the bound's contacts are worth than those of a whole walk; a dead end has no
/// regret.
fn regret(_score: f64, metrics: &std::collections::BTreeMap<String, f64>) -> Option<f64> {
    Some(metrics.get("bound on R_nc")? - metrics.get("R_nc")?)
}
