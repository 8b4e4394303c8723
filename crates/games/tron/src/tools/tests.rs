//! The solver against plain recursion with the rules themselves, and known positions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use quintain_core::{
    Advice, Catalog, Effort, ExactJudge, GivenAway, MatchStart, Rng, Rules, Seat, Setup, Streams,
    ToolRequest, Turn,
};
use quintain_search::matrix_game;

use super::board::Board;
use super::checkpoint;
use super::judge::costs_of;
use super::regret::score_tool;
use super::solver::{Equilibrium, Solver, Stopped, moved};
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

/// A solver of a position's board with this much memory.
fn solver(state: &State, memory: usize) -> Solver {
    Solver::new(Board::new(state).unwrap(), memory, Arc::new(AtomicBool::new(false)))
}

fn value_with(solver: &mut Solver, state: &State) -> f64 {
    let position = solver.board().position(state);
    solver.value(position).unwrap()
}

fn solved(state: &State) -> f64 {
    value_with(&mut solver(state, 1 << 20), state)
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
        let value = |position| solver(&state, 1 << 22).value(position).unwrap();
        prop_assert!((value(position) + value(exchanged) - 1.0).abs() < 1e-9);
        if is_swapped == is_other_swapped {
            prop_assert!((value(position) - 0.5).abs() < 1e-9);
        }
    }

    #[test]
    fn a_small_table_changes_no_value(seed: u64) {
        let state = any_board(4, 4, 0, &mut Rng::from_seed(seed));
        let [mut small, mut large] = [1 << 10, 1 << 22].map(|memory| solver(&state, memory));
        let values = [&mut small, &mut large].map(|solver| value_with(solver, &state));
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
    let board = Board::new(&state).unwrap();
    let position = board.position(&state);
    let mut solver = Solver::new(board, 1 << 20, Arc::new(AtomicBool::new(true)));
    assert_eq!(solver.value(position), Err(Stopped));
}

#[test]
fn a_search_goes_on_from_its_checkpoint() {
    let state = any_board(5, 5, 0, &mut Rng::from_seed(3));
    let mut whole = solver(&state, 1 << 22);
    let value = value_with(&mut whole, &state);
    let mut first = solver(&state, 1 << 22);
    first.allow(whole.searched() / 2);
    let position = first.board().position(&state);
    assert_eq!(first.value(position), Err(Stopped));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values");
    checkpoint::save(&file, &first).unwrap();
    let mut second = solver(&state, 1 << 22);
    checkpoint::load(&file, &mut second).unwrap();
    assert_eq!(value_with(&mut second, &state), value);
    // The positions on the way to where it stopped are searched again.
    let all = first.searched() + second.searched();
    assert!(second.searched() < whole.searched() && all < whole.searched() + 25);

    let refuse = |file: &Path, state: &State| {
        checkpoint::load(file, &mut solver(state, 1 << 20)).unwrap_err()
    };
    let other = any_board(4, 5, 0, &mut Rng::from_seed(3));
    assert!(refuse(&file, &other).contains("is of another board"));
    std::fs::write(&file, "something else").unwrap();
    assert!(refuse(&file, &state).contains("is no checkpoint"));
    // Reading would wait for somebody who writes.
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert!(refuse(&pipe, &state).contains("is no checkpoint"));
    }
}

/// What two seats give away by their first moves, on 7×7 cells and a seed.
fn costs_of_first_moves(player: &str, seed: u64, judge: &mut dyn ExactJudge) -> f64 {
    let catalog = Catalog::new().with(crate::entry());
    let game = catalog.game("tron", "empty?width=9&height=9").unwrap();
    let player = catalog.player("tron", player).unwrap();
    let setup = Setup::new(seed);
    let streams = Streams::new(seed);
    let start = game.begin(seed);
    let joint: Vec<String> = Seat::all(2)
        .map(|seat| {
            let match_start = MatchStart::new("tron", game.scenario(), 2);
            let own = streams.player_seed(seat);
            let match_start = match_start.with_seat(seat, own, setup.budget);
            let mut adviser = game.adviser(&player, &match_start, streams.player(seat)).unwrap();
            let advice = Advice {
                observation: &start.observation(seat),
                turn: 0,
                budget: setup.budget,
                time_left: None,
                stop: None,
            };
            adviser.advise(&advice).unwrap().0
        })
        .collect();
    // Any match on the seed will do.
    let random = catalog.player("tron", "random").unwrap();
    let mut record = game.play(&setup, &[&random, &random], None).unwrap();
    record.actions = joint.join(" ");
    let turns = judge.judge(&record).unwrap();
    assert_eq!(turns.len(), 1);
    Seat::all(2).map(|seat| GivenAway::of(&turns, seat).all).sum()
}

#[test]
#[ignore = "nightly: solves 30 boards of 7×7 cells"]
fn a_search_ten_times_as_deep_agrees_with_exact_values_in_positions_set_aside() {
    let stop = Arc::default();
    let mut judge = super::judge(Effort { memory: 1 << 28, positions: u64::MAX, stop });
    let mut given = |nodes: u64| -> f64 {
        let player = format!("champion?nodes={nodes}");
        (101..=130).map(|seed| costs_of_first_moves(&player, seed, judge.as_mut())).sum()
    };
    let (shallow, deep) = (given(1000), given(10_000));
    assert!(deep <= shallow && deep < 0.001, "{shallow}, {deep}");
}

#[test]
fn mixtures_are_worth_the_value_against_every_move() {
    let mut rng = Rng::from_seed(7);
    for _ in 0..50 {
        let state = any_board(4, 5, 0, &mut rng);
        let mut solver = solver(&state, 1 << 22);
        let position = solver.board().position(&state);
        let found = solver.equilibrium(position).unwrap();
        let best = found.scores[0].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = found.scores[1].iter().copied().fold(f64::INFINITY, f64::min);
        assert!((best - found.value).abs() < 1e-9 && (worst - found.value).abs() < 1e-9);
    }
}

/// What both seats give away by these moves.
fn costs(map: &str, joint: [Direction; 2]) -> [f64; 2] {
    let state = read_map(map).unwrap();
    let mut solver = solver(&state, 1 << 20);
    let position = solver.board().position(&state);
    let equilibrium = solver.equilibrium(position).unwrap();
    costs_of(&solver, &state, &equilibrium, joint)
}

#[test]
fn whoever_enters_the_smaller_room_gives_the_match_away() {
    // A can make one step to the left and four to the right, B two.
    let map = "11 3\n###########\n# 1    #2  #\n###########\n";
    let map = &map.replace("11 3", "12 3").replace("###########", "############");
    assert_eq!(costs(map, [Direction::Right, Direction::Right]), [0.0, 0.0]);
    assert_eq!(costs(map, [Direction::Left, Direction::Right]), [1.0, 0.0]);
    // A crash loses too, and B had nothing to give away.
    assert_eq!(costs(map, [Direction::Up, Direction::Up]), [1.0, 0.0]);
}

#[test]
fn whoever_cannot_move_gives_nothing_away_and_the_other_only_by_a_crash() {
    let map = "8 3\n########\n#1#2   #\n########\n";
    assert_eq!(costs(map, [Direction::Up, Direction::Right]), [0.0, 0.0]);
    assert_eq!(costs(map, [Direction::Up, Direction::Down]), [0.0, 0.5]);
}

/// Calls the tool on records of matches on 5×5 cells.
fn account(pairs: &[[&str; 2]], seeds: std::ops::Range<u64>) -> serde_json::Value {
    let catalog = Catalog::new().with(crate::entry());
    let game = catalog.game("tron", "empty?width=7&height=7").unwrap();
    let mut text = String::new();
    for seed in seeds {
        for pair in pairs {
            let seats = pair.map(|player| catalog.player("tron", player).unwrap());
            let record = game.play(&Setup::new(seed), &seats.each_ref(), None).unwrap();
            text += &(record.to_json() + "\n");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("matches.jsonl");
    std::fs::write(&file, text).unwrap();
    let inputs = vec![file.display().to_string()];
    let request = ToolRequest { inputs, json: true, ..ToolRequest::default() };
    serde_json::from_str(&score_tool().call(&request).unwrap()).unwrap()
}

#[test]
fn the_champion_gives_away_less_than_a_player_without_search() {
    let account = account(&[["champion", "random"], ["random", "champion"]], 0..10);
    let mean = |number: usize| account["players"][number]["mean"].as_f64().unwrap();
    assert_eq!(account["matches"], 20);
    assert_eq!(account["players"][0]["player"], "champion");
    assert!(mean(0) < 0.2 && mean(1) > 0.3, "{account}");
}

#[test]
fn matches_that_cannot_be_judged_are_left_out_and_said() {
    let call = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("matches.jsonl");
        std::fs::write(&file, text).unwrap();
        let inputs = vec![file.display().to_string()];
        score_tool().call(&ToolRequest { inputs, ..ToolRequest::default() })
    };
    let catalog = Catalog::new().with(crate::entry());
    let record = |scenario: &str| {
        let seats = ["random", "random"].map(|player| catalog.player("tron", player).unwrap());
        let game = catalog.game("tron", scenario).unwrap();
        game.play(&Setup::new(1), &seats.each_ref(), None).unwrap().to_json() + "\n"
    };
    let large = record("empty");
    assert!(call(&large).unwrap_err().to_string().contains("the board is too large"));
    let both = call(&(large + &record("empty?width=6&height=6"))).unwrap();
    assert!(both.contains("1 left out: the board is too large"), "{both}");
    assert!(call("{}").unwrap_err().to_string().contains("matches.jsonl:1"));
}

#[test]
fn a_dominated_move_costs_something_though_one_perfect_reply_does_not_punish_it() {
    // A draws by U whatever B does. D draws, too, if B goes up; B gains by L.
    let map = "5 5\n#####\n#   #\n#1 2#\n#  ##\n#####\n";
    let [up, down] = [Direction::Up, Direction::Down].map(|own| costs(map, [own, Direction::Up]));
    assert_eq!((up, down), ([0.0, 0.0], [0.5, 0.0]));
}

#[test]
fn moves_cost_nothing_just_if_one_of_the_perfect_mixtures_has_them() {
    let mut rng = Rng::from_seed(11);
    let mut dominated = 0;
    for _ in 0..60 {
        let walls = rng.bits() & rng.bits();
        let state = any_board(3, 4, walls, &mut rng);
        let mut solver = solver(&state, 1 << 20);
        let position = solver.board().position(&state);
        let found = solver.equilibrium(position).unwrap();
        if found.moves.iter().any(Vec::is_empty) {
            continue;
        }
        let mut payoff = |a: u8, b: u8| match a == b {
            true => 0.5,
            false => solver.value(moved(position, a, b)).unwrap(),
        };
        for (number, a) in found.moves[0].iter().enumerate() {
            let replies = found.moves[1].iter().zip(&found.shares[1]);
            let old: f64 = replies.map(|(b, share)| share * payoff(*a, *b)).sum();
            let worth = found.scores[0][number];
            assert!(worth <= old + 1e-9, "{worth} {old}\n{state}");
            dominated += usize::from(old > found.value - 1e-9 && worth < found.value - 1e-9);
            let is_perfect = has_perfect_mixture_with(*a, &found, &mut payoff);
            assert_eq!(worth > found.value - 1e-9, is_perfect, "{a}: {found:?}\n{state}");
        }
    }
    assert!(dominated > 0);
}

/// Whether a mixture of the first seat has a move at least one time in a thousand and is worth the
/// value against every reply: whether a game in which it must has the same value.
fn has_perfect_mixture_with(
    own: u8,
    found: &Equilibrium,
    payoff: &mut dyn FnMut(u8, u8) -> f64,
) -> bool {
    let [mine, theirs] = &found.moves;
    let payoffs: Vec<f64> = mine
        .iter()
        .flat_map(|a| theirs.iter().map(move |b| (*a, *b)))
        .map(|(a, b)| 0.001 * payoff(own, b) + 0.999 * payoff(a, b))
        .collect();
    matrix_game::solve(&payoffs, theirs.len()).value > found.value - 1e-9
}
