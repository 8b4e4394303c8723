//! Complete random games on the empty 15×15 board, on one core. A playout draws from the directions
//! that do not crash at once; the baseline, a plain twin on a `Vec<Vec<bool>>`, plays the same
//! games with the same draws.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::{Entry, Rng, Seat};
use quintain_search::rollout::rollout;
use quintain_tron::{State, Tron, entry};

const GAMES: usize = 1000;

/// Plays games through the rules; returns the player-moves made.
fn games(rules: &Tron, start: &State, rng: &mut Rng) -> u64 {
    let mut joint = Vec::new();
    let mut moves = 0;
    for _ in 0..GAMES {
        let mut state = start.clone();
        rollout(rules, &mut state, u32::MAX, rng, &mut joint);
        moves += 2 * u64::from(state.turn());
    }
    moves
}

/// The same with rows of bools.
fn plain_games(start: &State, rng: &mut Rng) -> u64 {
    const STEPS: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
    let side = start.width();
    let walls: Vec<Vec<bool>> = (0..start.height())
        .map(|row| (0..side).map(|column| !start.is_free(row * side + column)).collect())
        .collect();
    let mut moves = 0;
    for _ in 0..GAMES {
        let mut walls = walls.clone();
        let mut heads = [0, 1].map(|seat| {
            let head = start.head(Seat::new(seat));
            (head / side, head % side)
        });
        loop {
            let targets = heads.map(|(row, column)| {
                let next = |(rows, columns): (isize, isize)| {
                    (row.wrapping_add_signed(rows), column.wrapping_add_signed(columns))
                };
                let cells = STEPS.map(next);
                let free: Vec<(usize, usize)> =
                    cells.into_iter().filter(|(row, column)| !walls[*row][*column]).collect();
                if free.is_empty() { cells[rng.below(4)] } else { free[rng.below(free.len())] }
            });
            moves += 2;
            let crashed = targets.map(|(row, column)| walls[row][column]);
            if crashed[0] || crashed[1] || targets[0] == targets[1] {
                break;
            }
            for (row, column) in targets {
                walls[row][column] = true;
            }
            heads = targets;
        }
    }
    moves
}

fn playouts(criterion: &mut Criterion) {
    let (built, _) = Entry::build(&entry(), "hackerrank").expect("the scenario is known");
    let rules = built.rules().clone();
    let start = built.start(&mut Rng::from_seed(0));
    let moves = games(&rules, &start, &mut Rng::from_seed(1));
    assert_eq!(moves, plain_games(&start, &mut Rng::from_seed(1)), "the twins play alike");
    println!("{:.1} player-moves a game", moves as f64 / GAMES as f64);

    let mut group = criterion.benchmark_group("tron 15x15 random games");
    group.throughput(Throughput::Elements(GAMES as u64));
    let mut rng = Rng::from_seed(2);
    group.bench_function("rules", |b| b.iter(|| games(&rules, &start, &mut rng)));
    let mut rng = Rng::from_seed(2);
    group.bench_function("plain twin", |b| b.iter(|| plain_games(&start, &mut rng)));
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
