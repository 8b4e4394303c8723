//! Rounds of Random on 35×35 with nine players, on one core: through the rules alone
//! and through the match loop. The baseline is a plain twin of the rules, cells as a
//! `Vec<Vec<bool>>` a unit and meetings by comparing all pairs, on the same draws.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::{Entry, MatchStart, Player, Rng, Rules, Scenario, Seat, Setup, Turn, play};
use quintain_gather::{Gather, Move, entry};

const ROUNDS: u32 = 10_000;

/// Plays rounds through the rules; returns the greatest number of units held.
fn by_rules(built: &Scenario<Gather>, seed: u64) -> usize {
    let mut rng = Rng::from_seed(seed);
    let rules = built.rules();
    let mut state = built.start(&mut rng.clone());
    let mut joint = Vec::new();
    while state.round() < ROUNDS && rules.turn(&state) == Turn::Simultaneous {
        joint.clear();
        joint.extend(Seat::all(9).map(|seat| rules.random_action(&state, seat, &mut rng)));
        rules.step(&mut state, &joint);
    }
    Seat::all(9).map(|seat| state.holdings(seat).count()).max().unwrap_or(0)
}

/// The same by pairs and bools.
fn plain(built: &Scenario<Gather>, seed: u64) -> usize {
    let mut rng = Rng::from_seed(seed);
    let start = built.start(&mut rng.clone());
    let torus = built.rules().torus();
    let mut at: Vec<_> = Seat::all(9).map(|seat| start.cell_of(seat)).collect();
    let mut holds: Vec<Vec<bool>> =
        (0..9).map(|seat| (0..9).map(|u| u == seat).collect()).collect();
    let mut trails = vec![vec![false; 9]; torus.area()];
    for _ in 0..ROUNDS {
        for cell in &mut at {
            *cell = torus.after(*cell, Move::ALL[rng.below(9)]);
        }
        for one in 0..9 {
            for other in 0..9 {
                if at[one] == at[other] {
                    for unit in 0..9 {
                        let either = holds[one][unit] || holds[other][unit];
                        holds[one][unit] = either;
                        holds[other][unit] = either;
                    }
                }
            }
        }
        for seat in 0..9 {
            for unit in 0..9 {
                trails[torus.index(at[seat])][unit] |= holds[seat][unit];
            }
        }
        if holds.iter().any(|held| held.iter().all(|has| *has)) {
            break;
        }
    }
    std::hint::black_box(&trails);
    holds.iter().map(|held| held.iter().filter(|has| **has).count()).max().unwrap_or(0)
}

fn rounds(criterion: &mut Criterion) {
    let build = |scenario: &str| Entry::build(&entry(), scenario).expect("known").0;
    let built = build("course?board=35x35&players=9");
    let rules = built.rules();
    for seed in 0..20 {
        assert_eq!(by_rules(&built, seed), plain(&built, seed), "the twins play alike");
    }
    // The player-moves per run differ by seed, so the seed is fixed.
    let mut state = built.start(&mut Rng::from_seed(1));
    let mut rng = Rng::from_seed(2);
    let mut joint = [Move::Stay; 9];
    let mut group = criterion.benchmark_group("gather 35x35 N=9 random");
    group.throughput(Throughput::Elements(9 * 1000));
    group.bench_function("rules", |b| {
        b.iter(|| {
            for _ in 0..1000 {
                for (seat, to) in Seat::all(9).zip(&mut joint) {
                    *to = rules.random_action(&state, seat, &mut rng);
                }
                rules.step(&mut state, &joint);
            }
        })
    });
    group.finish();
    let mut group = criterion.benchmark_group("gather 35x35 N=9 whole games");
    group.bench_function("rules", |b| b.iter(|| by_rules(&built, 3)));
    group.bench_function("plain twin", |b| b.iter(|| plain(&built, 3)));
    group.finish();
}

/// Whole matches through the match loop, observations, players and all.
fn matches(criterion: &mut Criterion) {
    let entry = entry();
    let (built, scenario) = entry.build("course?board=35x35&players=5").expect("known");
    let rules = built.rules().clone();
    let mut group = criterion.benchmark_group("gather 35x35 N=5 ten matches");
    for player in ["random", "hybrid", "champion"] {
        group.bench_function(player, |b| {
            b.iter(|| {
                let mut rounds = 0.0;
                for seed in 0..10 {
                    let mut players: Vec<Box<dyn Player<Gather>>> = (0..5)
                        .map(|_| entry.build_player(player, &rules).expect("known"))
                        .collect();
                    let setup = Setup::new(seed);
                    let match_start = MatchStart::new("gather", &scenario, 5);
                    let played =
                        play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
                    rounds += played.outcome.scores[0];
                }
                rounds
            })
        });
    }
    group.finish();
}

criterion_group!(benches, rounds, matches);
criterion_main!(benches);
