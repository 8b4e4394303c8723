//! The worth of the ensemble of trees and of remembering the best playout.

use std::sync::Arc;

use quintain_core::{Meter, Rng};
use quintain_polymer::{PlayoutWalk, Preset, UctOptions};
use quintain_search::ensemble::{self, Options};
use quintain_search::solitaire::Solitaire;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::{metric, seconds};
use crate::measurement::ExpectedValue::{Below, Between};
use crate::measurement::Measurements;

use super::comparisons::{agents, feature, instance, sizes};

/// R of the walk that trees decide step by step with `times` as many iterations as in the slides,
/// and without remembering playouts.
fn decide_by_trees(size: &str, seed: u64, trees: usize, times: u64) -> Option<f64> {
    let instance = instance(size, seed);
    let mut line: PlayoutWalk =
        PlayoutWalk::new(Arc::clone(&instance), &[0], UctOptions::default());
    let UctOptions { vote, exploration, copying, .. } = UctOptions::default();
    let options = Options { exploration, trees, vote, copying };
    let (mut meter, mut rng) = (Meter::of(u64::MAX), Rng::from_seed(seed));
    loop {
        let left = instance.len() - line.walk().len();
        if left == 0 {
            return Some(f64::from(instance.worth(&line.walk()) - instance.chain()));
        }
        let iterations = times * Preset::Auto.iterations(&instance, left);
        let step = ensemble::decide(&mut line, options, iterations, &mut meter, &mut rng).step?;
        line.step(step);
    }
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "polymer/ensemble",
        place: "results, notes",
        claim: "An ensemble of five trees finds better walks than one tree.",
        figure: "10 less without it (L64_s01)",
        measure: |lab| {
            let measured = feature(lab, "uct?ensemble=1")?;
            if lab.take(0, 1) == 0 {
                return Ok(measured);
            }
            let games = agents(lab, "L64_s01", 1, &["uct", "uct?ensemble=1"])?;
            let gain = games.difference("uct", "uct?ensemble=1", &metric("R_nc"));
            Ok(measured.with_figure("L64_s01: R_nc with it − without", gain))
        },
    },
    Experiment {
        name: "polymer/ensemble-time",
        place: "results, notes",
        claim: "Five trees take about five times as long as one.",
        figure: "12 against 2 hours, 60 to 70 against 14",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, count) in sizes(lab) {
                let games = agents(lab, size, count, &["uct", "uct?ensemble=1"])?;
                let more = games.change("uct", "uct?ensemble=1", &seconds);
                // From three to seven times.
                measured =
                    measured.reading(format!("{size}: more time"), more, Between(200.0, 600.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/ensemble-samples",
        place: "results, notes",
        claim: "The ensemble may help only because it takes five times as many samples.",
        figure: "maybe",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, count) in sizes(lab) {
                lab.note(format!(
                    "walks decided step by step on `{size}`, seeds 1–{count}, by \
                                  five trees and by one with five times their iterations"
                ));
                let seeds: Vec<u64> = (1..=count).collect();
                let pairs = lab.each(&seeds, |seed| {
                    Some((decide_by_trees(size, *seed, 5, 1)?, decide_by_trees(size, *seed, 1, 5)?))
                })?;
                let more = Estimate::difference(pairs.into_iter().flatten());
                // If the samples explain it, five trees are no better than one with as many.
                let what = format!("{size}: R, five trees − one tree with as many samples");
                measured = measured.part(what, more, Below(0.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/memory",
        place: "miscellaneous observations",
        claim: "Keeping the best playout ever seen gives one or two more points.",
        figure: "usually 1–2",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, count) in sizes(lab) {
                let games = agents(lab, size, count, &["uct", "uct?memory=false"])?;
                let gain = games.difference("uct", "uct?memory=false", &metric("R_nc"));
                measured = measured.reading(
                    format!("{size}: R_nc with it − without"),
                    gain,
                    Between(0.5, 2.5),
                );
            }
            Ok(measured)
        },
    },
];
