//! The champion's figures in `docs/pentocity-champion.md`, measured again: `just champion
//! pentocity`. It measures players on distributions, on seeds that none was tuned on: mean
//! with 95 % interval, the least, time a game, roads, water and park, their utility, what stays empty, and a
//! bound: every building touches a pond and a field, of which no cell has more than 2½
//! sides to be touched on (four cells of a pond have ten), and nothing else is laid.
//!
//! `cargo run --release -p quintain-pentocity --example champion -- [SEEDS SCENARIOS PLAYER…]`
//! with scenarios joined by commas, or `class` for the 15 of the class; without arguments 40,
//! class and the champion. Settings are chosen on other seeds: SEEDS is a number, or
//! `FIRST+NUMBER`.

use std::time::Instant;

use quintain_core::{MatchStart, Setup, play};
use quintain_pentocity::BONUS;
use quintain_pentocity::entry;

/// The first seed: none of these was used to choose a weight.
const FRESH: u64 = 1_000_000;

const CLASS: &str =
    "random,tailheavy,industrialization,misfits,stars,tanks,g1,g2,g3,g4,g5,g6,g8,g9,g10";

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments = ["40", "class", "champion"].map(str::to_owned).to_vec();
    }
    let [seeds, scenarios, players @ ..] = arguments.as_slice() else {
        eprintln!("usage: champion [SEEDS SCENARIOS PLAYER…]");
        std::process::exit(2);
    };
    let (first, seeds) = seeds.split_once('+').unwrap_or(("", seeds));
    let first: u64 = if first.is_empty() { FRESH } else { first.parse().expect("a first seed") };
    let seeds: u64 = seeds.parse().expect("a number of seeds");
    let scenarios = if scenarios == "class" { CLASS } else { scenarios };
    let entry = entry();
    println!(
        "| scenario | player | mean ± 95 % | least | s a game | roads | water + park | utility | empty | \
         bonuses a building | bound |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for scenario in scenarios.split(',') {
        for player in players {
            let (built, canonical) = entry.build(scenario).unwrap_or_else(|e| panic!("{e}"));
            let rules = built.rules().clone();
            let begin = Instant::now();
            let mut scores = Vec::new();
            let mut sums = [0.0; 6];
            for seed in first..first + seeds {
                let seated = entry.build_player(player, &rules).unwrap_or_else(|e| panic!("{e}"));
                let match_start = MatchStart::new("pentocity", &canonical, 1);
                let setup = Setup::new(seed);
                let played = play(built.clone(), &match_start, &setup, &mut [seated], &mut |_| {});
                let outcome = played.outcome;
                assert!(outcome.fault.is_none(), "{:?}", outcome.fault);
                scores.push(outcome.scores[0]);
                let of = |name: &str| outcome.metrics.get(name).copied().unwrap_or(0.0);
                let wet = of("water cells") + of("park cells");
                let built = of("residences") + of("factories");
                let land = (rules.side() * rules.side()) as f64;
                let size = (land - of("road cells") - wet - of("empty cells")) / built;
                let bonuses = f64::from(2 * BONUS);
                let figures = [
                    of("road cells"),
                    wet,
                    of("utility of water/park cells"),
                    of("empty cells"),
                    of("bonuses") / built,
                    land * (size + bonuses) / (size + 2.0 / 2.5),
                ];
                sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            }
            let n = seeds as f64;
            let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let mean = scores.iter().sum::<f64>() / n;
            let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let [roads, wet, utility, empty, bonuses, bound] = sums.map(|sum| sum / n);
            println!(
                "| {scenario} | {} | {mean:.0} ± {:.0} | {least:.0} | {:.3} | {roads:.0} | {wet:.0} | \
                 {utility:.2} | {empty:.0} | {bonuses:.2} | {bound:.0} |",
                player.get(..40).unwrap_or(player),
                1.96 * (variance / n).sqrt(),
                begin.elapsed().as_secs_f64() / n,
            );
        }
    }
}
