//! The rules of pentocity, in the order of the specification.

use quintain_core::{Rules, Seat};
use quintain_pentocity::Cells;
use quintain_pentocity::Prefer;
use quintain_pentocity::{Board, Move, Pentocity, Piece, Ruleset, State, entry};
use quintain_pentocity::{Placements, shortest_road};

const SEAT: Seat = Seat::new(0);

fn game(side: usize, scoring: Ruleset) -> Pentocity {
    on_random(side, scoring).rules().clone()
}

fn on_random(side: usize, scoring: Ruleset) -> quintain_core::Scenario<Pentocity> {
    entry().build(&format!("random?side={side}&scoring={scoring}")).unwrap().0
}

/// A position on a drawn board, with a request.
fn position(board: &str, request: &str) -> State {
    let board: Board = board.parse().unwrap();
    let mut state = State::new(board.side()).with_board(board);
    state.ask(request.parse().unwrap());
    state
}

fn play(board: &str, request: &str, answer: &str) -> Result<(State, u32), String> {
    play_by(Ruleset::Simulator, board, request, answer)
}

/// Plays one move on a drawn board; returns the position after it and the points earned.
fn play_by(
    scoring: Ruleset,
    board: &str,
    request: &str,
    answer: &str,
) -> Result<(State, u32), String> {
    let mut state = position(board, request);
    let answer: Move = answer.parse().unwrap();
    game(state.board().side(), scoring)
        .check(&state, SEAT, &answer)
        .map_err(|illegal| illegal.to_string())?;
    let points = state.answer(scoring, &answer);
    Ok((state, points))
}

fn points(board: &str, request: &str, answer: &str) -> u32 {
    play(board, request, answer).unwrap().1
}

fn refused(board: &str, request: &str, answer: &str) -> String {
    play(board, request, answer).unwrap_err()
}

const EMPTY: &str = "
    ........
    ........
    ........
    ........
    ........
    ........
    ........
    ........";

#[test]
fn a_building_earns_a_point_for_each_cell() {
    assert_eq!(points(EMPTY, "X", "r0@0,0"), 5);
    assert_eq!(points(EMPTY, "3x4", "r0@0,0"), 12);
}

#[test]
fn a_move_lays_water_park_road_and_building() {
    let (state, _) = play(EMPTY, "2x1", "r1@3,3;road=2,3+1,3+0,3;water=7,7;park=7,0+6,0").unwrap();
    let drawn: String = state.board().to_string();
    assert_eq!(
        drawn,
        "...#....\n...#....\n...#....\n...ff...\n........\n........\n*.......\n*......~\n"
    );
}

#[test]
fn rotation_turns_by_i_j_to_j_max_i_less_i() {
    let (state, _) = play(EMPTY, "L", "r1@0,0").unwrap();
    assert!(state.board().to_string().starts_with("rr......\n.r......\n.r......\n.r......\n...."));
}

#[test]
fn a_shape_has_as_many_rotations_as_positions() {
    assert!(refused(EMPTY, "X", "r1@0,0").contains("residence X has rotations 0 to 0"));
    assert!(refused(EMPTY, "I", "r2@0,0").contains("rotation 2 does not exist"));
    assert!(refused(EMPTY, "2x3", "r2@0,0").contains("factory 2x3 has rotations 0 to 1"));
    assert_eq!(points(EMPTY, "Z", "r1@0,0"), 5);
    assert_eq!(points(EMPTY, "F", "r3@0,0"), 5);
}

#[test]
fn every_cell_must_be_empty_when_its_turn_comes() {
    let board = "
        .....
        .r...
        ..#..
        ..#..
        ..#..";
    let reason_of = |answer: &str| refused(board, "1x1", answer);
    assert_eq!(reason_of("r0@1,1"), "factory on (1, 1): the cell is taken by a residence");
    assert_eq!(reason_of("r0@2,2"), "factory on (2, 2): the cell is taken by a road");
    assert_eq!(reason_of("r0@0,4;water=1,1"), "water on (1, 1): the cell is taken by a residence");
    assert_eq!(
        reason_of("r0@0,4;water=4,4;park=4,4"),
        "park on (4, 4): the cell is taken by water"
    );
    assert_eq!(reason_of("r0@0,4;park=0,4"), "factory on (0, 4): the cell is taken by park");
    assert_eq!(reason_of("r0@0,4;road=0,3+0,3"), "road on (0, 3): the cell is taken by a road");
    assert!(reason_of("r0@0,5").contains("outside of the land, rows and columns 0–4"));
    assert!(reason_of("r0@255,255").contains("outside of the land"));
    assert!(reason_of("r0@0,4;road=9,9").contains("road on (9, 9): outside of the land"));
}

#[test]
fn residences_and_factories_must_not_touch() {
    let board = "
        ff...
        .....
        .....
        .....
        .....";
    assert_eq!(
        refused(board, "I", "r0@1,0"),
        "residence on (1, 0): it would touch a factory on (0, 0); residences and factories must \
         not touch"
    );
    assert_eq!(points(board, "2x1", "r0@1,0"), 2);
    assert_eq!(points(board, "I", "r0@2,0"), 5);
    // A corner does not count as touching.
    assert_eq!(points(board, "I", "r1@0,3"), 5);
}

#[test]
fn all_road_is_one_with_the_ring_around_the_land() {
    assert_eq!(points(EMPTY, "1x1", "r0@3,3;road=3,2+3,1+3,0"), 1);
    assert_eq!(
        refused(EMPTY, "1x1", "r0@3,3;road=3,2"),
        "road on (3, 2): it joins neither the roads nor the ring road around the land"
    );
    assert!(refused(EMPTY, "1x1", "r0@0,0;road=3,3+3,4").contains("joins neither"));
    // Two strands may join the ring on two sides.
    assert_eq!(points(EMPTY, "1x1", "r0@0,0;road=7,7+0,4+1,4"), 1);
}

#[test]
fn the_two_outermost_rings_need_no_road_by_the_simulator() {
    for at in ["0,3", "1,3", "6,3", "7,3", "3,1", "3,6"] {
        assert_eq!(points(EMPTY, "1x1", &format!("r0@{at}")), 1);
    }
    assert_eq!(
        refused(EMPTY, "1x1", "r0@2,3"),
        "factory at (2, 3): no road beside it; it must touch a road, or lie in the 2 outermost \
         rows and columns"
    );
    // That holds even if the outermost ring is taken.
    let walled = "
        ffffff
        ......
        ......
        ......
        ......
        ......";
    assert_eq!(points(walled, "2x1", "r0@1,2"), 2);
}

#[test]
fn only_the_border_needs_no_road_by_the_report() {
    let play = |answer: &str| play_by(Ruleset::Report, EMPTY, "1x1", answer);
    assert_eq!(play("r0@0,3").unwrap().1, 1);
    assert!(play("r0@1,3").unwrap_err().contains("no road beside it"));
    assert_eq!(play("r0@1,3;road=0,3").unwrap().1, 1);
}

#[test]
fn four_cells_of_water_or_park_are_a_pond_or_field_and_a_bonus_comes_once() {
    assert_eq!(points(EMPTY, "I", "r1@0,0;water=0,1+1,1+2,1"), 5);
    assert_eq!(points(EMPTY, "I", "r1@0,0;water=0,1+1,1+2,1+3,1"), 7);
    assert_eq!(points(EMPTY, "I", "r1@0,0;water=0,1+1,1+2,1+3,1;park=5,0+6,0+7,0+7,1"), 9);
    // Two ponds give one bonus; corners touch nothing.
    let ponds = "
        ..~~..
        ..~~..
        ......
        ~~~~..
        ......
        ......";
    assert_eq!(points(ponds, "I", "r0@2,0"), 7);
    assert_eq!(points(ponds, "1x1", "r0@4,4"), 1);
}

#[test]
fn bonuses_are_judged_after_the_cells_of_the_move_and_nothing_is_paid_later() {
    let small = "
        ......
        ......
        ..~~..
        ...~..
        ......
        ......";
    assert_eq!(points(small, "I", "r0@1,0"), 5);
    assert_eq!(points(small, "I", "r0@1,0;water=3,2"), 7);
    let (before, first) = play(small, "I", "r0@1,0").unwrap();
    assert_eq!(first, 5);
    let mut later = before;
    later.ask("1x1".parse().unwrap());
    assert_eq!(later.answer(Ruleset::Simulator, &"r0@5,5;water=3,2".parse().unwrap()), 1);
    assert_eq!(later.totals().score, 6);
}

#[test]
fn factories_earn_bonuses_by_the_simulator_and_none_by_the_report() {
    let answer = "r0@0,0;water=0,1+0,2+0,3+0,4;park=1,0+2,0+3,0+4,0";
    assert_eq!(points(EMPTY, "1x1", answer), 5);
    assert_eq!(play_by(Ruleset::Report, EMPTY, "1x1", answer).unwrap().1, 1);
    assert_eq!(play_by(Ruleset::Report, EMPTY, "I", "r0@0,0;water=1,0+2,0+3,0+4,0").unwrap().1, 7);
}

#[test]
fn the_third_rejection_ends_the_game() {
    let mut current = quintain_core::Match::new(on_random(8, Ruleset::Simulator), 1);
    for turn in 0..3 {
        assert_eq!(current.turn(), turn);
        assert!(!current.is_over());
        current.play(&[Move::Reject]).unwrap();
    }
    let outcome = current.outcome().unwrap();
    assert_eq!((outcome.ending.as_str(), outcome.scores), ("three rejections", vec![0.0]));
    assert!(current.play(&[Move::Reject]).is_err());
}

#[test]
fn land_cut_off_takes_no_building_but_on_the_outer_rings() {
    let board = "
        ........
        ..ffff..
        ..f..f..
        ..f..f..
        ..ffff..
        ........
        ........
        ........";
    let state = position(board, "1x1");
    let placements = game(8, Ruleset::Simulator).placements(&state).unwrap();
    let inside = |row, col| placements.anchors(0).contains(quintain_grid::Cell::new(row, col));
    assert!(!inside(2, 3) && !inside(3, 4) && inside(5, 3));
    assert_eq!(placements.count(), 64 - 16);
}

/// Whether a placement is legal, found the slow way: try a road along every shortest path to the
/// open cells, by waves over single cells.
fn has_road(board: &Board, scoring: Ruleset, piece: Piece, at: quintain_grid::Cell) -> bool {
    use quintain_grid::Cell;
    let side = board.side() as i32;
    let own: Vec<(i32, i32)> = piece
        .shape()
        .cells
        .iter()
        .map(|&(down, right)| (i32::from(at.row + down), i32::from(at.col + right)))
        .collect();
    let around =
        |(row, col): (i32, i32)| [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)];
    let is_ring = |(row, col): (i32, i32)| row < 0 || col < 0 || row >= side || col >= side;
    let is_edge = |(row, col): (i32, i32)| {
        !is_ring((row, col)) && (row == 0 || col == 0 || row == side - 1 || col == side - 1)
    };
    let has =
        |cells: &Cells, (row, col): (i32, i32)| cells.contains(Cell::new(row as u8, col as u8));
    let is_road = |cell| is_ring(cell) || has(board.roads(), cell);
    let by_the_simulator = scoring == Ruleset::Simulator
        && own.iter().any(|&cell| is_edge(cell) || around(cell).into_iter().any(is_edge));
    if by_the_simulator || own.iter().any(|&cell| around(cell).into_iter().any(is_road)) {
        return true;
    }
    let mut reached: Vec<(i32, i32)> = own.clone();
    let mut next = 0;
    while next < reached.len() {
        for side in around(reached[next]) {
            if is_road(side) && next >= own.len() {
                return true;
            }
            if !is_ring(side) && has(board.empty(), side) && !reached.contains(&side) {
                reached.push(side);
            }
        }
        next += 1;
    }
    false
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(60))]

    #[test]
    fn placements_are_those_that_some_road_makes_legal(
        seed: u64, request in 0..Piece::COUNT, is_report: bool, fill in 0usize..90
    ) {
        let scoring = if is_report { Ruleset::Report } else { Ruleset::Simulator };
        let game = game(9, scoring);
        let mut rng = quintain_core::Rng::from_seed(seed);
        let mut current = quintain_core::Match::new(on_random(9, scoring), seed);
        let mut state = State::new(9);
        for _ in 0..fill / 10 {
            if current.is_over() { break }
            let action = game.rollout_action(current.state(), SEAT, &mut rng);
            current.play(&[action]).unwrap();
            state = State::new(9).with_board(*current.state().board());
        }
        let request = Piece::all().nth(request).unwrap();
        state.ask(request);
        let board = state.board();
        let placements = Placements::of(board, request, scoring);
        let mut expected = 0;
        for rotation in 0..request.rotations() {
            let piece = request.rotated(rotation);
            for at in board.room_for(piece).cells() {
                let is_legal = has_road(board, scoring, piece, at);
                expected += u32::from(is_legal);
                proptest::prop_assert_eq!(placements.anchors(rotation).contains(at), is_legal);
                let road = shortest_road(board, scoring, piece, at, &Cells::EMPTY, Prefer::Least);
                proptest::prop_assert_eq!(road.is_some(), is_legal);
                let Some(road) = road else { continue };
                let (water, park) = (Vec::new(), Vec::new());
                let build = quintain_pentocity::Build { rotation, at, road, water, park };
                let checked = game.check(&state, SEAT, &Move::Build(build));
                proptest::prop_assert!(checked.is_ok(), "{:?}", checked);
            }
        }
        proptest::prop_assert_eq!(placements.count(), expected);
    }
}
