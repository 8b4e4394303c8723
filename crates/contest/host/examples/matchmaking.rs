//! Number of matches until the ladder has the true order, for different ways of choosing matches:
//! `cargo run --release -p quintain-host --example matchmaking`.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation::{Scheme, matches_until};

/// Different seeds from those with which the ladder's way was chosen.
const FIRST_SEED: u64 = 1000;

fn main() {
    print_table();
}

fn print_table() {
    let (participants, runs) = (100, 8);
    println!("{participants} participants, strengths normal with σ = 300 points, {runs} runs");
    println!("| matches chosen by | τ ≥ 0.80 | τ ≥ 0.90 | τ ≥ 0.95 |\n|---|---|---|---|");
    for scheme in Scheme::ALL {
        let mut sums = [0.0; 3];
        for seed in FIRST_SEED..FIRST_SEED + runs {
            let counts = matches_until(scheme, participants, &[0.80, 0.90, 0.95], seed, 60_000);
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count.map_or(f64::INFINITY, |count| count as f64) / runs as f64;
            }
        }
        let cells: Vec<String> = sums.iter().map(|sum| format!("{sum:.0}")).collect();
        println!("| {} | {} |", scheme.name(), cells.join(" | "));
    }
}
