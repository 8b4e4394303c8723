//! The rules against what is known of the game, and what every game owes its users.

use connect_four::{Column, ConnectFour, entry, scenario};
use quintain_core::{Match, Rng, Rules, Seat, Turn};
use quintain_testkit::TestEffort;
use quintain_testkit::check_game;

/// The position after these columns, and whose game it is.
fn after(columns: &str) -> Match<ConnectFour> {
    let mut current = Match::new(scenario(ConnectFour), 0);
    for column in columns.split_whitespace() {
        let action: Column = column.parse().unwrap();
        current.play(&[action]).unwrap();
    }
    current
}

fn scores(current: &Match<ConnectFour>) -> Vec<f64> {
    current.outcome().expect("the game is over").scores
}

/// Games of `depth` discs from here, those that end sooner not counted.
fn perft(state: &<ConnectFour as Rules>::State, depth: u32) -> u64 {
    let Turn::Seat(seat) = ConnectFour.turn(state) else { return u64::from(depth == 0) };
    if depth == 0 {
        return 1;
    }
    let mut actions = Vec::new();
    ConnectFour.actions(state, seat, &mut actions);
    let count = |action| {
        let mut next = state.clone();
        ConnectFour.step(&mut next, &[action]);
        perft(&next, depth - 1)
    };
    actions.into_iter().map(count).sum()
}

#[test]
fn connect_four_and_its_roster_pass_check_game() {
    let report = check_game(entry(), &TestEffort::default());
    report.assert_clean();
}

#[test]
fn lines_of_play_are_as_many_as_are_known() {
    let start = scenario(ConnectFour).start(&mut Rng::from_seed(0));
    let counts: Vec<u64> = (0..8).map(|depth| perft(&start, depth)).collect();
    assert_eq!(counts, [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536]);
}

#[test]
fn four_in_a_line_win_upright_level_and_on_both_diagonals() {
    for columns in
        ["1 2 1 2 1 2 1", "1 1 2 2 3 3 4", "1 2 2 3 3 4 3 4 4 6 4", "7 6 6 5 5 4 5 4 4 2 4"]
    {
        assert_eq!(scores(&after(columns)), [1.0, 0.0], "{columns}");
    }
    assert_eq!(scores(&after("1 2 1 2 1 2 3 2")), [0.0, 1.0]);
}

#[test]
fn a_line_does_not_run_on_from_the_top_of_a_column_into_the_next() {
    // Three of seat 0 on top of column 1, one at the foot of column 2.
    assert!(!after("1 1 3 1 1 2 1 4 1").is_over());
}

#[test]
fn a_full_board_without_a_line_is_a_draw() {
    let rows =
        "1 2 1 2 2 1 2 1 1 2 1 2 3 4 3 4 4 3 4 3 3 4 3 4 5 6 5 6 6 5 6 5 5 6 5 6 7 7 7 7 7 7";
    let current = after(rows);
    assert_eq!(scores(&current), [0.5, 0.5]);
    assert_eq!(current.outcome().unwrap().ending, "board full");
}

#[test]
fn a_full_column_is_refused() {
    let mut full = after("3 3 3 3 3 3");
    let (seat, illegal) = full.play(&["3".parse().unwrap()]).unwrap_err();
    assert_eq!((seat, illegal.to_string()), (Seat::new(0), "column 3 is full".to_owned()));
    let outside: Column = serde_json::from_str("9").unwrap();
    assert!(full.play(&[outside]).is_err());
    assert!("8".parse::<Column>().is_err());
}
