//! Section 5 of the report: how its player did in the class tournament. Claims that the recorded
//! scores of the class decide are read from these; where the player can play again, it does.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, score};
use crate::measurement::ExpectedValue::{Above, Always, Below, Between, Equal};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::class::{self, Class, GAMES, OWN, PLAYERS, TABLE_1, TABLE_2};

/// The player of the class with the highest average.
const HIGHEST: usize = 5;
/// The distributions of groups 6 and 9 in Table 1.
const TARGETS: [usize; 2] = [5, 7];

/// A figure from recorded scores, which has no uncertainty.
fn exactly(count: usize) -> Estimate {
    Estimate::exact(count as f64)
}

/// All players of the class except the report's.
fn others() -> impl Iterator<Item = usize> {
    (0..PLAYERS.len()).filter(|player| *player != OWN)
}

/// The greatest value of a figure over all players of the class except the report's.
fn best_other(figure: impl Fn(usize) -> f64) -> f64 {
    others().map(figure).fold(f64::NEG_INFINITY, f64::max)
}

/// The submitted player on all of Table 1.
fn tournament(lab: &Lab<'_>, players: &[&str]) -> Result<PlayedMatches, LabError> {
    let distributions = TABLE_1.map(|row| row.0);
    let seeds = lab.take(10, 20);
    lab.play(&TournamentPlan::solo("pentocity", distributions, players.iter().copied(), seeds))
}

/// Our games against each recorded game of another player on the same distribution: for each of
/// ours, the share of theirs that it beats, without ties.
fn beaten(games: &PlayedMatches, class: &Class, other: usize) -> Estimate {
    let of = |row: usize| {
        let own = games.on(TABLE_1[row].0).values("g1", &score);
        let theirs = class.games(row, other).to_vec();
        own.into_iter().filter_map(move |own| {
            let decided: Vec<bool> =
                theirs.iter().filter(|score| **score != own).map(|score| *score < own).collect();
            let won = decided.iter().filter(|won| **won).count() as f64;
            (!decided.is_empty()).then(|| won / decided.len() as f64)
        })
    };
    Estimate::mean((0..TABLE_1.len()).flat_map(of)).as_percent()
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/average",
        place: "5.2",
        claim: "The submitted player's average over the tournament.",
        figure: "1980.55",
        measure: |lab| {
            let games = tournament(lab, &["g1"])?;
            let seeds = lab.take(10, 20);
            // The games of one seed over all distributions are one observation; the tournament has
            // ten of them.
            let mut of_seed = vec![(0.0, 0.0); seeds as usize];
            for game in games.all() {
                let sum = &mut of_seed[(game.seed - 1) as usize];
                *sum = (sum.0 + game.scores[0], sum.1 + 1.0);
            }
            let ours = Estimate::mean(of_seed.iter().map(|(sum, count)| sum / count));
            let wider = (1.0 + ours.n as f64 / GAMES as f64).sqrt();
            let half = (ours.high - ours.value) * wider;
            let value = ours.value - 1980.55;
            let difference = Estimate { value, low: value - half, high: value + half, ..ours };
            Ok(Measurements::new()
                .part("ours − theirs, both uncertain", difference, Equal(0.0))
                .with_figure("our average over Table 1", ours))
        },
    },
    Experiment {
        name: "pentocity/over-2000",
        place: "5.2, figures 6 and 7",
        claim: "Most of the submitted player's scores in the tournament are above 2000.",
        figure: "most",
        measure: |lab| {
            let over = tournament(lab, &["g1"])?.share("g1", |game| game.scores[0] > 2000.0);
            Ok(Measurements::new().part("games above 2000", over, Above(50.0)))
        },
    },
    Experiment {
        name: "pentocity/above-average",
        place: "5.2, figure 8",
        claim: "On almost every distribution the submitted player is significantly above the \
                class's average.",
        figure: "13 of 14 in Table 1",
        measure: |lab| {
            let games = tournament(lab, &["g1"])?;
            let of = |distribution: &str| games.on(distribution).mean("g1", &score);
            let above = |by: fn(Estimate) -> f64| {
                let is_above =
                    |(distribution, _, average): &&(&str, _, f64)| by(of(distribution)) > *average;
                exactly(TABLE_1.iter().filter(is_above).count())
            };
            // All but two is our reading of “almost every”.
            Ok(Measurements::new()
                .reading(
                    "distributions with our whole interval above it, of 14",
                    above(|own| own.low),
                    Above(11.5),
                )
                .with_figure("with our mean above it", above(|own| own.value)))
        },
    },
    Experiment {
        name: "pentocity/wins",
        place: "5.2, Table 2",
        claim: "The submitted player wins the match against every other player, on the same \
                distributions and seeds.",
        figure: "8 of 8 matches",
        measure: |lab| {
            let others = [
                "naive",
                "diagonal",
                "centre",
                "cells",
                "components-second",
                "clinging",
                "fractal",
            ];
            let players: Vec<&str> = ["g1"].into_iter().chain(others).collect();
            let games = tournament(lab, &players)?;
            let mut measured = Measurements::new();
            for other in others {
                let pairs = games.pairs("g1", other, &score);
                let decided = pairs.iter().filter(|(own, theirs)| own != theirs);
                let won = Estimate::share_of(decided.map(|(own, theirs)| own > theirs));
                measured =
                    measured.part(format!("decided games won against {other}"), won, Above(50.0));
            }
            Ok(measured.not_comparable(
                "the class's programs are lost; these are the report's own strategies",
            ))
        },
    },
    Experiment {
        name: "pentocity/over-2000-recorded",
        place: "5.2, figure 6",
        claim: "Most of the submitted player's recorded scores are above 2000.",
        figure: "most",
        measure: |lab| {
            let games = Class::read(lab)?.all(OWN);
            let over = games.iter().filter(|score| **score > 2000.0).count() as f64;
            let share = Estimate::exact(100.0 * over / games.len() as f64).in_unit(" %");
            Ok(Measurements::new().part("share of its 140 games", share, Above(50.0)))
        },
    },
    Experiment {
        name: "pentocity/isolated-scores",
        place: "5.2, figure 6",
        claim: "The player with the highest average owes it to some very high scores that stand \
                apart.",
        figure: "an isolated part",
        measure: |lab| {
            let class = Class::read(lab)?;
            let mut games = class.all(HIGHEST);
            games.sort_by(f64::total_cmp);
            // The widest gap in the upper half of its scores.
            let half = games.len() / 2;
            let apart = |at: &usize| games[*at] - games[at - 1];
            let gap = (half..games.len()).max_by(|a, b| apart(a).total_cmp(&apart(b)));
            let gap = gap.unwrap_or(half);
            let (usual, high) = games.split_at(gap);
            let own = class::mean(&class.all(OWN));
            let lead = |games: &[f64]| Estimate::exact(class::mean(games) - own);
            Ok(Measurements::new()
                // A hundred points without a game is our reading of “apart”.
                .reading("width of the gap below them", Estimate::exact(apart(&gap)), Above(100.0))
                .part("its average − player 1's", lead(&games), Above(0.0))
                .part("the same without the scores above the gap", lead(usual), Below(0.0))
                .with_figure("games above the gap, of 140", exactly(high.len())))
        },
    },
    Experiment {
        name: "pentocity/median",
        place: "5.2, figure 7",
        claim: "The submitted player has the highest median score of the class.",
        figure: "the highest",
        measure: |lab| {
            let class = Class::read(lab)?;
            let of = |player: usize| class::median(&class.all(player));
            let best = best_other(of);
            let again = Estimate::median(tournament(lab, &["g1"])?.values("g1", &score));
            Ok(Measurements::new()
                .part(
                    "recorded − the best of the others",
                    Estimate::exact(of(OWN) - best),
                    Above(0.0),
                )
                .part("played again − the best of the others", again.less(best), Above(0.0))
                .with_figure("its recorded median", Estimate::exact(of(OWN))))
        },
    },
    Experiment {
        name: "pentocity/medians",
        place: "5.2, figure 7",
        claim: "The submitted player's median score is a little above 2000.",
        figure: "a bar a little above 2000",
        measure: |lab| {
            let recorded = Estimate::median(Class::read(lab)?.all(OWN));
            let again = Estimate::median(tournament(lab, &["g1"])?.values("g1", &score));
            // Up to a hundred points is our reading of “a little”.
            let little = Between(2000.0, 2100.0);
            Ok(Measurements::new()
                .reading("its recorded median", Estimate::exact(recorded.value), little)
                .reading("its median played again", again, little)
                .with_figure("played again − recorded", again.minus(recorded)))
        },
    },
    Experiment {
        name: "pentocity/above-average-recorded",
        place: "5.2, figure 8",
        claim: "On almost every distribution the submitted player's recorded games are \
                significantly above the class's average.",
        figure: "13 of 14 in Table 1",
        measure: |lab| {
            let class = Class::read(lab)?;
            let above = |row: &usize| {
                let own = Estimate::mean(class.games(*row, OWN).iter().copied());
                own.low > class.average(*row)
            };
            let sure = exactly((0..TABLE_1.len()).filter(above).count());
            let all = exactly(class.above_average(OWN));
            Ok(Measurements::new()
                .reading("distributions with its whole interval above it, of 14", sure, Above(11.5))
                .with_figure("with its mean above it", all))
        },
    },
    Experiment {
        name: "pentocity/robust",
        place: "5.1, 5.2",
        claim: "The submitted player performs consistently well: nobody is above the average on \
                more distributions.",
        figure: "the most robust",
        measure: |lab| {
            let class = Class::read(lab)?;
            let own = class.above_average(OWN);
            let ahead = others().filter(|other| class.above_average(*other) > own).count();
            Ok(Measurements::new()
                .part(
                    "players above the average on more distributions",
                    exactly(ahead),
                    Always(0.0),
                )
                .with_figure(
                    "distributions with the submitted player above it, of 14",
                    exactly(own),
                ))
        },
    },
    Experiment {
        name: "pentocity/simple-optima",
        place: "5.1",
        claim: "The submitted player may do less well on distributions that have a simple optimal \
                solution: those of groups 6 and 9.",
        figure: "may not be so good",
        measure: |lab| {
            let games = tournament(lab, &["g1"])?;
            let mut measured = Measurements::new();
            for row in TARGETS {
                let (distribution, means, _) = TABLE_1[row];
                let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let ours = games.on(distribution).mean("g1", &score);
                // A tenth below the best is our reading of “not so good”.
                let share = ours.times(100.0 / best).less(100.0).in_unit(" %");
                measured = measured.reading(
                    format!("{distribution}: against the best of the class"),
                    share,
                    Below(-10.0),
                );
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "pentocity/targets",
        place: "5.2",
        claim: "The distributions of groups 6 and 9 are exactly what group 6's strategy is made \
                for.",
        figure: "2900 and 2532.3",
        measure: |lab| {
            let class = Class::read(lab)?;
            let lead = |row: usize| {
                let rest = (0..PLAYERS.len()).filter(|player| *player != HIGHEST);
                let rest = rest.map(|player| class.mean(row, player));
                class.mean(row, HIGHEST) - rest.fold(f64::NEG_INFINITY, f64::max)
            };
            let elsewhere = (0..TABLE_1.len()).filter(|row| !TARGETS.contains(row)).map(lead);
            let elsewhere = elsewhere.fold(f64::NEG_INFINITY, f64::max);
            let mut measured = Measurements::new();
            for row in TARGETS {
                let what = format!("{}: its lead over the next", TABLE_1[row].0);
                // Its greatest lead elsewhere is what it has without a target.
                measured =
                    measured.reading(what, Estimate::exact(lead(row)), Above(elsewhere.max(100.0)));
            }
            Ok(measured.with_figure("its greatest lead elsewhere", Estimate::exact(elsewhere)))
        },
    },
    Experiment {
        name: "pentocity/rounds-won",
        place: "5.2",
        claim: "The submitted player wins the second most rounds of the class.",
        figure: "34, the first 37",
        measure: |lab| {
            let class = Class::read(lab)?;
            let own = class.rounds_won(OWN);
            let more = others().filter(|other| class.rounds_won(*other) > own).count();
            let first = others().map(|other| class.rounds_won(other)).max().unwrap_or(0);
            Ok(Measurements::new()
                .part("rounds won, of 140", exactly(own), Always(34.0))
                .part("rounds won by the first", exactly(first), Always(37.0))
                .part("players with more", exactly(more), Always(1.0)))
        },
    },
    Experiment {
        name: "pentocity/second-average",
        place: "5.2",
        claim: "The submitted player has the second best average score of the class.",
        figure: "1980.55",
        measure: |lab| {
            let class = Class::read(lab)?;
            let of = |player: usize| class::mean(&class.all(player));
            let better = others().filter(|other| of(*other) > of(OWN)).count();
            let rounded = (100.0 * of(OWN)).round() / 100.0;
            Ok(Measurements::new()
                .part("recorded average", Estimate::exact(rounded), Always(1980.55))
                .part("players with a better one", exactly(better), Always(1.0)))
        },
    },
    Experiment {
        name: "pentocity/distributions-won",
        place: "5.2",
        claim: "By its averages the submitted player wins four distributions, as many as group 6.",
        figure: "4, a tie with group 6",
        measure: |lab| {
            let class = Class::read(lab)?;
            let most = (0..PLAYERS.len()).map(|player| class.distributions_won(player)).max();
            Ok(Measurements::new()
                .part("won by player 1", exactly(class.distributions_won(OWN)), Always(4.0))
                .part("won by group 6", exactly(class.distributions_won(HIGHEST)), Always(4.0))
                .part("the most that anybody wins", exactly(most.unwrap_or(0)), Always(4.0)))
        },
    },
    Experiment {
        name: "pentocity/table-1-recorded",
        place: "Table 1",
        claim: "The means of all nine players are those of the recorded scores.",
        figure: "126 means, 14 averages",
        measure: |lab| {
            let class = Class::read(lab)?;
            let near = |a: f64, b: f64| (a - b).abs() < 0.051;
            let rows = || TABLE_1.iter().enumerate();
            let means: usize = rows()
                .map(|(row, (_, means, _))| {
                    (0..PLAYERS.len()).filter(|p| near(class.mean(row, *p), means[*p])).count()
                })
                .sum();
            let averages =
                rows().filter(|(row, (.., average))| near(class.average(*row), *average));
            Ok(Measurements::new()
                .part("means that match, of 126", exactly(means), Always(126.0))
                .part("averages that match, of 14", exactly(averages.count()), Always(14.0)))
        },
    },
    Experiment {
        name: "pentocity/table-2",
        place: "Table 2",
        claim: "The games that each player won against each other player, on the same \
                distribution and seed.",
        figure: "117:22, 89:50, … for 36 pairs; player 1 wins 8 of 8",
        measure: |lab| {
            let class = Class::read(lab)?;
            let pairs = TABLE_2.iter().enumerate().flat_map(|(row, cells)| {
                cells.iter().enumerate().map(move |(column, cell)| (row, row + 1 + column, *cell))
            });
            let equal = pairs.filter(|(a, b, cell)| class.count_wins(*a, *b) == *cell).count();
            let wins = others().filter(|other| {
                let (won, lost) = class.count_wins(OWN, *other);
                won > lost
            });
            Ok(Measurements::new()
                .part("pairs as in the table, of 36", exactly(equal), Always(36.0))
                .part("matches that player 1 wins, of 8", exactly(wins.count()), Always(8.0)))
        },
    },
    Experiment {
        name: "pentocity/wins-class",
        place: "5.2, Table 2",
        claim: "Played again, the submitted player wins the match against every other player of \
                the class.",
        figure: "8 of 8 matches",
        measure: |lab| {
            let class = Class::read(lab)?;
            let games = tournament(lab, &["g1"])?;
            lab.note(
                "each game against the ten recorded games of another player on the same \
                      distribution; the requests differ",
            );
            let mut measured = Measurements::new();
            for other in others() {
                let what = format!("decided games won against {}", PLAYERS[other]);
                measured = measured.part(what, beaten(&games, &class, other), Above(50.0));
            }
            Ok(measured)
        },
    },
];
