//! Alpha-beta against plain minimax: on trees drawn in text, and on random graphs in which
//! positions are reached again by other paths.

mod scripted;

use proptest::prelude::*;
use quintain_core::{Meter, Objective, Rng, Rules, Scoring, Seat};
use quintain_search::SearchResult;
use quintain_search::alpha_beta::{AlphaBeta, Options, SimultaneousTurns, check_suitable};
use quintain_search::matrix_game;
use scripted::{Letter, Position, Scripted};

/// The result of alpha-beta for the seat that moves at the root.
fn search(
    game: &Scripted,
    seat: usize,
    depth: u32,
    together: SimultaneousTurns,
) -> SearchResult<Letter> {
    let options = Options { depth, together, ..Options::default() };
    let (mut meter, mut rng) = (Meter::of(u64::MAX), Rng::from_seed(1));
    AlphaBeta::new(options).search(game, &game.root(), Seat::new(seat), &mut meter, &mut rng)
}

/// The best of seat 0's worst cases, as the rival answers.
fn pessimistic(values: &[f64], columns: usize) -> f64 {
    let worst = |row: &[f64]| row.iter().copied().fold(f64::INFINITY, f64::min);
    values.chunks(columns).map(worst).fold(f64::NEG_INFINITY, f64::max)
}

fn exact(values: &[f64], columns: usize) -> f64 {
    matrix_game::solve(values, columns).value
}

#[test]
fn a_tempting_reply_that_loses_is_not_taken() {
    let game = Scripted::new(
        "
        seat 0
          a: seat 1
            l: 9 0
            r: 0 9
          b: seat 1
            l: 2 1
            r: 4 2
        ",
    );
    let found = search(&game, 0, 9, SimultaneousTurns::Pessimistic);
    assert_eq!((found.action, found.value, found.depth), (Letter('b'), 1.0, 2));
}

#[test]
fn the_lower_score_is_sought_if_less_is_better() {
    let mut game = Scripted::new(
        "
        seat 0
          a: 3 1
          b: 1 3
        ",
    );
    game.objective = Objective::Minimize;
    let found = search(&game, 0, 9, SimultaneousTurns::Pessimistic);
    assert_eq!((found.action, found.value), (Letter('b'), 2.0));
}

#[test]
fn a_seat_that_moves_twice_running_keeps_its_own_side() {
    let game = Scripted::new(
        "
        seat 0
          a: seat 0
            a: seat 1
              a: 5 0
              b: 3 0
            b: 2 0
          b: 1 0
        ",
    );
    assert_eq!(search(&game, 0, 9, SimultaneousTurns::Pessimistic).value, 3.0);
}

const PENNIES: &str = "
    simultaneous
      h,h: 1 -1
      h,t: -1 1
      t,h: -1 1
      t,t: 1 -1
";

#[test]
fn the_rival_who_answers_always_wins_matching_pennies() {
    let game = Scripted::new(PENNIES);
    assert_eq!(search(&game, 0, 9, SimultaneousTurns::Pessimistic).value, -2.0);
    assert_eq!(search(&game, 1, 9, SimultaneousTurns::Pessimistic).value, -2.0);
}

#[test]
fn as_a_matrix_game_matching_pennies_is_even_and_both_sides_are_played() {
    let game = Scripted::new(PENNIES);
    let found = search(&game, 0, 9, SimultaneousTurns::Matrix);
    assert!(found.value.abs() < 1e-9, "{}", found.value);
    let mut searcher =
        AlphaBeta::new(Options { together: SimultaneousTurns::Matrix, ..Options::default() });
    let mut rng = Rng::from_seed(5);
    let heads = (0..200)
        .filter(|_| {
            let mut meter = Meter::of(1000);
            searcher.search(&game, &0, Seat::new(1), &mut meter, &mut rng).action == Letter('h')
        })
        .count();
    assert!((60..=140).contains(&heads), "{heads} heads of 200");
}

#[test]
fn a_seat_that_sits_a_joint_turn_out_is_not_asked() {
    let game = Scripted::new(
        "
        simultaneous
          a,-: simultaneous
            -,l: 3 0
            -,r: 1 0
          b,-: 2 0
        ",
    );
    for together in [SimultaneousTurns::Pessimistic, SimultaneousTurns::Matrix] {
        let found = search(&game, 0, 9, together);
        assert_eq!((found.action, found.value), (Letter('b'), 2.0));
    }
}

#[test]
fn a_lost_position_is_held_as_long_as_it_goes() {
    let mut game = Scripted::new(
        "
        seat 0
          a: seat 1
            a: 0 1
            b: 0 1
          b: seat 1
            a: seat 0
              a: seat 1
                a: 0 1
              b: seat 1
                a: 0 1
            b: seat 0
              a: seat 1
                a: 0 1
              b: seat 1
                a: 0 1
        ",
    );
    game.range = Some((0.0, 1.0));
    let found = search(&game, 0, 9, SimultaneousTurns::Pessimistic);
    assert_eq!((found.action, found.value), (Letter('b'), -1.0));
}

#[test]
fn a_lost_joint_turn_is_held_as_long_as_it_goes() {
    let mut game = Scripted::new(
        "
        simultaneous
          a,l: 0 1
          a,r: 0 1
          b,l: seat 1
            a: 0 1
            b: 0 1
          b,r: seat 1
            a: 0 1
            b: 0 1
        ",
    );
    game.range = Some((0.0, 1.0));
    for together in [SimultaneousTurns::Pessimistic, SimultaneousTurns::Matrix] {
        let found = search(&game, 0, 9, together);
        assert_eq!((found.action, found.value), (Letter('b'), -1.0));
    }
}

#[test]
fn a_search_cut_short_still_answers_and_the_same_every_time() {
    let game = Scripted::new(
        "
        seat 0
          a: seat 1
            l: 9 0
            r: 0 9
          b: seat 1
            l: 2 1
            r: 4 2
        ",
    );
    for nodes in 0..12 {
        let run = || {
            let (mut meter, mut rng) = (Meter::of(nodes), Rng::from_seed(1));
            AlphaBeta::new(Options::default()).search(&game, &0, Seat::new(0), &mut meter, &mut rng)
        };
        let found = run();
        assert!(game.check(&0, Seat::new(0), &found.action).is_ok());
        assert!(found.spent <= nodes);
        assert_eq!(found, run());
    }
}

#[test]
fn games_it_cannot_search_are_refused_with_the_reason() {
    let refusal = |text: &str| check_suitable(&Scripted::new(text)).unwrap_err().to_string();
    assert!(refusal("1 2 3").contains("needs two seats; this game has 3"));
    assert!(refusal("chance\n  1: 1 2").contains("chance"));
    assert!(refusal("seat 0 [x]\n  a: 1 2").contains("hides"));
    let alone = Scripted { scoring: Scoring::Independent, ..Scripted::new("1 2") };
    assert!(check_suitable(&alone).unwrap_err().to_string().contains("for its own score"));
    assert_eq!(check_suitable(&Scripted::new("1 2")), Ok(()));
}

/// Layers of positions, each with children in the next layer; the last layer ends. There are few
/// positions per layer, so that many lines meet. `joint` allows joint turns.
fn layered(joint: bool) -> impl Strategy<Value = Scripted> {
    const LAYERS: usize = 6;
    const WIDTH: usize = 3;
    let kinds =
        proptest::collection::vec((0..if joint { 3u8 } else { 2 }, 1..4usize), LAYERS * WIDTH);
    let numbers = proptest::collection::vec(0..100usize, LAYERS * WIDTH * 9);
    let values = proptest::collection::vec(-4..5i32, (LAYERS + 1) * WIDTH);
    (kinds, numbers, values).prop_map(|(kinds, numbers, values)| {
        let mut positions = Vec::new();
        for (index, (kind, width)) in kinds.into_iter().enumerate() {
            let next = (index / WIDTH + 1) * WIDTH;
            let child = |k: usize| next + numbers[index * 9 + k] % WIDTH;
            let letter = |k: usize| (b'a' + k as u8) as char;
            positions.push(match kind {
                2 => Position::Simultaneous(
                    (0..width * 2)
                        .map(|k| (vec![letter(k / 2), letter(k % 2)], child(k)))
                        .collect(),
                ),
                seat => Position::Seat {
                    seat: seat.into(),
                    children: (0..width).map(|k| (letter(k), child(k))).collect(),
                    mark: None,
                },
            });
        }
        let value = |index: usize| f64::from(values[index]);
        for index in LAYERS * WIDTH..(LAYERS + 1) * WIDTH {
            positions.push(Position::End(vec![value(index), -value(index)]));
        }
        let estimates = (0..positions.len()).map(value).collect();
        Scripted { estimates: std::sync::Arc::new(estimates), ..Scripted::of(positions) }
    })
}

/// The seats that can search at the root: the mover, or either of those who both move.
fn movers(game: &Scripted) -> Vec<usize> {
    (0..2).filter(|seat| game.is_acting(&game.root(), Seat::new(*seat))).collect()
}

fn actions(game: &Scripted, seat: usize) -> usize {
    let mut actions = Vec::new();
    game.actions(&game.root(), Seat::new(seat), &mut actions);
    actions.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn it_finds_the_minimax_value_at_every_depth(game in layered(false), depth in 1..8u32) {
        for seat in movers(&game).into_iter().filter(|seat| actions(&game, *seat) > 1) {
            let found = search(&game, seat, depth, SimultaneousTurns::Pessimistic);
            let value = game.solve(0, depth, &pessimistic);
            prop_assert_eq!(found.value, if seat == 0 { value } else { -value });
            let mut after = 0;
            game.step(&mut after, &[found.action]);
            prop_assert_eq!(game.solve(after, depth - 1, &pessimistic), value);
        }
    }

    #[test]
    fn a_rival_who_answers_leaves_the_best_of_the_worst(game in layered(true), depth in 1..8u32) {
        for seat in movers(&game).into_iter().filter(|seat| actions(&game, *seat) > 1) {
            let found = search(&game, seat, depth, SimultaneousTurns::Pessimistic);
            let value = match seat {
                0 => game.solve(0, depth, &pessimistic),
                _ => {
                    let for_other = |values: &[f64], columns: usize| {
                        -pessimistic(&turned(values, columns), values.len() / columns)
                    };
                    -game.solve(0, depth, &for_other)
                }
            };
            prop_assert_eq!(found.value, value);
        }
    }

    #[test]
    fn matrix_turns_have_their_exact_value(game in layered(true), depth in 1..8u32) {
        for seat in movers(&game).into_iter().filter(|seat| actions(&game, *seat) > 1) {
            let found = search(&game, seat, depth, SimultaneousTurns::Matrix);
            let value = game.solve(0, depth, &exact);
            let value = if seat == 0 { value } else { -value };
            prop_assert!((found.value - value).abs() < 1e-9, "{} is not {value}", found.value);
        }
    }
}

/// The same payoffs as the column player sees them.
fn turned(values: &[f64], columns: usize) -> Vec<f64> {
    (0..columns)
        .flat_map(|column| values.iter().skip(column).step_by(columns).map(|value| -value))
        .collect()
}
