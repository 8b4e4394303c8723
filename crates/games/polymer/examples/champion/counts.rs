//! How many walks of a sequence there are for each R_nc, estimated, and a limit of R that follows
//! from it: at a low temperature, the best walk alone would be a large part of the partition
//! function. So this tells how much better than the best known the best walk can be, where proofs
//! are out of reach.
//!
//! Replicas change at temperatures from infinity down, by moves that keep detailed balance, and
//! swap them. The values seen at each temperature are joined by the multiple-histogram method
//! (Ferrenberg & Swendsen 1989). That leaves one factor open, which is the number of all walks: it
//! is estimated by sequential Monte Carlo (Garel & Orland 1990), which grows many walks at once,
//! monomer by monomer, and draws from them in proportion to their free neighbours. Estimates are as
//! good as the replicas are at equilibrium; round trips from the hottest temperature to the coldest
//! and back say how well they mix.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Rng, Streams};
use quintain_polymer::{Charges, Fold, Instance, Interaction, MoveMix, Torus, course, snake};
use quintain_search::annealing::{Landscape, Metropolis};
use quintain_search::replica_exchange::swap_neighbours;

/// How many replicas there are, and the inverse temperature 1/T of the coldest; the others are
/// spread evenly down to 0.
const REPLICAS: usize = 24;
const COLDEST_BETA: f64 = 4.0;

/// The inverse temperatures from which limits of R are estimated.
const BETAS: [f64; 2] = [3.0, 4.0];

/// How many walks look alike on a square torus, turned and mirrored.
const IMAGES: f64 = 8.0;

/// Moves of a replica between two samples, after each of which neighbours may swap.
const MOVES: u32 = 256;

/// Parts of a run, one after the other, from which standard errors are estimated.
const PARTS: usize = 4;

/// A run with fewer round trips is too short: its limits may be lower than walks that are known.
const TRIPS: usize = 20;

/// Walks that are grown at once to estimate how many there are.
const GROWN: usize = 10_000;

/// The inverse temperature of each replica, the coldest first.
fn betas() -> [f64; REPLICAS] {
    let step = COLDEST_BETA / (REPLICAS - 1) as f64;
    std::array::from_fn(|k| step * (REPLICAS - 1 - k) as f64)
}

/// ln of a sum, from the logarithms of what is added.
fn ln_sum(logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
    most + logarithms.map(|one| (one - most).exp()).sum::<f64>().ln()
}

/// ln of the number of all walks from one cell, estimated.
fn ln_walks(instance: &Instance, rng: &mut Rng) -> f64 {
    let torus = instance.torus();
    let mut walks = vec![vec![0u16]; GROWN];
    let mut total = 0.0;
    for _ in 1..instance.len() {
        let ways = |walk: &Vec<u16>| -> Vec<u16> {
            let head = usize::from(walk[walk.len() - 1]);
            let mut ways = torus.next(head).to_vec();
            ways.retain(|cell| !walk.contains(cell));
            ways
        };
        let ways: Vec<Vec<u16>> = walks.iter().map(ways).collect();
        let all: usize = ways.iter().map(Vec::len).sum();
        assert!(all > 0, "all {GROWN} walks are dead ends");
        total += (all as f64 / GROWN as f64).ln();
        // Walks are drawn at equal distances along all the ways, so that chance adds as little as
        // possible.
        let offset = rng.unit();
        let (mut walk, mut end) = (0, ways[0].len());
        let draw = |place: usize| {
            let at = ((place as f64 + offset) / GROWN as f64 * all as f64) as usize;
            while end <= at.min(all - 1) {
                walk += 1;
                end += ways[walk].len();
            }
            let mut longer = walks[walk].clone();
            longer.push(ways[walk][rng.below(ways[walk].len())]);
            longer
        };
        walks = (0..GROWN).map(draw).collect();
    }
    total
}

/// How often each replica had each R.
type Seen = Vec<BTreeMap<i64, f64>>;

/// Walks of a sequence at temperatures that neighbours swap, the coldest first.
struct Replicas {
    temperatures: [f64; REPLICAS],
    /// The walks, each with its number.
    walks: Vec<(usize, Fold)>,
    /// Whether a walk has reached the hottest temperature, and the coldest after that.
    reached: [[bool; 2]; REPLICAS],
    /// How often a walk went from the hottest temperature to the coldest and back.
    trips: usize,
    rounds: usize,
}

impl Replicas {
    fn new(instance: &Arc<Instance>) -> Replicas {
        let n = instance.len();
        let walk = snake(instance.torus(), n);
        let fold = Fold::new(Arc::clone(instance), &walk, MoveMix::balanced(n));
        Replicas {
            temperatures: betas().map(f64::recip),
            walks: (0..REPLICAS).map(|k| (k, fold.clone())).collect(),
            reached: [[false; 2]; REPLICAS],
            trips: 0,
            rounds: 0,
        }
    }

    /// Lets walks change for some time.
    fn run(&mut self, time: Duration, rng: &mut Rng) -> Seen {
        let rules = self.temperatures.map(Metropolis::at);
        let mut seen = vec![BTreeMap::new(); REPLICAS];
        let begin = Instant::now();
        loop {
            for ((_, fold), (rule, seen)) in self.walks.iter_mut().zip(rules.iter().zip(&mut seen))
            {
                for _ in 0..MOVES {
                    fold.attempt(rule, rng);
                }
                *seen.entry(fold.value()).or_default() += 1.0;
            }
            let worth = |(_, fold): &(usize, Fold)| fold.value();
            swap_neighbours(&mut self.walks, &self.temperatures, self.rounds, rng, worth);
            self.rounds += 1;
            let (cold, hot) = (self.walks[0].0, self.walks[REPLICAS - 1].0);
            self.reached[cold][1] = self.reached[cold][0];
            self.trips += usize::from(self.reached[hot][1]);
            self.reached[hot] = [true, false];
            if begin.elapsed() >= time {
                return seen;
            }
        }
    }
}

/// What the replicas saw.
struct Samples {
    /// What they had in each part of the run.
    parts: Vec<Seen>,
    /// How often a walk went from the hottest temperature to the coldest and back.
    trips: usize,
}

/// Lets replicas change for some time, a tenth of which is not counted.
fn sample(instance: &Arc<Instance>, time: Duration, rng: &mut Rng) -> Samples {
    let mut replicas = Replicas::new(instance);
    replicas.run(time / 10, rng);
    replicas.trips = 0;
    let part = (time - time / 10) / PARTS as u32;
    let parts = (0..PARTS).map(|_| replicas.run(part, rng)).collect();
    Samples { parts, trips: replicas.trips }
}

/// ln of the partition function at an inverse temperature, from ln of the number of walks of each
/// R.
fn ln_partition(counts: &[(i64, f64)], beta: f64) -> f64 {
    ln_sum(counts.iter().map(|(r, count)| count + beta * *r as f64))
}

/// ln of the number of walks of each R that was seen in some parts of a run, if there are
/// exp(`all`) walks.
fn reweight(parts: &[Seen], all: f64) -> Vec<(i64, f64)> {
    let mut visits: BTreeMap<i64, f64> = BTreeMap::new();
    let mut sizes = [0.0; REPLICAS];
    for part in parts {
        for (seen, size) in part.iter().zip(&mut sizes) {
            for (r, seen) in seen {
                *visits.entry(*r).or_default() += seen;
                *size += seen;
            }
        }
    }
    let (betas, sizes) = (betas(), sizes.map(f64::ln));
    // ln of each replica's partition function. The last replica's is that of all walks.
    let mut partition = [0.0; REPLICAS];
    loop {
        let counted = visits.iter().map(|(r, visits)| {
            let expected = (0..REPLICAS).map(|k| sizes[k] + betas[k] * *r as f64 - partition[k]);
            (*r, visits.ln() - ln_sum(expected))
        });
        let mut counts: Vec<(i64, f64)> = counted.collect();
        let total = ln_partition(&counts, 0.0);
        counts.iter_mut().for_each(|(_, count)| *count += all - total);
        let mut change = 0.0_f64;
        for (partition, beta) in partition.iter_mut().zip(betas) {
            let new = ln_partition(&counts, beta);
            change = change.max((new - *partition).abs());
            *partition = new;
        }
        if change < 1e-6 {
            // Values that were seen have at least one walk with its images.
            counts.iter_mut().for_each(|(_, count)| *count = count.max(IMAGES.ln()));
            return counts;
        }
    }
}

/// A limit of R, as far as the counts are right: the best walk and its images alone add
/// [`IMAGES`]·exp(beta·R) to the partition function.
fn limit(counts: &[(i64, f64)], beta: f64) -> f64 {
    (ln_partition(counts, beta) - IMAGES.ln()) / beta
}

/// The standard error of the mean of estimates, as if they were independent.
fn standard_error(estimates: &[f64]) -> f64 {
    let count = estimates.len() as f64;
    let mean = estimates.iter().sum::<f64>() / count;
    let squares: f64 = estimates.iter().map(|one| (one - mean).powi(2)).sum();
    (squares / (count - 1.0) / count).sqrt()
}

/// A row of the table: how many walks have the greatest values of R_nc that were seen, and
/// estimated limits of R_nc.
fn table_row(name: &str, instance: &Arc<Instance>, time: Duration, seed: u64) -> String {
    let mut rng = Streams::new(1).address("counts", seed);
    // Each part has its own estimate of the number of all walks, so that errors include its error.
    let all = [(); PARTS].map(|()| ln_walks(instance, &mut rng));
    let samples = sample(instance, time, &mut rng);
    let of_part = |(part, all)| reweight(std::slice::from_ref(part), all);
    let parts: Vec<Vec<(i64, f64)>> = samples.parts.iter().zip(all).map(of_part).collect();
    let all = all.iter().sum::<f64>() / PARTS as f64;
    let counts = reweight(&samples.parts, all);
    let chain = i64::from(instance.chain());
    let last: Vec<String> = counts[counts.len().saturating_sub(6)..]
        .iter()
        .map(|(r, count)| format!("{}: {count:.1}", r - chain))
        .collect();
    let limits = BETAS.map(|beta| {
        let of_parts: Vec<f64> = parts.iter().map(|counts| limit(counts, beta)).collect();
        let limit = limit(&counts, beta) - chain as f64;
        format!("{limit:.1} ± {:.2}", standard_error(&of_parts))
    });
    let too_few = if samples.trips < TRIPS { " (too few: run longer)" } else { "" };
    format!(
        "| {name} | {all:.1} | {} | {} | {}{too_few} |",
        last.join(", "),
        limits.join(" | "),
        samples.trips
    )
}

/// Counts the walks on from `walk` by R.
fn count_one_by_one(instance: &Instance, walk: &mut Vec<u16>, counts: &mut BTreeMap<i64, u64>) {
    if walk.len() == instance.len() {
        *counts.entry(i64::from(instance.worth(walk))).or_default() += 1;
        return;
    }
    let ways = instance.torus().next(usize::from(walk[walk.len() - 1])).to_vec();
    for cell in ways {
        if !walk.contains(&cell) {
            walk.push(cell);
            count_one_by_one(instance, walk, counts);
            walk.pop();
        }
    }
}

/// Prints estimates for tori whose walks can be counted one by one, beside their numbers.
pub fn print_check(time: Duration) {
    println!("| torus | monomers | R: ln of the number of walks, and of the estimate |");
    println!("|---|---|---|");
    for (width, height, n) in [(5, 5, 12), (5, 5, 16), (6, 6, 12), (8, 8, 12), (16, 16, 12)] {
        let monomers: Vec<i8> = (0..n).map(|k| [1, -1, 0, -1, 1, 1, -1][k * k % 7]).collect();
        let torus = Torus::new(width, height).expect("a torus");
        let instance =
            Arc::new(Instance::new(torus, Interaction::Charge, monomers).expect("a chain"));
        let mut exact = BTreeMap::new();
        count_one_by_one(&instance, &mut vec![0], &mut exact);
        let mut rng = Rng::from_seed(1);
        let all = ln_walks(&instance, &mut rng);
        let samples = sample(&instance, time, &mut rng);
        let estimate: BTreeMap<i64, f64> = reweight(&samples.parts, all).into_iter().collect();
        let cells: Vec<String> = exact
            .iter()
            .map(|(r, count)| {
                let estimate =
                    estimate.get(r).map_or("not seen".to_owned(), |ln| format!("{ln:.2}"));
                format!("{r}: {:.2}, {estimate}", (*count as f64).ln())
            })
            .collect();
        println!("| {width}×{height} | {n} | {} |", cells.join("; "));
    }
}

/// Prints the table of some sequences, two of which are sampled at a time.
pub fn print_counts(size: &str, first: u64, time: Duration, seeds: u64) {
    let limits = BETAS.map(|beta| format!("estimated limit, T = 1/{beta}")).join(" | ");
    println!(
        "| sequence | ln of all walks | R_nc: ln of the number of walks | {limits} | round trips |"
    );
    println!("|---|---|---|{}---|", "---|".repeat(BETAS.len()));
    let all: Vec<u64> = (first..first + seeds).collect();
    for two in all.chunks(2) {
        let rows = std::thread::scope(|scope| {
            let start = |seed: &u64| {
                let seed = *seed;
                scope.spawn(move || {
                    let instance =
                        course(size, Charges::Uniform, seed).expect("a size of the course");
                    table_row(&format!("{size}?seed={seed}"), &Arc::new(instance), time, seed)
                })
            };
            let running: Vec<_> = two.iter().map(start).collect();
            running.into_iter().map(|row| row.join().expect("a row")).collect::<Vec<_>>()
        });
        println!("{}", rows.join("\n"));
    }
}
