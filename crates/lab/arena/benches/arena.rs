//! What the arena adds to the cost of a match: playing alone, writing a record, storing it, and
//! whole tournaments on one and two threads. Figures: docs/performance.md.
//!
//! `cargo bench -p quintain-arena --bench arena`

#[path = "../tests/arena/count.rs"]
#[allow(dead_code)]
mod count;

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use quintain_arena::{RunOptions, Schedule, Tournament, run};
use quintain_store::{RecordRow, Store};

/// The number of matches in a whole run.
const MATCHES: u64 = 40_000;
/// Iterations of a turn's loop that make a match cost about 20 µs.
const WORK: u32 = 6_000;

fn tournament(work: u32, matches: u64) -> Tournament {
    let text = format!(
        "name = 'bench'\ngame = 'count'\nscenarios = ['table?work={work}']\n\
         players = ['random', 'steady']\nseeds = {}",
        matches / 2
    );
    Tournament::parse(&text, "bench.toml", &count::catalog()).unwrap()
}

/// Plays all matches of a schedule on that many threads and keeps none.
fn play_all(schedule: &Schedule, threads: usize) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let stop = Arc::new(AtomicBool::new(false));
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= schedule.len() {
                        return;
                    }
                    black_box(schedule.play(index, &stop).unwrap());
                }
            });
        }
    });
}

/// The time of a run into a new store on disk.
fn run_all(tournament: &Tournament, threads: usize) -> Duration {
    let directory = tempfile::tempdir().unwrap();
    let mut store = Store::open(&directory.path().join("store.db")).unwrap();
    let options = RunOptions { threads, stop: Arc::default() };
    let begun = Instant::now();
    let summary = run(tournament, &mut store, &options, &mut |_| {}).unwrap();
    let elapsed = begun.elapsed();
    assert_eq!(summary.played, tournament.schedule().len());
    elapsed
}

fn one_match(criterion: &mut Criterion) {
    let tournament = tournament(0, MATCHES);
    let schedule = tournament.schedule();
    let stop = Arc::new(AtomicBool::new(false));
    let mut group = criterion.benchmark_group("one trivial match");
    let mut index = 0;
    let mut next = || {
        index = (index + 1) % MATCHES;
        index
    };
    group.bench_function("fixture and id", |bench| bench.iter(|| schedule.fixture(next()).id()));
    group.bench_function("play", |bench| bench.iter(|| schedule.play(next(), &stop).unwrap()));
    group.bench_function("play and write down", |bench| {
        bench.iter(|| RecordRow::new(&schedule.play(next(), &stop).unwrap(), Duration::ZERO));
    });
    group.finish();
}

fn whole_runs(criterion: &mut Criterion) {
    for (name, work) in [("trivial matches", 0), ("matches of about 20 µs", WORK)] {
        let tournament = tournament(work, MATCHES);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Elements(MATCHES));
        for threads in [1, 2] {
            group.bench_function(BenchmarkId::new("play without store", threads), |bench| {
                bench.iter(|| play_all(tournament.schedule(), threads));
            });
            group.bench_function(BenchmarkId::new("run with store", threads), |bench| {
                bench.iter_custom(|times| (0..times).map(|_| run_all(&tournament, threads)).sum());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, one_match, whole_runs);
criterion_main!(benches);
