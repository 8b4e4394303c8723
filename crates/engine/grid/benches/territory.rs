//! Territory of a 15×15 position: bit boards compared with plain breadth-first search, in one run
//! on the same positions.

use criterion::{Criterion, criterion_group, criterion_main};
use quintain_grid::plain::Board;
use quintain_grid::{Cell, Rows, Rows16, Rows32, territory};
use std::hint::black_box;

const EMPTY_ROOM: [&str; 2] = [
    "empty",
    "
    ###############
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
];

const TRAILS: [&str; 2] = [
    "middle of a game",
    "
    ###############
    #####.........#
    #...#.........#
    #...#.........#
    #...#.........#
    #...###.......#
    #.....#.......#
    #.....##......#
    #......##.....#
    #.......#.....#
    #.......###...#
    #.........#...#
    #.........#...#
    #.........#####
    ###############",
];

fn benches(criterion: &mut Criterion) {
    let corners = (Cell::new(1, 1), Cell::new(13, 13));
    let middle = (Cell::new(7, 7), Cell::new(7, 6));
    for ([name, drawing], (mine, theirs)) in [(EMPTY_ROOM, corners), (TRAILS, middle)] {
        let mut group = criterion.benchmark_group(format!("territory 15x15 {name}"));
        let free = Rows16::parse(drawing);
        let heads = (Rows16::of(mine), Rows16::of(theirs));
        group.bench_function("bit board of 16 lanes", |b| {
            b.iter(|| territory(black_box(&free), black_box(&heads.0), black_box(&heads.1)))
        });
        let wide = Rows32::parse(drawing);
        let wide_heads = (Rows::of(mine), Rows::of(theirs));
        group.bench_function("bit board of 32 lanes", |b| {
            b.iter(|| {
                territory(black_box(&wide), black_box(&wide_heads.0), black_box(&wide_heads.1))
            })
        });
        let plain = Board::new(15, 15, free.cells());
        group.bench_function("plain breadth-first search", |b| {
            b.iter(|| black_box(&plain).territory(black_box(mine), black_box(theirs)))
        });
    }
}

criterion_group!(territories, benches);
criterion_main!(territories);
