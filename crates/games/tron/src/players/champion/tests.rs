//! The champion against brute force on small boards, and its evaluation against
//! the plain one of the 2010 method.
//!
//! This is a child module of the roster rather than of the champion, because the bench compiles the
//! champion's modules in as they are.

use super::champion::Champion;
use super::champion::chambers::Evaluator;
use super::champion::holding::Weights;
use super::champion::odds::{PROVEN, PROVEN_CELL};
use super::champion::settings::{Settings, TUNED, Tuned, tuned};
use super::contest2010;
use super::duel::{Choice, Duel, Order};
use crate::Direction;
use proptest::prelude::*;
use quintain_grid::{Cell, Rows, Rows128};

/// A duel drawn in text: `.` is free, `1` and `2` are the heads.
fn draw_duel(text: &str, order: Order) -> Duel {
    let rows: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let find = |mark| {
        let place = rows.iter().enumerate().find_map(|(row, line)| Some((row, line.find(mark)?)));
        let (row, col) = place.expect("both heads are drawn");
        Cell::new(row as u8, col as u8)
    };
    Duel {
        height: rows.len(),
        width: rows[0].len(),
        free: Rows128::parse(text),
        heads: [find('1'), find('2')],
        order,
    }
}

/// Random boards with two heads, with walls on up to a third of the cells.
fn duels(sides: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Duel> {
    (sides.clone(), sides, any::<bool>()).prop_flat_map(|(height, width, in_turn)| {
        let walls = prop::collection::vec(prop::bool::weighted(0.2), height * width);
        let heads = prop::sample::subsequence((0..height * width).collect::<Vec<_>>(), 2);
        (walls, heads, any::<bool>()).prop_map(move |(walls, heads, swap)| {
            let cell = |index: usize| Cell::new((index / width) as u8, (index % width) as u8);
            let (first, second) = (cell(heads[swap as usize]), cell(heads[1 - swap as usize]));
            let free = (0..height * width).filter(|&index| !walls[index]).map(cell);
            Duel {
                height,
                width,
                free: free.filter(|&cell| cell != first && cell != second).collect(),
                heads: [first, second],
                order: if in_turn { Order::InTurn } else { Order::Simultaneous },
            }
        })
    })
}

fn steps(duel: &Duel, player: usize) -> Vec<Cell> {
    let around = Direction::ALL.map(|direction| direction.step(duel.heads[player]));
    around.into_iter().filter(|&cell| duel.free.contains(cell)).collect()
}

/// 1 when the first player wins against every answer, -1 when it loses, else 0.
fn outcome(duel: &Duel) -> i32 {
    let (ours, theirs) = (steps(duel, 0), steps(duel, 1));
    if ours.is_empty() {
        return if theirs.is_empty() && duel.order == Order::Simultaneous { 0 } else { -1 };
    }
    ours.into_iter().map(|our| outcome_of(duel, our)).max().unwrap_or(-1)
}

/// The outcome when the first player goes here.
fn outcome_of(duel: &Duel, ours: Cell) -> i32 {
    let answers = steps(duel, 1).into_iter().filter_map(|theirs| {
        if ours == theirs {
            return (duel.order == Order::Simultaneous).then_some(0);
        }
        let mut after = duel.clone();
        after.free.remove(ours);
        after.free.remove(theirs);
        after.heads = [ours, theirs];
        Some(outcome(&after))
    });
    answers.min().unwrap_or(1)
}

/// The most cells that the first head can walk alone.
fn longest(duel: &Duel) -> i32 {
    let behind = steps(duel, 0).into_iter().map(|next| {
        let mut after = duel.clone();
        after.free.remove(next);
        after.heads[0] = next;
        1 + longest(&after)
    });
    behind.max().unwrap_or(0)
}

fn are_apart(duel: &Duel) -> bool {
    let reach = |head| quintain_grid::reach(&duel.free, &Rows::of(head));
    (reach(duel.heads[0]) & reach(duel.heads[1])).is_empty()
}

#[test]
fn the_only_way_out_is_taken() {
    let duel = draw_duel(
        "
        #####
        #1###
        #.#2#
        #...#
        #####",
        Order::Simultaneous,
    );
    let choice = Champion::new(Settings::default()).choose(&duel, 0, &mut || true);
    assert_eq!(choice.direction, Direction::Down);
}

#[test]
fn a_larger_room_is_chosen_when_the_players_are_apart() {
    let duel = draw_duel(
        "
        ########
        #..1...#
        #.##...#
        ########
        #2.....#
        ########",
        Order::Simultaneous,
    );
    let choice = Champion::new(Settings::default()).choose(&duel, 0, &mut || true);
    assert_eq!((choice.direction, choice.value), (Direction::Right, 6));
}

/// From a game against the winner of 2010: a race that was only bounded by a shallow search counted
/// as solved, so the search ended after a few nodes although nothing was decided.
#[test]
fn a_race_that_is_only_bounded_is_searched_again_when_the_search_goes_deeper() {
    let duel = draw_duel(
        "
        #############
        #.#....#.#..#
        #.###.......#
        #..###.###..#
        #..#2......##
        #.........#.#
        #...........#
        #...........#
        #.#....1#...#
        ##......##..#
        #..###.#.##.#
        #.........#.#
        #..#.#....#.#
        #############",
        Order::Simultaneous,
    );
    let choice = choose_within(500_000, Settings::default(), &duel);
    assert_eq!(choice.nodes, 500_000, "the search ended by itself: {choice:?}");
}

/// Searches at most this many nodes with a champion that has seen no position yet.
fn choose_within(mut nodes: u64, settings: Settings, duel: &Duel) -> Choice {
    Champion::new(settings).choose(duel, 0, &mut || {
        nodes -= 1;
        nodes > 0
    })
}

#[test]
fn one_engine_takes_boards_of_any_size_one_after_the_other() {
    let mut champion = Champion::new(Settings::default());
    for (height, width) in [(4, 4), (15, 15), (20, 10), (12, 12), (10, 33), (128, 128), (3, 3)] {
        let cells = (0..height).flat_map(|row| (0..width).map(move |col| Cell::new(row, col)));
        let heads = [Cell::new(0, 0), Cell::new(height - 1, width - 1)];
        let free = cells.filter(|cell| !heads.contains(cell)).collect();
        let (height, width) = (usize::from(height), usize::from(width));
        let duel = Duel { height, width, free, heads, order: Order::Simultaneous };
        let mut left = 200;
        let choice = champion.choose(&duel, 0, &mut || {
            left -= 1;
            left > 0
        });
        let next = choice.direction.step(heads[0]);
        assert!(duel.free.contains(next), "{height}×{width}: {choice:?}");
    }
}

#[test]
fn the_only_way_on_is_taken_without_search() {
    let duel = draw_duel(
        "
        1.........
        #.........
        ....#.....
        ..........
        .........2",
        Order::Simultaneous,
    );
    let choice = choose_within(100_000, Settings::default(), &duel);
    assert_eq!((choice.direction, choice.depth), (Direction::Right, 1));
    assert!(choice.nodes < 10, "{choice:?}");
}

/// From a game against the winner of 2010, which was drawn three turns later when both entered the
/// same cell.
#[test]
fn an_early_head_on_is_avoided_at_a_smaller_cost() {
    let duel = draw_duel(
        "
        ####################
        #..................#
        #..................#
        #..................#
        #..................#
        #......###.........#
        #........1.........#
        #..................#
        #..................#
        #..................#
        #..................#
        #.........2#.......#
        #..........##......#
        #..................#
        #..................#
        #..................#
        #..................#
        ####################",
        Order::Simultaneous,
    );
    let careless = choose_within(5_000, Settings { contempt: 0, ..Settings::default() }, &duel);
    assert_eq!(careless.value, 0, "an even game: {careless:?}");
    let choice = choose_within(5_000, Settings::default(), &duel);
    let head_on = -Settings::default().contempt * (duel.free.count() as i32 - 6) / 1000;
    assert!((head_on + 1..0).contains(&choice.value), "{choice:?}, a head-on {head_on}");
}

#[test]
fn a_proven_lead_of_one_cell_is_worth_more_than_any_guess() {
    // To the left there are eight cells, and their own way down has seven.
    let duel = draw_duel(
        "
        ########
        #...1..#
        #.####.#
        #....#2#
        ######.#
        ######.#
        ##.....#
        ########",
        Order::Simultaneous,
    );
    let choice = choose_within(100_000, Settings::default(), &duel);
    assert_eq!((choice.direction, choice.value), (Direction::Left, PROVEN + PROVEN_CELL));
}

#[test]
fn the_same_node_limit_gives_the_same_choices() {
    let duel = draw_duel(
        "
        1.........
        ..........
        ....#.....
        ..........
        .........2",
        Order::Simultaneous,
    );
    let choose = || {
        let mut spent = 0;
        Champion::new(Settings::default()).choose(&duel, 1, &mut || {
            spent += 1;
            spent < 5_000
        })
    };
    assert_eq!(choose(), choose());
}

#[test]
fn a_limit_of_no_node_still_gives_a_way_that_is_open() {
    let duel = draw_duel("##1.....2##", Order::Simultaneous);
    for (seat, direction) in [(0, Direction::Right), (1, Direction::Left)] {
        let choice = Champion::new(Settings::default()).choose(&duel, seat, &mut || false);
        assert_eq!(choice.direction, direction);
    }
}

#[test]
fn a_long_corridor_on_the_largest_board_is_searched_within_a_small_stack() {
    // A snake of one lane, with both heads at its ends.
    let wall_at = |row: u8, col: u8| row % 2 == 1 && col != if row % 4 == 1 { 127 } else { 0 };
    let heads = [Cell::new(0, 0), Cell::new(126, 127)];
    let board = Rows128::rectangle(127, 128);
    let free = board.cells().filter(|&Cell { row, col }| !wall_at(row, col));
    let duel = Duel {
        height: 127,
        width: 128,
        free: free.filter(|cell| !heads.contains(cell)).collect(),
        heads,
        order: Order::Simultaneous,
    };
    let search = move || {
        let mut spent = 0;
        Champion::new(Settings::default()).choose(&duel, 0, &mut || {
            spent += 1;
            spent < 20_000
        })
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(search);
    let choice = thread.expect("a thread starts").join().expect("the search ends");
    assert_eq!(choice.direction, Direction::Right);
}

/// The first chamber has a cell too many of one colour and the second has one too many of the
/// other. They cancel out in the sum of both, but not for a path that must pass from one to the
/// other.
#[test]
fn a_path_is_bounded_by_the_colours_of_each_chamber() {
    let duel = draw_duel(
        "
        ##########
        #1..#.####
        #.........
        #...#.####
        #########2",
        Order::Simultaneous,
    );
    let mut evaluator = Evaluator::<u16, 16>::new(Settings::default().weights, false);
    let free = duel.free.cells().collect();
    assert_eq!(evaluator.longest_bound(&free, duel.heads[0]), longest(&duel));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn small_boards_are_played_to_the_outcome_of_brute_force(duel in duels(2..=4)) {
        // Brute force has no opinion on draws.
        let settings = Settings { contempt: 0, ..Settings::default() };
        let choice = Champion::new(settings).choose(&duel, 0, &mut || true);
        if are_apart(&duel) {
            prop_assert_eq!(choice.value, longest(&duel));
        } else {
            let open = steps(&duel, 0);
            // Nobody asks what a forced move leads to.
            if open.len() != 1 {
                prop_assert_eq!(choice.value.signum(), outcome(&duel));
            }
            if !open.is_empty() {
                let chosen = choice.direction.step(duel.heads[0]);
                prop_assert!(open.contains(&chosen));
                prop_assert_eq!(outcome_of(&duel, chosen), outcome(&duel));
            }
        }
    }

    #[test]
    fn the_2010_method_also_plays_small_boards_to_that_outcome(duel in duels(2..=4)) {
        let duel = Duel { order: Order::Simultaneous, ..duel };
        let choice = contest2010::choose(&duel, &mut || true);
        if are_apart(&duel) {
            prop_assert_eq!(choice.value, longest(&duel));
        } else {
            prop_assert_eq!(choice.value.signum(), outcome(&duel));
        }
    }

    #[test]
    fn no_path_is_longer_than_its_bound(duel in duels(2..=5)) {
        let mut evaluator = Evaluator::<u16, 16>::new(Settings::default().weights, false);
        let bound = evaluator.longest_bound(&duel.free.cells().collect(), duel.heads[0]);
        prop_assert!(longest(&duel) <= bound, "{} of {bound}", longest(&duel));
    }

    #[test]
    fn chambers_equal_those_of_the_plain_evaluation(duel in duels(2..=16)) {
        // The weights of the plain evaluation, which does not know moves in turn.
        let weights = Weights { cell: 55, edge: 194, front: 55 };
        let mut evaluator = Evaluator::<u16, 16>::new(weights, false);
        let found = evaluator.evaluate(&duel.free.cells().collect(), duel.heads);
        prop_assert_eq!((found.apart, found.worth), contest2010::worth(&duel));
        let mut wide = Evaluator::<u128, 128>::new(weights, false);
        prop_assert_eq!(wide.evaluate(&duel.free, duel.heads).worth, found.worth);
    }
}

#[test]
fn the_tuned_numbers_are_complete_and_say_where_they_are_from() {
    tuned();
    let file: toml::Table = toml::from_str(TUNED).unwrap();
    assert!(["command", "seeds"].iter().all(|key| file["origin"][key].is_str()));
    let problem = toml::from_str::<Tuned>(&TUNED.replace("front = 55", "back = 55"));
    assert!(problem.unwrap_err().to_string().contains("missing field `front`"));
}
