//! Where the champion would have ranked in the contest, measured again: `just champion hextris`, or
//!
//! `cargo run --release -p quintain-hextris --example champion -- [seconds=5] [threads=1] [seeds=0]
//! [problems=0,3,17] [phrases=contest] [nodes=0] [folder=DIR] [leaderboard=FILE] [solutions=FILE]`
//!
//! `seconds` and `threads` are for one game. `seeds` limits the games played of each problem (0 for all). The score
//! is then the average over those games, which says little about ranks if few are played. `phrases=none` leaves
//! phrases out, and `phrases=ddddd,uuuuu` has these instead of the contest's. The problems are those of the
//! leaderboard, by default the qualifier's; another one is a CSV file with the columns `problem`, `rank` and `score`,
//! whose problems lie in a folder as `problem_N.json`. `solutions` is a file for what was found, in the contest's
//! format, which any scorer can check; it is written anew after every problem.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_hextris::Champion;
use quintain_hextris::{Incumbent, SolverInput, TextSolver};
use quintain_hextris::{
    Instance, Phrases, Solution, average, dense_rank, read_problem, score, write_solutions,
};

/// The processor time of the main thread, where the system reports it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

fn main() {
    let mut seconds = 5.0;
    let mut threads = 1;
    let mut nodes = 0;
    let mut seeds = 0;
    let mut problems: Vec<usize> = Vec::new();
    let mut phrases = Phrases::contest();
    let data = PathBuf::from(std::env::var("QUINTAIN_DATA").unwrap_or("../shared/data".to_owned()));
    let mut folder = data.join("hextris/qualifier");
    let mut leaderboard = data.join("hextris/qualifying_leaderboard.csv");
    let mut file = None;
    for argument in std::env::args().skip(1) {
        match argument.split_once('=').unwrap_or((&argument, "")) {
            ("seconds", value) => seconds = value.parse().expect("seconds"),
            ("threads", value) => threads = value.parse().expect("a number of threads"),
            ("seeds", value) => seeds = value.parse().expect("a number of seeds"),
            ("nodes", value) => nodes = value.parse().expect("a number of nodes"),
            ("phrases", "contest") => phrases = Phrases::contest(),
            ("phrases", "none") => phrases = Phrases::new([""; 0]),
            ("phrases", list) => phrases = Phrases::new(list.split(',')),
            ("folder", value) => folder = value.into(),
            ("leaderboard", value) => leaderboard = value.into(),
            ("solutions", value) => file = Some(PathBuf::from(value)),
            ("problems", value) => {
                problems = value.split(',').map(|n| n.parse().expect("a number")).collect();
            }
            _ => panic!("{argument}: it is none of those named at the head of this file"),
        }
    }
    let table = std::fs::read_to_string(leaderboard).expect("the leaderboard");
    let entries: Vec<(usize, u64)> = table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].parse().expect("a problem"), fields[2].parse().expect("a score"))
        })
        .collect();
    if problems.is_empty() {
        problems = entries.iter().map(|(problem, _)| *problem).collect();
        problems.sort_unstable();
        problems.dedup();
    }
    let phrases = Arc::new(phrases);
    let mut ranks = 0;
    let mut solutions = Vec::new();
    for number in &problems {
        let path = folder.join(format!("problem_{number}.json"));
        let text = std::fs::read_to_string(path).expect("a problem");
        let problem = Arc::new(read_problem(&text).expect("a problem"));
        let (mut points, mut games, mut moves, mut said) = (0, 0, 0, 0);
        let begin = Instant::now();
        let mut slowest = 0f64;
        let (mut locked, mut optimal) = (0, 0);
        let worked = processor_seconds();
        for seed in problem.distinct_seeds() {
            if seeds > 0 && games == seeds {
                break;
            }
            games += 1;
            let instance = Instance::new(Arc::clone(&problem), seed, Arc::clone(&phrases));
            let start = instance.start();
            let input = SolverInput { threads, ..SolverInput::new(&instance, &start) };
            let mut tell = |_: &str, _| {};
            let mut best = Incumbent::new(&input, &mut tell);
            let clock = Instant::now();
            let mut meter = match nodes {
                0 => Meter::new(u64::MAX, Some(clock + Duration::from_secs_f64(seconds))),
                nodes => Meter::of(nodes),
            };
            Champion::default().solve(&input, &mut meter, &mut Rng::from_seed(1), &mut best);
            slowest = slowest.max(clock.elapsed().as_secs_f64());
            let account = score(&instance, best.text()).expect("a solution without a mistake");
            assert_eq!(account.score(), best.score());
            optimal += usize::from(best.is_optimal());
            solutions.push(Solution {
                problem_id: problem.id(),
                seed,
                tag: "champion".to_owned(),
                solution: best.text().to_owned(),
            });
            points += account.score();
            moves += account.moves;
            locked += account.locked;
            said = said.max(account.distinct());
        }
        // If all are played, a seed listed twice counts once but divides twice.
        let all = games == problem.distinct_seeds().len();
        let divisor = if all { problem.seeds().len() } else { games };
        let ours = average(points, divisor);
        let theirs =
            entries.iter().filter(|(problem, _)| problem == number).map(|(_, score)| *score);
        let best = theirs.clone().max().unwrap_or_default();
        let rank = dense_rank(ours, theirs);
        ranks += rank;
        println!(
            "problem {number:2}: {ours:6} = moves {:5} + power {:6}, {said:2} phrases, locked {:4} of {:4}; best {best:6} ({:.3}), rank {rank:3}; {games} games, {optimal} exact, {:.1} s ({:.1} s of processor), slowest {slowest:.2} s",
            average(moves, divisor),
            average(points - moves, divisor),
            locked as usize / games,
            problem.length(),
            ours as f64 / best as f64,
            begin.elapsed().as_secs_f64(),
            processor_seconds() - worked,
        );
        if let Some(file) = &file {
            std::fs::write(file, write_solutions(&solutions)).expect("a file can be written");
        }
    }
    println!("sum of ranks {ranks} over {} problems", problems.len());
}
