//! Playouts with the reachable-cells check on 16×16 with 204 monomers, beside the plain
//! copy-and-flood twin; and attempted moves of annealing there.

#[path = "../tests/plain/mod.rs"]
mod plain;

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::Rng;
use quintain_polymer::{Charges, course};
use quintain_polymer::{Cooling, Fold, PlayoutWalk, UctOptions, snake};
use quintain_search::annealing::{Landscape, Metropolis};

fn playouts(criterion: &mut Criterion) {
    let instance = Arc::new(course("L16_s01", Charges::Uniform, 1).expect("a known size"));
    let start = vec![vec![false; 16]; 16];
    let mut group = criterion.benchmark_group("polymer L16_s01 playout");
    group.sample_size(20);
    let mut line: PlayoutWalk =
        PlayoutWalk::new(Arc::clone(&instance), &[0], UctOptions::default());
    let mut rng = Rng::from_seed(1);
    group.bench_function("arcs and undo", |b| b.iter(|| line.try_playout(&mut rng)));
    let mut rng = Rng::from_seed(1);
    group.bench_function("plain copy and flood", |b| {
        b.iter(|| plain::random_walk(&instance, &start, &mut rng));
    });
    group.finish();
}

fn moves(criterion: &mut Criterion) {
    const MOVES: u64 = 100_000;
    let instance = Arc::new(course("L16_s01", Charges::Uniform, 1).expect("a known size"));
    let walk = snake(instance.torus(), instance.len());
    let mix = Cooling::for_instance(&instance).mix;
    let mut fold: Fold = Fold::new(Arc::clone(&instance), &walk, mix);
    let mut rng = Rng::from_seed(1);
    let mut group = criterion.benchmark_group("polymer L16_s01 annealing");
    group.throughput(Throughput::Elements(MOVES));
    for temperature in [0.8, 0.3] {
        let metropolis = Metropolis::at(temperature);
        // To reach the usual state at this temperature.
        (0..3_000_000).for_each(|_| fold.attempt(&metropolis, &mut rng));
        group.bench_function(format!("moves at T {temperature}"), |b| {
            b.iter(|| (0..MOVES).for_each(|_| fold.attempt(&metropolis, &mut rng)));
        });
    }
    group.finish();
}

criterion_group!(benches, playouts, moves);
criterion_main!(benches);
