//! The rules of hextris, each as a small board, the text that is spoken, and the outcome.

use std::sync::Arc;

use quintain_hextris::{
    Account, Board, Cell, End, Instance, LetterError, Mistake, Phrases, Problem, Unit, average,
    score,
};

/// A game of `length` equal units on a drawn board.
fn game(board: &str, members: &[(i32, i32)], pivot: (i32, i32), length: usize) -> Instance {
    let rows: Vec<Vec<char>> = board
        .lines()
        .map(|row| row.chars().filter(|sign| !sign.is_whitespace()).collect::<Vec<char>>())
        .filter(|row| !row.is_empty())
        .collect();
    let mut board = Board::new(rows[0].len(), rows.len()).unwrap();
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, sign)| **sign == '#') {
            board.fill(x, y);
        }
    }
    let cell = |(x, y)| Cell { x, y };
    let members = members.iter().copied().map(cell).collect();
    let unit = Unit::new(members, cell(pivot), board.width()).unwrap();
    let problem = Problem::new(0, board, vec![unit], length, vec![0]).unwrap();
    Instance::new(Arc::new(problem), 0, Arc::new(Phrases::contest()))
}

fn account_of(instance: &Instance, text: &str) -> Account {
    score(instance, text).unwrap()
}

fn mistake(instance: &Instance, text: &str) -> Mistake {
    score(instance, text).unwrap_err()
}

const SINGLE: &[(i32, i32)] = &[(0, 0)];
const FIVE: &str = "
    . . . . .
     . . . . .
    . . . . .
     . . . . .";

/// The full cells after this text.
fn full_after(instance: &Instance, text: &str) -> Vec<(i32, i32)> {
    let mut state = instance.start();
    for letter in text.bytes() {
        instance.speak(&mut state, letter).unwrap();
    }
    let rows = 0..state.board.height() as i32;
    let cells = rows.flat_map(|y| (0..state.board.width() as i32).map(move |x| (x, y)));
    cells.filter(|(x, y)| state.board.is_full(*x, *y)).collect()
}

#[test]
fn a_single_cell_comes_in_the_middle_and_falls_left_and_right() {
    let instance = game(FIVE, SINGLE, (0, 0), 1);
    // From (2, 0): south-west to (1, 1), then (1, 2), then (0, 3).
    assert_eq!(full_after(&instance, "aaaa"), [(0, 3)]);
    // South-east to (2, 1), (3, 2), (3, 3).
    assert_eq!(full_after(&instance, "llll"), [(3, 3)]);
}

#[test]
fn a_command_without_room_locks_the_unit_where_it_is() {
    let instance = game(FIVE, SINGLE, (0, 0), 1);
    assert_eq!(full_after(&instance, "ppp"), [(0, 0)]);
    assert_eq!(full_after(&instance, "bbb"), [(4, 0)]);
}

#[test]
fn a_lock_is_worth_the_units_size() {
    let instance = game(FIVE, &[(0, 0), (1, 0)], (0, 0), 1);
    let account = account_of(&instance, "aaa");
    assert_eq!((account.moves, account.locked, account.end), (2, 1, End::Units));
}

#[test]
fn a_full_row_vanishes_and_what_is_above_moves_down_by_rows() {
    let instance = game(
        "
        . . . . .
         . # . . .
        . . . . .
         # # # # .",
        SINGLE,
        (0, 0),
        1,
    );
    let account = account_of(&instance, "bllll");
    assert_eq!((account.moves, account.lines), (1 + 100, 1));
    assert_eq!(full_after(&instance, "bllll"), [(1, 2)]);
}

#[test]
fn lines_of_the_lock_before_add_a_tenth_for_each_beyond_the_first() {
    let instance = game(
        "
        . .
         . .
        # .
         # .
        # .",
        &[(0, 0), (0, 1)],
        (0, 0),
        2,
    );
    // The pair stands in the second and third row from below and completes both.
    assert_eq!(account_of(&instance, "lll").moves, 2 + 300);
    // The next one completes the lowest row: 102 and, with ls_old = 2, a tenth of that.
    let account = account_of(&instance, "lllllal");
    assert_eq!((account.moves, account.lines), (302 + 102 + 10, 3));
}

#[test]
fn a_repeated_position_is_a_mistake_reported_with_its_place() {
    let instance = game(FIVE, SINGLE, (0, 0), 2);
    let wrong = mistake(&instance, "pb");
    assert_eq!(
        (wrong.character, wrong.command, wrong.unit, wrong.why),
        (2, 2, 1, LetterError::Repeated)
    );
    assert_eq!(
        wrong.to_string(),
        "character 2 (“b”, command 2, unit 1): it returns the unit to a position it already had"
    );
    // Ignored characters count as characters, not as commands.
    let wrong = mistake(&instance, "p\n\tb");
    assert_eq!((wrong.character, wrong.command), (4, 2));
    // A turn of a unit that looks the same is no move.
    assert_eq!(mistake(&instance, "d").why, LetterError::Repeated);
}

#[test]
fn turns_need_room_at_their_end_only_and_the_pivot_may_be_off_the_board() {
    // The pivot is two columns right of the cell: six turns lead around it.
    let instance = game(FIVE, SINGLE, (2, 0), 1);
    let mut state = instance.start();
    let unit = instance.unit(&state).clone();
    assert_eq!(unit.period(), 6);
    assert_eq!(
        unit.cells(state.walk.as_ref().unwrap().position()).next(),
        Some(Cell { x: 2, y: 0 })
    );
    // Two cells west of the pivot on an even row; turned counter-clockwise it is two down
    // and one right of there, on the way around through nothing.
    instance.speak(&mut state, b'k').unwrap();
    let cell = unit.cells(state.walk.as_ref().unwrap().position()).next();
    assert_eq!(cell, Some(Cell { x: 3, y: 2 }));
    // East three times brings the pivot off the board.
    let instance = game(FIVE, SINGLE, (2, 0), 2);
    assert_eq!(account_of(&instance, "bb").commands, 2);
}

#[test]
fn turned_half_around_a_pair_is_back_only_if_its_pivot_is_its_middle() {
    // One row down, so that there is room to turn.
    let around_the_middle = game(FIVE, &[(1, 0), (3, 0)], (2, 0), 1);
    assert_eq!(mistake(&around_the_middle, "addd").why, LetterError::Repeated);
    let around_an_end = game(FIVE, &[(1, 0), (2, 0)], (1, 0), 1);
    assert_eq!(account_of(&around_an_end, "addd").commands, 4);
}

#[test]
fn unknown_characters_and_commands_after_the_end_are_mistakes() {
    let instance = game(FIVE, SINGLE, (0, 0), 1);
    assert_eq!(mistake(&instance, "a6").why, LetterError::Unknown);
    assert_eq!(mistake(&instance, "aä").why, LetterError::Unknown);
    assert_eq!(mistake(&instance, "aaaaa").why, LetterError::Over);
    assert_eq!(account_of(&instance, "aaaa\n\t\r").end, End::Units);
}

#[test]
fn stopping_early_is_no_mistake() {
    let instance = game(FIVE, SINGLE, (0, 0), 3);
    assert_eq!(account_of(&instance, "aaaaa").end, End::Early { left: 2 });
    assert_eq!(account_of(&instance, "").end, End::Early { left: 3 });
}

#[test]
fn a_game_whose_first_unit_finds_no_room_lets_one_command_pass() {
    let instance = game("# # #\n. . .", SINGLE, (0, 0), 3);
    assert_eq!(account_of(&instance, "").end, End::Room);
    assert_eq!(account_of(&instance, "a").score(), 0);
    assert_eq!(mistake(&instance, "aa").why, LetterError::Over);
}

#[test]
fn a_game_ends_when_the_next_unit_finds_no_room() {
    let instance = game(". . .", SINGLE, (0, 0), 3);
    assert_eq!(account_of(&instance, "a").end, End::Room);
}

#[test]
fn phrases_are_worth_twice_their_length_each_time_and_300_once_across_locks_too() {
    let instance = game(FIVE, SINGLE, (0, 0), 4);
    // e: east, i: south-west, !: west.
    let account = account_of(&instance, "ei!");
    assert_eq!((account.power, account.distinct()), (306, 1));
    assert_eq!(account_of(&instance, "EI!").power, 306);
    assert_eq!(account_of(&instance, "ei!lei!").power, 312);
    assert_eq!(account_of(&instance, "ei\n!").power, 0);
    // The first unit locks at the edge by the first letter of the phrase.
    let account = account_of(&instance, "bbei!");
    assert_eq!((account.power, account.locked), (306, 1));
}

#[test]
fn a_problems_score_divides_by_all_the_seeds_it_lists() {
    assert_eq!(average(99, 10), 9);
    assert_eq!(average(0, 1), 0);
}
