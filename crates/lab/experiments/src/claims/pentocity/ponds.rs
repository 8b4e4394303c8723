//! Sections 3.4 and 3.5: ponds and parks, and judging them together with buildings and roads.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::{metric, score, seconds};
use crate::measurement::ExpectedValue::{Above, Always, AtMost, Below, Between};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;
use crate::polyominoes::{count_neighbours, list_one_sided, perimeter};

use super::comparisons::{DRY, NAIVE, NOTICED, UTILITY, g1, more, random};

/// Bonuses for residences alone, as the report has them.
const RESIDENCES: &str = "random?scoring=report";

/// The strategy of building along the diagonal, without its ponds.
const DRY_DIAGONAL: &str = "report?placement=diagonal&ties=diagonal&roads=shortest&ponds=none\
                            &straight=false&extension=0&prefer=any";

/// g1 with ponds chosen in this way, without straight ones and extensions.
fn walks(count: u32, prefer: &str) -> String {
    g1(&format!("ponds=walks:{count}&prefer={prefer}&straight=false&extension=0"))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/ponds-naive",
        place: "3.2.1, 3.4.1",
        claim: "Ponds and parks add around 100 points to the naive strategy.",
        figure: "around +100",
        measure: |lab| {
            let games = random(lab, &[NAIVE, DRY], 40, 200)?;
            let more = games.difference(NAIVE, DRY, &score);
            Ok(Measurements::new().reading("points more", more, Between(75.0, 125.0)))
        },
    },
    Experiment {
        name: "pentocity/ponds",
        place: "3.4.1",
        claim: "Ponds and parks add around 100 points whatever the strategy.",
        figure: "around +100",
        measure: |lab| {
            let mut measured = Measurements::new();
            let mut in_simulator = Vec::new();
            let dry_g1 = g1("ponds=none");
            for (strategy, dry) in [("g1", &*dry_g1), (NAIVE, DRY), ("diagonal", DRY_DIAGONAL)] {
                let on = ["random", RESIDENCES];
                let players = [strategy, dry];
                let plan = TournamentPlan::solo("pentocity", on, players, lab.take(40, 200));
                let games = lab.play(&plan)?;
                let more = |scenario: &str| games.on(scenario).difference(strategy, dry, &score);
                let what = format!("points more for {strategy}");
                measured = measured.reading(what, more(RESIDENCES), Between(75.0, 125.0));
                in_simulator.push((strategy, more("random")));
            }
            Ok(in_simulator.into_iter().fold(measured, |measured, (strategy, more)| {
                let what = format!("{strategy}, with bonuses for factories too");
                measured.with_figure(what, more)
            }))
        },
    },
    Experiment {
        name: "pentocity/ponds-utility",
        place: "3.4.1",
        claim: "In every single run even ponds made by one random walk have a utility above 1.2.",
        figure: "above 1.2",
        measure: |lab| {
            let walk = walks(1, "any");
            let games = random(lab, &["naive", &walk], 40, 200)?;
            let over = |game: &crate::matches::MeasuredMatch| game.metrics[UTILITY] > 1.2;
            let mean = |player: &str| games.mean(player, &metric(UTILITY));
            Ok(Measurements::new()
                .part("runs above 1.2, row by row", games.share("naive", over), Always(100.0))
                .part("runs above 1.2, by perimeter", games.share(&walk, over), Always(100.0))
                .with_figure("mean utility, row by row", mean("naive"))
                .with_figure("mean utility, by perimeter", mean(&walk)))
        },
    },
    Experiment {
        name: "pentocity/configurations",
        place: "3.4.2",
        claim: "There are seven tetrominoes, with perimeters of at most 10; pentominoes have \
                perimeters of at most 12; and a tetromino can lie beside a pentomino in up to 840 \
                ways (7·10·12).",
        figure: "7, 10, 12, 840",
        measure: |lab| {
            lab.note("counted");
            let longest =
                |size: usize| list_one_sided(size).iter().map(perimeter).max().unwrap_or(0);
            let most =
                list_one_sided(5).iter().map(|form| count_neighbours(form, 4)).max().unwrap_or(0);
            let exactly = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part(
                    "tetrominoes, mirror images counted separately",
                    exactly(list_one_sided(4).len()),
                    Always(7.0),
                )
                .part("their greatest perimeter", exactly(longest(4)), Always(10.0))
                .part("the greatest perimeter of pentominoes", exactly(longest(5)), Always(12.0))
                .part("ways beside a pentomino, at most", exactly(most), AtMost(840.0))
                .of_a_bound())
        },
    },
    Experiment {
        name: "pentocity/walks-most",
        place: "3.4.3, 3.4.4",
        claim: "With the choice by greatest perimeter, more random walks lower the score.",
        figure: "–",
        measure: |lab| {
            let (many, few) = (walks(400, "most"), walks(50, "most"));
            more(lab, (&many, &few), Below(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/walks-least-most",
        place: "3.4.3",
        claim: "Choosing by least perimeter scores more than choosing by greatest perimeter.",
        figure: "–",
        measure: |lab| {
            let (least, most) = (walks(200, "least"), walks(200, "most"));
            more(lab, (&least, &most), Above(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/walks-least",
        place: "3.4.4",
        claim: "With the choice by least perimeter, the score rises from 50 to 100 to 200 random \
                walks.",
        figure: "increasing",
        measure: |lab| {
            let counts = [50, 100, 200].map(|count| walks(count, "least"));
            let players: Vec<&str> = counts.iter().map(String::as_str).collect();
            let games = random(lab, &players, 40, 400)?;
            let step = |a: usize, b: usize| games.difference(&counts[a], &counts[b], &score);
            Ok(Measurements::new()
                .part("100 − 50 walks", step(1, 0), Above(0.0))
                .part("200 − 100 walks", step(2, 1), Above(0.0))
                .noticed_from(NOTICED))
        },
    },
    Experiment {
        name: "pentocity/walks-diminishing",
        place: "3.4.4",
        claim: "Each doubling of the number of walks adds less than the one before.",
        figure: "diminishing",
        measure: |lab| {
            let counts = [50, 100, 200, 400].map(|count| walks(count, "least"));
            let players: Vec<&str> = counts.iter().map(String::as_str).collect();
            let games = random(lab, &players, 40, 400)?;
            // What the second doubling adds minus what the first adds, seed by seed.
            let fading = |a: usize, b: usize, c: usize| {
                let of = |x: usize, y: usize| games.pairs(&counts[x], &counts[y], &score);
                let (later, earlier) = (of(c, b), of(b, a));
                let gain = |(x, y): (f64, f64)| x - y;
                let pairs = later.into_iter().zip(earlier);
                Estimate::mean(pairs.map(|(later, earlier)| gain(later) - gain(earlier)))
            };
            Ok(Measurements::new()
                .part("(200 − 100) − (100 − 50)", fading(0, 1, 2), Below(0.0))
                .part("(400 − 200) − (200 − 100)", fading(1, 2, 3), Below(0.0))
                .noticed_from(NOTICED))
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
            Ok(Measurements::new().part(
                "time of a game",
                games.change(&many, &few, &seconds),
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "pentocity/extension",
        place: "3.4.5",
        claim: "Extending a pond or park that is within three cells is clearly better than \
                building a new one.",
        figure: "clearly",
        measure: |lab| {
            let (with, without) = (g1("straight=false"), walks(200, "least"));
            more(lab, (&with, &without), Above(0.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/straight",
        place: "3.4.6",
        claim: "Trying all straight ponds as well improves the score slightly.",
        figure: "slightly",
        measure: |lab| {
            let (with, without) = (g1("extension=0"), walks(200, "least"));
            more(lab, (&with, &without), Between(0.0, 20.0), 40, 400)
        },
    },
    Experiment {
        name: "pentocity/joint",
        place: "3.5",
        claim: "Judging building, road, pond and park together lowers the score by almost 200, \
                and the utility too.",
        figure: "almost −200",
        measure: |lab| {
            let games = random(lab, &["joint", "g1"], 16, 40)?;
            let utility = games.difference("joint", "g1", &metric(UTILITY));
            Ok(Measurements::new()
                .reading(
                    "points more",
                    games.difference("joint", "g1", &score),
                    Between(-220.0, -160.0),
                )
                .part("utility, joint − separate", utility, Below(0.0)))
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
        name: "pentocity/larger-ponds",
        place: "3.4.2",
        claim: "Ponds and parks larger than four cells make no sense.",
        figure: "–",
        measure: |lab| {
            let larger = [5, 6, 8].map(|size| g1(&format!("size={size}")));
            let players: Vec<&str> = larger.iter().map(String::as_str).chain(["g1"]).collect();
            let games = random(lab, &players, 40, 400)?;
            let mut measured = Measurements::new();
            for (size, player) in [5, 6, 8].into_iter().zip(&larger) {
                let what = format!("points more with {size} cells than with 4");
                measured = measured.part(what, games.difference(player, "g1", &score), Below(0.0));
            }
            Ok(measured)
        },
    },
];
