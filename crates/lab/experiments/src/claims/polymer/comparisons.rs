//! The sequences that the agent is measured on, and how its variants are compared.

use std::ops::RangeInclusive;
use std::sync::Arc;

use quintain_polymer::{Charges, Instance, course};

use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, metric};
use crate::measurement::ExpectedValue::Above;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

/// The R_nc from which on we would notice a difference: scores are whole numbers, and the slides
/// speak of one or two points more.
const NOTICED: f64 = 1.0;

/// Sequences of a size, one per seed.
pub(super) fn sequences(size: &str, seeds: RangeInclusive<u64>) -> Vec<String> {
    seeds.map(|seed| format!("{size}?seed={seed}")).collect()
}

/// Variants of the agent on the first sequences of a size.
pub(super) fn agents(
    lab: &Lab<'_>,
    size: &str,
    count: u64,
    players: &[&str],
) -> Result<PlayedMatches, LabError> {
    let sequences = sequences(size, 1..=count);
    lab.play(&TournamentPlan::solo("polymer", sequences, players.iter().copied(), 1))
}

/// How much the agent gains by a feature, on both sizes that take seconds.
pub(super) fn feature(lab: &Lab<'_>, without: &str) -> Result<Measurements, LabError> {
    let mut measured = Measurements::new();
    for (size, count) in sizes(lab) {
        let games = agents(lab, size, count, &["uct", without])?;
        let gain = games.difference("uct", without, &metric("R_nc"));
        measured = measured.part(format!("{size}: R_nc with it − without"), gain, Above(0.0));
    }
    Ok(measured.noticed_from(NOTICED))
}

/// The sizes that a feature is measured on, and how many sequences of each.
pub(super) fn sizes(lab: &Lab<'_>) -> Vec<(&'static str, u64)> {
    match lab.is_tiny() {
        true => vec![("L08_s01", 3)],
        false => vec![("L08_s01", lab.take(40, 200)), ("L08_s03", lab.take(6, 40))],
    }
}

pub(super) fn instance(size: &str, seed: u64) -> Arc<Instance> {
    Arc::new(course(size, Charges::Uniform, seed).expect("a size of the course"))
}
