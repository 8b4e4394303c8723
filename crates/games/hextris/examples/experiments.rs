//! What the post claims, run again: `cargo run --release -p quintain-hextris --example
//! experiments [post|features|lookahead|shortcuts|power]`. Rows are Markdown. Problems are
//! the contest's where QUINTAIN_DATA leads to them, otherwise those drawn from seed 1; all
//! of their games count, nothing is random.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use quintain_core::{Meter, Rng};
use quintain_hextris::Problem;
use quintain_hextris::evaluation::Weights;
use quintain_hextris::generate::{Filling, Units, draw};
use quintain_hextris::notation::read_problem;
use quintain_hextris::paths::Shortcuts;
use quintain_hextris::phrases::Phrases;
use quintain_hextris::play::Course;
use quintain_hextris::score::{average, score};
use quintain_hextris::solvers::post::Post;
use quintain_hextris::solvers::{Best, Solving, Task};

/// The post's team and the best of the contest, by problem (final leaderboard).
const KNOWN: [(u64, u64); 25] = [
    (4999, 12539),
    (2778, 6342),
    (7176, 21928),
    (3505, 15056),
    (4996, 26928),
    (2945, 11450),
    (7891, 16565),
    (2107, 11209),
    (7784, 21316),
    (3751, 33264),
    (2906, 10592),
    (1486, 7514),
    (1276, 15916),
    (1795, 4820),
    (9350, 109_796),
    (3562, 11158),
    (6434, 16096),
    (5472, 7880),
    (1625, 93290),
    (5296, 7618),
    (1944, 12464),
    (1386, 1606),
    (4394, 10630),
    (1338, 11022),
    (5850, 306_206),
];

/// Prints a table over these problems.
type Experiment = fn(&[Arc<Problem>]);

fn main() {
    let wanted = std::env::args().nth(1);
    let all: [(&str, Experiment); 5] = [
        ("post", post),
        ("features", features),
        ("lookahead", lookahead),
        ("shortcuts", shortcuts),
        ("power", power),
    ];
    let problems = problems();
    for (name, experiment) in all {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            println!("\n{name}\n");
            experiment(&problems);
        }
    }
}

fn problems() -> Vec<Arc<Problem>> {
    let data = std::env::var_os("QUINTAIN_DATA");
    let data = data.map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let folder = data.join("hextris/qualifier");
    let read = |number: usize| {
        let text = std::fs::read_to_string(folder.join(format!("problem_{number}.json"))).ok()?;
        read_problem(&text).ok()
    };
    let usual = |number| draw(number, Units::Usual, Filling::Usual, 1);
    let is_there = read(0).is_some();
    println!("{}", if is_there { "the contest's problems" } else { "drawn problems" });
    let problem = |number| read(number).unwrap_or_else(|| usual(number));
    (0..25).map(problem).map(Arc::new).collect()
}

/// What a solver makes of a problem.
struct Result {
    /// The average over all seeds listed: the score, its points of locks, its lines.
    score: u64,
    moves: u64,
    lines: u64,
    seconds: f64,
}

fn solved(problem: &Arc<Problem>, phrases: &Arc<Phrases>, solver: &Post) -> Result {
    let begin = Instant::now();
    let (mut total, mut moves, mut lines) = (0, 0, 0);
    for seed in problem.distinct_seeds() {
        let course = Course::new(Arc::clone(problem), seed, Arc::clone(phrases));
        let start = course.start();
        let task = Task::new(&course, &start);
        let mut ignore = |_: &str, _| {};
        let mut best = Best::new(&task, &mut ignore);
        let mut meter = Meter::of(u64::MAX);
        solver.solve(&task, &mut meter, &mut Rng::from_seed(1), &mut best);
        let account = score(&course, best.text()).expect("what was offered has no mistake");
        total += account.score();
        moves += account.moves;
        lines += u64::from(account.lines);
    }
    let listed = problem.seeds().len();
    Result {
        score: average(total, listed),
        moves: average(moves, listed),
        lines: average(lines, listed),
        seconds: begin.elapsed().as_secs_f64(),
    }
}

/// The mean of the ratios with its 95 % interval over problems, in percent.
fn change(ratios: &[f64]) -> String {
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let margin = 1.96 * (variance / n).sqrt();
    format!("{:+.1} ± {:.1} %", (mean - 1.0) * 100.0, margin * 100.0)
}

fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b.max(1) as f64
}

fn post(problems: &[Arc<Problem>]) {
    let sets = [
        Phrases::new([""; 0]),
        Phrases::new(["ei!", "ia! ia!", "r'lyeh", "yuggoth", "cthulhu fhtagn!"]),
        Phrases::contest(),
    ]
    .map(Arc::new);
    println!("| problem | the post's team | no phrases | five phrases | all 18 | best | s |");
    println!("|---|---|---|---|---|---|---|");
    for (problem, (team, best)) in problems.iter().zip(KNOWN) {
        let results = sets.each_ref().map(|set| solved(problem, set, &Post::default()));
        let [none, five, all] = &results;
        println!(
            "| {} | {team} | {} | {} | {} | {best} | {:.2} |",
            problem.id(),
            none.score,
            five.score,
            all.score,
            all.seconds
        );
    }
}

fn features(problems: &[Arc<Problem>]) {
    let phrases = Arc::new(Phrases::contest());
    type Without = fn(&mut Weights);
    let variants: [(&str, Without); 11] = [
        ("all", |_| {}),
        ("without gravity", |weights| weights.gravity = 0.0),
        ("without holes under one cell", |weights| (weights.left, weights.right) = (0.0, 0.0)),
        ("without holes under two", |weights| weights.both = 0.0),
        ("without unfinished rows", |weights| weights.unfinished = 0.0),
        ("without roughness", |weights| weights.rough = 0.0),
        ("gravity turned around", |weights| weights.gravity *= -1.0),
        ("holes turned around", |weights| {
            weights.left *= -1.0;
            weights.right *= -1.0;
            weights.both *= -1.0;
        }),
        ("unfinished rows turned around", |weights| weights.unfinished *= -1.0),
        ("roughness turned around", |weights| weights.rough *= -1.0),
        ("weights of unknown problems", |weights| *weights = Weights::of_problem(u32::MAX)),
    ];
    let results: Vec<Vec<Result>> = variants
        .iter()
        .map(|(_, without)| {
            let solve = |problem: &Arc<Problem>| {
                let mut weights = Weights::of_problem(problem.id());
                without(&mut weights);
                solved(problem, &phrases, &Post { weights: Some(weights), ..Post::default() })
            };
            problems.iter().map(solve).collect()
        })
        .collect();
    println!("| weights | score | points of locks | lines in all |");
    println!("|---|---|---|---|");
    for ((name, _), of_variant) in variants.iter().zip(&results) {
        let pairs = || of_variant.iter().zip(&results[0]);
        let scores: Vec<f64> = pairs().map(|(a, b)| ratio(a.score, b.score)).collect();
        let moves: Vec<f64> = pairs().map(|(a, b)| ratio(a.moves, b.moves)).collect();
        let lines: u64 = of_variant.iter().map(|result| result.lines).sum();
        println!("| {name} | {} | {} | {lines} |", change(&scores), change(&moves));
    }
}

fn lookahead(problems: &[Arc<Problem>]) {
    let phrases = Arc::new(Phrases::contest());
    println!("| problem | depth 1 (s) | depth 2 (s) | depth 3 (s) |");
    println!("|---|---|---|---|");
    // Where three units ahead take seconds, not hours.
    for problem in problems.iter().filter(|problem| [8, 9, 10, 21, 22, 23].contains(&problem.id()))
    {
        let cells: Vec<String> = (1..=3)
            .map(|depth| {
                let deepest = problem.length() * problem.seeds().len() <= 100;
                if depth == 3 && !deepest {
                    return "–".to_owned();
                }
                let result = solved(problem, &phrases, &Post { depth, ..Post::default() });
                format!("{} ({:.2})", result.score, result.seconds)
            })
            .collect();
        println!("| {} | {} |", problem.id(), cells.join(" | "));
    }
}

fn shortcuts(problems: &[Arc<Problem>]) {
    let phrases = Arc::new(Phrases::contest());
    println!("| shortcuts | score | seconds for all problems | for problem 24 |");
    println!("|---|---|---|---|");
    let variants = [
        ("both", Shortcuts::POST),
        ("straight fall only", Shortcuts { falling: true, waiting: None }),
        ("fewer rotations only", Shortcuts { falling: false, waiting: Some(40) }),
        ("none", Shortcuts::default()),
    ];
    let mut first: Vec<Result> = Vec::new();
    for (name, shortcuts) in variants {
        // Without speaking, whose time would hide that of the search for places.
        let solver = Post { shortcuts, speaks: false, ..Post::default() };
        let results: Vec<Result> =
            problems.iter().map(|problem| solved(problem, &phrases, &solver)).collect();
        let base = if first.is_empty() { &results } else { &first };
        let scores: Vec<f64> =
            results.iter().zip(base).map(|(a, b)| ratio(a.score, b.score)).collect();
        let seconds: f64 = results.iter().map(|result| result.seconds).sum();
        let last = results.last().map_or(0.0, |result| result.seconds);
        println!("| {name} | {} | {seconds:.2} | {last:.2} |", change(&scores));
        if first.is_empty() {
            first = results;
        }
    }
}

fn power(problems: &[Arc<Problem>]) {
    let phrases = Arc::new(Phrases::contest());
    println!("| problem | silent | speaking | of that phrases | s silent | s speaking |");
    println!("|---|---|---|---|---|---|");
    for problem in problems {
        let silent = solved(problem, &phrases, &Post { speaks: false, ..Post::default() });
        let speaking = solved(problem, &phrases, &Post::default());
        println!(
            "| {} | {} | {} | {} | {:.2} | {:.2} |",
            problem.id(),
            silent.score,
            speaking.score,
            speaking.score - speaking.moves,
            silent.seconds,
            speaking.seconds
        );
    }
}
