//! The rules of tron, each as a small board, some moves and their outcome.

use quintain_core::{Entry, Match, Rng, Rules, Seat};
use quintain_tron::read_map;
use quintain_tron::{Direction, State, Tron, entry, scenario};
use quintain_tron::{Headings, Moves, Trails};

/// A match on a drawn map, everyone moving at once.
fn on(map: &str) -> Match<Tron> {
    start_on(map, Moves::Simultaneous, Trails::Stay)
}

/// A match on a drawn map.
fn start_on(map: &str, moves: Moves, trails: Trails) -> Match<Tron> {
    let rows: Vec<&str> = map.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    let state = read_map(&rows.join("\n")).expect("the map is sound");
    Match::new(scenario(Tron::new(state.seats(), moves, trails), state, 0), 0)
}

/// Plays turns written as words of letters, one letter for each seat that moves.
fn play(game: &mut Match<Tron>, turns: &str) {
    for turn in turns.split_whitespace() {
        let joint: Vec<Direction> =
            turn.chars().map(|letter| letter.to_string().parse().unwrap()).collect();
        game.play(&joint).unwrap();
    }
}

fn scores_and_ending(game: &Match<Tron>) -> (Vec<f64>, String) {
    let outcome = game.outcome().expect("the match is over");
    (outcome.scores, outcome.ending)
}

const DUEL: &str = "
    #######
    #     #
    #1   2#
    #     #
    #######";

#[test]
fn a_head_leaves_a_wall_behind() {
    let mut game = on(DUEL);
    play(&mut game, "UD");
    let drawn = game.state().to_string();
    assert_eq!(drawn, "#######\n#A    #\n#a   b#\n#    B#\n#######\n");
}

#[test]
fn entering_a_wall_is_a_crash_and_the_other_wins() {
    let mut game = on(DUEL);
    play(&mut game, "LU");
    assert_eq!(scores_and_ending(&game), (vec![0.0, 1.0], "crash".into()));
}

#[test]
fn entering_a_trail_is_a_crash_even_ones_own() {
    let mut game = on(DUEL);
    play(&mut game, "UU DL");
    assert_eq!(scores_and_ending(&game), (vec![0.0, 1.0], "crash".into()));
}

#[test]
fn both_into_the_same_cell_is_a_draw() {
    let mut game = on(DUEL);
    play(&mut game, "RL RL");
    assert_eq!(scores_and_ending(&game), (vec![0.5, 0.5], "head-on".into()));
}

#[test]
fn both_crashing_in_one_turn_is_a_draw() {
    let mut game = on(DUEL);
    play(&mut game, "LR");
    assert_eq!(scores_and_ending(&game), (vec![0.5, 0.5], "crash together".into()));
}

#[test]
fn after_the_last_turn_those_who_live_are_level() {
    let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay).with_last_turn(2);
    let state = read_map("#######\n#     #\n#1   2#\n#     #\n#######\n").unwrap();
    let mut game = Match::new(scenario(rules, state, 0), 0);
    play(&mut game, "UD RL");
    assert_eq!(scores_and_ending(&game), (vec![0.5, 0.5], "turn limit".into()));
}

#[test]
fn the_turns_of_an_opening_do_not_count_towards_the_last_one() {
    let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay).with_last_turn(1);
    let state = read_map("#######\n#1    #\n#     #\n#    2#\n#######\n").unwrap();
    let mut game = Match::new(scenario(rules, state, 2), 0);
    assert_eq!((game.state().turn(), game.is_over()), (2, false));
    let joint = game.rules().clone();
    let steps: Vec<Direction> = Seat::all(2)
        .map(|seat| {
            let mut sensible = Vec::new();
            joint.pruned_actions(game.state(), seat, &mut sensible);
            sensible[0]
        })
        .collect();
    game.play(&steps).unwrap();
    assert!(game.is_over());
}

#[test]
fn where_heads_have_a_direction_a_step_back_goes_straight_on() {
    let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay).with_headings(Headings::Drawn);
    // Only one way is free at the start, so the drawn directions are right and left.
    let corridor = "#########\n#1##### #\n#       #\n# #####2#\n#########\n";
    let state = read_map(corridor).unwrap();
    let mut game = Match::new(scenario(rules, state, 0), 0);
    play(&mut game, "UD");
    let drawn = "#########\n#a##### #\n#A     B#\n# #####b#\n#########\n";
    assert_eq!(game.state().to_string(), drawn, "both go straight on, down and up");
    play(&mut game, "RL LR");
    let drawn = "#########\n#a##### #\n#aaA Bbb#\n# #####b#\n#########\n";
    assert_eq!(game.state().to_string(), drawn);
    let mut sensible = Vec::new();
    game.rules().pruned_actions(game.state(), Seat::new(0), &mut sensible);
    assert_eq!(sensible, [Direction::Right]);
    // The next turn does not depend on who moves first.
    play(&mut game, "LR");
    assert_eq!(scores_and_ending(&game), (vec![0.5, 0.5], "head-on".into()));
}

#[test]
fn drawn_directions_are_symmetric_free_and_observed() {
    for symmetry in ["point", "mirror"] {
        let text = format!("obstacles?headings=drawn&symmetry={symmetry}");
        let (scenario, _) = Entry::build(&entry(), &text).unwrap();
        for seed in 0..20 {
            let mut game = Match::new(scenario.clone(), seed);
            let seen = serde_json::to_value(game.state()).unwrap();
            let read: State = serde_json::from_value(seen.clone()).unwrap();
            assert_eq!(&read, game.state());
            let headings: Vec<Direction> =
                serde_json::from_value(seen["headings"].clone()).unwrap();
            let is_image = match (symmetry, headings[0]) {
                ("mirror", Direction::Up | Direction::Down) => headings[1] == headings[0],
                _ => headings[1] == headings[0].opposite(),
            };
            assert!(is_image, "{headings:?}");
            game.play(&headings).unwrap();
            assert_eq!(game.state().alive().count(), 2, "the next cell is free");
        }
    }
}

#[test]
fn a_swap_of_heads_is_a_draw() {
    let mut game = on("######\n# 12 #\n#    #\n######");
    play(&mut game, "RL");
    assert_eq!(scores_and_ending(&game), (vec![0.5, 0.5], "crash together".into()));
}

#[test]
fn the_others_head_cell_is_a_wall_even_as_it_moves_away() {
    let mut game = on("######\n# 12 #\n#    #\n######");
    play(&mut game, "RD");
    assert_eq!(scores_and_ending(&game), (vec![0.0, 1.0], "crash".into()));
}

#[test]
fn a_player_that_cannot_move_loses_to_one_that_can() {
    let mut game = on("######\n#1#  #\n### 2#\n######");
    play(&mut game, "RU");
    assert_eq!(scores_and_ending(&game), (vec![0.0, 1.0], "crash".into()));
}

#[test]
fn one_after_another_the_first_to_crash_loses() {
    let mut game = start_on(DUEL, Moves::Sequential, Trails::Stay);
    assert_eq!(game.acting(), [Seat::new(0)]);
    play(&mut game, "R L R");
    assert_eq!(game.acting(), [Seat::new(1)]);
    play(&mut game, "L");
    // Seat 0 has taken the middle; seat 1 runs into it.
    assert_eq!(scores_and_ending(&game), (vec![1.0, 0.0], "crash".into()));
}

const THREE: &str = "
    #########
    #1      #
    #       #
    #2     3#
    #########";

#[test]
fn the_trail_of_the_fallen_vanishes_where_the_rules_say_so() {
    let mut game = start_on(THREE, Moves::Sequential, Trails::Vanish);
    play(&mut game, "R R L");
    play(&mut game, "U");
    assert!(!game.state().is_alive(Seat::new(0)));
    let drawn = game.state().to_string();
    assert_eq!(drawn, "#########\n#       #\n#       #\n#bB   Cc#\n#########\n");
    assert_eq!(game.acting(), [Seat::new(1)], "the fallen seat is passed over");
}

#[test]
fn the_trail_of_the_fallen_stays_otherwise() {
    let mut game = start_on(THREE, Moves::Sequential, Trails::Stay);
    play(&mut game, "R R L U");
    let drawn = game.state().to_string();
    assert_eq!(drawn, "#########\n#aA     #\n#       #\n#bB   Cc#\n#########\n");
}

#[test]
fn among_three_each_scores_the_share_of_those_it_outlived() {
    let mut game = on(THREE);
    play(&mut game, "URL");
    assert!(!game.is_over(), "two still live");
    play(&mut game, "DL");
    assert_eq!(scores_and_ending(&game).0, [0.0, 0.5, 1.0]);
}

#[test]
fn among_three_the_same_cell_is_a_crash_for_those_who_meet_there_only() {
    let mut game = on("#######\n#1   3#\n#     #\n#2    #\n#######");
    play(&mut game, "DUL");
    assert_eq!(scores_and_ending(&game), (vec![0.25, 0.25, 1.0], "crash".into()));
}

#[test]
fn a_forfeit_counts_as_having_fallen_first() {
    let game = on(THREE);
    let scores = game.rules().forfeit(game.state(), Seat::new(1));
    assert_eq!(scores, [0.75, 0.0, 0.75]);
}

#[test]
fn an_opening_is_played_at_random_with_everyone_alive() {
    let game = Entry::build(&entry(), "hackerrank?opening=6").unwrap().0;
    let starts: Vec<State> = (0..10).map(|seed| game.start(&mut Rng::from_seed(seed))).collect();
    for start in &starts {
        assert_eq!((start.turn(), start.alive().count()), (6, 2));
    }
    assert!(starts.iter().any(|start| *start != starts[0]), "all openings are the same");
}

#[test]
fn the_boards_of_the_contests_have_their_sizes() {
    let start = |scenario: &str| -> State {
        Entry::build(&entry(), scenario).unwrap().0.start(&mut Rng::from_seed(1))
    };
    let sides = |state: &State| (state.width(), state.height(), state.seats());
    assert_eq!(sides(&start("hackerrank")), (15, 15, 2));
    assert_eq!(sides(&start("tronv2")), (15, 15, 2));
    // 30×20 and 16×16 cells within the edge of the world.
    assert_eq!(sides(&start("codingame?players=4")), (32, 22, 4));
    assert_eq!(sides(&start("riddles")), (18, 18, 2));
    assert_eq!(sides(&start("empty?width=128&height=128")), (128, 128, 2));
}
