//! What our own champion should reach on the wide boards, in teams of its own kind, and whether it
//! does, over seeds that were used to choose nothing of it, as in `docs/gather.md`.

use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{MeasuredMatch, PlayedMatches, score};
use crate::measurement::ExpectedValue::Below;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::course;

/// The first seed: the champion's parameters were chosen on others.
const FRESH: u64 = 1_000_000;

fn alone(lab: &Lab<'_>, board: &str, numbers: &[usize]) -> Result<PlayedMatches, LabError> {
    let scenarios = numbers.iter().map(|players| course(board, *players));
    let seeds = lab.take(250, 1000);
    let plan = TournamentPlan::mirror("gather", scenarios, ["champion"], seeds);
    // The claims about means and about percentiles share their matches.
    lab.play_by_scenario(&plan.from_seed(FRESH))
}

/// Mean rounds for each number of players, with its target.
fn mean_rounds(
    lab: &Lab<'_>,
    board: &str,
    targets: [(usize, f64); 5],
) -> Result<Measurements, LabError> {
    let games = alone(lab, board, &targets.map(|(players, _)| players))?;
    Ok(targets.into_iter().fold(Measurements::new(), |measured, (players, target)| {
        let rounds = games.on(&course(board, players)).mean("champion", &score);
        measured.part(format!("N = {players}: rounds"), rounds, Below(target))
    }))
}

/// The share of long matches of two and three; a 99th percentile within the limit leaves 1 %.
fn long_matches(lab: &Lab<'_>, board: &str, longer_side: u16) -> Result<Measurements, LabError> {
    let numbers = [2, 3];
    let games = alone(lab, board, &numbers)?;
    let limit = 6.0 * f64::from(longer_side);
    let is_long = |game: &MeasuredMatch| game.scores[0] > limit;
    Ok(numbers.into_iter().fold(Measurements::new(), |measured, players| {
        let share = games.on(&course(board, players)).share("champion", is_long);
        measured.part(format!("N = {players}: matches beyond {limit} rounds"), share, Below(1.0))
    }))
}

macro_rules! targets {
    ($(
        $board:literal ($longer_side:literal) $figure:literal:
        $($players:literal $rounds:literal),*;
    )*) => {
        &[$(
            Experiment {
                name: concat!("gather/champion-", $board),
                place: "our page on gather",
                claim: concat!(
                    "The champion's mean rounds on ", $board,
                    " with N = 2, 3, 5, 8, 9, on fresh seeds, are at most the target."
                ),
                figure: $figure,
                measure: |lab| mean_rounds(lab, $board, [$(($players, $rounds)),*]),
            },
            Experiment {
                name: concat!("gather/champion-percentile-", $board),
                place: "our page on gather",
                claim: concat!(
                    "The 99th percentile of the champion's rounds on ", $board,
                    " with N = 2 and 3, on fresh seeds, is at most six longer sides."
                ),
                figure: "1 % beyond",
                measure: |lab| long_matches(lab, $board, $longer_side),
            },
        )*]
    };
}

/// By board and longer side, the targets in words and for each number of players.
pub(super) const EXPERIMENTS: &[Experiment] = targets! {
    "15x22" (22) "30; N = 8, 9: 29": 2 30.0, 3 30.0, 5 30.0, 8 29.0, 9 29.0;
    "35x35" (35) "55": 2 55.0, 3 55.0, 5 55.0, 8 55.0, 9 55.0;
    "76x50" (76) "130": 2 130.0, 3 130.0, 5 130.0, 8 130.0, 9 130.0;
    "100x100" (100) "165; N = 2: 170": 2 170.0, 3 165.0, 5 165.0, 8 165.0, 9 165.0;
};
