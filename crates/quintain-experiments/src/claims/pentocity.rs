//! The report “Project 1: Pentocity” of group 1: what each part of its player is worth
//! on requests drawn by the sequencer `random`. Scores are compared on the same requests,
//! seed by seed. How it did in the class tournament is in [`tournament`].

mod class;
mod tournament;

pub(super) use tournament::{TABLE, TOURNAMENT};

use quintain_core::{Decision, Rng, Rules as _, Turn};
use quintain_pentocity::{Move, Piece};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, metric, score, seconds};
use crate::measurement::Expected::{Above, Always, AtMost, Below, Between, Equal};
use crate::measurement::{Expected, Measurements};
use crate::plan::TournamentPlan;
use crate::polyominoes::{find_by_letter, list_one_sided, neighbours, perimeter, place_beside};

/// The first player: row by row, one random walk for each pond, and without the filter of
/// places that are cut off, which came later.
const NAIVE: &str = "report?placement=rows&ties=rows&roads=shortest&ponds=walks:1\
                     &straight=false&extension=0&prefer=any&filter=false";
/// The same without ponds.
const DRY: &str = "report?placement=rows&ties=rows&roads=shortest&ponds=none\
                   &straight=false&extension=0&prefer=any&filter=false";
/// The perimeter as the first key over row by row, nothing else changed.
const PERIMETER: &str = "report?placement=edges&ties=rows&roads=shortest&ponds=walks:1\
                         &straight=false&extension=0&prefer=any&filter=false";
/// Bonuses for residences alone, as the report has them.
const RESIDENCES: &str = "random?scoring=report";
/// The program that was submitted, to which parts are added.
const G1: &str = "report?ties=submitted&roads=min";
/// Sixty factories, then as on `random`.
const FACTORIES_FIRST: &str = "mixture?share=0&switch=60";
const UTILITY: &str = "utility of water/park cells";

fn g1(more: &str) -> String {
    format!("{G1}&{more}")
}

/// Some players on `random`.
fn random(
    lab: &Lab<'_>,
    players: &[&str],
    quick: u64,
    full: u64,
) -> Result<PlayedMatches, LabError> {
    lab.play(&TournamentPlan::solo(
        "pentocity",
        ["random"],
        players.iter().copied(),
        lab.take(quick, full),
    ))
}

/// What a player scores more than another.
fn more(
    lab: &Lab<'_>,
    (a, b): (&str, &str),
    expected: Expected,
    quick: u64,
    full: u64,
) -> Result<Measurements, LabError> {
    let games = random(lab, &[a, b], quick, full)?;
    let points = games.difference(a, b, &score);
    // On which side of nothing a figure lies the source says; how far from it, we do.
    Ok(match expected {
        Above(_) | Below(_) => Measurements::new().part("points more", points, expected),
        _ => Measurements::new().reading("points more", points, expected),
    })
}

/// g1 with ponds chosen so, without straight ones and extensions.
fn walks(count: u32, prefer: &str) -> String {
    g1(&format!("ponds=walks:{count}&prefer={prefer}&straight=false&extension=0"))
}

/// Means of so many games: how often one comes within `most` points of a mean of 50 others.
/// The report compared a few trials, so that what it saw is what is seen more often than not, and
/// gives the greatest distance that it saw: a bound.
fn repeats(lab: &Lab<'_>, runs: usize, most: f64) -> Result<Measurements, LabError> {
    let games = random(lab, &["g1"], 1000, 4000)?;
    let scores = games.values("g1", &score);
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let trials = scores.chunks_exact(runs + 50).map(|trial| trial.split_at(runs));
    let within =
        Estimate::share_of(trials.map(|(some, fifty)| (mean(some) - mean(fifty)).abs() <= most));
    let what = format!("means of {runs} games within {most} points of a mean of 50");
    Ok(Measurements::new().reading(what, within, Above(50.0)).of_a_bound())
}

/// Requests after which the adversary asks for large factories.
const PHASE: usize = 140;

/// A request of the adversary.
struct Asked {
    piece: Piece,
    /// Requests before it.
    before: usize,
    /// Whether the player built it.
    is_built: bool,
}

impl Asked {
    fn is_giant(&self) -> bool {
        let shape = self.piece.shape();
        self.piece.is_factory() && shape.height == 5 && shape.width == 5
    }
}

/// The requests of the report's adversary to a player, game by game.
fn adversary(lab: &Lab<'_>, player: &str) -> Result<Vec<Vec<Asked>>, LabError> {
    let seeds: Vec<u64> = (1..=lab.take(20, 400)).collect();
    lab.note(format!("`{player}` on `g1` move by move, seeds 1–{}", seeds.len()));
    let games = lab.each(&seeds, |seed| {
        let failed = |error: &dyn std::fmt::Display| LabError::Failed(error.to_string());
        let entry = quintain_pentocity::entry();
        let (scenario, _) = entry.build("g1").map_err(|error| failed(&error))?;
        let rules = scenario.rules().clone();
        let mut player = entry.build_player(player, &rules).map_err(|error| failed(&error))?;
        let mut rng = Rng::from_seed(*seed);
        let mut state = scenario.start(&mut rng);
        let mut asked = Vec::new();
        loop {
            match (rules.turn(&state), state.request()) {
                (Turn::Chance, _) => scenario.apply_chance(&mut state, &mut rng),
                (Turn::Seat(seat), Some(piece)) => {
                    let decided = player.decide(&mut Decision::new(&rules, &state, seat, &mut rng));
                    let decided = decided.map_err(|fault| failed(&fault))?;
                    let is_built = matches!(decided, Move::Build(_));
                    asked.push(Asked { piece, before: asked.len(), is_built });
                    rules.step(&mut state, &[decided]);
                }
                _ => break,
            }
        }
        Ok(asked)
    })?;
    games.into_iter().collect()
}

/// Sections 2 to 4.
pub(super) const PARTS: &[Experiment] = &[
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
        measure: |lab| more(lab, (PERIMETER, NAIVE), Between(250.0, 350.0), 40, 200),
    },
    Experiment {
        name: "pentocity/perimeter-roads",
        place: "2.3",
        claim: "It brings the road cells down from around 500 to fewer than 400.",
        figure: "500 → below 400",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let roads = metric("road cells");
            Ok(Measurements::new()
                .reading("road cells, naive", games.mean(NAIVE, &roads), Between(450.0, 550.0))
                .part("road cells with the perimeter", games.mean(PERIMETER, &roads), Below(400.0)))
        },
    },
    Experiment {
        name: "pentocity/perimeter-utility",
        place: "2.3",
        claim: "It raises the utility of water and park cells by around 0.2.",
        figure: "+0.2",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let change = games.difference(PERIMETER, NAIVE, &metric(UTILITY));
            Ok(Measurements::new().reading("utility more", change, Between(0.15, 0.25)))
        },
    },
    Experiment {
        name: "pentocity/perimeter-empty",
        place: "2.3",
        claim: "It greatly reduces the number of empty cells.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &[PERIMETER, NAIVE], 40, 200)?;
            let change = games.change(PERIMETER, NAIVE, &metric("empty cells"));
            // A quarter less is our reading of greatly.
            Ok(Measurements::new().reading("empty cells", change, Below(-25.0)))
        },
    },
    Experiment {
        name: "pentocity/naive",
        place: "3.2.1",
        claim: "Row by row scores around 1600 without ponds, 1700 with them.",
        figure: "1600 to 1700",
        measure: |lab| {
            let games = random(lab, &[NAIVE, DRY], 40, 400)?;
            let filtered = random(lab, &["naive", "dry"], 40, 200)?;
            Ok(Measurements::new()
                .reading("with ponds", games.mean(NAIVE, &score), Between(1650.0, 1750.0))
                .reading("without", games.mean(DRY, &score), Between(1550.0, 1650.0))
                .beside("with ponds and the later filter", filtered.mean("naive", &score))
                .beside("without ponds, with the filter", filtered.mean("dry", &score)))
        },
    },
    Experiment {
        name: "pentocity/ponds-naive",
        place: "3.2.1, 3.4.1",
        claim: "Ponds and parks add around 100 points to the naive strategy.",
        figure: "around +100",
        measure: |lab| {
            let games = random(lab, &[NAIVE, DRY], 40, 400)?;
            let filtered = random(lab, &["naive", "dry"], 40, 200)?;
            let more = filtered.difference("naive", "dry", &score);
            Ok(Measurements::new()
                .reading("points more", games.difference(NAIVE, DRY, &score), Between(75.0, 125.0))
                .beside("points more with the later filter of places", more))
        },
    },
    Experiment {
        name: "pentocity/ponds",
        place: "3.4.1",
        claim: "They add around 100 points whatever the strategy.",
        figure: "around +100",
        measure: |lab| {
            let dry = g1("ponds=none");
            let on = ["random", RESIDENCES];
            let players = ["g1", &dry];
            let games =
                lab.play(&TournamentPlan::solo("pentocity", on, players, lab.take(40, 200)))?;
            let more = |scenario: &str| games.on(scenario).difference("g1", &dry, &score);
            Ok(Measurements::new()
                .reading("points more to g1", more(RESIDENCES), Between(75.0, 125.0))
                .beside("with bonuses for factories too, as the simulator has it", more("random")))
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
            let over = |game: &crate::matches::PlayedMatch| game.metrics[UTILITY] > 1.2;
            let mean = |player: &str| games.mean(player, &metric(UTILITY));
            Ok(Measurements::new()
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
        name: "pentocity/centre-factories-first",
        place: "3.2.1",
        claim: "It suffers more where factories are asked for first: they cut off the land inside.",
        figure: "vulnerable",
        measure: |lab| {
            let random = ["random", FACTORIES_FIRST];
            let plan =
                TournamentPlan::solo("pentocity", random, ["centre", "naive"], lab.take(40, 200));
            let games = lab.play(&plan)?;
            let of = |scenario: &str| games.on(scenario).difference("centre", "naive", &score);
            let apart = of(FACTORIES_FIRST).minus(of("random"));
            Ok(Measurements::new()
                .part("points more there − on random", apart, Below(0.0))
                .beside("with 60 factories first", of(FACTORIES_FIRST))
                .beside("on random", of("random")))
        },
    },
    Experiment {
        name: "pentocity/ties-diagonal",
        place: "3.2.1",
        claim: "Of equals the one nearer to the diagonal keeps borders free for later: it scores more.",
        figure: "–",
        measure: |lab| {
            let by = |ties| {
                format!(
                    "report?placement=diagonal&ties={ties}&roads=shortest&ponds=walks:1&straight=false&extension=0&prefer=any"
                )
            };
            let (near, any) = (by("diagonal"), by("sum"));
            more(lab, (&near, &any), Above(0.0), 40, 200)
        },
    },
    Experiment {
        name: "pentocity/edges-cells",
        place: "3.2.2, figure 2",
        claim: "Counting edges of the perimeter scores around 30 points more than counting cells.",
        figure: "around +30",
        measure: |lab| more(lab, ("g1", "cells"), Between(15.0, 45.0), 60, 400),
    },
    Experiment {
        name: "pentocity/figure-2",
        place: "figure 2",
        claim: "A U fitted over an arm of a plus has three cells of the plus beside it, as many as of a border under its back, but five edges against three.",
        figure: "3 and 3 cells, 5 and 3 edges",
        measure: |lab| {
            lab.note("counted");
            let (plus, u) = (find_by_letter("X"), find_by_letter("U"));
            // Over an arm: where most edges touch. Under its back: a border along its row.
            let border = (-4..=8).map(|column| (3, column)).collect();
            let fit = |beside| place_beside(beside, &u).into_iter().max().unwrap_or_default();
            let (edges, cells) = fit(&plus);
            let (border_edges, border_cells) = fit(&border);
            let exactly = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part("edges of the plus", exactly(edges), Always(5.0))
                .part("cells of the plus", exactly(cells), Always(3.0))
                .part("edges of a border", exactly(border_edges), Always(3.0))
                .part("cells of a border", exactly(border_cells), Always(3.0)))
        },
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
            Ok(Measurements::new().reading("time of a game, first key", slower, Above(50.0)))
        },
    },
    Experiment {
        name: "pentocity/roads-clinging",
        place: "3.3.1",
        claim: "Roads that cling to buildings are longer and lower the score.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &["clinging", "g1"], 60, 400)?;
            let more = |name| games.difference("clinging", "g1", &metric(name));
            Ok(Measurements::new()
                .part("points more", games.difference("clinging", "g1", &score), Below(0.0))
                .part("road cells more", more("road cells"), Above(0.0))
                .beside("empty cells more", more("empty cells")))
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
            let plan = TournamentPlan::solo("pentocity", on, ["fractal", "g1"], lab.take(20, 100));
            let games = lab.play(&plan)?;
            let of = |scenario: &str| games.on(scenario).difference("fractal", "g1", &score);
            let apart = of("g2").minus(of("tanks"));
            Ok(Measurements::new()
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
        name: "pentocity/road-perimeter-slow",
        place: "3.3.3",
        claim: "Choosing among the shortest roads costs speed.",
        figure: "–",
        measure: |lab| {
            let (most, any) =
                ("report?ties=submitted&roads=max", "report?ties=submitted&roads=shortest");
            let games = random(lab, &[most, any], 60, 400)?;
            let slower = games.change(most, any, &seconds);
            Ok(Measurements::new().part("time of a game", slower, Above(0.0)))
        },
    },
    Experiment {
        name: "pentocity/configurations",
        place: "3.4.2",
        claim: "There are seven tetrominoes of a perimeter of 10 at most, pentominoes have up to 12, and a tetromino can lie beside one in up to 840 ways (7·10·12).",
        figure: "7, 10, 12, 840",
        measure: |lab| {
            lab.note("counted");
            let longest =
                |size: usize| list_one_sided(size).iter().map(perimeter).max().unwrap_or(0);
            let most = list_one_sided(5).iter().map(|form| neighbours(form, 4)).max().unwrap_or(0);
            let exactly = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part(
                    "tetrominoes, mirror images apart",
                    exactly(list_one_sided(4).len()),
                    Always(7.0),
                )
                .part("their greatest perimeter", exactly(longest(4)), Always(10.0))
                .part("that of pentominoes", exactly(longest(5)), Always(12.0))
                .part("ways beside a pentomino, at most", exactly(most), AtMost(840.0))
                .of_a_bound())
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
            Ok(Measurements::new().part("100 − 50 walks", step(1, 0), Above(0.0)).part(
                "200 − 100 walks",
                step(2, 1),
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "pentocity/walks-diminishing",
        place: "3.4.4",
        claim: "Each doubling of the walks adds less than the one before.",
        figure: "diminishing",
        measure: |lab| {
            let counts = [50, 100, 200, 400].map(|count| walks(count, "least"));
            let players: Vec<&str> = counts.iter().map(String::as_str).collect();
            let games = random(lab, &players, 40, 400)?;
            // What the second doubling adds less what the first adds, seed by seed.
            let fading = |a: usize, b: usize, c: usize| {
                let of = |x: usize, y: usize| games.pairs(&counts[x], &counts[y], &score);
                let (later, earlier) = (of(c, b), of(b, a));
                let gain = |(x, y): (f64, f64)| x - y;
                let pairs = later.into_iter().zip(earlier);
                Estimate::mean(pairs.map(|(later, earlier)| gain(later) - gain(earlier)))
            };
            Ok(Measurements::new()
                .part("(200 − 100) − (100 − 50)", fading(0, 1, 2), Below(0.0))
                .part("(400 − 200) − (200 − 100)", fading(1, 2, 3), Below(0.0)))
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
            Ok(Measurements::new()
                .reading(
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
    Experiment {
        name: "pentocity/adversary-requests",
        place: "4",
        claim: "Its distribution asks for residences four times in five, half of them stars, and for no factory of 5×5 before 140 requests.",
        figure: "80 %, half, 140",
        measure: |lab| {
            let asked = adversary(lab, "naive")?;
            // Its first phase alone: games end on rejections, of factories more than others.
            let early = || asked.iter().flatten().filter(|asked| asked.before < PHASE);
            let homes = Estimate::share_of(early().map(|asked| !asked.piece.is_factory()));
            let stars = early().filter(|asked| !asked.piece.is_factory());
            let stars = Estimate::share_of(stars.map(|asked| asked.piece.letter() == 'X'));
            let giants = early().filter(|asked| asked.is_giant());
            Ok(Measurements::new()
                .part("residences", homes, Equal(80.0))
                .part("stars among them", stars, Equal(50.0))
                .part("5×5 before 140", Estimate::exact(giants.count() as f64), Always(0.0)))
        },
    },
    Experiment {
        name: "pentocity/adversary-giants",
        place: "4",
        claim: "Who keeps factories apart hardly finds room for the 5×5 factories of its second phase; who fills holes with small ones finds more.",
        figure: "hardly",
        measure: |lab| {
            let built = |player: &str| -> Result<Vec<f64>, LabError> {
                let games = adversary(lab, player)?;
                let giants = |game: &Vec<Asked>| {
                    game.iter().filter(|asked| asked.is_giant() && asked.is_built).count() as f64
                };
                Ok(games.iter().map(giants).collect())
            };
            let filling = PERIMETER.replace("&filter=false", "");
            let (apart, filled) = (built("naive")?, built(&filling)?);
            let pairs = filled.iter().copied().zip(apart.iter().copied());
            Ok(Measurements::new()
                .part("5×5 built more by who fills holes", Estimate::difference(pairs), Above(0.0))
                // One or none is our reading of hardly.
                .reading("5×5 built by who keeps apart", Estimate::mean(apart), Below(2.0))
                .beside("by who fills holes", Estimate::mean(filled)))
        },
    },
    Experiment {
        name: "pentocity/adversary-holes",
        place: "4",
        claim: "Stars and lines, which do not fit each other, leave many empty holes.",
        figure: "a lot",
        measure: |lab| {
            let plan =
                TournamentPlan::solo("pentocity", ["g1", "random"], ["g1"], lab.take(20, 100));
            let games = lab.play(&plan)?;
            let empty = |scenario: &str| games.on(scenario).mean("g1", &metric("empty cells"));
            let more = empty("g1").minus(empty("random"));
            Ok(Measurements::new()
                .part("empty cells on g1 − on random", more, Above(0.0))
                .beside("on g1", empty("g1"))
                .beside("on random", empty("random")))
        },
    },
    Experiment {
        name: "pentocity/adversary-fill",
        place: "4, figure 5",
        claim: "Against it, who fills holes with small factories does better than who keeps factories apart.",
        figure: "an ideal solution",
        measure: |lab| {
            let filling = PERIMETER.replace("&filter=false", "");
            let plan =
                TournamentPlan::solo("pentocity", ["g1"], [&filling, "naive"], lab.take(20, 100));
            let games = lab.play(&plan)?;
            let factories = games.difference(&filling, "naive", &metric("factories"));
            Ok(Measurements::new()
                .part(
                    "points more by perimeter",
                    games.difference(&filling, "naive", &score),
                    Above(0.0),
                )
                .beside("factories more", factories))
        },
    },
];
