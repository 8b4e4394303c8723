//! How the post's solver is played: problems, seeds, and the means over problems that are compared.

use std::collections::BTreeMap;
use std::path::PathBuf;

use quintain_core::Spec;
use quintain_hextris::contest_folder;

use crate::estimate::Estimate;
use crate::lab::{Lab, LabError};
use crate::matches::{Figure, MeasuredMatch, PlayedMatches};
use crate::plan::TournamentPlan;

/// The post's table: seeds, units of a game, width and height of each problem.
pub(super) const TABLE: [(usize, usize, usize, usize); 25] = [
    (1, 100, 10, 10),
    (1, 100, 15, 15),
    (10, 100, 15, 30),
    (5, 100, 30, 20),
    (50, 200, 10, 15),
    (10, 100, 30, 20),
    (50, 150, 10, 10),
    (5, 100, 40, 20),
    (10, 400, 10, 8),
    (5, 400, 10, 8),
    (1, 100, 10, 7),
    (5, 50, 10, 10),
    (10, 100, 15, 20),
    (1, 100, 15, 20),
    (1, 500, 50, 50),
    (1, 100, 15, 20),
    (1, 100, 15, 20),
    (1, 100, 15, 15),
    (1, 1000, 30, 30),
    (1, 100, 15, 15),
    (1, 100, 15, 15),
    (1, 20, 10, 8),
    (1, 100, 10, 8),
    (1, 100, 10, 9),
    (1, 1620, 100, 40),
];

/// The folder of the contest's problems.
pub(super) fn contest() -> Result<PathBuf, LabError> {
    let missing = "missing data: the contest's problems (see QUINTAIN_DATA)";
    contest_folder().map_err(|_| LabError::Missing(missing.to_owned()))
}

/// Scenarios of some problems: the contest's if they are at hand, otherwise drawn ones.
pub(super) fn scenarios(lab: &Lab<'_>, problems: &[usize], more: &str) -> Vec<String> {
    let is_there = contest_folder().is_ok();
    if !is_there {
        lab.note(
            "the contest's problems are not available (QUINTAIN_DATA): drawn ones of the same \
             sizes instead",
        );
    }
    let of = |problem: &usize| {
        let games = lab.take(1, TABLE[*problem].0 as u64);
        let name = if is_there { "contest?problem" } else { "drawn?size" };
        let problem = *problem;
        (0..games.min(TABLE[problem].0 as u64)).map(move |game| {
            let more = if more.is_empty() { String::new() } else { format!("&{more}") };
            format!("{name}={problem}&game={game}{more}")
        })
    };
    problems.iter().flat_map(of).collect()
}

/// All problems, except the slow ones if only a trial run is wanted.
pub(super) fn everywhere(lab: &Lab<'_>) -> Vec<usize> {
    let all = 0..TABLE.len();
    if lab.is_tiny() { vec![0, 10, 21] } else { all.collect() }
}

/// Some variants of the post's solver on all problems.
pub(super) fn everybody(
    lab: &Lab<'_>,
    players: &[&str],
    more: &str,
) -> Result<PlayedMatches, LabError> {
    let scenarios = scenarios(lab, &everywhere(lab), more);
    lab.play(&TournamentPlan::solo("hextris", scenarios, players.iter().copied(), 1))
}

/// The number of the problem that a match was played on.
pub(super) fn problem(game: &MeasuredMatch) -> usize {
    let spec: Spec = game.scenario.parse().unwrap_or_default();
    let default = if spec.path == "drawn" { 6 } else { 0 };
    let given = spec.arguments.iter().find(|(key, _)| key == "problem" || key == "size");
    given.and_then(|(_, value)| value.parse().ok()).unwrap_or(default)
}

/// The mean of a figure over the games of each problem.
pub(super) fn by_problem(
    games: &PlayedMatches,
    player: &str,
    figure: Figure<'_>,
) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for game in games.of(player) {
        if let Some(value) = figure(game) {
            let sum = sums.entry(problem(game)).or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
    }
    sums.into_iter().map(|(problem, (sum, count))| (problem, sum / count)).collect()
}

/// The mean over the problems of the ratio of two players' figures, as a change.
pub(super) fn change(games: &PlayedMatches, a: &str, b: &str, figure: Figure<'_>) -> Estimate {
    let (ours, theirs) = (by_problem(games, a, figure), by_problem(games, b, figure));
    let ratios = ours.iter().filter_map(|(problem, own)| {
        let other = *theirs.get(problem)?;
        (other > 0.0).then_some(own / other)
    });
    Estimate::mean_ratio(ratios).as_change()
}
