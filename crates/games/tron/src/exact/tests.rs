//! The solver against plain recursion with the rules themselves, and known positions.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use quintain_core::{Rng, Rules, Seat, Turn};
use quintain_search::matrix_game;

use super::board::Board;
use super::solver::{Solver, Stopped};
use crate::notation::read_map;
use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::{Moves, Trails, Tron};

fn rules() -> Tron {
    Tron::new(2, Moves::Simultaneous, Trails::Stay)
}

/// The score that seat 0 expects, by recursion over all pairs of the four directions.
fn plain_value(rules: &Tron, state: &State) -> f64 {
    if rules.turn(state) == Turn::Over {
        return rules.score(state, Seat::new(0));
    }
    let pairs = Direction::ALL.into_iter().flat_map(|a| Direction::ALL.map(|b| [a, b]));
    let payoffs: Vec<f64> = pairs
        .map(|joint| {
            let mut next = state.clone();
            rules.step(&mut next, &joint);
            plain_value(rules, &next)
        })
        .collect();
    matrix_game::solve(&payoffs, 4).value
}

fn solved(state: &State) -> f64 {
    let (board, stop) = (Board::new(state).unwrap(), AtomicBool::new(false));
    Solver::new(&board, 1 << 20, &stop).value(board.position(state)).unwrap()
}

/// A board of this many free cells in each row, with some walls, and two heads anywhere.
fn any_board(rows: usize, columns: usize, walls: u64, rng: &mut Rng) -> State {
    let cells = rows * columns;
    let (a, b) = loop {
        let (a, b) = (rng.below(cells), rng.below(cells));
        if a != b {
            break (a, b);
        }
    };
    let is_wall = |row: usize, column: usize| {
        let is_ring = row == 0 || column == 0 || row > rows || column > columns;
        is_ring || {
            let cell = (row - 1) * columns + column - 1;
            cell != a && cell != b && walls >> cell & 1 == 1
        }
    };
    let mut state = State::empty(columns + 2, rows + 2, is_wall);
    for cell in [a, b] {
        state.place(cell / columns + 1, cell % columns + 1);
    }
    state
}

#[test]
fn all_starts_on_three_by_three_have_the_value_of_plain_recursion() {
    for a in 0..9 {
        for b in (0..9).filter(|b| *b != a) {
            let mut state = State::empty(5, 5, |row, column| {
                row == 0 || column == 0 || row == 4 || column == 4
            });
            for cell in [a, b] {
                state.place(cell / 3 + 1, cell % 3 + 1);
            }
            let (value, expected) = (solved(&state), plain_value(&rules(), &state));
            assert!((value - expected).abs() < 1e-9, "{value} {expected}\n{state}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn boards_with_walls_have_the_value_of_plain_recursion(
        (rows, columns) in prop_oneof![Just((3, 4)), Just((4, 3)), Just((2, 6)), Just((3, 3))],
        walls: u64,
        more: u64,
        seed: u64,
    ) {
        // A quarter of the cells are walls.
        let state = any_board(rows, columns, walls & more, &mut Rng::from_seed(seed));
        let (value, expected) = (solved(&state), plain_value(&rules(), &state));
        prop_assert!((value - expected).abs() < 1e-9, "{value} {expected}\n{state}");
    }

    #[test]
    fn who_is_who_makes_no_difference(walls: u64, more: u64, seed: u64) {
        let state = any_board(4, 5, walls & more, &mut Rng::from_seed(seed));
        let board = Board::new(&state).unwrap();
        let position = board.position(&state);
        let mut exchanged = position;
        exchanged.heads.reverse();
        let (key, is_swapped) = board.key(position);
        let (other, is_other_swapped) = board.key(exchanged);
        prop_assert_eq!(key, other);
        // They are the same way round only where a symmetry exchanges the heads.
        let stop = AtomicBool::new(false);
        let value = |position| Solver::new(&board, 1 << 22, &stop).value(position).unwrap();
        prop_assert!((value(position) + value(exchanged) - 1.0).abs() < 1e-9);
        if is_swapped == is_other_swapped {
            prop_assert!((value(position) - 0.5).abs() < 1e-9);
        }
    }

    #[test]
    fn a_small_table_changes_no_value(seed: u64) {
        let state = any_board(4, 4, 0, &mut Rng::from_seed(seed));
        let (board, stop) = (Board::new(&state).unwrap(), AtomicBool::new(false));
        let mut small = Solver::new(&board, 1 << 10, &stop);
        let mut large = Solver::new(&board, 1 << 22, &stop);
        let values = [&mut small, &mut large].map(|s| s.value(board.position(&state)).unwrap());
        prop_assert!((values[0] - values[1]).abs() < 1e-9);
        prop_assert!(small.searched() >= large.searched());
    }
}

#[test]
fn the_longer_way_wins_once_the_heads_cannot_meet() {
    // A has five cells on the left, B four on the right.
    let state = read_map("8 5\n########\n#1  #2 #\n#   #  #\n#  ##  #\n########\n").unwrap();
    assert_eq!(solved(&state), 1.0);
}

#[test]
fn two_who_must_enter_the_same_cell_draw() {
    let state = read_map("5 5\n#####\n##1##\n#   #\n##2##\n#####\n").unwrap();
    assert_eq!(solved(&state), 0.5);
}

#[test]
fn a_stopped_search_has_no_value() {
    let state = any_board(6, 6, 0, &mut Rng::from_seed(1));
    let (board, stop) = (Board::new(&state).unwrap(), AtomicBool::new(true));
    let answer = Solver::new(&board, 1 << 20, &stop).value(board.position(&state));
    assert_eq!(answer, Err(Stopped));
}

#[test]
fn mixtures_are_worth_the_value_against_every_move() {
    let mut rng = Rng::from_seed(7);
    for _ in 0..50 {
        let state = any_board(4, 5, 0, &mut rng);
        let (board, stop) = (Board::new(&state).unwrap(), AtomicBool::new(false));
        let found = Solver::new(&board, 1 << 22, &stop).equilibrium(board.position(&state));
        let found = found.unwrap();
        let best = found.scores[0].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = found.scores[1].iter().copied().fold(f64::INFINITY, f64::min);
        assert!((best - found.value).abs() < 1e-9 && (worst - found.value).abs() < 1e-9);
    }
}

#[test]
#[ignore = "size"]
fn sizes() {
    for (rows, columns) in [(4, 4), (4, 5), (5, 5), (5, 6), (6, 6), (6, 7), (7, 7), (7, 8)] {
        for seed in 1..4 {
            let state = any_board(rows, columns, 0, &mut Rng::from_seed(seed));
            let (board, stop) = (Board::new(&state).unwrap(), AtomicBool::new(false));
            let mut solver = Solver::new(&board, 1 << 30, &stop);
            let begun = cpu_time::ThreadTime::now();
            let value = solver.value(board.position(&state)).unwrap();
            eprintln!(
                "{rows}x{columns} {seed} {value} {} {:?}",
                solver.searched(),
                begun.elapsed()
            );
        }
    }
}
