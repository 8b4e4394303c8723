//! The report's strategies: every combination runs, and each does what its name says.

use std::sync::Arc;

use quintain_core::{AnyEntry, Decision, Rng, Seat, Setup};
use quintain_grid::Cell;
use quintain_pentocity::{Board, Build, Move, Piece, State, entry};
use quintain_pentocity::{Counts, Outline};

/// The decision of a player on a drawn board, where only the border needs no road.
fn decide(player: &str, board: &str, request: &str) -> Move {
    let board: Board = board.parse().unwrap();
    let scenario = format!("random?side={}&scoring=report", board.side());
    let (built, _) = entry().build(&scenario).unwrap();
    let rules = built.rules().clone();
    let mut state = State::new(board.side()).with_board(board);
    state.ask(request.parse().unwrap());
    let mut player = entry().build_player(player, &rules).unwrap();
    let mut rng = Rng::from_seed(1);
    player.decide(&mut Decision::new(&rules, &state, Seat::new(0), &mut rng)).unwrap()
}

/// The building that it builds there.
fn build(player: &str, board: &str, request: &str) -> Build {
    match decide(player, board, request) {
        Move::Build(build) => build,
        Move::Reject | Move::Ask(_) => panic!("nothing was built on\n{board}"),
    }
}

fn place(player: &str, board: &str, request: &str) -> (u8, u8) {
    let at = build(player, board, request).at;
    (at.row, at.col)
}

#[test]
fn every_combination_of_strategies_plays_a_whole_game_of_legal_moves() {
    let entry = Arc::new(entry());
    let game = AnyEntry::game(&entry, "random?side=9").unwrap();
    let ponds = [
        "ponds=none",
        "ponds=walks:3&prefer=most&straight=false&served=own",
        "ponds=walks:0&extension=0&served=never",
    ];
    let mut combinations = Vec::new();
    for placement in ["rows", "diagonal", "centre", "edges", "cells"] {
        for roads in ["shortest", "max", "min", "clinging", "fractal"] {
            for more in ["", "components=first", "components=second", "joint=roads", "joint=all"] {
                for ties in ["diagonal", "sum", "rows", "submitted"] {
                    let ponds = ponds[combinations.len() % ponds.len()];
                    combinations.push(format!(
                        "report?placement={placement}&roads={roads}&ties={ties}&{ponds}&{more}"
                    ));
                }
            }
        }
    }
    for (seed, player) in combinations.iter().enumerate() {
        let seated = AnyEntry::player(&entry, player).unwrap();
        let setup = Setup::new(seed as u64);
        let outcome = game.play(&setup, &[&seated], None).unwrap().outcome;
        assert!(outcome.fault.is_none(), "{player}: {:?}", outcome.fault);
        assert!(outcome.scores[0] > 15.0, "{player}: {:?}", outcome.scores);
    }
}

#[test]
fn a_wrong_strategy_is_refused_with_what_was_expected() {
    let error_of = |player: &str| match AnyEntry::player(&Arc::new(entry()), player) {
        Ok(_) => panic!("{player} was accepted"),
        Err(error) => error.to_string(),
    };
    assert!(error_of("report?ponds=lakes").contains("expected none, or walks:200"));
    assert!(error_of("report?ponds=walks:9999999").contains("expected none, or walks:200"));
    assert!(error_of("report?placement=spiral").contains("expected one of rows, diagonal, centre"));
    assert!(error_of("report?roads=maximal").contains("shortest, max, min, clinging, fractal"));
    assert!(error_of("report?extention=3").contains("did you mean “extension”?"));
}

const EMPTY: &str = "
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........";

#[test]
fn residences_begin_where_factories_end() {
    assert_eq!(place("naive", EMPTY, "P"), (0, 0));
    assert_eq!(place("naive", EMPTY, "2x2"), (8, 8));
    assert_eq!(place("diagonal", EMPTY, "P"), (0, 0));
    assert_eq!(place("diagonal", EMPTY, "2x2"), (8, 8));
    let (row, col) = place("centre", EMPTY, "P");
    assert!((3..=5).contains(&row) && (3..=5).contains(&col), "({row}, {col})");
    let (row, col) = place("centre", EMPTY, "2x2");
    assert!(row == 8 || col == 8);
    assert_eq!(place("report?ties=diagonal", EMPTY, "2x2"), (8, 8));
    // The submitted program took the first corner, row by row.
    assert_eq!(place("g1", EMPTY, "2x2"), (0, 0));
}

#[test]
fn a_u_over_an_arm_of_an_x_touches_five_edges_of_three_cells() {
    // The report's figure 2: against the border it touches three of either.
    let board: Board = "
        ........
        ........
        ...r....
        ..rrr...
        ...r....
        ........
        ........
        ........"
        .parse()
        .unwrap();
    let piece: Piece = "U".parse().unwrap();
    let touched = |outline: Outline, at: Cell| {
        let all = match outline {
            Outline::Edges => piece.shape().edges.len() as u32,
            Outline::Cells => piece.shape().beside.iter().map(|row| row.count_ones()).sum(),
        };
        all - Counts::of(&board, board.empty(), piece, outline).at(at)
    };
    let (on_the_x, on_the_border) = (Cell::new(2, 4), Cell::new(3, 6));
    assert_eq!(touched(Outline::Edges, on_the_x), 5);
    assert_eq!(touched(Outline::Cells, on_the_x), 3);
    assert_eq!(touched(Outline::Edges, on_the_border), 3);
    assert_eq!(touched(Outline::Cells, on_the_border), 3);
}

#[test]
fn a_residence_that_is_served_gets_what_the_parameters_say() {
    let pond = "
        ~.........
        ~.........
        ~.........
        ~.........
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........";
    let lay = |served: &str| {
        let build = build(&format!("report?placement=rows&ties=rows&served={served}"), pond, "I");
        assert_eq!((build.at.row, build.at.col), (0, 1));
        (build.water.len(), build.park.len())
    };
    assert_eq!(lay("either"), (0, 0));
    assert_eq!(lay("own"), (0, 4));
    assert_eq!(lay("never"), (1, 4));
}

#[test]
fn a_pond_within_reach_is_extended_and_otherwise_a_new_one_dug() {
    let pond = "
        ..........
        ..........
        ..........
        ~~~~......
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........";
    let water = |extension: u32| {
        let player = format!("report?placement=rows&ties=rows&extension={extension}");
        build(&player, pond, "I").water.len()
    };
    assert_eq!(water(3), 2);
    assert_eq!(water(1), 4);
    assert_eq!(water(0), 4);
}

#[test]
fn a_tree_of_roads_comes_with_the_first_building_only() {
    let first = build("fractal", EMPTY, "P");
    assert!(first.road.len() >= 9, "{} cells of road", first.road.len());
    let entry = Arc::new(entry());
    let game = AnyEntry::game(&entry, "random?side=20").unwrap();
    let seated = AnyEntry::player(&entry, "fractal").unwrap();
    let record = game.play(&Setup::default(), &[&seated], None).unwrap();
    let roads: Vec<usize> = record
        .actions
        .split(' ')
        .map(|text| match text.parse::<Move>().unwrap() {
            Move::Build(build) => build.road.len(),
            Move::Reject | Move::Ask(_) => 0,
        })
        .collect();
    assert!(roads[0] > 20 && roads[1..].iter().all(|length| *length < 20), "{roads:?}");
}

#[test]
fn without_the_filter_a_place_that_is_cut_off_is_tried_and_the_request_rejected() {
    let cut_off = "
        ~~~~~~~~
        ~.....~.
        ~~~~~~~~
        ........
        ........
        ........
        ........
        ........";
    let naive = "report?placement=rows&ties=rows";
    assert_eq!(build(naive, cut_off, "I").at.row, 3);
    assert_eq!(decide(&format!("{naive}&filter=false"), cut_off, "I"), Move::Reject);
}

#[test]
fn ponds_have_as_many_cells_as_asked_for() {
    for size in [4, 5, 8] {
        let player = format!("report?placement=rows&ties=rows&served=never&size={size}");
        let build = build(&player, EMPTY, "I");
        assert_eq!((build.water.len(), build.park.len()), (size, size));
    }
}
