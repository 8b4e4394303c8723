//! Section 2: how far the means of a few games differ, and the effect of the perimeter as first
//! key.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{metric, score};
use crate::measurement::ExpectedValue::{Always, Below, Between};
use crate::measurement::Measurements;

use super::comparisons::{NAIVE, PERIMETER, UTILITY, more, random};

/// How often a mean of `runs` games is within `most` points of a mean of 50 others. The report
/// gives the greatest distance, which is a bound.
fn repeats(lab: &Lab<'_>, runs: usize, most: f64) -> Result<Measurements, LabError> {
    let games = random(lab, &["g1"], 1000, 4000)?;
    let scores = games.values("g1", &score);
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let trials = scores.chunks_exact(runs + 50).map(|trial| trial.split_at(runs));
    let within =
        Estimate::share_of(trials.map(|(some, fifty)| (mean(some) - mean(fifty)).abs() <= most));
    let what = format!("means of {runs} games within {most} points of a mean of 50");
    Ok(Measurements::new().part(what, within, Always(100.0)).of_a_bound())
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/repeats-10",
        place: "2.3",
        claim: "Means of 10 games differ by as much as 40 points from trial to trial.",
        figure: "up to 40",
        measure: |lab| repeats(lab, 10, 40.0),
    },
    Experiment {
        name: "pentocity/repeats-25",
        place: "2.3",
        claim: "Means of 25 games differ by at most 20 points.",
        figure: "at most 20",
        measure: |lab| repeats(lab, 25, 20.0),
    },
    Experiment {
        name: "pentocity/repeats-50",
        place: "2.3",
        claim: "Means of 50 games do not differ by more than 10 points.",
        figure: "at most 10",
        measure: |lab| repeats(lab, 50, 10.0),
    },
    Experiment {
        name: "pentocity/perimeter",
        place: "2.3, 3.2.2",
        claim: "The perimeter as first key adds about 300 points to the naive strategy.",
        figure: "about +300",
        measure: |lab| more(lab, (PERIMETER, NAIVE), Between(250.0, 350.0), 40, 200),
    },
    Experiment {
        name: "pentocity/perimeter-roads",
        place: "2.3",
        claim: "The perimeter as first key brings the road cells down from around 500 to fewer \
                than 400.",
        figure: "500 → below 400",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let roads = metric("road cells");
            Ok(Measurements::new()
                .reading("road cells, naive", games.mean(NAIVE, &roads), Between(450.0, 550.0))
                .part("road cells with the perimeter", games.mean(PERIMETER, &roads), Below(400.0)))
        },
    },
    Experiment {
        name: "pentocity/perimeter-utility",
        place: "2.3",
        claim: "The perimeter as first key raises the utility of water and park cells by around \
                0.2.",
        figure: "+0.2",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let change = games.difference(PERIMETER, NAIVE, &metric(UTILITY));
            Ok(Measurements::new().reading(
                "utility, with the perimeter − without",
                change,
                Between(0.15, 0.25),
            ))
        },
    },
    Experiment {
        name: "pentocity/perimeter-empty",
        place: "2.3",
        claim: "The perimeter as first key greatly reduces the number of empty cells.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let change = games.change(PERIMETER, NAIVE, &metric("empty cells"));
            // A quarter less is our reading of “greatly”.
            Ok(Measurements::new().reading("empty cells", change, Below(-25.0)))
        },
    },
];
