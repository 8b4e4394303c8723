//! Where the champion would have ranked in the contest, measured again: `just champion hextris`, or
//!
//! ```sh
//! cargo run --release -p quintain-hextris --example champion -- [seconds=5] [threads=1] [jobs=1] \
//!     [seeds=0] [problems=0,3,17] [phrases=contest] [nodes=0] [folder=DIR] [leaderboard=FILE] \
//!     [solutions=FILE]
//! ```
//!
//! `seconds` and `threads` are for one game, and `jobs` games are played at a time. `seeds` limits
//! the games played of each problem (0 for all). The score is then the average over those games,
//! which says little about ranks if few are played. `phrases=none` leaves phrases out, and
//! `phrases=ddddd,uuuuu` has these instead of the contest's. The problems are those of the
//! leaderboard, by default the qualifier's; another one is a CSV file with the columns `problem`,
//! `rank` and `score`, whose problems lie in a folder as `problem_N.json`. `solutions` is a file
//! for what was found, in the contest's format, which any scorer can check; it is written again
//! after every problem.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_hextris::{
    Account, Champion, Incumbent, Instance, Phrases, Problem, Solution, SolverInput, TextSolver,
    average, dense_rank, read_problem, score, write_solutions,
};

/// The processor time of the main thread, where the system reports it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

/// The limits of one game.
#[derive(Clone, Copy)]
struct Limits {
    seconds: f64,
    /// 0 for none but the time.
    nodes: u64,
    threads: usize,
}

/// How a game ended.
struct Outcome {
    seed: u32,
    text: String,
    account: Account,
    is_optimal: bool,
    /// Seconds by the clock.
    took: f64,
    /// Seconds of processor time of its main thread.
    worked: f64,
}

/// Plays one game.
fn play(problem: &Arc<Problem>, seed: u32, phrases: &Arc<Phrases>, limits: Limits) -> Outcome {
    let instance = Instance::new(Arc::clone(problem), seed, Arc::clone(phrases));
    let start = instance.start();
    let input = SolverInput { threads: limits.threads, ..SolverInput::new(&instance, &start) };
    let mut tell = |_: &str, _| {};
    let mut best = Incumbent::new(&input, &mut tell);
    let (clock, worked) = (Instant::now(), processor_seconds());
    let mut meter = match limits.nodes {
        0 => Meter::new(u64::MAX, Some(clock + Duration::from_secs_f64(limits.seconds))),
        nodes => Meter::of(nodes),
    };
    Champion::default().solve(&input, &mut meter, &mut Rng::from_seed(1), &mut best);
    let took = clock.elapsed().as_secs_f64();
    let account = score(&instance, best.text()).expect("a solution without a mistake");
    assert_eq!(account.score(), best.score());
    let (text, is_optimal) = (best.text().to_owned(), best.is_optimal());
    Outcome { seed, text, account, is_optimal, took, worked: processor_seconds() - worked }
}

/// A problem, the seeds to be played, and the games so far.
struct Course {
    number: usize,
    problem: Arc<Problem>,
    seeds: Vec<u32>,
    played: Vec<Outcome>,
}

impl Course {
    /// Prints the figures of all games; returns the rank.
    fn report(&self, scores: &[(usize, u64)]) -> usize {
        let sum = |of: &dyn Fn(&Outcome) -> u64| self.played.iter().map(of).sum::<u64>();
        let points = sum(&|game| game.account.score());
        let moves = sum(&|game| game.account.moves);
        let locked = sum(&|game| game.account.locked as u64);
        let distinct =
            self.played.iter().map(|game| game.account.distinct()).max().unwrap_or_default();
        let games = self.played.len();
        let optimal = self.played.iter().filter(|game| game.is_optimal).count();
        // If all are played, a seed listed twice counts once but divides twice.
        let all = games == self.problem.distinct_seeds().len();
        let divisor = if all { self.problem.seeds().len() } else { games };
        let ours = average(points, divisor);
        let theirs =
            scores.iter().filter(|(problem, _)| *problem == self.number).map(|(_, score)| *score);
        let best = theirs.clone().max().unwrap_or_default();
        let rank = dense_rank(ours, theirs);
        println!(
            "problem {:2}: {ours:6} = moves {:5} + power {:6}, {distinct:2} phrases, locked {:4} \
             of {:4}; best {best:6} ({:.3}), rank {rank:3}; {games} games, {optimal} exact, {:.1} \
             s ({:.1} s of processor), slowest {:.2} s",
            self.number,
            average(moves, divisor),
            average(points - moves, divisor),
            locked as usize / games,
            self.problem.length(),
            ours as f64 / best as f64,
            self.played.iter().map(|game| game.took).sum::<f64>(),
            self.played.iter().map(|game| game.worked).sum::<f64>(),
            self.played.iter().map(|game| game.took).fold(0.0, f64::max),
        );
        rank
    }
}

fn main() {
    let mut limits = Limits { seconds: 5.0, nodes: 0, threads: 1 };
    let mut jobs = 1;
    let mut seeds = 0;
    let mut problems: Vec<usize> = Vec::new();
    let mut phrases = Phrases::contest();
    let data = quintain_core::data_folder();
    let mut folder = data.join("hextris/qualifier");
    let mut leaderboard = data.join("hextris/qualifying_leaderboard.csv");
    let mut file = None;
    for argument in std::env::args().skip(1) {
        match argument.split_once('=').unwrap_or((&argument, "")) {
            ("seconds", value) => limits.seconds = value.parse().expect("seconds"),
            ("threads", value) => limits.threads = value.parse().expect("a number of threads"),
            ("jobs", value) => jobs = value.parse().expect("a number of games at a time"),
            ("seeds", value) => seeds = value.parse().expect("a number of seeds"),
            ("nodes", value) => limits.nodes = value.parse().expect("a number of nodes"),
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
    let courses: Vec<Mutex<Course>> = problems
        .iter()
        .map(|number| {
            let path = folder.join(format!("problem_{number}.json"));
            let text = std::fs::read_to_string(path).expect("a problem");
            let problem = Arc::new(read_problem(&text).expect("a problem"));
            let mut played = problem.distinct_seeds();
            if seeds > 0 {
                played.truncate(seeds);
            }
            Mutex::new(Course { number: *number, problem, seeds: played, played: Vec::new() })
        })
        .collect();
    let games: Vec<(usize, u32)> = courses
        .iter()
        .enumerate()
        .flat_map(|(index, course)| {
            let seeds = course.lock().expect("no game panics").seeds.clone();
            seeds.into_iter().map(move |seed| (index, seed))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0, Vec::new()));
    let work = || {
        while let Some(&(index, seed)) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
            let problem = Arc::clone(&courses[index].lock().expect("no game panics").problem);
            let game = play(&problem, seed, &phrases, limits);
            let mut course = courses[index].lock().expect("no game panics");
            course.played.push(game);
            if course.played.len() < course.seeds.len() {
                continue;
            }
            let mut results = results.lock().expect("no game panics");
            let (ranks, solutions) = &mut *results;
            *ranks += course.report(&entries);
            solutions.extend(course.played.iter().map(|game| Solution {
                problem_id: problem.id(),
                seed: game.seed,
                tag: "champion".to_owned(),
                solution: game.text.clone(),
            }));
            if let Some(file) = &file {
                std::fs::write(file, write_solutions(solutions)).expect("a file can be written");
            }
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    let (ranks, _) = results.into_inner().expect("no game panics");
    println!("sum of ranks {ranks} over {} problems", problems.len());
}
