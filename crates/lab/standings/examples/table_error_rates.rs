//! How often tables of standings err on made-up results whose truth is known: the table "Standings"
//! of docs/research/error-rates.md. `cargo run --release -p quintain-standings
//! --example table_error_rates [RUNS]`, or `just error-rates`.

use quintain_core::{Objective, Rng, Scoring};
use quintain_standings::{MatchResult, ScoringRule, Standings, StandingsBuilder};
use quintain_stats::all_pairs::Mark;
use rayon::prelude::*;

fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.unit()).ln()
}

/// A score that one time in a hundred is a thousand times as large.
fn thousandfold(rng: &mut Rng) -> f64 {
    let score = 10.0 + normal(rng);
    if rng.chance(0.01) { 1000.0 * score } else { score }
}

fn coin(rng: &mut Rng) -> f64 {
    f64::from(u8::from(rng.chance(0.5)))
}

fn up_to_three(rng: &mut Rng) -> f64 {
    rng.below(4) as f64
}

fn lognormal(rng: &mut Rng) -> f64 {
    (1.5 * normal(rng)).exp()
}

const NAMES: [&str; 20] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t",
];

fn add(builder: &mut StandingsBuilder, seed: u64, players: &[&str], scores: &[f64]) {
    let (scenario, ending) = ("m", "over");
    let result =
        MatchResult { scenario, seed, players, scores, fault: None, truncated: false, ending };
    builder.add(&result).expect("scores are finite");
}

/// Adds up what `run` counts for every number below `runs`, on all cores.
fn count<const N: usize>(runs: u64, run: impl Fn(u64) -> [u64; N] + Sync + Send) -> [f64; N] {
    let add = |one: [u64; N], other: [u64; N]| std::array::from_fn(|at| one[at] + other[at]);
    let sums = (0..runs).into_par_iter().map(run).reduce(|| [0; N], add);
    sums.map(|sum| sum as f64)
}

fn row(what: &str, wrong: f64, of: f64, refused: bool) {
    let rate = 100.0 * wrong / of;
    let error = 196.0 * (wrong / of * (1.0 - wrong / of) / of).sqrt();
    let refused = if refused { " (refused: too few seeds)" } else { "" };
    println!("| {what} | {rate:.1} ± {error:.1}{refused} |");
}

/// Equal players who play alone and share the luck of each seed; the noise of the first is
/// `erratic` times as large.
fn equals(
    (players, seeds): (usize, u64),
    noise: fn(&mut Rng) -> f64,
    luck: f64,
    erratic: f64,
    run: u64,
) -> Standings {
    let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };
    let mut rng = Rng::from_seed(run);
    let mut builder = StandingsBuilder::new(rule);
    for seed in 0..seeds {
        let luck = luck * normal(&mut rng);
        for (at, player) in NAMES[..players].iter().enumerate() {
            let spread = if at == 0 { erratic } else { 1.0 };
            add(&mut builder, seed, &[player], &[luck + spread * noise(&mut rng)]);
        }
    }
    builder.standings()
}

/// How often a table of equals says that somebody is behind, that somebody's ranks leave out one
/// that all may have, that a difference to the first is not zero, and how often it refuses.
fn tables_of_equals(
    name: &str,
    size: (usize, u64),
    noise: fn(&mut Rng) -> f64,
    erratic: f64,
    runs: u64,
) {
    let luck = if noise(&mut Rng::from_seed(1)).fract() == 0.0 { 0.0 } else { 3.0 };
    let counted = count(runs, |run| {
        let standings = equals(size, noise, luck, erratic, run);
        let rows = &standings.overall;
        let all = Some((1, rows.len() as u64));
        let behind = rows.iter().any(|row| row.mark == Some(Mark::Behind));
        let ranked = rows.iter().any(|row| row.ranks.is_some() && row.ranks != all);
        let differs = rows.iter().filter_map(|row| row.to_leader.as_ref()?.interval);
        let differs = differs.into_iter().any(|of| of.low > 0.0 || of.high < 0.0);
        let refused = standings.certainty.missing_seeds > 0;
        [behind, ranked, differs, refused].map(u64::from)
    });
    let [behind, ranked, differs, refused] = counted;
    let (players, seeds) = size;
    let what = |of: &str| format!("{of}: {players} players × {seeds} seeds, {name}");
    row(&what("an equal player is *behind*"), behind, runs as f64, refused > 0.0);
    row(&what("an equal player's ranks leave one out"), ranked, runs as f64, refused > 0.0);
    row(&what("a margin to #1 leaves out 0"), differs, runs as f64, refused > 0.0);
}

/// Rivals who meet twice on every seed. Their strengths differ by `step` Elo from one to the next,
/// and vary by `spread` from board to board.
fn rivals((players, seeds): (usize, u64), step: f64, spread: f64, run: u64) -> Standings {
    let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial };
    let mut rng = Rng::from_seed(run);
    let mut builder = StandingsBuilder::new(rule);
    for seed in 0..seeds {
        let strengths: Vec<f64> =
            (0..players).map(|at| step * at as f64 + spread * normal(&mut rng)).collect();
        for one in 0..players {
            for other in (0..players).filter(|other| *other != one) {
                let lead = strengths[one] - strengths[other];
                let won = rng.chance(1.0 / (1.0 + 10_f64.powf(-lead / 400.0)));
                let scores = if won { [1.0, 0.0] } else { [0.0, 1.0] };
                add(&mut builder, seed, &[NAMES[one], NAMES[other]], &scores);
            }
        }
    }
    builder.standings()
}

fn rings(size: (usize, u64), runs: u64) {
    let [rings, shares, behind] = count(runs, |run| {
        let standings = rivals(size, 0.0, 0.0, run);
        let shares = standings.superiority.as_ref().is_some_and(|of| of.alpha_rank.is_some());
        let behind = standings.overall.iter().any(|row| row.mark == Some(Mark::Behind));
        [!standings.rings.is_empty(), shares, behind].map(u64::from)
    });
    let (players, seeds) = size;
    let runs = runs as f64;
    row(&format!("a ring: {players} equal rivals × {seeds} seeds"), rings, runs, false);
    row(&format!("a star or a share of time: {players} × {seeds}"), shares, runs, false);
    let refused = seeds < quintain_stats::all_pairs::MIN_SEEDS as u64;
    row(&format!("an equal rival is *behind*: {players} × {seeds}"), behind, runs, refused);
}

fn elo_intervals(size: (usize, u64), step: f64, spread: f64, runs: u64) {
    let rating = |standings: &Standings, name: &str| {
        let row = standings.overall.iter().find(|row| row.player == name);
        row.and_then(|row| Some((row.elo.as_ref()?.rating, row.by_seed)))
    };
    // The truth is what the ratings are after very many seeds.
    let long = rivals((size.0, 4000), step, spread, u64::MAX);
    let truth: Vec<f64> = NAMES[..size.0]
        .iter()
        .map(|name| if step == 0.0 { 0.0 } else { rating(&long, name).map_or(0.0, |of| of.0) })
        .collect();
    let [missed, shown, all] = count(runs, |run| {
        let standings = rivals(size, step, spread, run);
        let mut counted = [0; 3];
        for (name, truth) in NAMES.iter().zip(&truth) {
            let interval = rating(&standings, name).and_then(|of| of.1);
            counted[0] += u64::from(interval.is_some_and(|of| of.low > *truth || of.high < *truth));
            counted[1] += u64::from(interval.is_some());
            counted[2] += 1;
        }
        counted
    });
    let (players, seeds) = size;
    let kind = if step == 0.0 { "equals".to_owned() } else { format!("{step} Elo apart") };
    let what = format!(
        "Elo ± misses: {players} rivals × {seeds} seeds, {kind}, strength varies by {spread} Elo"
    );
    let shown_share = 100.0 * shown / all;
    row(&format!("{what} (shown for {shown_share:.0} %)"), missed, shown.max(1.0), shown == 0.0);
}

fn mean_intervals(name: &str, seeds: u64, noise: fn(&mut Rng) -> f64, mean: f64, runs: u64) {
    let [missed] = count(runs, |run| {
        let standings = equals((1, seeds), noise, 0.0, 1.0, run);
        let interval = standings.overall[0].mean_interval();
        [u64::from(interval.is_none_or(|of| of.low > mean || of.high < mean))]
    });
    row(&format!("mean ± misses: {seeds} seeds, {name}"), missed, runs as f64, false);
}

fn main() {
    let runs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    println!("| what | % of {runs} tables |\n|---|--:|");
    for size in [(5, 5), (5, 40), (20, 10)] {
        tables_of_equals("normal", size, normal, 1.0, runs);
    }
    for size in [(5, 5), (5, 40)] {
        tables_of_equals("exponential", size, exponential, 1.0, runs);
        tables_of_equals("one in a hundred a thousandfold", size, thousandfold, 1.0, runs);
        tables_of_equals("one five times as erratic", size, normal, 5.0, runs);
    }
    for seeds in [2, 3, 5, 10] {
        tables_of_equals("0 or 1", (5, seeds), coin, 1.0, runs);
        tables_of_equals("0 to 3", (5, seeds), up_to_three, 1.0, runs);
    }
    tables_of_equals("normal", (2, 5), normal, 1.0, runs);
    tables_of_equals("one five times as erratic", (20, 5), normal, 5.0, runs);
    for seeds in [1, 2, 5, 20] {
        rings((6, seeds), runs);
    }
    for (seeds, step) in [(5, 0.0), (10, 0.0), (20, 0.0), (5, 100.0), (20, 100.0)] {
        for spread in [0.0, 150.0, 300.0] {
            elo_intervals((5, seeds), step, spread, runs);
        }
    }
    for seeds in [5, 20] {
        mean_intervals("normal", seeds, normal, 0.0, runs);
        mean_intervals("lognormal (1.5)", seeds, lognormal, (1.125_f64).exp(), runs);
    }
}
