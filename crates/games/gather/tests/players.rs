//! What the report says of its players, and what players owe to the reader: deadlocks
//! as in its figures, refusals, bounds.

use quintain_core::{Decision, Entry, MatchStart, Player, Rng, Rules, Seat, Setup, Turn, play};
use quintain_gather::State;
use quintain_gather::{Cell, Gather, Move, entry};

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
    let setup = Setup { seed, ..Setup::default() };
    play(built.clone(), &match_start, &setup, &mut players, &mut |_| {}).outcome.scores[0]
}

/// Three players in a column of three cells play so many rounds from there.
fn figure_1(player: &str, count: usize) -> (Vec<Vec<Move>>, State) {
    let rules = rules_of("torus?width=3&height=3&players=3");
    let starts = (0..3).map(|row| Cell { column: 1, row }).collect();
    let mut state = rules.start_on(starts, &mut Rng::from_seed(1));
    let mut players: Vec<Box<dyn Player<Gather>>> =
        (0..3).map(|_| entry().build_player(player, &rules).unwrap()).collect();
    let mut rng = Rng::from_seed(2);
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
    let shown = |to: Move| {
        let (east, south) = to.offset();
        let near = |x: i32, y: i32| x.abs() <= 1 && y.abs() <= 1;
        let cells = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
        cells.filter(|(x, y)| near(x - east, y - south) && !near(*x, *y)).count()
    };
    assert_eq!(Move::STEPS.map(shown), [3, 3, 3, 3, 5, 5, 5, 5]);
}

#[test]
fn hybrids_do_not_leave_figure_1_as_long_as_all_time_out_alike() {
    // Their waits and timeouts keep step, and on three cells everybody is beside everybody,
    // so the report's “we are sure there are more elegant ways” holds of ours.
    let (moves, state) = figure_1("hybrid", 200);
    assert_eq!(moves.len(), 200);
    assert!(Seat::all(3).all(|seat| state.holdings(seat).count() < 3));
}

#[test]
fn hybrids_notice_a_trade_of_places_on_a_board_two_cells_wide() {
    // There the same cell shows to the west and to the east.
    for seed in 0..20 {
        let rounds = rounds("torus?width=2&height=20&players=3", "hybrid", seed);
        assert!(rounds < 2000.0, "{rounds} rounds with seed {seed}");
    }
}

#[test]
fn two_flower_or_bees_of_which_one_is_a_flower_keep_2b_plus_f() {
    let entry = entry();
    let mut with_one = 0;
    for seed in 0..60 {
        let (built, canonical) = entry.build("course?players=2").unwrap();
        let rules = built.rules().clone();
        let mut players: Vec<Box<dyn Player<Gather>>> =
            (0..2).map(|_| entry.build_player("flower-v2", &rules).unwrap()).collect();
        let setup = Setup { seed, notes: true, ..Setup::default() };
        let match_start = MatchStart::new("gather", &canonical, 2);
        let played = play(built.clone(), &match_start, &setup, &mut players, &mut |_| {});
        let first = played.notes.iter().filter(|note| note.turn == 0);
        if first.filter(|note| note.value == 1.0).count() == 1 {
            with_one += 1;
            let rounds = played.outcome.scores[0];
            assert!(rounds <= 2.0 * 22.0 + 15.0, "{rounds} rounds with seed {seed}");
        }
    }
    assert!(with_one > 10);
}

#[test]
fn ours_are_never_cut_off_among_themselves() {
    for (player, players, seeds) in
        [("champion", 2, 0..20), ("champion", 5, 0..20), ("stranger", 2, 0..30)]
    {
        for seed in seeds {
            let rounds = rounds(&format!("course?board=35x35&players={players}"), player, seed);
            assert!(rounds < 20_000.0, "{player}: {rounds} rounds with seed {seed}");
        }
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
        let setup = Setup { seed, notes: true, ..Setup::default() };
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
