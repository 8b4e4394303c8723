//! The champion's figures in `docs/polymer.md`, measured again: `just champion polymer`, or
//! `cargo run --release -p quintain-polymer --example champion -- [plane|space|dense|sparse]
//! [SECONDS] [SEEDS]`. Rows are Markdown; what a row stops at is named in its head.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_polymer::{
    Charges, Cooling, HP_CHAINS, HP_CHAINS_IN_SPACE, HpChain, Incumbent, Instance, UctOptions,
    WholeWalk, anneal, bounds, champion, course, exchange, run_uct,
};

/// A search as the examples call it.
type Search = fn(&Arc<Instance>, &mut Meter, &mut Rng, &mut Incumbent<'_>);

const SEARCHES: [(&str, Search); 3] = [
    ("champion", |instance, meter, rng, best| champion(instance, &[0], meter, rng, best)),
    ("annealing", |instance, meter, rng, best| {
        anneal(instance, None, Cooling::for_instance(instance), meter, rng, best);
    }),
    ("replicas", |instance, meter, rng, best| {
        let temperatures: Vec<f64> =
            (0..8).map(|replica| 0.25 * 4.8f64.powf(f64::from(replica) / 7.0)).collect();
        exchange(instance, &temperatures, meter, rng, best);
    }),
];

/// A run: R_nc, or none without a whole walk, and the seconds after which it was found.
fn run(
    instance: &Arc<Instance>,
    search: Search,
    seed: u64,
    time: f64,
    enough: i32,
) -> (Option<i32>, f64) {
    let stop = Arc::new(AtomicBool::new(false));
    let begin = Instant::now();
    let mut found = (None, 0.0);
    let mut note = |walk: &WholeWalk| {
        let worth = walk.r - instance.chain();
        found = (Some(worth), begin.elapsed().as_secs_f64());
        stop.store(worth >= enough, Ordering::Relaxed);
    };
    let mut best = Incumbent::new(&mut note);
    let deadline = begin + Duration::from_secs_f64(time);
    let mut meter = Meter::new(u64::MAX, Some(deadline)).with_stop(Arc::clone(&stop));
    search(instance, &mut meter, &mut Rng::from_seed(seed), &mut best);
    found
}

/// Chains with the least energy known, until it is reached.
fn chains(
    chains: &[HpChain],
    shortest: usize,
    lay: fn(&str) -> Instance,
    searches: &[&str],
    time: f64,
    seeds: u64,
) {
    println!("| chain | n | best known | search | runs that reach it | energies | median s |");
    println!("|---|---|---|---|---|---|---|");
    for chain in chains.iter().filter(|chain| chain.sequence.len() >= shortest) {
        let instance = Arc::new(lay(chain.sequence));
        for (name, search) in SEARCHES.iter().filter(|(name, _)| searches.contains(name)) {
            let runs: Vec<(Option<i32>, f64)> = (1..=seeds)
                .map(|seed| run(&instance, *search, seed, time, -chain.energy))
                .collect();
            let energies: Vec<i32> = runs.iter().map(|run| -run.0.unwrap_or(0)).collect();
            let reached = energies.iter().filter(|energy| **energy <= chain.energy).count();
            let mut times: Vec<f64> = runs.iter().map(|run| run.1).collect();
            times.sort_by(f64::total_cmp);
            println!(
                "| {} | {} | {} | {name} | {reached} of {seeds} | {energies:?} | {:.2} |",
                chain.name,
                chain.sequence.len(),
                chain.energy,
                times[times.len() / 2]
            );
        }
    }
}

/// Sequences of a size of the course: the slides' agent at the slides' budget, and the searches.
fn course_size(size: &str, first: u64, time: f64, seeds: u64, with_agent: bool) {
    println!("| sequence | uct | s | champion | annealing | replicas | bound | s each |");
    println!("|---|---|---|---|---|---|---|---|");
    for seed in first..first + seeds {
        let Some(instance) = course(size, Charges::Uniform, seed) else { return };
        let instance = Arc::new(instance);
        let begin = Instant::now();
        let agent: Search = |instance, meter, rng, best| {
            run_uct(instance, &[0], UctOptions::default(), meter, rng, best);
        };
        let agent = match with_agent {
            true => run(&instance, agent, seed, 600.0, i32::MAX).0.unwrap_or(-1),
            false => -1,
        };
        let agent_time = begin.elapsed().as_secs_f64();
        let found: Vec<String> = SEARCHES
            .iter()
            .map(|(_, search)| run(&instance, *search, seed, time, i32::MAX).0.unwrap_or(-1))
            .map(|worth| worth.to_string())
            .collect();
        println!(
            "| {size}?seed={seed} | {agent} | {agent_time:.1} | {} | {} | {time} |",
            found.join(" | "),
            bounds::best(&instance)
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wanted = words.first().map(String::as_str);
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let time = |usual: f64| words.get(1).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let seeds = |usual: u64| words.get(2).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let plane = |chain: &str| Instance::hp_in_the_plane(chain).expect("a chain");
    let space = |chain: &str| Instance::hp_in_space(chain).expect("a chain");
    if is_wanted("plane") {
        chains(HP_CHAINS, 0, plane, &["champion"], time(60.0), seeds(5));
    }
    if wanted == Some("long") {
        chains(HP_CHAINS, 100, plane, &["champion", "replicas"], time(60.0), seeds(5));
    }
    if is_wanted("space") {
        chains(HP_CHAINS_IN_SPACE, 0, space, &["champion"], time(60.0), seeds(5));
    }
    if wanted == Some("space-all") {
        chains(HP_CHAINS_IN_SPACE, 0, space, &["champion", "replicas"], time(60.0), seeds(5));
    }
    if is_wanted("dense") {
        course_size("L16_s02", 1, time(10.0), seeds(5), true);
    }
    if is_wanted("sparse") {
        course_size("L64_s01", 1, time(1.0), seeds(5), true);
    }
}
