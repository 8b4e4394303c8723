//! The champion: what it says is what it thinks, always the same, within its budget, and also for
//! phrases that nobody foresaw.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Meter, Rng};
use quintain_hextris::Post;
use quintain_hextris::{BeamSettings, Champion};
use quintain_hextris::{Filling, Instance, Phrases, Units, draw_problem, read_problem, score};
use quintain_hextris::{Incumbent, SolverInput, TextSolver};

fn instance(size: usize, units: Units, phrases: Phrases) -> Instance {
    let problem = draw_problem(size, units, Filling::Usual, 5);
    Instance::new(Arc::new(problem), 0, Arc::new(phrases))
}

/// The text of a solver with this many nodes, and its score.
fn solve_with(
    solver: &dyn TextSolver,
    instance: &Instance,
    threads: usize,
    meter: Meter,
) -> (String, u64) {
    let start = instance.start();
    let input = SolverInput { threads, ..SolverInput::new(instance, &start) };
    let mut tell = |_: &str, _| {};
    let mut best = Incumbent::new(&input, &mut tell);
    let mut meter = meter;
    solver.solve(&input, &mut meter, &mut Rng::from_seed(3), &mut best);
    (best.text().to_owned(), best.score())
}

#[test]
fn it_says_more_than_the_posts_solver_and_the_scorer_agrees() {
    for (size, units) in
        [(21, Units::Usual), (11, Units::Usual), (10, Units::Far), (0, Units::Bars)]
    {
        let instance = instance(size, units, Phrases::contest());
        let (text, points) = solve_with(&Champion::default(), &instance, 1, Meter::of(600));
        assert_eq!(score(&instance, &text).unwrap().score(), points);
        let (_, theirs) = solve_with(&Post::default(), &instance, 1, Meter::of(u64::MAX));
        assert!(points > theirs, "size {size}: {points} against {theirs}");
    }
}

#[test]
fn the_same_seed_says_the_same_whatever_the_threads() {
    let instance = instance(11, Units::Stars, Phrases::contest());
    let one = solve_with(&Champion::default(), &instance, 1, Meter::of(500));
    assert_eq!(one, solve_with(&Champion::default(), &instance, 1, Meter::of(500)));
    assert_eq!(one, solve_with(&Champion::default(), &instance, 3, Meter::of(500)));
    assert!(one.1 > 0);
}

#[test]
fn phrases_that_nobody_foresaw_are_spoken_and_those_that_cannot_be_are_not() {
    let own = ["ssseespsps", "uuuuu", "aabllp", "naïve", "a_b", "pb", "ei!"];
    let instance = instance(20, Units::Loose, Phrases::new(own));
    let (text, points) = solve_with(&Champion::default(), &instance, 1, Meter::of(400));
    let account = score(&instance, &text).unwrap();
    assert_eq!(account.score(), points);
    let is_spoken = |phrase: &str| {
        let index = instance.phrases().texts().iter().position(|text| text == phrase);
        account.counts[index.unwrap()] > 0
    };
    assert!(is_spoken("ei!") && is_spoken("aabllp"), "{:?}", account.counts);
    // West and east again: back where it was.
    assert!(!is_spoken("pb") && !text.contains("pb"));
}

/// Every unit is a line, wherever it locks. But “ei!” is spoken by three units that lock at once.
#[test]
fn in_a_well_one_cell_wide_phrases_are_spoken_by_units_that_do_not_fall() {
    for (height, units) in [(4, 700), (30, 120)] {
        let problem = read_problem(&format!(
            r#"{{"id": 1, "width": 1, "height": {height}, "filled": [], "sourceLength": {units},
            "sourceSeeds": [0],
            "units": [{{"members": [{{"x": 0, "y": 0}}], "pivot": {{"x": 0, "y": 0}}}}]}}"#
        ));
        let instance =
            Instance::new(Arc::new(problem.unwrap()), 0, Arc::new(Phrases::new(["ei!"])));
        let by_hand = "ei!".repeat(units as usize / 3);
        let by_hand = score(&instance, &by_hand).unwrap().score();
        let (text, points) = solve_with(&Champion::default(), &instance, 1, Meter::of(units * 60));
        assert_eq!(score(&instance, &text).unwrap().score(), points);
        assert!(points >= by_hand, "{height} rows: {points} against {by_hand}");
    }
}

#[test]
fn without_phrases_it_plays_for_lines() {
    let instance = instance(6, Units::Small, Phrases::new([""; 0]));
    let (text, points) = solve_with(&Champion::default(), &instance, 1, Meter::of(800));
    let account = score(&instance, &text).unwrap();
    assert_eq!((account.score(), account.power), (points, 0));
    assert!(account.lines > 10, "{account:?}");
}

#[test]
fn phrases_that_no_unit_can_speak_are_as_good_as_none() {
    let solve = |phrases: Phrases, threads: usize| {
        let instance = instance(22, Units::Usual, phrases);
        solve_with(&Champion::default(), &instance, threads, Meter::of(3_000))
    };
    let none = solve(Phrases::new([""; 0]), 1);
    // Back where it was, again and again.
    assert_eq!(none, solve(Phrases::new(["pbpbpbpbpb"]), 1));
    assert_eq!(none, solve(Phrases::new([""; 0]), 3));
    assert!(none.1 > 500, "{}", none.1);
}

#[test]
fn more_phrases_than_can_be_pursued_do_no_harm() {
    let many: Vec<String> = (0..300).map(|n| format!("a{n:b}l").replace('0', "o")).collect();
    let instance = instance(11, Units::Small, Phrases::new(&many));
    let (text, points) = solve_with(&Champion::default(), &instance, 1, Meter::of(60));
    assert_eq!(score(&instance, &text).unwrap().score(), points);
    assert!(points > 0);
}

#[test]
fn a_unit_that_is_already_on_its_way_goes_on_from_there() {
    let instance = instance(20, Units::Loose, Phrases::contest());
    let mut start = instance.start();
    for letter in "ei!".bytes() {
        instance.speak(&mut start, letter).unwrap();
    }
    let input = SolverInput::new(&instance, &start);
    let mut tell = |_: &str, _| {};
    let mut best = Incumbent::new(&input, &mut tell);
    let champion = Champion { width: 2, ..Champion::default() };
    champion.solve(&input, &mut Meter::of(u64::MAX), &mut Rng::from_seed(3), &mut best);
    let whole = format!("ei!{}", best.text());
    assert_eq!(score(&instance, &whole).unwrap().score(), best.score());
    assert!(best.score() > 1_000);
}

#[test]
fn a_wider_beam_thinks_what_the_rules_say() {
    for width in [1, 3, 9] {
        for size in [10, 17, 22] {
            let instance = instance(size, Units::Usual, Phrases::contest());
            let settings = BeamSettings { carried: width + 1, ..BeamSettings::default() };
            let champion = Champion { width, settings, ..Champion::default() };
            // What it thinks is compared with the rules in the solver, when checked.
            let (text, points) = solve_with(&champion, &instance, 1, Meter::of(u64::MAX));
            assert_eq!(score(&instance, &text).unwrap().score(), points);
            assert!(points > 0);
        }
    }
}

#[test]
fn a_deadline_that_has_passed_is_no_error() {
    let instance = instance(14, Units::Usual, Phrases::contest());
    let meter = Meter::new(u64::MAX, Some(Instant::now() - Duration::from_millis(1)));
    assert_eq!(solve_with(&Champion::default(), &instance, 1, meter), (String::new(), 0));
}
