//! UCT, flat Monte Carlo and the one-step look-ahead on trees drawn in text whose best action is
//! obvious.

mod scripted;

use quintain_core::{Meter, Objective, Rng, Scoring, Seat};
use quintain_search::SearchResult;
use quintain_search::flat_monte_carlo::{self, Allocation, FlatMonteCarlo};
use quintain_search::greedy::{self, Greedy, Replies};
use quintain_search::uct::{Choice, Options, Selection, Uct, ValueScale};
use scripted::{Letter, Scripted, Sight};

const ROOT: Sight = Sight::At(0);

fn uct_with(
    game: &Scripted,
    seat: usize,
    iterations: u64,
    options: Options,
) -> SearchResult<Letter> {
    let (mut meter, mut rng) = (Meter::of(iterations), Rng::from_seed(1));
    Uct::new(options).search(game, &ROOT, Seat::new(seat), &mut meter, &mut rng)
}

/// The action that UCT plays under every combination of its settings; they must agree.
fn uct(game: &Scripted, seat: usize) -> char {
    let mut plays = Vec::new();
    for selection in [Selection::Ucb1, Selection::Ucb1Tuned] {
        for choice in [Choice::Visits, Choice::Mean] {
            for scale in [ValueScale::Rules, ValueScale::Seen] {
                let options = Options { selection, choice, scale, ..Options::default() };
                plays.push(uct_with(game, seat, 3_000, options).action.0);
            }
        }
    }
    assert!(plays.iter().all(|play| *play == plays[0]), "{plays:?}");
    plays[0]
}

fn flat(game: &Scripted, seat: usize) -> char {
    let play = |allocation| {
        let options = flat_monte_carlo::Options { allocation, ..Default::default() };
        let (mut meter, mut rng) = (Meter::of(3_000), Rng::from_seed(1));
        let mut searcher = FlatMonteCarlo::new(options);
        searcher.search(game, &ROOT, Seat::new(seat), &mut meter, &mut rng).action.0
    };
    assert_eq!(play(Allocation::Uniform), play(Allocation::Ucb1));
    play(Allocation::Ucb1)
}

/// Replies `a` look good on average; a good rival makes `b` the better choice.
const TEMPTATION: &str = "
    seat 0
      a: seat 1
        l: 9 0
        m: 9 0
        r: 0 9
      b: seat 1
        l: 2 1
        m: 2 1
        r: 2 1
";

#[test]
fn uct_foresees_the_one_good_reply_and_flat_monte_carlo_does_not() {
    let game = Scripted::new(TEMPTATION);
    assert_eq!(uct(&game, 0), 'b');
    assert_eq!(flat(&game, 0), 'a');
}

#[test]
fn uct_comes_close_to_the_true_value() {
    let found = uct_with(&Scripted::new(TEMPTATION), 0, 100_000, Options::default());
    assert!((found.value - 1.0).abs() < 0.1, "{}", found.value);
    assert_eq!((found.depth, found.spent), (2, 100_000));
}

#[test]
fn the_lower_score_is_sought_if_less_is_better() {
    let text = "
        seat 0
          a: 30
          b: 10
          c: 20
    ";
    let game = Scripted { objective: Objective::Minimize, ..Scripted::new(text) };
    assert_eq!((uct(&game, 0), flat(&game, 0)), ('b', 'b'));
    let found = uct_with(&game, 0, 1000, Options::default());
    assert!((-12.0..=-10.0).contains(&found.value), "{}", found.value);
    let found = Greedy::default().search(&game, &ROOT, Seat::new(0), &mut Rng::from_seed(1));
    assert_eq!((found.action, found.value), (Letter('b'), -10.0));
}

#[test]
fn each_of_three_seats_looks_after_itself() {
    // Seat 1 takes what is best for seat 1, which is not the worst for seat 0.
    let game = Scripted::new(
        "
        seat 0
          a: seat 1
            a: 0 3 6
            b: 9 2 0
          b: seat 2
            a: 5 0 4
            b: 0 9 3
        ",
    );
    let game = Scripted { scoring: Scoring::Independent, ..game };
    assert_eq!(uct(&game, 0), 'b');
}

#[test]
fn chance_is_weighed_by_its_odds() {
    let game = Scripted::new(
        "
        seat 0
          a: chance
            1: 10
            9: 0
          b: chance
            5: 4
            5: 2
        ",
    );
    assert_eq!((uct(&game, 0), flat(&game, 0)), ('b', 'b'));
    let greedy = Greedy::new(greedy::Options { samples: 500, ..Default::default() });
    let found = greedy.search(&game, &ROOT, Seat::new(0), &mut Rng::from_seed(1));
    assert_eq!(found.action, Letter('b'));
    assert!((found.value - 3.0).abs() < 0.3, "{}", found.value);
}

#[test]
fn the_outcome_of_chance_is_seen_before_the_next_choice() {
    // After the toss seat 0 sees the coin and calls it right: 9, better than a sure 5.
    let game = Scripted::new(
        "
        seat 0
          a: chance
            1: seat 0
              h: 9
              t: 0
            1: seat 0
              i: 0
              u: 9
          b: 5
        ",
    );
    assert_eq!(uct(&game, 0), 'a');
}

#[test]
fn chance_may_decide_who_moves_next() {
    let game = Scripted::new(
        "
        seat 0
          a: chance
            1: seat 0
              x: 8 0
              y: 0 0
            1: seat 1
              x: 0 4
              y: 0 0
            1: simultaneous
              x,x: 0 0
              x,y: 0 0
              y,x: 1 0
              y,y: 1 0
          b: 1 0
        ",
    );
    // (8 − 4 + 1)/3 is more than 1.
    assert_eq!(uct(&game, 0), 'a');
}

#[test]
fn a_coin_under_the_hand_is_not_looked_at() {
    // Calling wins 6 half the time, since both tosses look alike; passing gives 4.
    let game = Scripted::new(
        "
        chance
          1: seat 0 [toss]
            h: 6
            t: 0
            p: 4
          1: seat 0 [toss]
            h: 0
            t: 6
            p: 4
        ",
    );
    let seen = Sight::Mark("toss".to_owned());
    let (mut meter, mut rng) = (Meter::of(3_000), Rng::from_seed(1));
    let mut searcher = Uct::new(Options::default());
    let found = searcher.search(&game, &seen, Seat::new(0), &mut meter, &mut rng);
    assert_eq!(found.action, Letter('p'));
    let greedy = Greedy::new(greedy::Options { samples: 200, ..Default::default() });
    let found = greedy.search(&game, &seen, Seat::new(0), &mut rng);
    assert_eq!((found.action, found.value), (Letter('p'), 4.0));
}

/// Row `b` against column `l` is the only equilibrium.
const SADDLE: &str = "
    simultaneous
      a,l: 0 3
      a,r: 9 0
      b,l: 2 1
      b,r: 3 0
";

#[test]
fn simultaneous_moves_settle_on_the_saddle_point() {
    let game = Scripted::new(SADDLE);
    assert_eq!((uct(&game, 0), uct(&game, 1)), ('b', 'l'));
}

#[test]
fn greedy_weighs_replies_on_average_or_by_the_worst() {
    let game = Scripted::new(SADDLE);
    let play = |replies| {
        let greedy = Greedy::new(greedy::Options { replies, ..Default::default() });
        let found = greedy.search(&game, &ROOT, Seat::new(0), &mut Rng::from_seed(1));
        (found.action.0, found.value, found.spent)
    };
    assert_eq!(play(Replies::Average), ('a', 3.0, 4));
    assert_eq!(play(Replies::Worst), ('b', 1.0, 4));
}

#[test]
fn greedy_breaks_ties_evenly() {
    let game = Scripted::new("seat 0\n  a: 1\n  b: 0\n  c: 1");
    let mut rng = Rng::from_seed(1);
    let mut play = || Greedy::default().search(&game, &ROOT, Seat::new(0), &mut rng).action.0;
    let a = (0..1000).filter(|_| play() == 'a').count();
    assert!((440..=560).contains(&a), "{a} of 1000");
    assert!((0..100).all(|_| play() != 'b'));
}

#[test]
fn a_joint_turn_of_some_seats_only_leaves_the_others_out() {
    let game = Scripted::new(
        "
        simultaneous
          a,-,x: 3 0 0
          a,-,y: 3 0 1
          b,-,x: 0 0 0
          b,-,y: 0 0 1
        ",
    );
    assert_eq!((uct(&game, 0), uct(&game, 2)), ('a', 'y'));
    assert_eq!((flat(&game, 0), flat(&game, 2)), ('a', 'y'));
}

#[test]
fn a_sole_action_costs_nothing() {
    let game = Scripted::new("seat 0\n  a: seat 0\n    a: 1\n    b: 2");
    let found = uct_with(&game, 0, 1000, Options::default());
    assert_eq!((found.action, found.spent), (Letter('a'), 0));
}

#[test]
fn without_any_iteration_there_is_still_an_answer() {
    let game = Scripted::new(TEMPTATION);
    assert_eq!(uct_with(&game, 0, 0, Options::default()).spent, 0);
}

#[test]
fn a_full_tree_goes_on_counting() {
    let game = Scripted::new(TEMPTATION);
    let options = Options { nodes: 1, ..Options::default() };
    let found = uct_with(&game, 0, 2_000, options);
    // With only the root, it is flat Monte Carlo, and is deceived.
    assert_eq!((found.action, found.depth, found.spent), (Letter('a'), 1, 2_000));
}

#[test]
fn a_playout_cut_short_is_estimated() {
    let mut game = Scripted::new(TEMPTATION);
    let mut estimates = vec![0.0; game.positions.len()];
    estimates[game.after("a")] = -1.0;
    estimates[game.after("b")] = 1.0;
    game.estimates = estimates.into();
    let options = Options { playout: 0, nodes: 1, ..Options::default() };
    let found = uct_with(&game, 0, 500, options);
    assert_eq!(found.action, Letter('b'));
}

#[test]
fn the_same_stream_gives_the_same_search_in_used_room_or_new() {
    for text in [TEMPTATION, SADDLE, "seat 0\n  a: chance\n    1: 3\n    2: 5\n  b: 4"] {
        let game = Scripted::new(text);
        let mut searcher = Uct::new(Options::default());
        let mut run = || {
            let (mut meter, mut rng) = (Meter::of(500), Rng::from_seed(7));
            searcher.search(&game, &ROOT, Seat::new(0), &mut meter, &mut rng)
        };
        let first = run();
        assert_eq!(first, run());
        let (mut meter, mut rng) = (Meter::of(500), Rng::from_seed(7));
        let mut new = Uct::new(Options::default());
        assert_eq!(first, new.search(&game, &ROOT, Seat::new(0), &mut meter, &mut rng));
    }
}
