//! What our own champion should reach against the slides' agent, in little time, on sequences of
//! the larger sizes, and whether it does. The agent has the slides' budget, which takes it half a
//! minute on L64_s01. Ratios are of R_nc, so that bonds, which every walk has, do not bring them
//! closer to one.

use std::ops::RangeInclusive;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, metric};
use crate::measurement::ExpectedValue::Above;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::sequences;

/// The required ratio of the champion's R_nc to the agent's.
const TARGET: f64 = 1.5;

/// The seeds of the sequences, on which no weight of the champion was chosen. There are twenty,
/// since the agent's R_nc for one sequence depends on its luck.
const SEEDS: RangeInclusive<u64> = 301..=320;

/// The ratio of R_nc, which is positive on these sizes, sequence by sequence.
fn beside_the_agent(
    lab: &Lab<'_>,
    size: &str,
    budget: &'static str,
) -> Result<Measurements, LabError> {
    if lab.take(0, 1) == 0 {
        return Ok(Measurements::new().undecidable("it takes minutes; --full plays it"));
    }
    let solo = |player| TournamentPlan::solo("polymer", sequences(size, SEEDS), [player], 1);
    let ours: PlayedMatches = lab.play(&solo("champion").with_budget(budget))?;
    let games = ours.with(lab.play(&solo("uct"))?);
    let pairs = games.pairs("champion", "uct", &metric("R_nc"));
    let ratio = Estimate::mean_ratio(pairs.into_iter().map(|(ours, theirs)| ours / theirs));
    Ok(Measurements::new()
        .part("ratio of R_nc to the slides' agent's", ratio, Above(TARGET))
        .with_figure("R_nc of the champion", games.mean("champion", &metric("R_nc")))
        .with_figure("R_nc of the agent", games.mean("uct", &metric("R_nc"))))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "polymer/champion-l16",
        place: "our page on polymer",
        claim: "On sequences of L16_s02's size the champion reaches 1.5 times the R_nc of the \
                slides' agent in ten seconds.",
        figure: "1.5",
        measure: |lab| beside_the_agent(lab, "L16_s02", "match=10s"),
    },
    Experiment {
        name: "polymer/champion-l64",
        place: "our page on polymer",
        claim: "On sequences of L64_s01's size the champion reaches 1.5 times the R_nc of the \
                slides' agent in one second.",
        figure: "1.5",
        measure: |lab| beside_the_agent(lab, "L64_s01", "match=1s"),
    },
];
