//! How often the sequential tests of `compare` err, and how often their intervals hold, on made-up
//! and on real scores: the table of docs/research/error-rates.md. `cargo run --release
//! -p quintain-arena --example error_rates [RUNS]`, or `just error-rates`.
//!
//! Real scores are those of two quick players of each game on common seeds, resampled with
//! replacement, so the truth about them is known. Equal players are made from them by exchanging
//! the two scores of every other pair.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};

use quintain_core::{Catalog, PlayerHandle, Rng, Scoring, Setup};
use quintain_standings::game_between;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{DifferenceTest, Measure, Risks, ThreeWayTest, Verdict, quantile};
use rayon::prelude::*;

const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };
/// The number of pairs in a run.
const PAIRS: usize = 1000;
/// The number of seeds on which the players of a game play.
const SEEDS: u64 = 400;
/// The number of candidates, all equal to their reference.
const CANDIDATES: usize = 10;

type Draw = Box<dyn Fn(&mut Rng) -> [f64; 2] + Sync>;

/// The origin of pairs of scores.
struct Source {
    name: String,
    /// Draws pairs from players that differ.
    unequal: Draw,
    /// Many of these pairs, or all that exist.
    known: Vec<f64>,
    /// The greatest possible difference, if there is one.
    limit: Option<f64>,
}

fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

/// A score that one time in a hundred is a thousand times as large.
fn thousandfold(rng: &mut Rng) -> f64 {
    let score = 10.0 + normal(rng);
    if rng.chance(0.01) { 1000.0 * score } else { score }
}

fn imitate(
    name: &str,
    limit: Option<f64>,
    lead: f64,
    noise: impl Fn(&mut Rng) -> f64 + Sync + 'static,
) -> Source {
    // The luck of the seed is three times as large as a player's own. With a limit there is none.
    let unequal: Draw = Box::new(move |rng| {
        let luck = if limit.is_some() { 0.0 } else { 3.0 * normal(rng) };
        [luck + lead + noise(rng), luck + noise(rng)]
    });
    let mut rng = Rng::from_seed(7);
    let known = (0..200_000).map(|_| unequal(&mut rng)).map(|[a, b]| a - b).collect();
    let limit = limit.map(|limit| limit + lead);
    Source { name: name.to_owned(), unequal, known, limit }
}

/// Scores of two players of a game on common seeds, with the sign set so that more is better.
fn play_pairs(
    catalog: &Catalog,
    game: &str,
    scenario: &str,
    [first, second]: [&str; 2],
) -> Result<Source, Box<dyn Error>> {
    let bound = catalog.game(game, scenario)?;
    let scores = |player: &PlayerHandle, seed: u64| -> Result<f64, Box<dyn Error>> {
        let seats = vec![player; bound.seats()];
        let record = bound.play(&Setup::new(seed), &seats, None)?;
        let scores = &record.outcome.scores;
        Ok(bound.objective().gain(scores.iter().sum::<f64>() / scores.len() as f64))
    };
    let (one, other) = (catalog.player(game, first)?, catalog.player(game, second)?);
    let pool = (1..=SEEDS).map(|seed| Ok([scores(&one, seed)?, scores(&other, seed)?]));
    let pool: Vec<[f64; 2]> = pool.collect::<Result<_, Box<dyn Error>>>()?;
    let known = pool.iter().map(|[a, b]| a - b).collect();
    let limit = bound.score_range().map(|(low, high)| high - low);
    let unequal: Draw = Box::new(move |rng| pool[rng.below(pool.len())]);
    Ok(Source { name: format!("{game}: {first}, {second}"), unequal, known, limit })
}

/// Half-points from pairs of games between two rivals.
fn met(
    catalog: &Catalog,
    game: &str,
    scenario: &str,
    [first, second]: [&str; 2],
) -> Result<Vec<usize>, Box<dyn Error>> {
    let bound = catalog.game(game, scenario)?;
    assert_eq!((bound.scoring(), bound.seats()), (Scoring::Adversarial, 2));
    let (one, other) = (catalog.player(game, first)?, catalog.player(game, second)?);
    let half_points = |seed: u64| -> Result<usize, Box<dyn Error>> {
        let mut sum = 0;
        for (seats, ours) in [([&one, &other], 0), ([&other, &one], 1)] {
            let record = bound.play(&Setup::new(seed), &seats, None)?;
            let merit = |seat: usize| (bound.objective().gain(record.outcome.scores[seat]), false);
            let games = game_between(merit(ours), merit(1 - ours));
            sum += 2 * games.wins + games.draws;
        }
        Ok(sum as usize)
    };
    (1..=SEEDS).map(half_points).collect()
}

/// The measure over all these differences.
fn truth(measure: Measure, bound: Option<f64>, known: &[f64]) -> f64 {
    let mean = |of: &dyn Fn(f64) -> f64| {
        known.iter().map(|one| of(*one)).sum::<f64>() / known.len() as f64
    };
    match measure {
        Measure::Chance => mean(&|one| if one == 0.0 { 0.0 } else { one.signum() }),
        Measure::Clipped => bound.map_or(0.0, |bound| mean(&|one| one.clamp(-bound, bound))),
        Measure::Median => quantile(known, 0.5),
        Measure::Mean { .. } => mean(&|one| one),
    }
}

/// Counts of runs.
#[derive(Default)]
struct Counts {
    decided: AtomicU64,
    wrong: AtomicU64,
    missed: AtomicU64,
    beside: AtomicU64,
    pairs: AtomicU64,
}

/// Whether intervals are examined after this many pairs: each time at first, then after a tenth
/// more each time.
fn is_look(pair: usize) -> bool {
    (0..)
        .map(|at| (8.0 * 1.1_f64.powi(at)) as usize)
        .take_while(|look| *look <= pair)
        .any(|look| look == pair)
}

fn simulate(source: &Source, measure: Measure, equal: bool, runs: u64) -> Counts {
    let counts = Counts::default();
    let add = |count: &AtomicU64, more: u64| {
        count.fetch_add(more, Ordering::Relaxed);
    };
    let fixed = truth(measure, None, &source.known);
    (0..runs).into_par_iter().for_each(|run| {
        let mut rng = Rng::from_seed(run);
        let mut test = DifferenceTest::new(RISKS, measure, None);
        let (mut verdict, mut missed, mut used) = (None, false, PAIRS);
        let mut clipped = None;
        for pair in 1..=PAIRS {
            let [mut a, mut b] = (source.unequal)(&mut rng);
            if equal && rng.chance(0.5) {
                (a, b) = (b, a);
            }
            let now = test.add(a, &[b]);
            if now.is_some() && verdict.is_none() {
                (verdict, used) = (now, pair);
            }
            if is_look(pair) || used == pair {
                if equal {
                    missed |= test.refutes(0.0);
                } else if measure != Measure::Clipped {
                    missed |= test.refutes(fixed);
                } else if let Some(bound) = test.bound() {
                    // The true value depends on the bound that the first pairs have set.
                    let truth =
                        *clipped.get_or_insert_with(|| truth(measure, Some(bound), &source.known));
                    missed |= test.refutes(truth);
                }
            }
        }
        if let (Some(estimate), Some(interval)) = (test.estimate(), test.interval()) {
            let held = interval.low <= estimate && estimate <= interval.high;
            add(&counts.beside, u64::from(!held));
        }
        let wrong = match verdict {
            Some(Verdict::Better) => equal || fixed < 0.0,
            Some(Verdict::Worse) => equal || fixed > 0.0,
            _ => false,
        };
        add(&counts.decided, u64::from(verdict.is_some()));
        add(&counts.wrong, u64::from(wrong));
        add(&counts.missed, u64::from(missed));
        add(&counts.pairs, used as u64);
    });
    counts
}

fn percent(count: &AtomicU64, runs: u64) -> String {
    format!("{:.1}", 100.0 * count.load(Ordering::Relaxed) as f64 / runs as f64)
}

fn scores(sources: &[Source], runs: u64) {
    println!(
        "| scores | measure | equals called different | covered, equals | covered, unequal | \
         found | after pairs |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|");
    for source in sources {
        let mean = source.limit.map(|limit| Measure::Mean { limit });
        let measures = [Measure::Chance, Measure::Clipped, Measure::Median].into_iter().chain(mean);
        for measure in measures {
            let equals = simulate(source, measure, true, runs);
            let others = simulate(source, measure, false, runs);
            let name = format!("{measure:?}").to_lowercase();
            let name = name.split(' ').next().unwrap_or_default();
            let covered = |counts: &Counts| {
                let held = runs - counts.missed.load(Ordering::Relaxed);
                format!("{:.1}", 100.0 * held as f64 / runs as f64)
            };
            println!(
                "| {} | {name} | {} | {} | {} | {} | {} |",
                source.name,
                percent(&equals.wrong, runs),
                covered(&equals),
                covered(&others),
                percent(&others.decided, runs),
                others.pairs.load(Ordering::Relaxed) / runs,
            );
            let beside = [&equals, &others].map(|counts| counts.beside.load(Ordering::Relaxed));
            assert_eq!(beside, [0, 0], "an interval left out its own estimate");
        }
    }
}

fn rivals(name: &str, pool: &[usize], runs: u64) {
    let mean = pool.iter().sum::<usize>() as f64 / pool.len() as f64 / 4.0;
    for equal in [true, false] {
        let counts = Counts::default();
        (0..runs).into_par_iter().for_each(|run| {
            let mut rng = Rng::from_seed(run);
            let mut test = ThreeWayTest::new(EloScale::Logistic, 20.0, RISKS, 2);
            let mut sequence = DifferenceTest::new(RISKS, Measure::Mean { limit: 1.0 }, None);
            let truth = if equal { 0.0 } else { 2.0 * mean - 1.0 };
            let (mut verdict, mut missed) = (None, false);
            for pair in 1..=PAIRS {
                let drawn = pool[rng.below(pool.len())];
                let drawn = if equal && rng.chance(0.5) { 4 - drawn } else { drawn };
                let score = drawn as f64 / 4.0;
                sequence.add(score, &[1.0 - score]);
                verdict = test.add(drawn);
                missed |= is_look(pair) && sequence.refutes(truth);
            }
            let called = matches!(verdict, Some(Verdict::Better | Verdict::Worse));
            counts.wrong.fetch_add(u64::from(called), Ordering::Relaxed);
            counts.missed.fetch_add(u64::from(missed), Ordering::Relaxed);
        });
        let who = if equal { "equals" } else { "unequal" };
        let called = percent(&counts.wrong, runs);
        println!(
            "{name}, {who}: called different {called} %, missed {} %",
            percent(&counts.missed, runs)
        );
    }
}

/// Equal candidates against one reference: the number of runs in which any is called different,
/// with the candidates sharing the risk or not.
fn family(runs: u64) {
    for shared in [false, true] {
        let wrong = AtomicU64::new(0);
        (0..runs).into_par_iter().for_each(|run| {
            let mut rng = Rng::from_seed(run);
            let share = if shared { CANDIDATES as f64 } else { 1.0 };
            let risks = Risks { alpha: RISKS.alpha / share, beta: RISKS.beta };
            let test = || DifferenceTest::new(risks, Measure::Chance, None);
            let mut tests: Vec<DifferenceTest> = (0..CANDIDATES).map(|_| test()).collect();
            let mut called = false;
            for _ in 0..PAIRS {
                let reference = normal(&mut rng);
                for test in &mut tests {
                    called |= test.add(normal(&mut rng), &[reference]).is_some();
                }
            }
            wrong.fetch_add(u64::from(called), Ordering::Relaxed);
        });
        let how = if shared { "sharing α" } else { "each with α" };
        println!(
            "{CANDIDATES} equal candidates, {how}: any called different {} %",
            percent(&wrong, runs)
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runs: u64 = std::env::args().nth(1).map_or(Ok(2000), |text| text.parse())?;
    let catalog = quintain_games::catalog();
    let mut sources =
        vec![
            imitate("normal", None, 0.5, normal),
            imitate("exponential", None, 0.5, |rng| -(1.0 - rng.unit()).ln()),
            imitate("lognormal (1.5)", None, 0.5, |rng| (1.5 * normal(rng)).exp()),
            imitate("one in a hundred a thousandfold", None, 0.5, thousandfold),
            imitate(
                "four in five tied",
                None,
                0.0,
                |rng| {
                    if rng.chance(0.8) { 0.0 } else { rng.unit() }
                },
            ),
            imitate("one in ten 10, else 0", Some(10.0), 0.5, |rng| {
                if rng.chance(0.1) { 10.0 } else { 0.0 }
            }),
        ];
    for (game, scenario, players) in [
        (
            "gather",
            "course?board=15x22&players=3",
            ["flower-v1?approach=1&follow=any&ignore=0", "flower-v1"],
        ),
        ("hextris", "drawn", ["greedy", "random"]),
        ("pentocity", "random", ["naive", "dry"]),
        ("polymer", "random", ["greedy", "random"]),
    ] {
        sources.push(play_pairs(&catalog, game, scenario, players)?);
    }
    for source in &mut sources {
        source.known.sort_unstable_by(f64::total_cmp);
    }
    let tron = met(&catalog, "tron", "obstacles", ["space", "improved"])?;
    scores(&sources, runs);
    println!();
    rivals("tron: space, improved", &tron, runs);
    family(runs);
    Ok(())
}
