//! A charged chain on a torus, laid to touch itself as well as it can; and the HP
//! model on the same ground.
//!
//! | | |
//! |---|---|
//! | [`rules`] | instance, state, steps, score |
//! | [`torus`] | cells and their neighbours |
//! | [`scenarios`] | chains of the course's sizes, HP chains, files |
//! | [`notation`] | text and JSON forms, checking walks |
//! | [`dialect`] | the course's format as a protocol |
//! | [`bounds`] | how much no walk can exceed |
//! | [`exact`] | branch and bound, proofs and their checker |
//! | [`solvers`] | whole walks: annealing, beam, the slides' agent, the champion |
//! | `players` | one strategy a file |

pub mod bounds;
mod dialect;
mod encoding;
mod environment;
pub mod exact;
mod keyboard;
pub mod notation;
mod players;
mod room;
pub mod rules;
pub mod scenarios;
mod scene;
pub mod solvers;
mod tools;
pub mod torus;

use quintain_core::Entry;

pub use rules::{Instance, Interaction, Polymer, State, Step};
pub use scenarios::scenario;
pub use torus::Torus;

/// Polymer with its instances and players, for a catalog.
pub fn entry() -> Entry<Polymer> {
    let entry = Entry::new(
        "polymer",
        1,
        "a charged chain on a torus, laid so that opposites touch",
        "slides “CS5330 Randomized Algorithm Project”; the HP model (Dill 1985)",
    );
    players::add_to(scenarios::add_to(entry))
        .showcase("L08_s01", ["champion"])
        .regret(regret)
        .dialect(dialect::DIALECT)
        .solve_tool(std::sync::Arc::new(tools::solve))
        .score_tool(std::sync::Arc::new(tools::score))
        .presentation(scene::PolymerPresentation)
        .encoding("torus", |scenario| Ok(encoding::PolymerEncoding::new(scenario.rules().clone())))
}

/// How many contacts' worth a whole walk is behind the bound; a dead end has no distance.
fn regret(_score: f64, metrics: &std::collections::BTreeMap<String, f64>) -> Option<f64> {
    Some(metrics.get("bound on R_nc")? - metrics.get("R_nc")?)
}
