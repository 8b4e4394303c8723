//! What the report says of its players, and what players must guarantee: deadlocks as in its
//! figures, refusals, bounds.

use quintain_core::{Decision, Entry, MatchStart, Player, Rng, Rules, Seat, Setup, Turn, play};
use quintain_gather::State;
use quintain_gather::{Cell, Gather, Move, entry, scenario};

fn rules_of(scenario: &str) -> Gather {
    Entry::build(&entry(), scenario).unwrap().0.rules().clone()
}

/// The rounds of a match of one player with itself.
fn rounds(scenario: &str, player: &str, seed: u64) -> f64 {
    let entry = entry();
    let (built, canonical) = entry.build(scenario).unwrap();
    let rules = built.rules().clone();
    let seats = rules.variant().players;
    let mut players: Vec<Box<dyn Player<Gather>>> =
        (0..seats).map(|_| entry.build_player(player, &rules).unwrap()).collect();
    let match_start = MatchStart::new("gather", &canonical, seats);
    let setup = Setup::new(seed);
    play(built.clone(), &match_start, &setup, &mut players, &mut |_| {}).outcome.scores[0]
}

/// Three players in a column of three cells play this many rounds from there.
fn figure_1(player: &str, count: usize) -> (Vec<Vec<Move>>, State) {
    figure_1_from(player, count, 1, 2)
}

/// The same with these seeds for the ids and the players.
fn figure_1_from(player: &str, count: usize, ids: u64, turns: u64) -> (Vec<Vec<Move>>, State) {
    let rules = rules_of("torus?width=3&height=3&players=3");
    let starts = (0..3).map(|row| Cell { column: 1, row }).collect();
    let mut state = scenario(rules.clone(), Some(starts)).start(&mut Rng::from_seed(ids));
    let mut players: Vec<Box<dyn Player<Gather>>> =
        (0..3).map(|_| entry().build_player(player, &rules).unwrap()).collect();
    let mut rng = Rng::from_seed(turns);
    let mut moves = Vec::new();
    while moves.len() < count && rules.turn(&state) == Turn::Simultaneous {
        let joint: Vec<Move> = Seat::all(3)
            .zip(&mut players)
            .map(|(seat, player)| {
                player.decide(&mut Decision::new(&rules, &state, seat, &mut rng)).unwrap()
            })
            .collect();
        rules.step(&mut state, &joint);
        moves.push(joint);
    }
    (moves, state)
}

#[test]
fn figure_1_all_chase_each_other_southward_for_ever() {
    let (moves, state) = figure_1("convention?wanted=south", 100);
    assert!(moves.iter().all(|joint| *joint == [Move::S; 3]));
    assert_eq!(state.holdings(Seat::new(0)).count(), 1);
}

#[test]
fn figure_1_all_wait_for_each_other_to_the_north_for_ever() {
    let (moves, _) = figure_1("convention?wanted=north", 100);
    assert!(moves.iter().all(|joint| *joint == [Move::Stay; 3]));
}

#[test]
fn figure_2_opposing_ls_know_the_same_deadlocks() {
    // To the south lies the L that waits, to the north the one that moves.
    let (waiting, _) = figure_1("convention?convention=opposing-ls&wanted=south", 50);
    assert!(waiting.iter().all(|joint| *joint == [Move::Stay; 3]));
    let (chasing, _) = figure_1("convention?convention=opposing-ls&wanted=north", 50);
    assert!(chasing.iter().all(|joint| *joint == [Move::N; 3]));
}

#[test]
fn the_ways_out_of_groovy_and_ours_lead_out_of_figure_1() {
    for player in ["groovy", "champion", "stranger"] {
        let (moves, _) = figure_1(player, 200);
        assert!(moves.len() < 200, "{player} is still in the deadlock");
    }
}

#[test]
fn the_optimal_strategy_refuses_masked_ids_and_keeps_its_bound_without() {
    let rules = rules_of("course");
    let refused = entry().build_player("optimal", &rules).err().unwrap().to_string();
    assert!(refused.contains("ids are masked here"), "{refused}");
    for seed in 0..40 {
        let rounds = rounds("course?masked=false", "optimal", seed);
        assert!(rounds <= 2.0 * (15.0 + 22.0), "{rounds} rounds with seed {seed}");
    }
}

#[test]
fn a_diagonal_step_shows_five_new_cells_and_a_straight_one_three() {
    let count_new = |to: Move| {
        let (east, south) = to.offset();
        let near = |x: i32, y: i32| x.abs() <= 1 && y.abs() <= 1;
        let cells = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
        cells.filter(|(x, y)| near(x - east, y - south) && !near(*x, *y)).count()
    };
    assert_eq!(Move::STEPS.map(count_new), [3, 3, 3, 3, 5, 5, 5, 5]);
}

#[test]
fn hybrids_leave_figure_1_by_moving_away() {
    // On three cells everybody is beside everybody, so that there is always a meeting to
    // attempt: moving away has to come before it.
    for (starts, turns) in [(1, 2), (3, 4), (5, 6), (7, 8)] {
        let (moves, _) = figure_1_from("hybrid", 200, starts, turns);
        assert!(moves.len() < 200, "still in the deadlock with seeds {starts} and {turns}");
    }
}

#[test]
fn hybrids_notice_a_trade_of_places_on_a_board_two_cells_wide() {
    // On this board the same cell shows to the west and to the east.
    for seed in 0..20 {
        let rounds = rounds("torus?width=2&height=20&players=3", "hybrid", seed);
        assert!(rounds < 2000.0, "{rounds} rounds with seed {seed}");
    }
}

/// The flowers of the first lottery and the rounds of a match of FlowerOrBees.
fn flowers_and_rounds(scenario: &str, player: &str, seed: u64) -> (usize, f64) {
    let entry = entry();
    let (built, canonical) = entry.build(scenario).unwrap();
    let rules = built.rules().clone();
    let seats = rules.variant().players;
    let mut players: Vec<Box<dyn Player<Gather>>> =
        (0..seats).map(|_| entry.build_player(player, &rules).unwrap()).collect();
    let setup = Setup::new(seed).with_notes(true);
    let match_start = MatchStart::new("gather", &canonical, seats);
    let played = play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
    let first = played.notes.iter().filter(|note| note.turn == 0 && note.value == 1.0);
    (first.count(), played.outcome.scores[0])
}

/// What matches of FlowerOrBees with exactly one flower need at most; there are some.
fn most_rounds_with_one_flower(scenario: &str, player: &str) -> f64 {
    let matches = (0..60).map(|seed| flowers_and_rounds(scenario, player, seed));
    let rounds: Vec<f64> =
        matches.filter(|(flowers, _)| *flowers == 1).map(|(_, rounds)| rounds).collect();
    assert!(rounds.len() > 10);
    rounds.into_iter().fold(0.0, f64::max)
}

#[test]
fn one_flower_of_version_1_gathers_within_2w_plus_l_whatever_the_number_of_bees() {
    for (board, bound) in [("15x22", 59.0), ("35x35", 105.0), ("92x1", 94.0)] {
        for players in [2, 3, 9] {
            let scenario = format!("course?board={board}&players={players}");
            let most = most_rounds_with_one_flower(&scenario, "flower-v1");
            assert!(most <= bound, "{scenario}: {most} rounds");
        }
    }
}

#[test]
fn two_flower_or_bees_of_which_one_is_a_flower_keep_2b_plus_f() {
    assert!(most_rounds_with_one_flower("course?players=2", "flower-v2") <= 2.0 * 22.0 + 15.0);
}

#[test]
fn flower_or_bees_do_not_circle_on_trails_that_lead_nowhere() {
    // With these seeds, bees that soon take up a trail again circle forever.
    for player in ["flower-v1", "flower-v2"] {
        for seed in [50_227, 1, 2, 3] {
            let rounds = rounds("course?players=3", player, seed);
            assert!(rounds < 20_000.0, "{player}: {rounds} rounds with seed {seed}");
        }
    }
    let circling = "flower-v1?follow=any&approach=0.5&ignore=0";
    assert_eq!(rounds("course?players=3&limit=5000", circling, 50_227), 5000.0);
}

#[test]
fn ours_are_never_cut_off_among_themselves() {
    for (player, players, seeds) in [
        ("champion", 2, 0..20),
        ("champion", 5, 0..20),
        ("champion", 9, 0..20),
        ("stranger", 2, 0..30),
    ] {
        for seed in seeds {
            let rounds = rounds(&format!("course?board=35x35&players={players}"), player, seed);
            assert!(rounds < 20_000.0, "{player}: {rounds} rounds with seed {seed}");
        }
    }
}

#[test]
fn champions_are_not_cut_off_where_there_is_little_room() {
    // Sweeps would be shorter than a step, and clumps would wait for each other.
    for (board, seeds) in
        [("width=5&height=5&players=9", 0..40), ("width=40&height=20&players=250", 0..2)]
    {
        for seed in seeds {
            let rounds = rounds(&format!("torus?{board}&limit=500"), "champion", seed);
            assert!(rounds < 500.0, "{board}: cut off with seed {seed}");
        }
    }
}

#[test]
fn champions_that_go_around_old_trails_wander_off() {
    for (board, seed) in [
        ("width=15&height=11&players=11", 61_000_377),
        ("width=20&height=8&players=10", 51_000_017),
        ("width=8&height=6&players=6", 17_000_906),
        ("width=4&height=50&players=5", 61_000_978),
    ] {
        let scenario = format!("torus?{board}&limit=1000");
        assert!(rounds(&scenario, "champion", seed) < 1000.0, "{board}: cut off");
        assert_eq!(rounds(&scenario, "champion?stuck=1000", seed), 1000.0, "{board}");
    }
}

#[test]
fn champions_that_go_the_same_way_around_a_ring_turn() {
    // With some of these seeds, two pairs would go around it for ever.
    for seed in 200_000..200_120 {
        for board in ["width=1&height=9", "width=3&height=7"] {
            let scenario = format!("torus?{board}&players=4&limit=1000");
            assert!(
                rounds(&scenario, "champion", seed) < 1000.0,
                "{board}: cut off with seed {seed}"
            );
        }
    }
}

#[test]
fn a_champion_does_not_wait_for_ever_for_one_that_waits() {
    let (built, canonical) = entry().build("course?players=2&limit=2000").unwrap();
    let rules = built.rules().clone();
    for seed in 0..20 {
        let mut players: Vec<Box<dyn Player<Gather>>> = ["champion", "salsa"]
            .map(|player| entry().build_player(player, &rules).unwrap())
            .into();
        let match_start = MatchStart::new("gather", &canonical, 2);
        let setup = Setup::new(seed);
        let played = play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
        assert!(!played.outcome.truncated, "cut off with seed {seed}");
    }
}

#[test]
fn on_a_large_square_patrols_and_seekers_gather_sooner_than_a_crowd() {
    let mean = |player: &str| -> f64 {
        let all = (0..100).map(|seed| rounds("course?board=35x35&players=9", player, seed));
        all.sum::<f64>() / 100.0
    };
    let (roles, crowd) = (mean("champion"), mean("champion?square=1000"));
    assert!(roles < 0.95 * crowd, "{roles} rounds with roles, {crowd} as a crowd");
}

#[test]
fn a_team_on_a_large_square_has_as_many_patrols_as_its_parameter_says() {
    // In the first round patrols go north-east and seekers south-east; neighbours may meet instead.
    let (built, canonical) = entry().build("course?board=35x35&players=5&limit=1").unwrap();
    let rules = built.rules().clone();
    let (mut patrols, mut seekers) = (0, 0);
    for seed in 0..200 {
        let mut players: Vec<Box<dyn Player<Gather>>> =
            (0..5).map(|_| entry().build_player("champion", &rules).unwrap()).collect();
        let match_start = MatchStart::new("gather", &canonical, 5);
        let played =
            play(built.clone(), &match_start, &Setup::new(seed), &mut players, &mut |_| {});
        patrols += played.actions.iter().filter(|to| **to == Move::NE).count();
        seekers += played.actions.iter().filter(|to| **to == Move::SE).count();
    }
    // 0.87 √5 of five are patrols, 389 of 1000 with a standard deviation of 15.
    assert!((330..450).contains(&patrols), "{patrols} patrols");
    assert!(seekers > 500, "{seekers} seekers");
}

/// The mean number of rounds of so many matches.
fn mean(scenario: &str, player: &str, matches: u64) -> f64 {
    (0..matches).map(|seed| rounds(scenario, player, seed)).sum::<f64>() / matches as f64
}

#[test]
fn two_on_parallel_loops_meet_from_their_second_loops() {
    // Both are on one of two diagonals. Without second loops, half of the matches last several
    // laps.
    let scenario = "course?board=35x35&players=2";
    let with = mean(scenario, "champion?diagonal=1", 200);
    let without = mean(scenario, "champion?diagonal=1&second_loop=0", 200);
    assert!(with < 0.8 * without, "{with} rounds with second loops, {without} without");
}

#[test]
fn three_of_the_same_role_elect_a_patrol() {
    for share in [0, 100] {
        let player = format!("champion?patrols={share}");
        let mean = mean("course?board=35x35&players=3", &player, 100);
        assert!(mean < 100.0, "{mean} rounds with a share of {share}");
    }
}

#[test]
fn the_lottery_makes_all_bees_or_all_flowers_as_often_as_the_report_says() {
    // With two players: (1/2)² each; 400 draws have a standard deviation of 8.7.
    let entry = entry();
    let (mut bees, mut flowers) = (0, 0);
    for seed in 0..400 {
        let (built, canonical) = entry.build("course?players=2&limit=1").unwrap();
        let rules = built.rules().clone();
        let mut players: Vec<Box<dyn Player<Gather>>> =
            (0..2).map(|_| entry.build_player("flower-v2", &rules).unwrap()).collect();
        let setup = Setup::new(seed).with_notes(true);
        let match_start = MatchStart::new("gather", &canonical, 2);
        let played = play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
        let drawn = played.notes.iter().filter(|note| note.value == 1.0).count();
        bees += u32::from(drawn == 0);
        flowers += u32::from(drawn == 2);
    }
    assert!((65..135).contains(&bees) && (65..135).contains(&flowers), "{bees}, {flowers}");
}

#[test]
fn one_player_on_every_cell_gathers_whatever_the_players() {
    // All 165 units come together among random walkers as among ours.
    for player in ["random", "champion", "stranger"] {
        let rounds = rounds("full?limit=2000", player, 1);
        assert!(rounds < 2000.0, "{player}: {rounds} rounds");
    }
}
