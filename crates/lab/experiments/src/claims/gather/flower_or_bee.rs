//! What the report says about FlowerOrBee, in both versions.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{MeasuredMatch, PlayedMatches, score};
use crate::measurement::ExpectedValue::{Above, Always, Below, Between, Equal};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{MIDDLING, alone, course, cut_off, gain_among_four};

/// The share of rounds, in percent, from which on we would notice a difference: a tenth is our
/// reading of “not much”.
const NOTICED: f64 = 10.0;

/// The number of flowers in the first lottery.
fn flowers(game: &MeasuredMatch) -> usize {
    game.notes
        .iter()
        .filter(|note| note.turn == 0 && note.name == "flower" && note.value == 1.0)
        .count()
}

/// The lottery alone: matches of one round.
fn lottery(lab: &Lab<'_>, players: usize) -> Result<PlayedMatches, LabError> {
    let scenario = format!("course?players={players}&limit=1");
    lab.play(
        &TournamentPlan::mirror("gather", [scenario], ["flower-v2"], lab.take(1000, 4000))
            .with_notes(),
    )
}

fn lotteries(
    lab: &Lab<'_>,
    holds: fn(usize, usize) -> bool,
    expected: fn(f64) -> f64,
) -> Result<Measurements, LabError> {
    let mut measured = Measurements::new();
    for players in [2, 3, 5, 9] {
        let games = lottery(lab, players)?;
        let share = games.share("flower-v2", |game| holds(flowers(game), players));
        let figure = 100.0 * expected(players as f64);
        measured = measured.part(format!("N = {players}"), share, Equal(figure));
    }
    Ok(measured)
}

/// The share of matches with exactly one flower that end within a bound, by board and N.
fn measure_bound(
    lab: &Lab<'_>,
    player: &'static str,
    bound: fn(f64, f64) -> f64,
) -> Result<Measurements, LabError> {
    let mut measured = Measurements::new();
    for (board, width, height) in
        [("15x22", 15.0, 22.0), ("35x35", 35.0, 35.0), ("92x1", 92.0, 1.0)]
    {
        for players in [2, 3, 9] {
            let games = with_lottery(lab, player, board, players)?;
            let bound = bound(width, height);
            let with_one = games.of(player).filter(|game| flowers(game) == 1);
            let share = Estimate::share_of(with_one.map(|game| game.scores[0] <= bound));
            let what = format!("{board}, N = {players}: within {bound} rounds");
            measured = measured.part(what, share, Always(100.0));
        }
    }
    Ok(measured.of_a_bound())
}

/// Whole matches of FlowerOrBees, with notes on their lottery.
fn with_lottery(
    lab: &Lab<'_>,
    player: &str,
    board: &str,
    players: usize,
) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(100, 2000);
    lab.play(
        &TournamentPlan::mirror("gather", [course(board, players)], [player], seeds)
            .from_seed(50_000)
            .with_notes(),
    )
}

/// The rounds of three FlowerOrBees whose lottery makes this many of them flowers.
fn rounds_with_flowers(
    lab: &Lab<'_>,
    player: &str,
    board: &str,
    wanted: usize,
) -> Result<Estimate, LabError> {
    let games = with_lottery(lab, player, board, 3)?;
    let chosen = games.of(player).filter(|game| flowers(game) == wanted);
    Ok(Estimate::mean(chosen.filter_map(score)))
}

/// How many more rounds three FlowerOrBees need if the lottery leaves them without a flower than
/// with one.
fn compare_without_flower(lab: &Lab<'_>, player: &str, board: &str) -> Result<Estimate, LabError> {
    let rounds = |wanted| rounds_with_flowers(lab, player, board, wanted);
    Ok(rounds(0)?.minus(rounds(1)?))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/all-bees",
        place: "FlowerOrBee",
        claim: "The lottery makes everybody a bee with probability ((N − 1)/N)^N.",
        figure: "((N − 1)/N)^N",
        measure: |lab| lotteries(lab, |flowers, _| flowers == 0, |n| ((n - 1.0) / n).powf(n)),
    },
    Experiment {
        name: "gather/all-flowers",
        place: "FlowerOrBee",
        claim: "The lottery makes everybody a flower with probability (1/N)^N.",
        figure: "(1/N)^N",
        measure: |lab| lotteries(lab, |flowers, players| flowers == players, |n| n.recip().powf(n)),
    },
    Experiment {
        name: "gather/v1-bound",
        place: "FlowerOrBee",
        claim: "With exactly one flower, version 1 gathers within 2W + L rounds.",
        figure: "2W + L",
        measure: |lab| measure_bound(lab, "flower-v1", |width, height| 2.0 * height + width),
    },
    Experiment {
        name: "gather/v1-tall",
        place: "FlowerOrBee",
        claim: "Version 1 suffers where W is greater than L.",
        figure: "–",
        measure: |lab| {
            let (tall, flat) =
                ("torus?width=15&height=30&players=5", "torus?width=30&height=15&players=5");
            let seeds = lab.take(100, 2000);
            let games =
                lab.play(&TournamentPlan::mirror("gather", [tall, flat], ["flower-v1"], seeds))?;
            let of = |scenario: &str| games.on(scenario).mean("flower-v1", &score);
            let more = of(tall).minus(of(flat)).times(100.0 / of(flat).value).in_unit(" %");
            Ok(Measurements::new()
                .part("rounds more on 15×30 than on 30×15, N = 5", more, Above(0.0))
                .noticed_from(NOTICED)
                .with_figure("rounds on 30×15", of(flat)))
        },
    },
    Experiment {
        name: "gather/v1-more-flowers",
        place: "FlowerOrBee",
        claim: "The more flowers there are, the longer version 1 takes.",
        figure: "–",
        measure: |lab| {
            let mut measured = Measurements::new();
            for board in MIDDLING {
                let games = with_lottery(lab, "flower-v1", board, 9)?;
                let with = |wanted: usize| {
                    let chosen = games.of("flower-v1").filter(move |game| flowers(game) == wanted);
                    Estimate::mean(chosen.filter_map(score))
                };
                for more in [2, 3] {
                    let what =
                        format!("{board}, N = 9: rounds with {more} flowers − with {}", more - 1);
                    measured = measured.part(what, with(more).minus(with(more - 1)), Above(0.0));
                }
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v1-each-flower",
        place: "FlowerOrBee",
        claim: "Bees of version 1 need up to W + L more rounds for each flower beyond the first.",
        figure: "W + L",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (board, bound, lap) in [("15x22", 59.0, 37.0), ("35x35", 105.0, 70.0)] {
                for players in [3, 9] {
                    let games = with_lottery(lab, "flower-v1", board, players)?;
                    // Only matches in which an agent is left to gather.
                    let several =
                        games.of("flower-v1").filter(|game| (2..players).contains(&flowers(game)));
                    let within =
                        Estimate::share_of(several.map(|game| {
                            game.scores[0] <= bound + lap * (flowers(game) - 1) as f64
                        }));
                    let what = format!(
                        "{board}, N = {players}: within 2W + L, plus W + L per further flower"
                    );
                    measured = measured.part(what, within, Always(100.0));
                }
            }
            Ok(measured.of_a_bound())
        },
    },
    Experiment {
        name: "gather/v1-degenerate",
        place: "FlowerOrBee",
        claim: "With version 1, a lottery without a flower wastes 2W + L rounds, and more if the \
                next has none either.",
        figure: "2W + L",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (board, bound) in [("15x22", 59.0), ("35x35", 105.0)] {
                let lost = compare_without_flower(lab, "flower-v1", board)?;
                // The clock is at least what the first lottery loses; the next may lose again.
                let what = format!("{board}, N = 3: rounds more than with one flower");
                measured = measured
                    .part(what, lost, Above(bound))
                    .with_figure("as a share of 2W + L", lost.times(100.0 / bound).in_unit(" %"));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-all-bees",
        place: "FlowerOrBee",
        claim: "Thanks to diagonal steps, version 2 gathers earlier than version 1 where the \
                lottery leaves no flower.",
        figure: "less detrimental",
        measure: |lab| {
            let mut measured = Measurements::new();
            for board in MIDDLING {
                let rounds = |player| rounds_with_flowers(lab, player, board, 0);
                let less = rounds("flower-v2")?.minus(rounds("flower-v1")?);
                let what = format!("{board}, N = 3, no flower: rounds, version 2 − version 1");
                measured = measured.part(what, less, Below(0.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-bound",
        place: "FlowerOrBee",
        claim: "With exactly one flower, version 2 gathers within 2B + F rounds.",
        figure: "2B + F",
        measure: |lab| {
            measure_bound(lab, "flower-v2", |width, height| {
                2.0 * width.max(height) + width.min(height)
            })
        },
    },
    Experiment {
        name: "gather/v2-earlier",
        place: "FlowerOrBee",
        claim: "With exactly one flower, version 2 usually gathers much earlier than 2B + F.",
        figure: "much earlier",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (board, bound) in [("15x22", 59.0), ("35x35", 105.0)] {
                let games = with_lottery(lab, "flower-v2", board, 2)?;
                let one = games.of("flower-v2").filter(|game| flowers(game) == 1);
                let share = Estimate::mean(one.map(|game| game.scores[0] / bound)).as_percent();
                // Two thirds of the bound is our reading of “much earlier”.
                let what = format!("{board}, N = 2: rounds, as a share of the bound");
                measured = measured.reading(what, share, Below(200.0 / 3.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-side",
        place: "FlowerOrBee",
        claim: "Whether flowers of version 2 go along the shorter or the longer side makes little \
                difference.",
        figure: "not much, if any",
        measure: |lab| {
            let (shorter, longer) = ("flower-v2", "flower-v2?longer=true");
            let mut measured = Measurements::new();
            for (board, players) in [("15x22", 2), ("15x22", 5), ("76x50", 2), ("76x50", 5)] {
                let boards = [course(board, players)];
                let seeds = lab.take(60, 1500);
                let games =
                    lab.play(&TournamentPlan::mirror("gather", boards, [shorter, longer], seeds))?;
                let more = games.difference(longer, shorter, &score);
                let share = more.times(100.0 / games.mean(shorter, &score).value);
                measured = measured.reading(
                    format!("{board}, N = {players}: rounds more along the longer side"),
                    share.in_unit(" %"),
                    Between(-NOTICED, NOTICED),
                );
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-over-v1",
        place: "FlowerOrBee",
        claim: "Version 2 converges faster than version 1.",
        figure: "–",
        measure: |lab| {
            let games = alone(lab)?;
            let mean = games.mean("flower-v1", &score);
            let change = games.difference("flower-v2", "flower-v1", &score);
            let share = change.times(100.0 / mean.value).in_unit(" %");
            Ok(Measurements::new()
                .part("rounds alone, version 2 compared with version 1", share, Below(0.0))
                .noticed_from(NOTICED)
                .with_figure("rounds of version 1", mean))
        },
    },
    Experiment {
        name: "gather/flower-deadlocks",
        place: "FlowerOrBee",
        claim: "Neither version of FlowerOrBee deadlocks.",
        figure: "none",
        measure: |lab| {
            let games = alone(lab)?;
            let stuck = |player| cut_off(&games, player);
            Ok(Measurements::new()
                .part("matches of version 1 that were cut off", stuck("flower-v1"), Always(0.0))
                .part("of version 2", stuck("flower-v2"), Always(0.0)))
        },
    },
    Experiment {
        name: "gather/flower-among-straight",
        place: "FlowerOrBee",
        claim: "FlowerOrBee does especially well with others that go straight, whose trails it \
                uses.",
        figure: "especially well",
        measure: |lab| {
            let straight = gain_among_four(lab, "flower-v2", "flower-v1")?;
            let covering = gain_among_four(lab, "flower-v2", "hybrid")?;
            Ok(Measurements::new()
                .part(
                    "rounds more with one FlowerOrBee, among version 1 − among Hybrids",
                    straight.minus(covering),
                    Below(0.0),
                )
                .with_figure("among four of version 1, compared with a fifth of it", straight)
                .with_figure("among four Hybrids, compared with a fifth Hybrid", covering))
        },
    },
];
