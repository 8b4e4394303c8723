//! What the report says about Groovy.

use std::collections::HashSet;

use quintain_gather::Move;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::score;
use crate::measurement::ExpectedValue::{Above, Below};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{alone, course, cut_off};
use super::figure_1::leaves_figure_1;

/// The number of cells per step that a way shows beyond those in sight at its beginning.
fn count_new_cells(way: &[Move]) -> f64 {
    let around = |(x, y): (i32, i32)| {
        (-1..=1).flat_map(move |east| (-1..=1).map(move |south| (x + east, y + south)))
    };
    let (mut at, mut seen): (_, HashSet<_>) = ((0, 0), around((0, 0)).collect());
    let before = seen.len();
    for step in way {
        let (east, south) = step.offset();
        at = (at.0 + east, at.1 + south);
        seen.extend(around(at));
    }
    (seen.len() - before) as f64 / way.len() as f64
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/saw-tooth",
        place: "Groovy, figure 4",
        claim: "The saw-tooth shows more new cells per step than going straight.",
        figure: "a wider view",
        measure: |lab| {
            lab.note("counted over ten steps");
            let straight = count_new_cells(&[Move::E; 10]);
            let tooth = count_new_cells(&[Move::NE, Move::SE].repeat(5));
            Ok(Measurements::new()
                .part("saw-tooth − straight", Estimate::exact(tooth - straight), Above(0.0))
                .with_figure("saw-tooth", Estimate::exact(tooth))
                .with_figure("straight", Estimate::exact(straight)))
        },
    },
    Experiment {
        name: "gather/groovy-waits",
        place: "Groovy",
        claim: "Groovy's waits for each density C of players were found by experiment: T above \
                0.025, T/2 above 0.016, T/4 above 0.0042, T/8 below.",
        figure: "0.025, 0.016, 0.0042",
        measure: |lab| {
            // Every band of C on a board of the tournaments, compared with half the wait and twice
            // the wait there.
            let mut measured = Measurements::new();
            for (board, players, band) in
                [("15x22", 9, "T"), ("2x75", 3, "T/2"), ("15x22", 3, "T/4"), ("35x35", 3, "T/8")]
            {
                let wait = ["groovy", "groovy?longest=1", "groovy?longest=4"];
                let plan = TournamentPlan::mirror(
                    "gather",
                    [course(board, players)],
                    wait,
                    lab.take(60, 1500),
                );
                let games = lab.play(&plan)?;
                for (other, text) in [(wait[1], "half"), (wait[2], "twice")] {
                    let change = games.difference(wait[0], other, &score);
                    let what = format!(
                        "{board}, N = {players} ({band}): rounds − rounds with {text} the wait"
                    );
                    measured = measured.with_figure(what, change);
                }
            }
            Ok(measured.undecidable(
                "the report gives the waits but does not say in which games they are the best",
            ))
        },
    },
    Experiment {
        name: "gather/groovy-deadlocks",
        place: "Groovy",
        claim: "Its random choices make Groovy somewhat resistant to deadlocks.",
        figure: "somewhat",
        measure: |lab| {
            let measured = leaves_figure_1(lab, "groovy")?;
            let stuck = cut_off(&alone(lab)?, "groovy");
            Ok(measured.reading("matches alone that were cut off", stuck, Below(5.0)))
        },
    },
];
