//! The champion's beam: places evaluated (sought, locked, judged) on a board of 10×20, and whole
//! games of narrow beams without and with phrases.

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::{Meter, Rng};
use quintain_hextris::{Board, Cell, Filling, Instance, Phrases, Unit, Units, draw_problem};
use quintain_hextris::{BoardWeights, Champion, Reach};
use quintain_hextris::{Incumbent, SolverInput, TextSolver};

fn places(criterion: &mut Criterion) {
    let mut board = Board::new(10, 20).expect("a board");
    let mut rng = Rng::from_seed(1);
    for y in 12..20 {
        (0..10).for_each(|x| {
            if rng.chance(0.6) {
                board.fill(x, y)
            }
        });
    }
    let cells = [(0, 0), (1, 0), (1, 1)].map(|(x, y)| Cell { x, y });
    let unit = Unit::new(cells.to_vec(), Cell { x: 1, y: 0 }, 10).expect("a unit");
    let weights = BoardWeights::default();
    let mut reach = Reach::new();
    let mut scratch = board.clone();
    let mut count = 0u64;
    reach.sweep(&unit, &board, unit.spawn());
    reach.for_each_lock(&unit, |_| count += 1);
    let mut group = criterion.benchmark_group("hextris champion");
    group.throughput(Throughput::Elements(count));
    group.bench_function("places evaluated, 10×20", |b| {
        b.iter(|| {
            reach.sweep(&unit, &board, unit.spawn());
            let mut best = f32::MIN;
            reach.for_each_lock(&unit, |position| {
                scratch.rows_mut().copy_from_slice(board.rows());
                unit.lock(&mut scratch, position);
                best = best.max(weights.of(&scratch));
            });
            best
        });
    });
    group.finish();
}

fn games(criterion: &mut Criterion) {
    let problem = Arc::new(draw_problem(6, Units::Usual, Filling::Usual, 1));
    let instance = Instance::new(problem, 0, Arc::new(Phrases::contest()));
    let start = instance.start();
    let input = SolverInput::new(&instance, &start);
    let mut group = criterion.benchmark_group("hextris champion");
    group.sample_size(10);
    group.bench_function("a game without phrases, 4 boards a unit", |b| {
        b.iter(|| Champion::default().estimate(&input, 4));
    });
    group.bench_function("a game with phrases, 4 boards a unit", |b| {
        b.iter(|| {
            let mut tell = |_: &str, _| {};
            let mut best = Incumbent::new(&input, &mut tell);
            let champion = Champion { width: 4, ..Champion::default() };
            champion.solve(&input, &mut Meter::of(u64::MAX), &mut Rng::from_seed(1), &mut best);
            best.score()
        });
    });
    group.finish();
}

criterion_group!(benches, places, games);
criterion_main!(benches);
