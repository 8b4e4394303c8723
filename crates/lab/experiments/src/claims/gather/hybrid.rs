//! What the report says about Hybrid.

use quintain_gather::Move;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{MeasuredMatch, score};
use crate::measurement::ExpectedValue::{Above, Always, Below};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{alone, better_in_teams, course, cut_off};
use super::figure_1::leaves_figure_1;

/// Hybrid's rounds with one patience minus those with another, alone.
fn patience(
    lab: &Lab<'_>,
    board: &str,
    own: f64,
    others: [f64; 2],
) -> Result<Measurements, LabError> {
    let player = |share: f64| format!("hybrid?large={share}&small={share}");
    let mut measured = Measurements::new();
    for players in [2, 5] {
        let tried = [player(own), player(others[0]), player(others[1])];
        let seeds = lab.take(60, 1500);
        let games = lab.play(&TournamentPlan::mirror(
            "gather",
            [course(board, players)],
            tried.clone(),
            seeds,
        ))?;
        for (other, share) in tried[1..].iter().zip(others) {
            let change = games.difference(&tried[0], other, &score);
            let what = format!("{board}, N = {players}: rounds at {own} − at {share}");
            measured = measured.part(what, change, Below(0.0));
        }
    }
    Ok(measured)
}

/// The number of cells that a step shows and that were not in sight before.
fn newly_seen(to: Move) -> f64 {
    let (east, south) = to.offset();
    let near = |x: i32, y: i32| x.abs() <= 1 && y.abs() <= 1;
    let cells = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
    cells.filter(|(x, y)| near(x - east, y - south) && !near(*x, *y)).count() as f64
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/diagonal-steps",
        place: "Hybrid, figure 3",
        claim: "A diagonal step shows five new cells, a straight one three.",
        figure: "5 and 3",
        measure: |lab| {
            lab.note("counted");
            let mut measured = Measurements::new();
            for (index, step) in Move::STEPS.iter().enumerate() {
                let (what, figure) = if index < 4 { ("straight", 3.0) } else { ("diagonal", 5.0) };
                let seen = Estimate::exact(newly_seen(*step));
                measured = measured.part(format!("{what} ({step})"), seen, Always(figure));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/hybrid-patience-large",
        place: "Hybrid",
        claim: "On boards of more than 1000 cells Hybrid does best when it moves away after as \
                many rounds without news as 25 % of the area.",
        figure: "25 %",
        measure: |lab| patience(lab, "35x35", 0.25, [0.1, 0.5]),
    },
    Experiment {
        name: "gather/hybrid-patience-small",
        place: "Hybrid",
        claim: "On smaller boards Hybrid does best at 33 %.",
        figure: "33 %",
        measure: |lab| patience(lab, "15x22", 0.33, [0.1, 0.66]),
    },
    Experiment {
        name: "gather/hybrid-deadlocks",
        place: "Hybrid",
        claim: "Hybrid's timeouts make it resistant to deadlocks.",
        figure: "quite effective",
        measure: |lab| {
            let stuck = cut_off(&alone(lab)?, "hybrid");
            Ok(leaves_figure_1(lab, "hybrid")?.reading(
                "matches alone that were cut off",
                stuck,
                Below(1.0),
            ))
        },
    },
    Experiment {
        name: "gather/hybrid-under-1000",
        place: "Hybrid",
        claim: "Alone, Hybrid usually needs fewer than 1000 rounds on any board of reasonable \
                size.",
        figure: "below 1000",
        measure: |lab| {
            // “Usually” means at least more than half; nine in ten is our reading.
            let share = alone(lab)?.share("hybrid", |game| game.scores[0] < 1000.0);
            Ok(Measurements::new().reading("matches below 1000 rounds", share, Above(90.0)))
        },
    },
    Experiment {
        name: "gather/hybrid-over-5000",
        place: "Hybrid",
        claim: "Alone, Hybrid is sometimes stuck for more than 5000 rounds.",
        figure: "more than 5000",
        measure: |lab| {
            let games = alone(lab)?;
            let long = |game: &MeasuredMatch| game.scores[0] > 5000.0;
            let share = games.share("hybrid", long);
            // One match of two hundred is our reading of “sometimes”.
            Ok(Measurements::new().reading("matches beyond 5000 rounds", share, Above(0.5)))
        },
    },
    Experiment {
        name: "gather/hybrid-teams",
        place: "Hybrid",
        claim: "Hybrid is better in mixed teams than alone.",
        figure: "–",
        measure: |lab| better_in_teams(lab, "hybrid"),
    },
];
