//! The speed of pentocity: requests replayed by the rules alone, placements enumerated on a
//! half-full board, floods, and a whole game of g1.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quintain_core::{Decision, Player, Rng, Rules, Seat, Turn};
use quintain_grid::{Cell, reach};
use quintain_pentocity::Placements;
use quintain_pentocity::{Board, Move, Pentocity, Piece, Ruleset, State, entry};
use quintain_pentocity::{Cells, Use, neighbours};
use std::hint::black_box;

const SEAT: Seat = Seat::new(0);

/// Plays a game; returns the rules, each request with its answer, and every position.
fn game(player: &str, scenario: &str) -> (Pentocity, Vec<(Piece, Move)>, Vec<State>) {
    let (built, _) = entry().build(scenario).unwrap();
    let rules = built.rules().clone();
    let mut player: Box<dyn Player<Pentocity>> = entry().build_player(player, &rules).unwrap();
    let (mut chance, mut own) = (Rng::from_seed(1), Rng::from_seed(2));
    let mut state = built.start(&mut chance);
    let (mut answers, mut states) = (Vec::new(), Vec::new());
    while rules.turn(&state) != Turn::Over {
        built.apply_chance(&mut state, &mut chance);
        let answer = player.decide(&mut Decision::new(&rules, &state, SEAT, &mut own)).unwrap();
        states.push(state.clone());
        answers.push((state.request().unwrap(), answer.clone()));
        rules.step(&mut state, std::slice::from_ref(&answer));
    }
    (rules, answers, states)
}

fn replay(criterion: &mut Criterion) {
    let (rules, answers, _) = game("g1", "random");
    let mut group = criterion.benchmark_group("replay");
    group.throughput(Throughput::Elements(answers.len() as u64));
    group.bench_function("rules only", |bench| {
        bench.iter(|| {
            let mut state = State::new(50);
            for (piece, answer) in &answers {
                state.ask(*piece);
                rules.step(&mut state, std::slice::from_ref(answer));
            }
            state.totals().score
        });
    });
    group.bench_function("rules with every move checked", |bench| {
        bench.iter(|| {
            let mut state = State::new(50);
            for (piece, answer) in &answers {
                state.ask(*piece);
                rules.check(&state, SEAT, answer).unwrap();
                rules.step(&mut state, std::slice::from_ref(answer));
            }
            state.totals().score
        });
    });
    group.finish();
}

/// Room for a piece, computed cell by cell, as the reference for bit boards.
fn room_by_cells(board: &Board, piece: Piece) -> Cells {
    let other = if piece.is_factory() { Use::Residence } else { Use::Factory };
    let fits = |cell: &Cell| {
        piece.shape().cells.iter().all(|&(down, right)| {
            let own = Cell::new(cell.row + down, cell.col + right);
            board.has(own)
                && board.at(own) == Use::Empty
                && neighbours(own).iter().all(|side| !board.has(*side) || board.at(*side) != other)
        })
    };
    Cells::rectangle(50, 50).cells().filter(fits).collect()
}

fn placements(criterion: &mut Criterion) {
    let (_, _, states) = game("g1", "random");
    let half = states.iter().find(|state| state.board().occupied().count() > 1250).unwrap();
    let board = half.board();
    let mut group = criterion.benchmark_group("half-full land");
    for name in ["L", "3x4", "X"] {
        let piece: Piece = name.parse().unwrap();
        group.bench_function(format!("placements of {name}"), |bench| {
            bench.iter(|| Placements::of(black_box(board), piece, Ruleset::Simulator));
        });
        group.bench_function(format!("room for {name} by cells, without roads"), |bench| {
            let pieces = (0..piece.rotations()).map(|turns| piece.rotated(turns));
            bench.iter(|| {
                pieces
                    .clone()
                    .map(|piece| room_by_cells(black_box(board), piece).count())
                    .sum::<u32>()
            });
        });
    }
    group.bench_function("open land by sweeps", |bench| bench.iter(|| black_box(board).open()));
    group.bench_function("open land by waves", |bench| {
        bench.iter(|| reach(black_box(board).empty(), &board.road_ends()));
    });
    group.bench_function("a copy of the position", |bench| bench.iter(|| black_box(half).clone()));
    group.finish();
}

fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a whole game");
    group.sample_size(20);
    for (player, scenario) in [("g1", "random"), ("g1", "g9"), ("naive", "random")] {
        group.bench_function(format!("{player} on {scenario}"), |bench| {
            bench.iter(|| game(player, scenario).1.len());
        });
    }
    group.finish();
}

criterion_group!(benches, replay, placements, games);
criterion_main!(benches);
