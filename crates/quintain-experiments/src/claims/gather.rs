//! The report “Project 3: Let's Get Together” of group 4: five players, alone (all seats
//! one player) and in mixed teams. Where it compares with the 13 groups' players, whose
//! programs are lost, the comparison is with the report's own players and Random. The
//! tournaments are in [`tournaments`].

mod tournaments;

pub(super) use tournaments::TOURNAMENTS;

use std::collections::{BTreeMap, HashSet};

use quintain_core::{Decision, Entry, Player, Rng, Rules as _, Seat, Turn};
use quintain_gather::{Cell, Gather, Move, scenario};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatch, PlayedMatches, score};
use crate::measurement::Expected::{Above, Always, Below, Between, Equal};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

const BOARDS: [&str; 5] = ["15x22", "35x35", "76x50", "2x75", "92x1"];
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
fn alone(lab: &Lab<'_>) -> Result<PlayedMatches, LabError> {
    let scenarios = BOARDS.iter().flat_map(|board| [2, 3, 5, 9].map(|n| course(board, n)));
    // From a whole round on, so that every block of seeds is full.
    lab.play(
        &TournamentPlan::mirror("gather", scenarios, PLAYERS, lab.take(10, 50)).from_seed(1000),
    )
}

/// All of them dealt at random on some boards, with so many on each.
fn play_mixed(
    lab: &Lab<'_>,
    boards: &[&str],
    numbers: &[usize],
) -> Result<PlayedMatches, LabError> {
    let scenarios = boards.iter().flat_map(|board| numbers.iter().map(|n| course(board, *n)));
    let plan =
        TournamentPlan::mix("gather", scenarios, PLAYERS, lab.take(10, 40), 8).from_seed(1000);
    // Claims about some boards share their matches with those about all.
    lab.play_by_scenario(&plan)
}

/// Mean rank of a player among the report's, by rounds of the tournament.
fn rank(games: &PlayedMatches, player: &str) -> Estimate {
    Estimate::mean(games.ranks(player, &PLAYERS, &score, ROUND))
}

/// The share of a player's matches that were cut off.
fn cut_off(games: &PlayedMatches, player: &str) -> Estimate {
    games.share(player, |game| game.truncated)
}

/// Flowers of the first lottery.
fn flowers(game: &PlayedMatch) -> usize {
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
fn within_bound(
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

/// Whole matches of FlowerOrBees that tell of their lottery.
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

/// Hybrid's rounds with one patience less with another, alone.
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

/// Three players in a column of three cells, as figure 1 has them: what they do for so
/// many rounds, or until all have met.
fn figure_1(player: &str, rounds: usize, seed: u64) -> Result<Vec<Vec<Move>>, LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::Failed(error.to_string());
    let entry: Entry<Gather> = quintain_gather::entry();
    let (built, _) = entry.build("torus?width=3&height=3&players=3").map_err(|e| failed(&e))?;
    let rules = built.rules().clone();
    let starts = (0..3).map(|row| Cell { column: 1, row }).collect();
    let mut state = scenario(rules.clone(), Some(starts)).start(&mut Rng::from_seed(seed));
    let mut players: Vec<Box<dyn Player<Gather>>> = Vec::new();
    for _ in 0..3 {
        players.push(entry.build_player(player, &rules).map_err(|error| failed(&error))?);
    }
    let mut rng = Rng::from_seed(seed + 1);
    let mut moves = Vec::new();
    while moves.len() < rounds && rules.turn(&state) == Turn::Simultaneous {
        let mut joint = Vec::new();
        for (seat, player) in Seat::all(3).zip(&mut players) {
            let decided = player.decide(&mut Decision::new(&rules, &state, seat, &mut rng));
            joint.push(decided.map_err(|fault| failed(&fault))?);
        }
        rules.step(&mut state, &joint);
        moves.push(joint);
    }
    Ok(moves)
}

/// The share of rounds in figure 1 in which all three do the same.
fn deadlock(lab: &Lab<'_>, what: &str, player: &str, all: Move) -> Result<Measurements, LabError> {
    lab.note(format!("`{player}` in a column of three on a torus of 3×3, 200 rounds"));
    let rounds = figure_1(player, 200, 1)?;
    let alike = rounds.iter().filter(|joint| joint.iter().all(|own| *own == all)).count();
    let share = Estimate::exact(100.0 * alike as f64 / 200.0).in_unit(" %");
    Ok(Measurements::new().part(what, share, Always(100.0)))
}

/// Cells that a step shows which were not in sight before.
fn newly_seen(to: Move) -> f64 {
    let (east, south) = to.offset();
    let near = |x: i32, y: i32| x.abs() <= 1 && y.abs() <= 1;
    let cells = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
    cells.filter(|(x, y)| near(x - east, y - south) && !near(*x, *y)).count() as f64
}

/// Cells that a way shows a step, beyond those in sight at its beginning.
fn shown_a_step(way: &[Move]) -> f64 {
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

/// How often three players leave the column of figure 1 in which conventions lock.
fn leaves_figure_1(lab: &Lab<'_>, player: &str) -> Result<Measurements, LabError> {
    let times = lab.take(50, 200);
    lab.note(format!(
        "`{player}` in a column of three on a torus of 3×3, 200 rounds, {times} times"
    ));
    let seeds: Vec<u64> = (1..=times).collect();
    let left =
        lab.each(&seeds, |seed| figure_1(player, 200, *seed).map(|moves| moves.len() < 200))?;
    let left = left.into_iter().collect::<Result<Vec<bool>, LabError>>()?;
    Ok(Measurements::new().part("figure 1 left", Estimate::share_of(left), Always(100.0)))
}

/// Rounds that three FlowerOrBees need more where the lottery leaves them without a
/// flower than with one.
fn without_flower(lab: &Lab<'_>, player: &str, board: &str) -> Result<Estimate, LabError> {
    let games = with_lottery(lab, player, board, 3)?;
    let with = |wanted: usize| {
        let chosen = games.of(player).filter(move |game| flowers(game) == wanted);
        Estimate::mean(chosen.filter_map(score))
    };
    Ok(with(0).minus(with(1)))
}

/// Line-ups of a player and others of a kind in five seats, every mixture of them.
fn five_seats(lab: &Lab<'_>, odd: &str, others: &str) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(20, 400);
    lab.play(&TournamentPlan::mix_all("gather", [course("35x35", 5)], [odd, others], seeds))
}

/// By seed, the mean rounds where so many of five seats are a player's.
fn with_seats(games: &PlayedMatches, player: &str, seats: usize) -> BTreeMap<u64, f64> {
    let own =
        |game: &&PlayedMatch| game.players.iter().filter(|name| *name == player).count() == seats;
    let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for game in games.all().iter().filter(own) {
        let sum = sums.entry(game.seed).or_default();
        *sum = (sum.0 + game.scores[0], sum.1 + 1.0);
    }
    sums.into_iter().map(|(seed, (sum, count))| (seed, sum / count)).collect()
}

/// Rounds of one player among four others of a kind.
fn among_four(lab: &Lab<'_>, odd: &str, others: &str) -> Result<Estimate, LabError> {
    Ok(Estimate::mean(with_seats(&five_seats(lab, odd, others)?, odd, 1).into_values()))
}

/// Rounds more than five of a kind need when a player takes one of their seats.
fn gain_among_four(lab: &Lab<'_>, odd: &str, others: &str) -> Result<Estimate, LabError> {
    let games = five_seats(lab, odd, others)?;
    let (with, without) = (with_seats(&games, odd, 1), with_seats(&games, odd, 0));
    let pairs = with.iter().filter_map(|(seed, rounds)| Some((*rounds, *without.get(seed)?)));
    Ok(Estimate::difference(pairs))
}

pub(super) const STRATEGIES: &[Experiment] = &[
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
            let games = lab.play(&TournamentPlan::mirror(
                "gather",
                boards,
                ["optimal"],
                lab.take(20, 100),
            ))?;
            let within = |game: &PlayedMatch| game.metrics["rounds / (2L+2W)"] <= 1.0;
            let share = games.share("optimal", within);
            Ok(Measurements::new().part("matches within it", share, Always(100.0)).of_a_bound())
        },
    },
    Experiment {
        name: "gather/salsa-alone",
        place: "Salsa y Arroz",
        claim: "Alone, Salsa y Arroz does decently.",
        figure: "decently",
        measure: |lab| {
            // Better than the middle of seven places is our reading of decently.
            let own = rank(&alone(lab)?, "salsa");
            Ok(Measurements::new().reading("mean rank of 7", own, Below(4.0)))
        },
    },
    Experiment {
        name: "gather/salsa-stuck",
        place: "Salsa y Arroz",
        claim: "Salsa y Arroz occasionally gets stuck for good.",
        figure: "occasionally",
        measure: |lab| {
            // It has to happen, and in fewer than one match of ten.
            let games = alone(lab)?;
            let count = games.of("salsa").filter(|game| game.truncated).count();
            Ok(Measurements::new()
                .part("matches that get stuck", Estimate::exact(count as f64), Above(0.0))
                .reading(
                    format!("share cut off after {LIMIT} rounds"),
                    cut_off(&games, "salsa"),
                    Below(10.0),
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
            let all = alone(lab)?;
            let own = rank(&all, "salsa");
            let teams = rank(&play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?, "salsa");
            Ok(Measurements::new()
                .part("mean rank of 7 in mixed teams − alone", teams.minus(own), Above(0.0))
                .beside("rounds as the fifth of four Hybrids, 35x35", salsa)
                .beside("of FlowerOrBee in its place", flower))
        },
    },
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
        claim: "Alone, Hybrid usually needs less than 1000 rounds on any board of reasonable size.",
        figure: "below 1000",
        measure: |lab| {
            // More than half is what usually says at the least; nine in ten is our reading.
            let share = alone(lab)?.share("hybrid", |game| game.scores[0] < 1000.0);
            Ok(Measurements::new().reading("matches below 1000 rounds", share, Above(90.0)))
        },
    },
    Experiment {
        name: "gather/hybrid-over-5000",
        place: "Hybrid",
        claim: "Alone, Hybrid is sometimes caught beyond 5000 rounds.",
        figure: "more than 5000",
        measure: |lab| {
            let games = alone(lab)?;
            let long = |game: &PlayedMatch| game.scores[0] > 5000.0;
            let share = games.share("hybrid", long);
            let count = games.of("hybrid").filter(|game| long(game)).count();
            let measured = Measurements::new().beside("matches beyond 5000 rounds", share);
            // None in so many is no proof that there are none.
            Ok(match count {
                0 => measured.undecidable(format!("none of {} matches is so long", share.n)),
                _ => measured
                    .part("such matches", Estimate::exact(count as f64), Above(0.0))
                    .reading("their share", share, Below(10.0)),
            })
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
        name: "gather/saw-tooth",
        place: "Groovy, figure 4",
        claim: "The saw-tooth shows more new cells a step than going straight.",
        figure: "a wider view",
        measure: |lab| {
            lab.note("counted over ten steps");
            let straight = shown_a_step(&[Move::E; 10]);
            let tooth = shown_a_step(&[Move::NE, Move::SE].repeat(5));
            Ok(Measurements::new()
                .part("saw-tooth − straight", Estimate::exact(tooth - straight), Above(0.0))
                .beside("saw-tooth", Estimate::exact(tooth))
                .beside("straight", Estimate::exact(straight)))
        },
    },
    Experiment {
        name: "gather/groovy-waits",
        place: "Groovy",
        claim: "Its waits by the density C of players, found by experiments, are the best: T above 0.025, T/2 above 0.016, T/4 above 0.0042, T/8 below.",
        figure: "0.025, 0.016, 0.0042",
        measure: |lab| {
            // Every band of C on a board of the tournaments, against half the wait and twice
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
                    let what =
                        format!("{board}, N = {players} ({band}): rounds − with {text} the wait");
                    measured = measured.part(what, change, Below(0.0));
                }
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/groovy-deadlocks",
        place: "Groovy",
        claim: "Its chances make Groovy resist deadlocks somewhat.",
        figure: "somewhat",
        measure: |lab| {
            let measured = leaves_figure_1(lab, "groovy")?;
            let stuck = cut_off(&alone(lab)?, "groovy");
            Ok(measured.reading("matches alone that were cut off", stuck, Below(5.0)))
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
            let more = of(tall).minus(of(flat));
            Ok(Measurements::new().part("rounds on 15×30 − on 30×15, N = 5", more, Above(0.0)))
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
        claim: "Bees need up to W + L more for each flower beyond the first.",
        figure: "W + L",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (board, bound, lap) in [("15x22", 59.0, 37.0), ("35x35", 105.0, 70.0)] {
                for players in [3, 9] {
                    let games = with_lottery(lab, "flower-v1", board, players)?;
                    // Where somebody is left to gather.
                    let several =
                        games.of("flower-v1").filter(|game| (2..players).contains(&flowers(game)));
                    let within =
                        Estimate::share_of(several.map(|game| {
                            game.scores[0] <= bound + lap * (flowers(game) - 1) as f64
                        }));
                    let what = format!("{board}, N = {players}: within 2W + L and W + L for each");
                    measured = measured.part(what, within, Always(100.0));
                }
            }
            Ok(measured.of_a_bound())
        },
    },
    Experiment {
        name: "gather/v1-degenerate",
        place: "FlowerOrBee",
        claim: "A lottery without a flower wastes 2W + L rounds of version 1, and more where the next has none either.",
        figure: "2W + L",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (board, bound) in [("15x22", 59.0), ("35x35", 105.0)] {
                let lost = without_flower(lab, "flower-v1", board)?;
                // The clock is at least what the first lottery loses; the next may lose again.
                let what = format!("{board}, N = 3: rounds more than with one");
                measured = measured
                    .part(what, lost, Above(bound))
                    .beside("of 2W + L", lost.times(100.0 / bound).in_unit(" %"));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-all-bees",
        place: "FlowerOrBee",
        claim: "Diagonal steps make a lottery without a flower less of a loss to version 2 than to version 1.",
        figure: "less detrimental",
        measure: |lab| {
            let mut measured = Measurements::new();
            for board in MIDDLING {
                let [first, second] =
                    ["flower-v1", "flower-v2"].map(|player| without_flower(lab, player, board));
                let less = second?.minus(first?);
                let what = format!("{board}, N = 3: rounds lost, version 2 − version 1");
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
            let mut measured = Measurements::new();
            for (board, bound) in [("15x22", 59.0), ("35x35", 105.0)] {
                let games = with_lottery(lab, "flower-v2", board, 2)?;
                let one = games.of("flower-v2").filter(|game| flowers(game) == 1);
                let share = Estimate::mean(one.map(|game| game.scores[0] / bound)).as_percent();
                // Two thirds of the bound is our reading of much earlier.
                let what = format!("{board}, N = 2: rounds, of the bound");
                measured = measured.reading(what, share, Below(200.0 / 3.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "gather/v2-side",
        place: "FlowerOrBee",
        claim: "Whether flowers of version 2 go along the shorter or the longer side makes little difference.",
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
                // A tenth is our reading of not much.
                measured = measured.reading(
                    format!("{board}, N = {players}: rounds, longer side"),
                    share.in_unit(" %"),
                    Between(-10.0, 10.0),
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
            let change = alone(lab)?.difference("flower-v2", "flower-v1", &score);
            Ok(Measurements::new().part("rounds alone, version 2 − version 1", change, Below(0.0)))
        },
    },
    Experiment {
        name: "gather/flower-deadlocks",
        place: "FlowerOrBee",
        claim: "Neither version knows deadlocks.",
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
        claim: "It does especially well with others that go straight, whose trails it uses.",
        figure: "especially well",
        measure: |lab| {
            let straight = gain_among_four(lab, "flower-v2", "flower-v1")?;
            let covering = gain_among_four(lab, "flower-v2", "hybrid")?;
            Ok(Measurements::new()
                .part(
                    "rounds by a fifth FlowerOrBee among version 1 − among Hybrids",
                    straight.minus(covering),
                    Below(0.0),
                )
                .beside("among four of version 1, to a fifth of it", straight)
                .beside("among four Hybrids, to a fifth of it", covering))
        },
    },
    Experiment {
        name: "gather/crazy-converges",
        place: "Cra-Z-y",
        claim: "In most cases Cra-Z-y converges.",
        figure: "most cases",
        measure: |lab| {
            // More than half is what most says.
            let ended = alone(lab)?.share("cra-z-y", |game| !game.truncated);
            Ok(Measurements::new().part("matches alone that were not cut off", ended, Above(50.0)))
        },
    },
    Experiment {
        name: "gather/crazy-deadlocks",
        place: "Cra-Z-y",
        claim: "After three rounds of staying put Cra-Z-y breaks a deadlock.",
        figure: "3 rounds",
        measure: |lab| leaves_figure_1(lab, "cra-z-y"),
    },
    Experiment {
        name: "gather/crazy-poor",
        place: "Cra-Z-y",
        claim: "Its poor performance kept it from being submitted: Groovy and FlowerOrBee are faster.",
        figure: "–",
        measure: |lab| {
            let games = alone(lab)?;
            let more = |other: &str| games.difference("cra-z-y", other, &score);
            Ok(Measurements::new()
                .part("rounds alone, Cra-Z-y − FlowerOrBee", more("flower-v2"), Above(0.0))
                .part("rounds alone, Cra-Z-y − Groovy", more("groovy"), Above(0.0)))
        },
    },
];

fn better_in_teams(lab: &Lab<'_>, player: &str) -> Result<Measurements, LabError> {
    let (own, teams) = (alone(lab)?, play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
    let less = rank(&teams, player).minus(rank(&own, player));
    Ok(Measurements::new().part("mean rank of 7 in mixed teams − alone", less, Below(0.0)))
}
