//! Standings over a million results, from counting the first result to the last rating.

use criterion::{Criterion, criterion_group, criterion_main};
use quintain_core::{Objective, Scoring, split_mix};
use quintain_standings::{MatchResult, ScoringRule, StandingsBuilder};
use std::hint::black_box;

const RESULTS: u64 = 1_000_000;

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{prefix}{at}")).collect()
}

/// A million matches of two seats between 20 players on 23 scenarios, half of them drawn.
fn versus() -> StandingsBuilder {
    let (players, scenarios) = (names("tron/territory?depth=", 20), names("tron:map", 23));
    let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial };
    let mut tally = StandingsBuilder::new(rule);
    for seed in 0..RESULTS {
        let bits = split_mix(seed);
        let (a, b) = (bits as usize % 20, (bits >> 8) as usize % 19);
        let b = (a + 1 + b) % 20;
        let first = [0.5, 0.5, 0.0, 1.0][(bits >> 16) as usize % 4];
        let result = MatchResult {
            scenario: &scenarios[(bits >> 24) as usize % 23],
            seed,
            players: &[&players[a], &players[b]],
            scores: &[first, 1.0 - first],
            fault: None,
            truncated: false,
            ending: "over",
        };
        tally.add(&result).expect("the result is sound");
    }
    tally
}

/// A million matches of one seat: 20 players, each on the same 50 000 seeds over 23 scenarios.
fn solo() -> StandingsBuilder {
    let (players, scenarios) = (names("hextris/greedy?depth=", 20), names("hextris:problem", 23));
    let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };
    let mut tally = StandingsBuilder::new(rule);
    for at in 0..RESULTS {
        let seed = at / 20;
        let result = MatchResult {
            scenario: &scenarios[split_mix(seed) as usize % 23],
            seed,
            players: &[&players[at as usize % 20]],
            scores: &[(split_mix(at) % 10_000) as f64],
            fault: None,
            truncated: false,
            ending: "over",
        };
        tally.add(&result).expect("the result is sound");
    }
    tally
}

fn standings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("standings of a million results");
    group.sample_size(10);
    group.bench_function("versus", |bencher| bencher.iter(|| black_box(versus().standings())));
    group.bench_function("score", |bencher| bencher.iter(|| black_box(solo().standings())));
    // The part of it that decides who differs.
    for (name, tally) in [("versus, pairs alone", versus()), ("score, pairs alone", solo())] {
        let compare = |tally: &StandingsBuilder| tally.compare_players().1.undecided().len();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(compare(&tally))));
    }
    group.finish();
}

criterion_group!(benches, standings);
criterion_main!(benches);
