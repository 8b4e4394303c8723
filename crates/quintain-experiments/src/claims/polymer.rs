//! The slides “CS5330 Randomized Algorithm Project”: what each feature of the agent is
//! worth, the [`ensemble`] and the other [`features`]. Their sequences are lost; ours have their sizes,
//! with uniform charges from a seed, and differences are paired over such sequences. Scores are R_nc,
//! which differs from the slides' R by a constant of the sequence. Results are in [`results`], what can
//! be counted on small boards in [`counted`].

mod counted;
mod ensemble;
mod features;
mod results;

use std::sync::Arc;

use quintain_polymer::{Charges, Instance, course};

use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, metric};
use crate::measurement::Expected::Above;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

pub(super) const CHAPTERS: &[&[Experiment]] =
    &[ensemble::EXPERIMENTS, features::EXPERIMENTS, counted::EXPERIMENTS, results::EXPERIMENTS];

/// Sequences of a size, one a seed.
fn sequences(size: &str, count: u64) -> Vec<String> {
    (1..=count).map(|seed| format!("{size}?seed={seed}")).collect()
}

/// Variants of the agent on sequences of a size.
fn agents(
    lab: &Lab<'_>,
    size: &str,
    count: u64,
    players: &[&str],
) -> Result<PlayedMatches, LabError> {
    lab.play(&TournamentPlan::solo("polymer", sequences(size, count), players.iter().copied(), 1))
}

/// What the agent gains by a feature, on both sizes that take seconds.
fn feature(lab: &Lab<'_>, without: &str) -> Result<Measurements, LabError> {
    let mut measured = Measurements::new();
    for (size, count) in sizes(lab) {
        let games = agents(lab, size, count, &["uct", without])?;
        let gain = games.difference("uct", without, &metric("R_nc"));
        measured = measured.part(format!("{size}: R_nc with it − without"), gain, Above(0.0));
    }
    Ok(measured)
}

/// The sizes that a feature is measured on, and how many sequences of each.
fn sizes(lab: &Lab<'_>) -> Vec<(&'static str, u64)> {
    match lab.is_tiny() {
        true => vec![("L08_s01", 3)],
        false => vec![("L08_s01", lab.take(40, 200)), ("L08_s03", lab.take(6, 40))],
    }
}

fn instance(size: &str, seed: u64) -> Arc<Instance> {
    Arc::new(course(size, Charges::Uniform, seed).expect("a size of the course"))
}
