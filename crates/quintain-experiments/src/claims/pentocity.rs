//! The report “Project 1: Pentocity” of group 1: what each part of its player is worth
//! on requests drawn by the sequencer `random`, and how it did in the class tournament.
//! Scores are compared on the same requests, seed by seed.

use crate::estimate::Estimate;
use crate::experiment::Expected::{Above, Always, Below, Between, Equal};
use crate::experiment::{Expected, Experiment, Measured};
use crate::games::{Games, metric, score, seconds};
use crate::lab::{Lab, LabError};
use crate::polyominoes::{neighbours, one_sided, perimeter};
use crate::trial::Trial;

/// The perimeter as the first key over row by row, nothing else changed.
const PERIMETER: &str = "report?placement=edges&ties=rows&roads=shortest&ponds=walks:1\
                         &straight=false&extension=0&prefer=any";
/// The program that was submitted, to which parts are added.
const G1: &str = "report?ties=submitted&roads=min";
const UTILITY: &str = "utility of water/park cells";

/// The distributions of Table 1: g1's mean, the average of all nine players, the best.
const TABLE_1: [(&str, f64, f64); 14] = [
    ("g1", 1853.6, 1775.2),
    ("g2", 2140.2, 1998.4),
    ("g3", 2109.2, 1913.0),
    ("g4", 1944.3, 1838.1),
    ("g5", 2025.6, 1906.8),
    ("g6", 1817.6, 1946.7),
    ("g8", 2104.5, 2039.6),
    ("g9", 1983.6, 1962.2),
    ("g10", 2046.9, 1910.9),
    ("random", 2031.7, 1978.1),
    ("tailheavy", 2078.5, 1897.8),
    ("stars", 1699.0, 1655.4),
    ("industrialization", 2064.4, 2010.0),
    ("misfits", 1828.6, 1822.4),
];
/// Games of each mean in Table 1.
const TABLE_1_RUNS: f64 = 10.0;

fn g1(more: &str) -> String {
    format!("{G1}&{more}")
}

/// Some players on `random`.
fn random(lab: &Lab<'_>, players: &[&str], quick: u64, full: u64) -> Result<Games, LabError> {
    lab.play(&Trial::solo("pentocity", ["random"], players.iter().copied(), lab.take(quick, full)))
}

/// What a player scores more than another.
fn more(
    lab: &Lab<'_>,
    (a, b): (&str, &str),
    expected: Expected,
    quick: u64,
    full: u64,
) -> Result<Measured, LabError> {
    let games = random(lab, &[a, b], quick, full)?;
    Ok(Measured::new().part("points more", games.difference(a, b, &score), expected))
}

/// g1 with ponds chosen so, without straight ones and extensions.
fn walks(count: u32, prefer: &str) -> String {
    g1(&format!("ponds=walks:{count}&prefer={prefer}&straight=false&extension=0"))
}

/// The submitted player on one distribution of Table 1, against the mean given there.
fn table_1(lab: &Lab<'_>, row: usize) -> Result<Measured, LabError> {
    let (distribution, theirs, _) = TABLE_1[row];
    let games = lab.play(&Trial::solo("pentocity", [distribution], ["g1"], lab.take(10, 20)))?;
    let ours = games.mean("g1", &score);
    // The mean of the table is of ten games, which scatter as ours do.
    let n = ours.n as f64;
    let wider = (1.0 + n / TABLE_1_RUNS).sqrt();
    let reach = |end: f64| (end - ours.value) * wider;
    let difference = Estimate {
        value: ours.value - theirs,
        low: ours.value - theirs + reach(ours.low),
        high: ours.value - theirs + reach(ours.high),
        ..ours
    };
    Ok(Measured::new()
        .part("ours − theirs, both uncertain", difference, Equal(0.0))
        .beside("our mean", ours))
}

/// The submitted player on all of Table 1.
fn tournament(lab: &Lab<'_>, players: &[&str]) -> Result<Games, LabError> {
    let distributions = TABLE_1.map(|row| row.0);
    let seeds = lab.take(10, 20);
    lab.play(&Trial::solo("pentocity", distributions, players.iter().copied(), seeds))
}

/// Means of so many games each: how many of them come within `most` points of another's.
fn repeats(lab: &Lab<'_>, runs: usize, most: f64) -> Result<Measured, LabError> {
    let games = random(lab, &["g1"], 1000, 4000)?;
    let scores = games.values("g1", &score);
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let means: Vec<f64> = scores.chunks_exact(runs).map(mean).collect();
    let apart = means.chunks_exact(2).map(|pair| (pair[0] - pair[1]).abs());
    let within = Estimate::share_of(apart.map(|apart| apart <= most));
    let what = format!("pairs of means of {runs} games within {most} points");
    Ok(Measured::new().part(what, within, Above(95.0)))
}

macro_rules! table_1 {
    ($($row:literal $name:literal $figure:literal;)*) => {
        [$(Experiment {
            name: concat!("pentocity/table-1-", $name),
            place: "Table 1",
            claim: concat!("The submitted player's mean on the distribution ", $name, "."),
            figure: $figure,
            measure: |lab| table_1(lab, $row),
        },)*]
    };
}

const TABLE: [Experiment; 14] = table_1! {
    0 "g1" "1853.6";
    1 "g2" "2140.2";
    2 "g3" "2109.2";
    3 "g4" "1944.3";
    4 "g5" "2025.6";
    5 "g6" "1817.6";
    6 "g8" "2104.5";
    7 "g9" "1983.6";
    8 "g10" "2046.9";
    9 "random" "2031.7";
    10 "tailheavy" "2078.5";
    11 "stars" "1699";
    12 "industrialization" "2064.4";
    13 "misfits" "1828.6";
};

/// Section 2 to 3.5, then the class tournament.
const PARTS: [Experiment; 35] = [
    Experiment {
        name: "pentocity/repeats-10",
        place: "2.3",
        claim: "Means of 10 games differ by as much as 40 points from trial to trial.",
        figure: "up to 40",
        measure: |lab| repeats(lab, 10, 40.0),
    },
    Experiment {
        name: "pentocity/repeats-25",
        place: "2.3",
        claim: "Means of 25 games differ by at most 20 points.",
        figure: "at most 20",
        measure: |lab| repeats(lab, 25, 20.0),
    },
    Experiment {
        name: "pentocity/repeats-50",
        place: "2.3",
        claim: "Means of 50 games do not differ by more than 10 points.",
        figure: "at most 10",
        measure: |lab| repeats(lab, 50, 10.0),
    },
    Experiment {
        name: "pentocity/perimeter",
        place: "2.3, 3.2.2",
        claim: "The perimeter as first key adds about 300 points to the naive strategy.",
        figure: "about +300",
        measure: |lab| more(lab, (PERIMETER, "naive"), Between(250.0, 350.0), 40, 200),
    },
    Experiment {
        name: "pentocity/perimeter-roads",
        place: "2.3",
        claim: "It brings the road cells down from around 500 to fewer than 400.",
        figure: "500 → below 400",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, "naive"], 40, 200)?;
            let roads = metric("road cells");
            Ok(Measured::new()
                .part("road cells, naive", games.mean("naive", &roads), Between(450.0, 550.0))
                .part("road cells with the perimeter", games.mean(PERIMETER, &roads), Below(400.0)))
        },
    },
    Experiment {
        name: "pentocity/perimeter-utility",
        place: "2.3",
        claim: "It raises the utility of water and park cells by around 0.2.",
        figure: "+0.2",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, "naive"], 40, 200)?;
            let change = games.difference(PERIMETER, "naive", &metric(UTILITY));
            Ok(Measured::new().part("utility more", change, Between(0.15, 0.25)))
        },
    },
    Experiment {
        name: "pentocity/perimeter-empty",
        place: "2.3",
        claim: "It greatly reduces the number of empty cells.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, "naive"], 40, 200)?;
            let change = games.change(PERIMETER, "naive", &metric("empty cells"));
            // A quarter less is our reading of greatly.
            Ok(Measured::new().part("empty cells", change, Below(-25.0)))
        },
    },
    Experiment {
        name: "pentocity/naive",
        place: "3.2.1",
        claim: "Row by row scores around 1600 without ponds, 1700 with them.",
        figure: "1600 to 1700",
        measure: |lab| {
            let games = random(lab, &["naive", "dry"], 40, 200)?;
            Ok(Measured::new()
                .part("with ponds", games.mean("naive", &score), Between(1650.0, 1750.0))
                .part("without", games.mean("dry", &score), Between(1550.0, 1650.0)))
        },
    },
    Experiment {
        name: "pentocity/ponds-naive",
        place: "3.2.1, 3.4.1",
        claim: "Ponds and parks add around 100 points to the naive strategy.",
        figure: "around +100",
        measure: |lab| more(lab, ("naive", "dry"), Between(75.0, 125.0), 40, 200),
    },
    Experiment {
        name: "pentocity/ponds",
        place: "3.4.1",
        claim: "They add around 100 points whatever the strategy.",
        figure: "around +100",
        measure: |lab| {
            let dry = g1("ponds=none");
            more(lab, ("g1", &dry), Between(75.0, 125.0), 40, 200)
        },
    },
    Experiment {
        name: "pentocity/ponds-utility",
        place: "3.4.1",
        claim: "In every single run even ponds of one random walk have a utility over 1.2.",
        figure: "above 1.2",
        measure: |lab| {
            let walk = walks(1, "any");
            let games = random(lab, &["naive", &walk], 40, 200)?;
            let over = |game: &crate::games::Game| game.metrics[UTILITY] > 1.2;
            let mean = |player: &str| games.mean(player, &metric(UTILITY));
            Ok(Measured::new()
                .part("runs above 1.2, row by row", games.share("naive", over), Always(100.0))
                .part("runs above 1.2, by perimeter", games.share(&walk, over), Always(100.0))
                .beside("mean utility, row by row", mean("naive"))
                .beside("mean utility, by perimeter", mean(&walk)))
        },
    },
    Experiment {
        name: "pentocity/diagonal",
        place: "3.2.1",
        claim: "Along the diagonal is better than row by row.",
        figure: "–",
        measure: |lab| more(lab, ("diagonal", "naive"), Above(0.0), 40, 200),
    },
    Experiment {
        name: "pentocity/centre",
        place: "3.2.1",
        claim: "Residences at the centre and factories at the borders is not a good strategy.",
        figure: "–",
        measure: |lab| more(lab, ("centre", "naive"), Below(0.0), 40, 200),
    },
    Experiment {
        name: "pentocity/edges-cells",
        place: "3.2.2, figure 2",
        claim: "Counting edges of the perimeter scores around 30 points more than counting cells.",
        figure: "around +30",
        measure: |lab| more(lab, ("g1", "cells"), Between(15.0, 45.0), 60, 400),
    },
    Experiment {
        name: "pentocity/components-second",
        place: "3.2.3",
        claim: "The number of vacant components as second key lowers the score slightly.",
        figure: "slightly less",
        measure: |lab| more(lab, ("components-second", "g1"), Between(-50.0, 0.0), 60, 400),
    },
    Experiment {
        name: "pentocity/components-first",
        place: "3.2.3",
        claim: "As first key it lowers the score slightly too.",
        figure: "slightly less",
        measure: |lab| more(lab, ("components-first", "g1"), Between(-50.0, 0.0), 12, 20),
    },
    Experiment {
        name: "pentocity/components-slow",
        place: "3.2.3",
        claim: "Counting components slows the simulation down significantly.",
        figure: "significantly",
        measure: |lab| {
            let games = random(lab, &["components-first", "g1"], 12, 20)?;
            let slower = games.change("components-first", "g1", &seconds);
            // Half as slow again is our reading of significantly.
            Ok(Measured::new().part("time of a game, first key", slower, Above(50.0)))
        },
    },
    Experiment {
        name: "pentocity/roads-clinging",
        place: "3.3.1",
        claim: "Roads that cling to buildings are longer and lower the score.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &["clinging", "g1"], 60, 400)?;
            let roads = metric("road cells");
            Ok(Measured::new()
                .part("points more", games.difference("clinging", "g1", &score), Below(0.0))
                .part("road cells more", games.difference("clinging", "g1", &roads), Above(0.0)))
        },
    },
    Experiment {
        name: "pentocity/roads-fractal",
        place: "3.3.2",
        claim: "A tree of roads built beforehand scores lower than shortest roads.",
        figure: "–",
        measure: |lab| more(lab, ("fractal", "g1"), Below(0.0), 60, 400),
    },
    Experiment {
        name: "pentocity/roads-fractal-distributions",
        place: "3.3.2",
        claim: "What the prepared tree is worth depends much on the distribution.",
        figure: "very dependent",
        measure: |lab| {
            let on = ["tanks", "g2"];
            let trial = Trial::solo("pentocity", on, ["fractal", "g1"], lab.take(20, 100));
            let games = lab.play(&trial)?;
            let of = |scenario: &str| games.on(scenario).difference("fractal", "g1", &score);
            let apart = of("g2").minus(of("tanks"));
            Ok(Measured::new()
                .part("what it adds on g2 − on tanks", apart, Above(0.0))
                .beside("on tanks", of("tanks"))
                .beside("on g2", of("g2")))
        },
    },
    Experiment {
        name: "pentocity/road-perimeter",
        place: "3.3.3",
        claim: "Of the shortest roads the one with most perimeter makes a slight difference, for the better.",
        figure: "slight",
        measure: |lab| {
            let (most, any) =
                ("report?ties=submitted&roads=max", "report?ties=submitted&roads=shortest");
            more(lab, (most, any), Between(0.0, 20.0), 60, 400)
        },
    },
    Experiment {
        name: "pentocity/configurations",
        place: "3.4.2",
        claim: "There are seven tetrominoes of a perimeter of 10 at most, pentominoes have up to 12, and a tetromino can lie beside one in 840 ways.",
        figure: "7, 10, 12, 840",
        measure: |lab| {
            lab.tell("counted");
            let longest = |size: usize| one_sided(size).iter().map(perimeter).max().unwrap_or(0);
            let most = one_sided(5).iter().map(|form| neighbours(form, 4)).max().unwrap_or(0);
            let exactly = |count: usize| Estimate::exact(count as f64);
            Ok(Measured::new()
                .part("tetrominoes, mirror images apart", exactly(one_sided(4).len()), Always(7.0))
                .part("their greatest perimeter", exactly(longest(4)), Always(10.0))
                .part("that of pentominoes", exactly(longest(5)), Always(12.0))
                .part("ways beside a pentomino, at most", exactly(most), Always(840.0)))
        },
    },
    Experiment {
        name: "pentocity/walks-most",
        place: "3.4.3, 3.4.4",
        claim: "Choosing by most perimeter, more random walks lower the score.",
        figure: "–",
        measure: |lab| {
            let (many, few) = (walks(400, "most"), walks(50, "most"));
            more(lab, (&many, &few), Below(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/walks-least-most",
        place: "3.4.3",
        claim: "Least perimeter scores more than most perimeter.",
        figure: "–",
        measure: |lab| {
            let (least, most) = (walks(200, "least"), walks(200, "most"));
            more(lab, (&least, &most), Above(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/walks-least",
        place: "3.4.4",
        claim: "Choosing by least perimeter, 50, 100 and 200 random walks score ever more.",
        figure: "increasing",
        measure: |lab| {
            let counts = [50, 100, 200].map(|count| walks(count, "least"));
            let players: Vec<&str> = counts.iter().map(String::as_str).collect();
            let games = random(lab, &players, 40, 400)?;
            let step = |a: usize, b: usize| games.difference(&counts[a], &counts[b], &score);
            Ok(Measured::new().part("100 − 50 walks", step(1, 0), Above(0.0)).part(
                "200 − 100 walks",
                step(2, 1),
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "pentocity/walks-400",
        place: "3.4.4",
        claim: "400 walks score only around five points more than 200.",
        figure: "around +5",
        measure: |lab| {
            let (many, few) = (walks(400, "least"), walks(200, "least"));
            more(lab, (&many, &few), Between(0.0, 10.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/walks-slow",
        place: "3.4.4",
        claim: "400 walks start to slow the program down.",
        figure: "–",
        measure: |lab| {
            let (many, few) = (walks(400, "least"), walks(200, "least"));
            let games = random(lab, &[&many, &few], 40, 400)?;
            Ok(Measured::new().part(
                "time of a game",
                games.change(&many, &few, &seconds),
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "pentocity/extension",
        place: "3.4.5",
        claim: "Extending a pond or park within three cells is clearly better than a new one.",
        figure: "clearly",
        measure: |lab| {
            let (with, without) = (g1("straight=false"), walks(200, "least"));
            more(lab, (&with, &without), Above(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/straight",
        place: "3.4.6",
        claim: "Trying all straight ponds besides improves the score slightly.",
        figure: "slightly",
        measure: |lab| {
            let (with, without) = (g1("extension=0"), walks(200, "least"));
            more(lab, (&with, &without), Between(0.0, 20.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/joint",
        place: "3.5",
        claim: "Judging building, road, pond and park together lowers the score by almost 200, and the utility.",
        figure: "almost −200",
        measure: |lab| {
            let games = random(lab, &["joint", "g1"], 16, 40)?;
            let utility = games.difference("joint", "g1", &metric(UTILITY));
            Ok(Measured::new()
                .part(
                    "points more",
                    games.difference("joint", "g1", &score),
                    Between(-220.0, -160.0),
                )
                .part("utility more", utility, Below(0.0)))
        },
    },
    Experiment {
        name: "pentocity/joint-roads",
        place: "3.5",
        claim: "Judging only building and road together almost gets back to the original score.",
        figure: "almost 0",
        measure: |lab| more(lab, ("joint-roads", "g1"), Between(-30.0, 0.0), 16, 40),
    },
    Experiment {
        name: "pentocity/average",
        place: "5.2",
        claim: "The submitted player's average over the tournament.",
        figure: "1980.55",
        measure: |lab| {
            let games = tournament(lab, &["g1"])?;
            let seeds = lab.take(10, 20);
            // Games of one seed over all distributions: one observation each, which the
            // tournament has ten of.
            let mut of_seed = vec![(0.0, 0.0); seeds as usize];
            for game in games.all() {
                let sum = &mut of_seed[(game.seed - 1) as usize];
                *sum = (sum.0 + game.scores[0], sum.1 + 1.0);
            }
            let ours = Estimate::mean(of_seed.iter().map(|(sum, count)| sum / count));
            let wider = (1.0 + ours.n as f64 / TABLE_1_RUNS).sqrt();
            let half = (ours.high - ours.value) * wider;
            let value = ours.value - 1980.55;
            let difference = Estimate { value, low: value - half, high: value + half, ..ours };
            Ok(Measured::new()
                .part("ours − theirs, both uncertain", difference, Equal(0.0))
                .beside("our average over Table 1", ours))
        },
    },
    Experiment {
        name: "pentocity/over-2000",
        place: "5.2, figures 6 and 7",
        claim: "Most of its scores in the tournament are above 2000.",
        figure: "most",
        measure: |lab| {
            let over = tournament(lab, &["g1"])?.share("g1", |game| game.scores[0] > 2000.0);
            Ok(Measured::new().part("games above 2000", over, Above(50.0)))
        },
    },
    Experiment {
        name: "pentocity/above-average",
        place: "5.2, figure 8",
        claim: "On almost every distribution it is significantly above the class's average.",
        figure: "13 of 14 in Table 1",
        measure: |lab| {
            let games = tournament(lab, &["g1"])?;
            let above = TABLE_1.iter().filter(|(distribution, _, average)| {
                games.on(distribution).mean("g1", &score).low > *average
            });
            // A count over the distributions there are: nothing is drawn.
            let count = Estimate::exact(above.count() as f64);
            Ok(Measured::new().part(
                "distributions with our interval above it, of 14",
                count,
                Above(11.5),
            ))
        },
    },
    Experiment {
        name: "pentocity/wins",
        place: "5.2, Table 2",
        claim: "It wins the match against every other player, on the same distributions and seeds.",
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
            let mut measured = Measured::new();
            for other in others {
                let pairs = games.pairs("g1", other, &score);
                let decided = pairs.iter().filter(|(own, theirs)| own != theirs);
                let won = Estimate::share_of(decided.map(|(own, theirs)| own > theirs));
                measured =
                    measured.part(format!("decided games won against {other}"), won, Above(50.0));
            }
            let lost = "the class's programs are lost: these are the report's own strategies";
            lab.tell(lost);
            Ok(measured)
        },
    },
];

const ALL: [Experiment; PARTS.len() + TABLE.len()] = {
    let mut all = [PARTS[0]; PARTS.len() + TABLE.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < PARTS.len() { PARTS[index] } else { TABLE[index - PARTS.len()] };
        index += 1;
    }
    all
};

pub(super) const EXPERIMENTS: &[Experiment] = &ALL;
