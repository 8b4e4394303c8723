//! The champion's figures in `docs/polymer.md`, measured again: `just champion polymer`, or
//! `cargo run --release -p quintain-polymer --example champion`, with the words that [`USAGE`]
//! explains. Rows are Markdown. Chains are folded by two threads at once, which stop at the least
//! known energy; sequences are folded by one thread. [`counts`] estimates how many walks there are.

mod counts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng, Streams};
use quintain_polymer::{
    Charges, Cooling, HP_CHAINS, HP_CHAINS_IN_SPACE, HpChain, Incumbent, Instance, UctOptions,
    WholeWalk, anneal, bounds, certify, champion, course, exchange, replica_temperatures, run_uct,
};

/// What `--help` prints.
const USAGE: &str = "\
Measures the champion's figures again, and prints them in Markdown.

usage: just champion polymer [GROUP [SECONDS [SEEDS [FIRST SEED [ONE]]]]]

  plane, space     HP chains; ONE: the name of the only chain
  dense, sparse    L16_s02 and L64_s01, all players; ONE: `alone` for the champion alone
  SIZE             the same for any size, such as L16_s01
  proofs           L08_s03 and L08_s02 by branch and bound
  counts           estimates how many walks of L16_s02 there are, and the most that a walk can
                   have; ONE: another size, or `check` for small tori whose walks are counted
                   one by one too (SEEDS and FIRST SEED change nothing there)

Without a GROUP, the first four. SECONDS are those of each run, by the clock for proofs and counts.
";

/// A search as the examples call it.
type Search = fn(&Arc<Instance>, &mut Meter, &mut Rng, &mut Incumbent<'_>);

const SEARCHES: [(&str, Search); 3] = [
    ("champion", |instance, meter, rng, best| champion(instance, &[0], meter, rng, best)),
    ("annealing", |instance, meter, rng, best| {
        anneal(instance, None, Cooling::for_instance(instance), meter, rng, best);
    }),
    ("replicas", |instance, meter, rng, best| {
        exchange(instance, &replica_temperatures(8, 0.25, 1.2), meter, rng, best);
    }),
];

/// The processor time of this thread so far, in seconds; if the system does not report it, the time
/// since `begin`.
fn processor_time(begin: Instant) -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds =
        statistics.and_then(|statistics| statistics.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// The limits of a run: seconds, threads that search on their own, and the R_nc at which all stop.
#[derive(Clone, Copy)]
struct Limits {
    time: f64,
    threads: u64,
    enough: i32,
}

/// Runs a search; returns R_nc, or none without a whole walk, and the processor time of all
/// threads, in seconds.
fn run(instance: &Arc<Instance>, search: Search, seed: u64, limits: Limits) -> (Option<i32>, f64) {
    let stop = &Arc::new(AtomicBool::new(false));
    let begin = Instant::now();
    let alone = move |thread: u64| {
        let before = processor_time(begin);
        let mut found = None;
        let mut note = |walk: &WholeWalk| {
            let worth = walk.r - instance.chain();
            found = Some(worth);
            if worth >= limits.enough {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut best = Incumbent::new(&mut note);
        let deadline = begin + Duration::from_secs_f64(limits.time);
        let mut meter = Meter::new(u64::MAX, Some(deadline)).with_stop(Arc::clone(stop));
        let mut rng = Streams::new(seed).address("solve", thread);
        search(instance, &mut meter, &mut rng, &mut best);
        (found, processor_time(begin) - before)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..limits.threads).map(|thread| scope.spawn(move || alone(thread))).collect();
        let runs = threads.into_iter().map(|thread| thread.join().expect("searches do not panic"));
        runs.reduce(|a, b| (a.0.max(b.0), a.1 + b.1)).unwrap_or((None, 0.0))
    })
}

/// Folds chains until the least known energy is reached.
fn chains(
    chains: &[HpChain],
    only: Option<&str>,
    lay: fn(&str) -> Instance,
    limits: Limits,
    (first, seeds): (u64, u64),
) {
    println!("| chain | n | best known | runs that reach it | energies | processor s of each |");
    println!("|---|---|---|---|---|---|");
    let (_, champion) = SEARCHES[0];
    for chain in chains.iter().filter(|chain| only.is_none_or(|only| only == chain.name)) {
        let instance = Arc::new(lay(chain.sequence));
        let limits = Limits { enough: -chain.energy, ..limits };
        let runs: Vec<(Option<i32>, f64)> =
            (first..first + seeds).map(|seed| run(&instance, champion, seed, limits)).collect();
        let energies: Vec<String> =
            runs.iter().map(|run| (-run.0.unwrap_or(0)).to_string()).collect();
        let reached = runs.iter().filter(|run| run.0 >= Some(-chain.energy)).count();
        let times: Vec<String> = runs.iter().map(|run| format!("{:.1}", run.1)).collect();
        println!(
            "| {} | {} | {} | {reached} of {seeds} | {} | {} |",
            chain.name,
            chain.sequence.len(),
            chain.energy,
            energies.join(", "),
            times.join(", ")
        );
    }
}

/// Folds sequences of a size of the course, by the slides' agent at the slides' budget and by the
/// searches.
fn course_size(size: &str, first: u64, time: f64, seeds: u64, is_alone: bool) {
    let limits = Limits { time, threads: 1, enough: i32::MAX };
    println!("| sequence | uct | s | champion | annealing | replicas | bound | s each |");
    println!("|---|---|---|---|---|---|---|---|");
    for seed in first..first + seeds {
        let Some(instance) = course(size, Charges::Uniform, seed) else { return };
        let instance = Arc::new(instance);
        if is_alone {
            let (found, used) = run(&instance, SEARCHES[0].1, seed, limits);
            let found = found.unwrap_or(-1);
            println!("| {size}?seed={seed} | – | – | {found} | – | – | – | {used:.2} |");
            continue;
        }
        let begin = Instant::now();
        let agent: Search = |instance, meter, rng, best| {
            run_uct(instance, &[0], UctOptions::default(), meter, rng, best);
        };
        let agent = run(&instance, agent, seed, Limits { time: 600.0, ..limits }).0.unwrap_or(-1);
        let agent_time = begin.elapsed().as_secs_f64();
        let found: Vec<String> = SEARCHES
            .iter()
            .map(|(_, search)| run(&instance, *search, seed, limits).0.unwrap_or(-1))
            .map(|worth| worth.to_string())
            .collect();
        println!(
            "| {size}?seed={seed} | {agent} | {agent_time:.1} | {} | {} | {time} |",
            found.join(" | "),
            bounds::best(&instance)
        );
    }
}

/// How close to optimal the best walk of a short run is proved to be. The time is that of branch
/// and bound, which two threads share, by the clock.
fn proofs(size: &str, first: u64, time: f64, seeds: u64) {
    println!("| sequence | R_nc | certified bound | gap | segments | s |");
    println!("|---|---|---|---|---|---|");
    for seed in first..first + seeds {
        let Some(instance) = course(size, Charges::Uniform, seed) else { return };
        let instance = Arc::new(instance);
        let limits = Limits { time: 6.0, threads: 2, enough: i32::MAX };
        let found = run(&instance, SEARCHES[0].1, seed, limits).0.unwrap_or(i32::MIN);
        let begin = Instant::now();
        let deadline = begin + Duration::from_secs_f64(time);
        let mut meter = Meter::new(u64::MAX, Some(deadline));
        let certificate = certify(&instance, found, &mut meter, 2);
        let worth = |walk: Vec<u16>| instance.worth(&walk) - instance.chain();
        let found = certificate.better.map_or(found, worth);
        println!(
            "| {size}?seed={seed} | {found} | {} | {} | {} | {:.1} |",
            certificate.bound,
            certificate.bound - found,
            certificate.nodes,
            begin.elapsed().as_secs_f64()
        );
    }
}

/// Ends the program with a line that says what is wrong with its words.
fn refuse(problem: &str) -> ! {
    eprintln!("champion: {problem}");
    std::process::exit(2)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "-h" || word == "--help") {
        print!("{USAGE}");
        return;
    }
    if let Some(word) = words.get(5) {
        refuse(&format!("“{word}” is a word too many; --help lists them"));
    }
    let wanted = words.first().map(String::as_str);
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let is_size = |name: &str| course(name, Charges::Uniform, 1).is_some();
    let groups = ["plane", "space", "dense", "sparse", "proofs", "counts"];
    if let Some(wanted) = wanted.filter(|wanted| !groups.contains(wanted) && !is_size(wanted)) {
        refuse(&format!("“{wanted}” is none of {}, nor a size like L16_s02", groups.join(", ")));
    }
    let time = |usual: f64| {
        words.get(1).map_or(usual, |word| {
            let seconds = word.parse().ok().filter(|seconds| (0.1..=1e6).contains(seconds));
            seconds.unwrap_or_else(|| {
                refuse(&format!("“{word}” is no number of seconds from 0.1 to 1000000"))
            })
        })
    };
    let number = |place: usize| {
        words.get(place).map(|word| {
            let number = word.parse::<u64>().ok().filter(|number| (1..=1_000_000).contains(number));
            number.unwrap_or_else(|| {
                refuse(&format!("“{word}” is no whole number from 1 to 1000000"))
            })
        })
    };
    let (seeds, first) = (number(2).unwrap_or(5), number(3).unwrap_or(1));
    let two = Limits { time: time(60.0), threads: 2, enough: i32::MAX };
    let only = words.get(4).map(String::as_str);
    let plane = |chain: &str| Instance::hp_in_the_plane(chain).expect("a chain");
    let space = |chain: &str| Instance::hp_in_space(chain).expect("a chain");
    if is_wanted("plane") {
        chains(HP_CHAINS, only, plane, two, (first, seeds));
    }
    if is_wanted("space") {
        chains(HP_CHAINS_IN_SPACE, only, space, two, (first, seeds));
    }
    let is_alone = only == Some("alone");
    if is_wanted("dense") {
        course_size("L16_s02", first, time(10.0), seeds, is_alone);
    }
    if is_wanted("sparse") {
        course_size("L64_s01", first, time(1.0), seeds, is_alone);
    }
    if wanted == Some("proofs") {
        proofs("L08_s03", first, time(600.0), seeds);
        proofs("L08_s02", first, time(600.0), seeds);
    }
    if wanted == Some("counts") {
        match only {
            Some("check") => counts::print_check(Duration::from_secs_f64(time(5.0))),
            size => {
                let size = size.unwrap_or("L16_s02");
                if !is_size(size) || size.starts_with("L64") {
                    refuse(&format!(
                        "the walks of “{size}” are not counted; those of L08_s03 or L16_s02 are, \
                         or `check`"
                    ));
                }
                counts::print_counts(size, first, Duration::from_secs_f64(time(300.0)), seeds);
            }
        }
    }
    if let Some(size) = wanted.filter(|wanted| wanted.starts_with('L')) {
        course_size(size, first, time(10.0), seeds, is_alone);
    }
}
