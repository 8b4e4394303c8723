//! Where the champion would have ranked in the contest:
//!
//! `cargo run --release -p quintain-hextris --example leaderboard -- [seconds=5]
//! [threads=1] [seeds=0] [problems=0,3,17] [width=0] [nodes=0]`
//!
//! `seeds` limits the games played of each problem (0 for all). The score is then the average over those
//! games, which says little about ranks if few are played.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_hextris::Champion;
use quintain_hextris::{Incumbent, SolverInput, TextSolver};
use quintain_hextris::{Instance, Phrases, read_problem, score};

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
    let mut estimate = 0;
    let mut seeds = 0;
    let mut problems: Vec<usize> = (0..25).collect();
    let mut champion = Champion::default();
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        match name {
            "seconds" => seconds = value.parse().expect("seconds"),
            "threads" => threads = value.parse().expect("a number of threads"),
            "seeds" => seeds = value.parse().expect("a number of seeds"),
            "estimate" => estimate = value.parse().expect("a width"),
            "nodes" => nodes = value.parse().expect("a number of nodes"),
            "listed" => champion.settings.listed = value.parse().expect("a number"),
            "carried" => champion.settings.carried = value.parse().expect("a number"),
            "margin" => champion.settings.margin = value.parse().expect("points"),
            "close" => champion.settings.close = value.parse().expect("a factor"),
            "deferred" => champion.settings.deferred = value.parse().expect("a share"),
            "expected" => champion.settings.expected = value.parse().expect("a share"),
            "width" => champion.width = value.parse().expect("a width"),
            "problems" => {
                problems = value.split(',').map(|n| n.parse().expect("a number")).collect();
            }
            _ => panic!("{argument}: it is none of those named at the head of this file"),
        }
    }
    let folder = std::env::var("QUINTAIN_DATA").unwrap_or("../shared/data".to_owned());
    let table = std::fs::read_to_string(format!("{folder}/hextris/qualifying_leaderboard.csv"))
        .expect("the leaderboard");
    let mut ranks = 0;
    for number in &problems {
        let path = format!("{folder}/hextris/qualifier/problem_{number}.json");
        let text = std::fs::read_to_string(path).expect("a problem");
        let problem = Arc::new(read_problem(&text).expect("a problem"));
        let phrases = Arc::new(Phrases::contest());
        let (mut points, mut games, mut moves, mut said) = (0, 0, 0, 0);
        let begin = Instant::now();
        let mut slowest = 0f64;
        let mut locked = 0;
        let worked = processor_seconds();
        for seed in problem.distinct_seeds() {
            if seeds > 0 && games == seeds {
                break;
            }
            games += 1;
            let instance = Instance::new(Arc::clone(&problem), seed, Arc::clone(&phrases));
            let start = instance.start();
            let input = SolverInput { threads, ..SolverInput::new(&instance, &start) };
            if estimate > 0 {
                let clock = Instant::now();
                let points = champion.estimate(&input, estimate);
                println!(
                    "problem {number}, seed {seed}: {points} by estimate, {:.1} s",
                    clock.elapsed().as_secs_f64()
                );
                continue;
            }
            let mut tell = |_: &str, _| {};
            let mut best = Incumbent::new(&input, &mut tell);
            let clock = Instant::now();
            let mut meter = match nodes {
                0 => Meter::new(u64::MAX, Some(clock + Duration::from_secs_f64(seconds))),
                nodes => Meter::of(nodes),
            };
            champion.solve(&input, &mut meter, &mut Rng::from_seed(1), &mut best);
            slowest = slowest.max(clock.elapsed().as_secs_f64());
            let account = score(&instance, best.text()).expect("a solution without a mistake");
            assert_eq!(account.score(), best.score());
            points += account.score();
            moves += account.moves;
            locked += account.locked;
            said = said.max(account.distinct());
        }
        // If all are played, a seed listed twice counts once but divides twice.
        let all = games == problem.distinct_seeds().len();
        let divisor = if all { problem.seeds().len() } else { games } as u64;
        let ours = points / divisor;
        let mut above: Vec<u64> = Vec::new();
        let mut best = 0;
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            if fields[0].parse() == Ok(*number) {
                let theirs: u64 = fields[2].parse().expect("a score");
                best = best.max(theirs);
                if theirs > ours && !above.contains(&theirs) {
                    above.push(theirs);
                }
            }
        }
        let rank = above.len() + 1;
        ranks += rank;
        println!(
            "problem {number:2}: {ours:6} = moves {:5} + power {:6}, {said:2} phrases, locked {:4} of {:4}; best {best:6} ({:.3}), rank {rank:3}; {games} games, {:.1} s ({:.1} s of processor), slowest {slowest:.2} s",
            moves / divisor,
            (points - moves) / divisor,
            locked as usize / games,
            problem.length(),
            ours as f64 / best as f64,
            begin.elapsed().as_secs_f64(),
            processor_seconds() - worked,
        );
    }
    println!("sum of ranks {ranks} over {} problems", problems.len());
}
