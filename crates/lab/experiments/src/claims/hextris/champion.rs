//! Where our own champion would have ranked in the contest, with little time a game. Nothing of it
//! was chosen on the contest's problems.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::score;
use crate::measurement::ExpectedValue::Below;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{by_problem, contest, everywhere, scenarios};
use super::leaderboard::{leaderboard, rank};

/// The sum of ranks of the contest's winner, of 315 teams, after three days.
const WINNER: f64 = 35.0;

pub(super) const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "hextris/champion",
    place: "our page on hextris",
    claim: "In five seconds a game on one thread, the champion has a smaller sum of ranks on the \
            contest's 25 problems than the contest's winner.",
    figure: "below 35",
    measure: |lab| {
        if lab.take(0, 1) == 0 {
            let why = "it takes a quarter of an hour; --full plays it";
            return Ok(Measurements::new().undecidable(why));
        }
        contest()?;
        let table = leaderboard(lab)?;
        let games = scenarios(lab, &everywhere(lab), "");
        let plan = TournamentPlan::solo("hextris", games, ["champion"], 1);
        let games = lab.play(&plan.with_budget("match=5s"))?;
        let points = by_problem(&games, "champion", &score);
        let ranks: Vec<u64> =
            points.iter().map(|(n, points)| rank(&table, *n, points.floor())).collect();
        let first = ranks.iter().filter(|rank| **rank == 1).count();
        Ok(Measurements::new()
            .part("sum of ranks", Estimate::exact(ranks.iter().sum::<u64>() as f64), Below(WINNER))
            .with_figure("problems on which it is first", Estimate::exact(first as f64)))
    },
}];
