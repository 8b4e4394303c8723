//! The tournaments of the report and its conclusions: how players rank, in mixed teams and alone.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, score};
use crate::measurement::ExpectedValue::{Above, Below, Between};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{
    BOARDS, LOST, MIDDLING, PLAYERS, ROUND, alone, better_in_teams, course, play_mixed, rank,
};

const THIN: [&str; 2] = ["2x75", "92x1"];
/// The players that go straight, which are those that follow trails, and the players that cover the
/// board.
const STRAIGHT: [&str; 3] = ["salsa", "flower-v1", "flower-v2"];
const COVERING: [&str; 2] = ["hybrid", "groovy"];

/// The mean rank of some players among the report's, by rounds of the tournament.
fn ranks_of(games: &PlayedMatches, players: &[&str]) -> Estimate {
    let ranks: Vec<Vec<f64>> =
        players.iter().map(|player| games.ranks(player, &PLAYERS, &score, ROUND)).collect();
    // The players' ranks in one round are not independent observations: their mean is one.
    let rounds = ranks.iter().map(Vec::len).min().unwrap_or(0);
    let of = |round| ranks.iter().map(|own| own[round]).sum::<f64>() / players.len() as f64;
    Estimate::mean((0..rounds).map(of))
}

fn groovy_rank(lab: &Lab<'_>, boards: &[&str]) -> Result<Measurements, LabError> {
    let games = play_mixed(lab, boards, &[2, 3, 5, 8])?;
    // The middle of seven places is the fourth.
    let measured = Measurements::new();
    Ok(measured.reading("mean rank of 7", rank(&games, "groovy"), Below(4.0)).not_comparable(LOST))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/groovy-thin",
        place: "multi-player analysis, figure 5",
        claim: "In mixed teams on boards one or two cells wide Groovy does better than most.",
        figure: "better than most players",
        measure: |lab| groovy_rank(lab, &THIN),
    },
    Experiment {
        name: "gather/groovy-middling",
        place: "multi-player analysis, figure 5",
        claim: "On small and medium boards Groovy is better than more than half of the others.",
        figure: "third of 13 at worst",
        measure: |lab| groovy_rank(lab, &MIDDLING),
    },
    Experiment {
        name: "gather/groovy-large",
        place: "multi-player analysis, figure 5",
        claim: "On the large board Groovy is still better than half of the others.",
        figure: "better than 50 %",
        measure: |lab| groovy_rank(lab, &["76x50"]),
    },
    Experiment {
        name: "gather/groovy-numbers",
        place: "multi-player analysis",
        claim: "The number of players does not significantly affect Groovy's performance.",
        figure: "not significantly",
        measure: |lab| {
            // How well a player does is measured by its rank: the rounds of a match depend on how
            // many players have to meet, whoever they are. Ranks of few rounds scatter, so there
            // are more of them than in the tournaments.
            let mut measured = Measurements::new();
            let seeds = lab.take(20, 200);
            for board in BOARDS {
                let ranks = |players| -> Result<Estimate, LabError> {
                    let boards = [course(board, players)];
                    let plan = TournamentPlan::mix("gather", boards, PLAYERS, seeds, 8);
                    Ok(rank(&lab.play(&plan.from_seed(2000))?, "groovy"))
                };
                let more = ranks(8)?.minus(ranks(2)?);
                let what = format!("{board}: mean rank of 7, with 8 players − with 2");
                measured = measured.reading(what, more, Between(-2.0, 2.0));
            }
            // Two of seven places are our reading of “significantly”.
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/flower-teams",
        place: "multi-player analysis",
        claim: "In mixed teams FlowerOrBee is comparable to Groovy.",
        figure: "comparable",
        measure: |lab| {
            let games = play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?;
            let of = |player: &str| Estimate::mean(games.with_player(player).filter_map(score));
            let more = rank(&games, "flower-v2").minus(rank(&games, "groovy"));
            Ok(Measurements::new()
                .reading("mean rank of 7, FlowerOrBee − Groovy", more, Between(-1.0, 1.0))
                .with_figure("rounds of matches with FlowerOrBee", of("flower-v2"))
                .with_figure("rounds of matches with Groovy", of("groovy")))
        },
    },
    Experiment {
        name: "gather/groovy-close",
        place: "multi-player analysis, figure 6",
        claim: "In mixed teams Groovy's average is only a little above the best player's.",
        figure: "somewhat small",
        measure: |lab| {
            let games = play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?;
            let of = |player: &str| Estimate::mean(games.with_player(player).filter_map(score));
            let others =
                PLAYERS.iter().filter(|player| **player != "groovy").map(|other| of(other));
            let best = others.min_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or(of("groovy"));
            let more = of("groovy").minus(best).times(100.0 / best.value);
            // A fifth is our reading of “somewhat small”.
            Ok(Measurements::new()
                .reading("rounds more than the best player", more.in_unit(" %"), Below(20.0))
                .not_comparable(LOST))
        },
    },
    Experiment {
        name: "gather/flower-places",
        place: "single-player analysis, figure 7",
        claim: "Alone, FlowerOrBee is among the best three of 13 in all tournaments but one.",
        figure: "9 first, 7 second, 4 third places, once fourth",
        measure: |lab| {
            let games = alone(lab)?;
            let ranks = games.ranks("flower-v2", &PLAYERS, &score, u64::MAX);
            let top = Estimate::share_of(ranks.iter().map(|rank| *rank <= 3.0));
            Ok(Measurements::new()
                .with_figure("pairs of board and N on which it is among the first three of 7", top)
                .with_figure("mean rank of 7", rank(&games, "flower-v2"))
                .not_comparable(LOST))
        },
    },
    Experiment {
        name: "gather/flower-least",
        place: "single-player analysis, figure 8",
        claim: "Alone, FlowerOrBee has the lowest average over all tournaments.",
        figure: "the shortest set of bars",
        measure: |lab| {
            let games = alone(lab)?;
            let mut measured = Measurements::new();
            for other in PLAYERS.iter().filter(|other| **other != "flower-v2") {
                let less = games.difference("flower-v2", other, &score);
                let what = format!("rounds, FlowerOrBee − {other}");
                // Its first version did not take part in the tournament.
                measured = match *other {
                    "flower-v1" => measured.with_figure(what, less),
                    _ => measured.part(what, less, Below(0.0)),
                };
            }
            Ok(measured.not_comparable(LOST))
        },
    },
    Experiment {
        name: "gather/groovy-teams",
        place: "conclusions",
        claim: "Groovy, which covers the board, is better in mixed teams than alone.",
        figure: "–",
        measure: |lab| better_in_teams(lab, "groovy"),
    },
    Experiment {
        name: "gather/flower-alone",
        place: "conclusions",
        claim: "FlowerOrBee, which goes straight, is better alone than in mixed teams.",
        figure: "–",
        measure: |lab| {
            let (own, teams) = (alone(lab)?, play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
            let more = rank(&teams, "flower-v2").minus(rank(&own, "flower-v2"));
            Ok(Measurements::new().part("mean rank of 7 in mixed teams − alone", more, Above(0.0)))
        },
    },
    Experiment {
        name: "gather/straight-or-cover",
        place: "conclusions",
        claim: "Players that go straight are best alone; players that cover the board are best in \
                mixed teams.",
        figure: "–",
        measure: |lab| {
            let (own, teams) = (alone(lab)?, play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
            let kinds = |games: &PlayedMatches| {
                ranks_of(games, &STRAIGHT).minus(ranks_of(games, &COVERING))
            };
            Ok(Measurements::new()
                .part("mean rank of 7 alone, straight − covering", kinds(&own), Below(0.0))
                .part("in mixed teams", kinds(&teams), Above(0.0)))
        },
    },
    Experiment {
        name: "gather/trails",
        place: "trail following",
        claim: "Following trails is more useful alone than in mixed teams.",
        figure: "–",
        measure: |lab| {
            let (own, teams) = (alone(lab)?, play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
            let more = ranks_of(&teams, &STRAIGHT).minus(ranks_of(&own, &STRAIGHT));
            let what = "mean rank of 7 of players that follow trails, in teams − alone";
            Ok(Measurements::new().part(what, more, Above(0.0)))
        },
    },
    Experiment {
        name: "gather/variance",
        place: "conclusions",
        claim: "Players that do not go straight vary a lot from game to game on the same board.",
        figure: "quite large",
        measure: |lab| {
            let games = alone(lab)?.on(&course("35x35", 2));
            let mut measured = Measurements::new();
            for player in ["hybrid", "groovy"] {
                let values = games.values(player, &score);
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let apart = Estimate::mean(values.iter().map(|value| (value - mean).abs() / mean));
                // A quarter of the mean is our reading of “quite large”.
                let what = format!(
                    "{player}, 35x35, N = 2: mean distance from the mean, as a share of it"
                );
                measured = measured.reading(what, apart.as_percent(), Above(25.0));
            }
            Ok(measured)
        },
    },
];
