//! The champion's evaluation, by its weighted sum and by a network, and its search next to that of
//! the 2010 method: the same number of nodes on the same positions in one run.

// The engines are private to the crate, so their modules are compiled in here.
#![allow(dead_code)]

#[path = "../src/players/champion/mod.rs"]
mod champion;
#[path = "../src/players/contest2010/mod.rs"]
mod contest2010;
#[path = "../src/rules/direction.rs"]
mod direction;
#[path = "../src/players/duel.rs"]
mod duel;

use champion::Champion;
use champion::chambers::Evaluator;
use champion::network::{Inputs, Network};
use champion::settings::Settings;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use direction::Direction;
use duel::{Duel, Order};
use quintain_grid::{Cell, Rows, Rows16, Rows32, Rows128};
use std::hint::black_box;

const NODES: u64 = 2_000;

/// A board of 22×21 as in the contest, some turns into a game.
const CONTEST: (&str, [Cell; 2]) = (
    "######################
     #....................#
     #.##.................#
     #..#.......#.........#
     #..#.................#
     #..####......#.......#
     #.....#..............#
     #..........#.........#
     #.....#..............#
     #....................#
     #........#..#........#
     #....................#
     #..............#.....#
     #.........#..........#
     #..............#.....#
     #.......#......####..#
     #.................#..#
     #.........#.......#..#
     #.................##.#
     #....................#
     ######################",
    [Cell::new(6, 6), Cell::new(14, 15)],
);

/// An empty room with the heads in opposite corners, as in `empty-room` of 2010.
const EMPTY: (&str, [Cell; 2]) = (
    "###############
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     #.............#
     ###############",
    [Cell::new(1, 1), Cell::new(13, 13)],
);

/// The same room later, cut into chambers by the trails.
const CHAMBERS: (&str, [Cell; 2]) = (
    "###############
     ##............#
     ##............#
     ##............#
     ##............#
     ######........#
     #....#........#
     #.............#
     #......########
     #............##
     #............##
     #.#.#........##
     #............##
     #..#.........##
     ###############",
    [Cell::new(6, 5), Cell::new(8, 7)],
);

fn benches(criterion: &mut Criterion) {
    let (drawing, heads) = CONTEST;
    let free = Rows32::parse(drawing);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/chambers.safetensors");
    let network = Network::open(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let mut evaluator = Evaluator::<u32, 32>::new(Settings::default().weights, false);
    let mut group = criterion.benchmark_group("evaluation 22x21");
    group.throughput(Throughput::Elements(1));
    group.bench_function("weighted sum", |bench| {
        bench.iter(|| evaluator.evaluate(black_box(&free), black_box(heads)).worth)
    });
    group.bench_function("network", |bench| {
        bench.iter(|| {
            let (evaluation, findings) = evaluator.examine(black_box(&free), black_box(heads));
            network.value(&Inputs::of(&evaluation, &findings, heads))
        })
    });
    group.finish();

    for (name, (drawing, heads)) in [("empty", EMPTY), ("chambers", CHAMBERS)] {
        let mut free = Rows16::parse(drawing);
        heads.into_iter().for_each(|head| free.remove(head));

        let mut group = criterion.benchmark_group(format!("evaluation 15x15 {name}"));
        group.throughput(Throughput::Elements(1));
        let mut evaluator = Evaluator::<u16, 16>::new(Settings::default().weights, false);
        group.bench_function("champion", |bench| {
            bench.iter(|| evaluator.evaluate(black_box(&free), black_box(heads)).worth)
        });
        let mut wide = Evaluator::<u32, 32>::new(Settings::default().weights, false);
        let wide_free: Rows<u32, 32> = free.cells().collect();
        group.bench_function("champion in the width of 32", |bench| {
            bench.iter(|| wide.evaluate(black_box(&wide_free), black_box(heads)).worth)
        });
        group.finish();

        let mut group = criterion.benchmark_group(format!("search 15x15 {name}"));
        group.throughput(Throughput::Elements(NODES));
        let free: Rows128 = free.cells().collect();
        let duel = Duel { height: 15, width: 15, free, heads, order: Order::Simultaneous };
        let limit = || {
            let mut left = NODES;
            move || {
                left -= 1;
                left > 0
            }
        };
        group.bench_function("champion", |bench| {
            bench.iter_batched(
                || Champion::new(Settings { table_bits: 12, ..Settings::default() }),
                |mut champion| champion.choose(&duel, 0, &mut limit()),
                criterion::BatchSize::SmallInput,
            )
        });
        group.bench_function("contest2010", |bench| {
            bench.iter(|| contest2010::choose(&duel, &mut limit()))
        });
        group.finish();
    }
}

criterion_group!(evaluation, benches);
criterion_main!(evaluation);
