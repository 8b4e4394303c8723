//! The report “Project 3: Let's Get Together” of group 4: five players, alone (all seats
//! one player) and in mixed teams. Where it compares with the 13 groups' players, whose
//! programs are lost, the comparison is with the report's own players and Random.

use quintain_core::{Decision, Entry, Game as _, Player, Rng, Seat, Turn};
use quintain_gather::{Cell, Gather, Move};

use crate::estimate::Estimate;
use crate::experiment::Expected::{Above, Always, Below, Between, Equal};
use crate::experiment::{Experiment, Measured};
use crate::games::{Game, Games, score};
use crate::lab::{Lab, LabError};
use crate::trial::Trial;

const BOARDS: [&str; 5] = ["15x22", "35x35", "76x50", "2x75", "92x1"];
const THIN: [&str; 2] = ["2x75", "92x1"];
const MIDDLING: [&str; 2] = ["15x22", "35x35"];
const PLAYERS: [&str; 7] =
    ["salsa", "hybrid", "groovy", "flower-v1", "flower-v2", "cra-z-y", "random"];
/// Seeds that make one round of a tournament, ranked by itself.
const ROUND: u64 = 5;
/// Rounds of the horizon of those who never meet: as in the tournaments of the course, a
/// match that goes on for ever has to be ended.
const LIMIT: u32 = 20_000;

fn course(board: &str, players: usize) -> String {
    format!("course?board={board}&players={players}")
}

/// The report's players by themselves on every board, with 2, 3, 5 and 9 of them.
fn alone(lab: &Lab<'_>) -> Result<Games, LabError> {
    let scenarios = BOARDS.iter().flat_map(|board| [2, 3, 5, 9].map(|n| course(board, n)));
    // From a whole round on, so that every block of seeds is full.
    lab.play(&Trial::mirror("gather", scenarios, PLAYERS, lab.take(10, 50)).from(1000))
}

/// All of them dealt at random on some boards, with so many on each.
fn mixed(lab: &Lab<'_>, boards: &[&str], numbers: &[usize]) -> Result<Games, LabError> {
    let scenarios = boards.iter().flat_map(|board| numbers.iter().map(|n| course(board, *n)));
    let trial = Trial::mixed("gather", scenarios, PLAYERS, lab.take(10, 40), 8).from(1000);
    // Claims about some boards share their matches with those about all.
    lab.play_by_scenario(&trial)
}

/// Mean rank of a player among the report's, by rounds of the tournament.
fn rank(games: &Games, player: &str) -> Estimate {
    Estimate::mean(games.ranks(player, &PLAYERS, &score, ROUND))
}

/// The share of a player's matches that were cut off.
fn cut_off(games: &Games, player: &str) -> Estimate {
    games.share(player, |game| game.truncated)
}

/// Flowers of the first lottery.
fn flowers(game: &Game) -> usize {
    game.notes
        .iter()
        .filter(|note| note.turn == 0 && note.name == "flower" && note.value == 1.0)
        .count()
}

/// The lottery alone: matches of one round.
fn lottery(lab: &Lab<'_>, players: usize) -> Result<Games, LabError> {
    let scenario = format!("course?players={players}&limit=1");
    lab.play(&Trial::mirror("gather", [scenario], ["flower-v2"], lab.take(1000, 4000)).noting())
}

fn lotteries(
    lab: &Lab<'_>,
    holds: fn(usize, usize) -> bool,
    expected: fn(f64) -> f64,
) -> Result<Measured, LabError> {
    let mut measured = Measured::new();
    for players in [2, 3, 5, 9] {
        let games = lottery(lab, players)?;
        let share = games.share("flower-v2", |game| holds(flowers(game), players));
        let figure = (1000.0 * expected(players as f64)).round() / 10.0;
        measured = measured.part(format!("N = {players}"), share, Equal(figure));
    }
    Ok(measured)
}

/// The share of matches with exactly one flower that end within a bound, by board and N.
fn within_bound(
    lab: &Lab<'_>,
    player: &'static str,
    bound: fn(f64, f64) -> f64,
) -> Result<Measured, LabError> {
    let mut measured = Measured::new();
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
    Ok(measured)
}

/// Whole matches of FlowerOrBees that tell of their lottery.
fn with_lottery(
    lab: &Lab<'_>,
    player: &str,
    board: &str,
    players: usize,
) -> Result<Games, LabError> {
    let seeds = lab.take(100, 400);
    lab.play(
        &Trial::mirror("gather", [course(board, players)], [player], seeds).from(50_000).noting(),
    )
}

/// Hybrid's rounds with one patience less with another, alone.
fn patience(lab: &Lab<'_>, board: &str, own: f64, others: [f64; 2]) -> Result<Measured, LabError> {
    let player = |share: f64| format!("hybrid?large={share}&small={share}");
    let mut measured = Measured::new();
    for players in [2, 5] {
        let tried = [player(own), player(others[0]), player(others[1])];
        let seeds = lab.take(60, 300);
        let games =
            lab.play(&Trial::mirror("gather", [course(board, players)], tried.clone(), seeds))?;
        for (other, share) in tried[1..].iter().zip(others) {
            let change = games.difference(&tried[0], other, &score);
            let what = format!("{board}, N = {players}: rounds at {own} − at {share}");
            measured = measured.part(what, change, Below(0.0));
        }
    }
    Ok(measured)
}

/// Three players in a column of three cells, as figure 1 has them: what they do for so
/// many rounds, or until all have met.
fn figure_1(player: &str, rounds: usize) -> Result<Vec<Vec<Move>>, LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::Failed(error.to_string());
    let entry: Entry<Gather> = quintain_gather::entry();
    let (game, _) = entry.build("torus?width=3&height=3&players=3").map_err(|e| failed(&e))?;
    let starts = (0..3).map(|row| Cell { column: 1, row }).collect();
    let mut state = game.starting_on(starts, &mut Rng::from_seed(1));
    let mut players: Vec<Box<dyn Player<Gather>>> = Vec::new();
    for _ in 0..3 {
        players.push(entry.seated(player, &game).map_err(|error| failed(&error))?);
    }
    let mut rng = Rng::from_seed(2);
    let mut moves = Vec::new();
    while moves.len() < rounds && game.turn(&state) == Turn::Together {
        let mut joint = Vec::new();
        for (seat, player) in Seat::all(3).zip(&mut players) {
            let decided = player.decide(&mut Decision::new(&game, &state, seat, &mut rng));
            joint.push(decided.map_err(|fault| failed(&fault))?);
        }
        game.step(&mut state, &joint);
        moves.push(joint);
    }
    Ok(moves)
}

/// The share of rounds in figure 1 in which all three do the same.
fn deadlock(lab: &Lab<'_>, what: &str, player: &str, all: Move) -> Result<Measured, LabError> {
    lab.tell(format!("`{player}` in a column of three on a torus of 3×3, 200 rounds"));
    let rounds = figure_1(player, 200)?;
    let alike = rounds.iter().filter(|joint| joint.iter().all(|own| *own == all)).count();
    let share = Estimate { n: 0, ..Estimate::share(alike as u64, 200) };
    let share = Estimate { low: share.value, high: share.value, ..share };
    Ok(Measured::new().part(what, share, Always(100.0)))
}

/// Cells that a step shows which were not in sight before.
fn newly_seen(to: Move) -> f64 {
    let (east, south) = to.offset();
    let near = |x: i32, y: i32| x.abs() <= 1 && y.abs() <= 1;
    let cells = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
    cells.filter(|(x, y)| near(x - east, y - south) && !near(*x, *y)).count() as f64
}

/// One player among four others of a kind: by players asked for, the mean rounds.
fn among_four(lab: &Lab<'_>, odd: &str, others: &str) -> Result<Vec<(u64, f64)>, LabError> {
    // The line-ups of two players in five seats have every mixture; one seat is the odd one's.
    let seeds = lab.take(20, 100);
    let games =
        lab.play(&Trial::all_mixed("gather", [course("35x35", 5)], [odd, others], seeds))?;
    let alone = |game: &&Game| game.players.iter().filter(|player| *player == odd).count() == 1;
    Ok(games.all().iter().filter(alone).map(|game| (game.seed, game.scores[0])).collect())
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/higher-move-chase",
        place: "meeting conventions, figure 1",
        claim: "By “Higher Move”, three in a column who each turn to the south chase one another for ever.",
        figure: "a deadlocked loop",
        measure: |lab| {
            deadlock(lab, "rounds in which all go south", "convention?wanted=south", Move::S)
        },
    },
    Experiment {
        name: "gather/higher-move-wait",
        place: "meeting conventions, figure 1",
        claim: "By “Higher Move”, three in a column who each turn to the north wait for ever.",
        figure: "a stagnant deadlock",
        measure: |lab| {
            deadlock(lab, "rounds in which all stay", "convention?wanted=north", Move::Stay)
        },
    },
    Experiment {
        name: "gather/opposing-ls",
        place: "meeting conventions, figure 2",
        claim: "“Opposing Ls” knows the same deadlocks.",
        figure: "–",
        measure: |lab| {
            let south = "convention?convention=opposing-ls&wanted=south";
            let north = "convention?convention=opposing-ls&wanted=north";
            let mut measured = deadlock(lab, "all stay", south, Move::Stay)?;
            measured.parts.extend(deadlock(lab, "all go north", north, Move::N)?.parts);
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/optimal-strategy",
        place: "trail following",
        claim: "With known player numbers the “Optimal Strategy” needs at most 2L + 2W moves.",
        figure: "2L + 2W",
        measure: |lab| {
            let boards = BOARDS
                .iter()
                .flat_map(|board| [2, 5].map(|n| format!("{}&masked=false", course(board, n))));
            let games =
                lab.play(&Trial::mirror("gather", boards, ["optimal"], lab.take(20, 100)))?;
            let within = |game: &Game| game.metrics["rounds / (2L+2W)"] <= 1.0;
            Ok(Measured::new().part(
                "matches within it",
                games.share("optimal", within),
                Always(100.0),
            ))
        },
    },
    Experiment {
        name: "gather/salsa-stuck",
        place: "Salsa y Arroz",
        claim: "Salsa y Arroz occasionally gets stuck for good.",
        figure: "occasionally",
        measure: |lab| {
            let stuck = cut_off(&alone(lab)?, "salsa");
            Ok(Measured::new().part(
                format!("matches cut off after {LIMIT} rounds"),
                stuck,
                Between(0.01, 25.0),
            ))
        },
    },
    Experiment {
        name: "gather/salsa-among-others",
        place: "Salsa y Arroz",
        claim: "Salsa y Arroz does not do well with players that do not follow straight trails as it does.",
        figure: "–",
        measure: |lab| {
            let (salsa, flower) =
                (among_four(lab, "salsa", "hybrid")?, among_four(lab, "flower-v2", "hybrid")?);
            let rounds =
                |list: &[(u64, f64)]| Estimate::mean(list.iter().map(|(_, rounds)| *rounds));
            let all = alone(lab)?;
            let own = rank(&all, "salsa");
            let teams = rank(&mixed(lab, &BOARDS, &[2, 3, 5, 8])?, "salsa");
            Ok(Measured::new()
                .part("mean rank of 7 in mixed teams − alone", teams.minus(own), Above(0.0))
                .beside("rounds as the fifth of four Hybrids, 35x35", rounds(&salsa))
                .beside("of FlowerOrBee in its place", rounds(&flower)))
        },
    },
    Experiment {
        name: "gather/diagonal-steps",
        place: "Hybrid, figure 3",
        claim: "A diagonal step shows five new cells, a straight one three.",
        figure: "5 and 3",
        measure: |lab| {
            lab.tell("counted");
            let mut measured = Measured::new();
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
        claim: "On boards above 1000 cells Hybrid does best when it moves away after 25 % of the area without news.",
        figure: "25 %",
        measure: |lab| patience(lab, "35x35", 0.25, [0.1, 0.5]),
    },
    Experiment {
        name: "gather/hybrid-patience-small",
        place: "Hybrid",
        claim: "On smaller boards it does best at 33 %.",
        figure: "33 %",
        measure: |lab| patience(lab, "15x22", 0.33, [0.1, 0.66]),
    },
    Experiment {
        name: "gather/hybrid-deadlocks",
        place: "Hybrid",
        claim: "Hybrid's timeouts resist deadlocks.",
        figure: "quite effective",
        measure: |lab| {
            lab.tell("`hybrid` in a column of three on a torus of 3×3, 200 rounds");
            let left = figure_1("hybrid", 200)?.len() < 200;
            let alone = alone(lab)?;
            Ok(Measured::new()
                .part(
                    "figure 1 left (1 yes, 0 no)",
                    Estimate::exact(f64::from(u8::from(left))),
                    Always(1.0),
                )
                .beside("matches alone that were cut off", cut_off(&alone, "hybrid")))
        },
    },
    Experiment {
        name: "gather/hybrid-under-1000",
        place: "Hybrid",
        claim: "Alone, Hybrid usually needs less than 1000 rounds on any board of reasonable size.",
        figure: "below 1000",
        measure: |lab| {
            let share = alone(lab)?.share("hybrid", |game| game.scores[0] < 1000.0);
            Ok(Measured::new().part("matches below 1000 rounds", share, Above(50.0)))
        },
    },
    Experiment {
        name: "gather/hybrid-over-5000",
        place: "Hybrid",
        claim: "Alone, Hybrid is sometimes caught beyond 5000 rounds.",
        figure: "more than 5000",
        measure: |lab| {
            let share = alone(lab)?.share("hybrid", |game| game.scores[0] > 5000.0);
            Ok(Measured::new().part("matches beyond 5000 rounds", share, Between(0.01, 25.0)))
        },
    },
    Experiment {
        name: "gather/hybrid-teams",
        place: "Hybrid",
        claim: "Hybrid is better in mixed teams than alone.",
        figure: "–",
        measure: |lab| better_in_teams(lab, "hybrid"),
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
            let (own, teams) = (alone(lab)?, mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
            let more = rank(&teams, "flower-v2").minus(rank(&own, "flower-v2"));
            Ok(Measured::new().part("mean rank of 7 in mixed teams − alone", more, Above(0.0)))
        },
    },
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
        claim: "On small and medium boards it is better than more than half of the others.",
        figure: "third of 13 at worst",
        measure: |lab| groovy_rank(lab, &MIDDLING),
    },
    Experiment {
        name: "gather/groovy-large",
        place: "multi-player analysis, figure 5",
        claim: "On the large board it is still better than half of the others.",
        figure: "better than 50 %",
        measure: |lab| groovy_rank(lab, &["76x50"]),
    },
    Experiment {
        name: "gather/groovy-numbers",
        place: "multi-player analysis",
        claim: "The number of players does not significantly affect Groovy's performance.",
        figure: "not significantly",
        measure: |lab| {
            let mut measured = Measured::new();
            for board in BOARDS {
                let two = mixed(lab, &[board], &[2])?;
                let eight = mixed(lab, &[board], &[8])?;
                let of = |games: &Games| Estimate::mean(games.seated("groovy").filter_map(score));
                // Less than a fifth of the rounds that two need.
                let more = of(&eight).minus(of(&two));
                let fifth = (of(&two).value / 5.0).round();
                let what = format!("{board}: rounds with 8 − with 2");
                measured = measured.part(what, more, Between(-fifth, fifth));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/flower-teams",
        place: "multi-player analysis",
        claim: "In mixed teams FlowerOrBee is comparable to Groovy.",
        figure: "comparable",
        measure: |lab| {
            let games = mixed(lab, &BOARDS, &[2, 3, 5, 8])?;
            let of = |player: &str| Estimate::mean(games.seated(player).filter_map(score));
            let more = rank(&games, "flower-v2").minus(rank(&games, "groovy"));
            Ok(Measured::new()
                .part("mean rank of 7, FlowerOrBee − Groovy", more, Between(-1.0, 1.0))
                .beside("rounds of matches with FlowerOrBee", of("flower-v2"))
                .beside("rounds of matches with Groovy", of("groovy")))
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
            Ok(Measured::new().part(
                "boards × N on which it is among the first three of 7",
                top,
                Above(85.0),
            ))
        },
    },
    Experiment {
        name: "gather/flower-least",
        place: "single-player analysis, figure 8",
        claim: "Alone, FlowerOrBee has the least average over all tournaments.",
        figure: "the shortest set of bars",
        measure: |lab| {
            let games = alone(lab)?;
            let mut measured = Measured::new();
            for other in PLAYERS.iter().filter(|other| **other != "flower-v2") {
                let less = games.difference("flower-v2", other, &score);
                measured =
                    measured.part(format!("rounds, FlowerOrBee − {other}"), less, Below(0.0));
            }
            Ok(measured)
        },
    },
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
        claim: "It makes everybody a flower with probability (1/N)^N.",
        figure: "(1/N)^N",
        measure: |lab| lotteries(lab, |flowers, players| flowers == players, |n| n.recip().powf(n)),
    },
    Experiment {
        name: "gather/v1-bound",
        place: "FlowerOrBee",
        claim: "With exactly one flower, version 1 gathers within 2W + L rounds.",
        figure: "2W + L",
        measure: |lab| within_bound(lab, "flower-v1", |width, height| 2.0 * height + width),
    },
    Experiment {
        name: "gather/v2-bound",
        place: "FlowerOrBee",
        claim: "With exactly one flower, version 2 gathers within 2B + F rounds.",
        figure: "2B + F",
        measure: |lab| {
            within_bound(lab, "flower-v2", |width, height| {
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
            let mut measured = Measured::new();
            for (board, bound) in [("15x22", 59.0), ("35x35", 105.0)] {
                let games = with_lottery(lab, "flower-v2", board, 2)?;
                let one = games.of("flower-v2").filter(|game| flowers(game) == 1);
                let share = Estimate::mean(one.map(|game| game.scores[0] / bound)).as_percent();
                // Two thirds of the bound is our reading of much earlier.
                let what = format!("{board}, N = 2: rounds, of the bound");
                measured = measured.part(what, share, Below(66.7));
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
            let change = alone(lab)?.difference("flower-v2", "flower-v1", &score);
            Ok(Measured::new().part("rounds alone, version 2 − version 1", change, Below(0.0)))
        },
    },
    Experiment {
        name: "gather/v1-tall",
        place: "FlowerOrBee",
        claim: "Version 1 suffers where W is greater than L.",
        figure: "–",
        measure: |lab| {
            let (tall, flat) =
                ("torus?width=15&height=30&players=5", "torus?width=30&height=15&players=5");
            let seeds = lab.take(100, 400);
            let games = lab.play(&Trial::mirror("gather", [tall, flat], ["flower-v1"], seeds))?;
            let of = |scenario: &str| games.on(scenario).mean("flower-v1", &score);
            let more = of(tall).minus(of(flat));
            Ok(Measured::new().part("rounds on 15×30 − on 30×15, N = 5", more, Above(0.0)))
        },
    },
    Experiment {
        name: "gather/v1-more-flowers",
        place: "FlowerOrBee",
        claim: "The more flowers there are, the longer version 1 takes.",
        figure: "W + L more for each",
        measure: |lab| {
            let games = with_lottery(lab, "flower-v1", "35x35", 9)?;
            let with = |wanted: fn(usize) -> bool| {
                let chosen = games.of("flower-v1").filter(move |game| wanted(flowers(game)));
                Estimate::mean(chosen.filter_map(score))
            };
            let more = with(|flowers| flowers >= 2).minus(with(|flowers| flowers == 1));
            Ok(Measured::new().part(
                "rounds with several − with one, 35x35, N = 9",
                more,
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "gather/crazy-converges",
        place: "Cra-Z-y",
        claim: "In most cases Cra-Z-y converges.",
        figure: "most cases",
        measure: |lab| {
            let ended = alone(lab)?.share("cra-z-y", |game| !game.truncated);
            Ok(Measured::new().part("matches alone that were not cut off", ended, Above(50.0)))
        },
    },
    Experiment {
        name: "gather/crazy-poor",
        place: "Cra-Z-y",
        claim: "Its poor performance kept it from being submitted: Groovy and FlowerOrBee are faster.",
        figure: "–",
        measure: |lab| {
            let games = alone(lab)?;
            let more = |other: &str| games.difference("cra-z-y", other, &score);
            Ok(Measured::new()
                .part("rounds alone, Cra-Z-y − FlowerOrBee", more("flower-v2"), Above(0.0))
                .part("rounds alone, Cra-Z-y − Groovy", more("groovy"), Above(0.0)))
        },
    },
    Experiment {
        name: "gather/variance",
        place: "conclusions",
        claim: "Players that do not go straight vary a lot from game to game on the same board.",
        figure: "quite large",
        measure: |lab| {
            let games = alone(lab)?.on(&course("35x35", 2));
            let mut measured = Measured::new();
            for player in ["hybrid", "groovy"] {
                let values = games.values(player, &score);
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let apart = Estimate::mean(values.iter().map(|value| (value - mean).abs() / mean));
                // A quarter of the mean is our reading of quite large.
                let what = format!("{player}, 35x35, N = 2: mean distance from the mean, of it");
                measured = measured.part(what, apart.as_percent(), Above(25.0));
            }
            Ok(measured)
        },
    },
];

fn better_in_teams(lab: &Lab<'_>, player: &str) -> Result<Measured, LabError> {
    let (own, teams) = (alone(lab)?, mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
    let less = rank(&teams, player).minus(rank(&own, player));
    Ok(Measured::new().part("mean rank of 7 in mixed teams − alone", less, Below(0.0)))
}

fn groovy_rank(lab: &Lab<'_>, boards: &[&str]) -> Result<Measured, LabError> {
    let games = mixed(lab, boards, &[2, 3, 5, 8])?;
    // The middle of seven places is the fourth.
    Ok(Measured::new().part("mean rank of 7", rank(&games, "groovy"), Below(4.0)))
}
