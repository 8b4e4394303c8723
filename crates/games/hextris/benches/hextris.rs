//! The rules, letter by letter; and the places where a unit can lock on a half-filled board of
//! 30×30: by rows of bits, next to the slow twin that searches from position to position, without
//! and with the post's shortcuts.

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::Rng;
use quintain_hextris::Reach;
use quintain_hextris::{
    Board, Cell, Evaluation, Filling, Instance, POST_DEFAULT, Paths, Phrases, Shortcuts, Unit,
    Units, Walk, draw_problem, score,
};

/// A long game of random walks: the text spoken, without a mistake.
fn long_text(instance: &Instance) -> String {
    let mut rng = Rng::from_seed(1);
    let mut state = instance.start();
    let mut text = String::new();
    while state.walk.is_some() {
        let letter = b"pbalalaldk"[rng.below(10)];
        if instance.speak(&mut state, letter).is_ok() {
            text.push(char::from(letter));
        }
    }
    text
}

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hextris rules");
    for (name, units) in [("single cells", Units::Single), ("units of five", Units::Five)] {
        let problem = Arc::new(draw_problem(14, units, Filling::Empty, 1));
        let instance = Instance::new(problem, 0, Arc::new(Phrases::contest()));
        let text = long_text(&instance);
        group.throughput(Throughput::Elements(text.len() as u64));
        group.bench_function(format!("commands, {name}"), |b| b.iter(|| score(&instance, &text)));
    }
    group.finish();
}

/// 30×30, the lower half three quarters full, and a unit of five cells.
fn half_filled() -> (Board, Unit) {
    let mut board = Board::new(30, 30).expect("a board");
    let mut rng = Rng::from_seed(1);
    for y in 15..30 {
        for x in (0..30).filter(|_| rng.chance(0.75)).collect::<Vec<_>>() {
            board.fill(x, y);
        }
    }
    let cells = [(1, 0), (0, 1), (1, 1), (1, 2), (2, 2)].map(|(x, y)| Cell { x, y });
    let unit = Unit::new(cells.to_vec(), Cell { x: 1, y: 1 }, 30).expect("a unit");
    (board, unit)
}

fn places(criterion: &mut Criterion) {
    let (board, unit) = half_filled();
    let mut group = criterion.benchmark_group("hextris places on 30×30");
    let mut reach = Reach::new();
    group.bench_function("rows of bits", |b| {
        b.iter(|| {
            reach.sweep(&unit, &board, unit.spawn());
            let mut count = 0;
            reach.for_each_lock(&unit, |_| count += 1);
            count
        });
    });
    let walk = Walk::new(&unit, unit.spawn());
    let mut paths = Paths::new();
    for (name, shortcuts) in [
        ("search with ways", Shortcuts::default()),
        ("search with ways and the post's shortcuts", Shortcuts::POST),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                paths.explore(&unit, &board, &walk, shortcuts);
                paths.places().len()
            });
        });
    }
    let evaluation = Evaluation::new(POST_DEFAULT, &board);
    group.bench_function("evaluation of a board", |b| b.iter(|| evaluation.of(&board)));
    group.finish();
}

criterion_group!(benches, rules, places);
criterion_main!(benches);
