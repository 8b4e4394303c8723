//! Three and four players: known positions, and small boards against the plain form of the search.
//!
//! This is a child module of the roster, like the other tests.

use proptest::prelude::*;
use quintain_core::{Rules, Seat, Turn};
use quintain_grid::{Cell, Rows128};

use super::champion::Champion;
use super::champion::melee::{ALL, Melee};
use super::champion::settings::Settings;
use super::duel::{Choice, Order};
use super::duelists::melee_of;
use crate::Direction;
use crate::rules::state::State;
use crate::rules::{Moves, Trails, Tron};

/// A position drawn in text: `.` is free, `1` to `4` are the heads, in the order in which they
/// move, and `a` to `d` their trails.
fn draw(text: &str) -> Melee {
    let rows: Vec<&[u8]> =
        text.lines().map(|line| line.trim().as_bytes()).filter(|line| !line.is_empty()).collect();
    let cells = rows.iter().enumerate().flat_map(|(row, line)| {
        let cell = move |col: usize| Cell::new(row as u8, col as u8);
        line.iter().enumerate().map(move |(col, byte)| (cell(col), *byte))
    });
    let of = |bytes: &[u8]| -> Rows128 {
        cells.clone().filter(|(_, byte)| bytes.contains(byte)).map(|(cell, _)| cell).collect()
    };
    let heads = (b'1'..=b'4').filter_map(|head| Some((head, of(&[head]).first()?)));
    Melee {
        height: rows.len(),
        width: rows[0].len(),
        free: of(b"."),
        living: heads.map(|(head, cell)| (cell, of(&[head, head - b'1' + b'a']))).collect(),
        fallen: 0,
        order: Order::InTurn,
        trails_vanish: true,
    }
}

fn choose(melee: &Melee, mut nodes: u64) -> Choice {
    Champion::new(Settings::default()).choose_among(melee, &mut || {
        nodes -= 1;
        nodes > 0
    })
}

#[test]
fn a_melee_with_one_other_nearby_is_a_duel() {
    let melee = draw(
        "
        ..1..#...
        .....#.2.
        ..3..#...",
    );
    let duel = melee.duel().expect("the second is behind a wall");
    assert_eq!(duel.heads, [Cell::new(0, 2), Cell::new(2, 2)]);
}

#[test]
fn a_melee_with_two_others_nearby_is_no_duel() {
    assert!(draw("..1..\n..2..\n..3..").duel().is_none());
}

#[test]
fn a_player_that_is_alone_fills_its_room() {
    let melee = draw(
        "
        ##########
        #1...#.2.#
        #.##.#####
        #....#.3.#
        ##########",
    );
    assert_eq!(choose(&melee, 2_000).value, 9, "all cells but its own");
}

#[test]
fn a_dead_end_is_left_to_the_others() {
    let melee = draw(
        "
        ##########
        ####.....#
        #..1..2..#
        ####.....#
        ####..3..#
        ##########",
    );
    assert_eq!(choose(&melee, 2_000).direction, Direction::Right);
}

#[test]
fn the_same_node_limit_gives_the_same_choices() {
    let melee = draw("1.......2\n.........\n.........\n....#....\n3.......4");
    assert_eq!(choose(&melee, 3_000), choose(&melee, 3_000));
}

#[test]
fn a_limit_of_no_node_still_gives_a_way_that_is_open() {
    let melee = draw("##1.#\n#2..#\n#3..#");
    assert_eq!(choose(&melee, 1).direction, Direction::Right);
}

/// The share of the others that the first seat outlives at least, whatever they do, played to the
/// end by the rules.
fn share_at_least(rules: &Tron, state: &State) -> f64 {
    let Turn::Seat(seat) = rules.turn(state) else { return rules.score(state, Seat::new(0)) };
    if !state.is_alive(Seat::new(0)) {
        return rules.score(state, Seat::new(0));
    }
    let mut actions = Vec::new();
    rules.pruned_actions(state, seat, &mut actions);
    let shares = actions.into_iter().map(|action| {
        let mut after = state.clone();
        rules.step(&mut after, &[action]);
        share_at_least(rules, &after)
    });
    match seat.index() {
        0 => shares.fold(0.0, f64::max),
        _ => shares.fold(1.0, f64::min),
    }
}

/// Small boards with three heads.
fn states() -> impl Strategy<Value = State> {
    (3..=4_usize, 3..=4_usize).prop_flat_map(|(height, width)| {
        let walls = prop::collection::vec(prop::bool::weighted(0.2), height * width);
        let heads = prop::sample::subsequence((0..height * width).collect::<Vec<_>>(), 3);
        (walls, heads.prop_shuffle()).prop_map(move |(walls, heads)| {
            let mut state = State::empty(width + 2, height + 2, |row, col| {
                let inside = (1..=height).contains(&row) && (1..=width).contains(&col);
                let cell = || (row - 1) * width + col - 1;
                !inside || walls[cell()] && !heads.contains(&cell())
            });
            for head in &heads {
                state.place(1 + head / width, 1 + head % width);
            }
            state
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn three_on_small_boards_are_played_as_the_rules_end_it(
        state in states(), vanish in any::<bool>(),
    ) {
        let trails = if vanish { Trails::Vanish } else { Trails::Stay };
        let rules = Tron::new(3, Moves::Sequential, trails);
        let melee = melee_of(&rules, &state, Seat::new(0));
        prop_assume!(melee.duel().is_none());
        prop_assume!(state.free_directions(Seat::new(0)).count() > 1);
        let choice = choose(&melee, u64::MAX);
        let share = (2.0 * f64::from(choice.value) / f64::from(ALL)).round() / 2.0;
        prop_assert_eq!(share, share_at_least(&rules, &state), "{:?}", choice);
        let mut after = state.clone();
        rules.step(&mut after, &[choice.direction]);
        prop_assert_eq!(share_at_least(&rules, &after), share);
    }
}
