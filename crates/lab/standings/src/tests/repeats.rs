//! Matches that are the same on every seed, or on some.

use crate::*;

use super::{SCORE, VERSUS, result_of, row, standings_with_courses};

#[test]
fn what_is_the_same_on_every_seed_was_played_once() {
    // Five players, every pair in both seat orders: twenty different matches, however many seeds.
    let players = ["a", "b", "c", "d", "e"];
    let round_robin = |seeds: u64| {
        let mut matches = Vec::new();
        for seed in 1..=seeds {
            for (i, first) in players.iter().enumerate() {
                for (j, second) in players.iter().enumerate().filter(|(j, _)| *j != i) {
                    let score = [0.0, 0.5, 1.0][(2 * i + 3 * j) % 3];
                    let seats = [(*first, score), (*second, 1.0 - score)];
                    matches.push((result_of("m", seed, &seats), (10 * i + j) as u64));
                }
            }
        }
        standings_with_courses(VERSUS, &matches)
    };
    let (once, often) = (round_robin(1), round_robin(64));
    let is_repeat = |seed| often.repeats.contains("m", &["b".into(), "a".into()], seed);
    assert_eq!((is_repeat(1), is_repeat(2), is_repeat(64)), (false, true, true));
    assert!(!often.repeats.contains("n", &["b".into(), "a".into()], 2));
    assert_eq!((often.matches, often.distinct, once.distinct), (1280, 20, 20));
    for (one, many) in once.overall.iter().zip(&often.overall) {
        assert_eq!((one.rank, &one.player, &one.elo), (many.rank, &many.player, &many.elo));
        assert_eq!((&one.summary, many.matches), (&many.summary, 512));
        assert_eq!((&one.leagues, many.by_seed), (&many.leagues, None));
    }
    assert_eq!((once.rings, once.difference), (often.rings, often.difference));
    assert_eq!(often.versus.unwrap().distinct, once.versus.unwrap().distinct);
}

#[test]
fn matches_that_repeat_on_some_seeds_all_count_and_are_not_called_different() {
    // Thirty seeds choose among seven starts.
    let mut matches = Vec::new();
    for seed in 1..=30 {
        let start = seed % 7;
        let score = [0.0, 1.0][start as usize % 2];
        matches.push((result_of("m", seed, &[("a", score), ("b", 1.0 - score)]), start));
    }
    let standings = standings_with_courses(VERSUS, &matches);
    assert_eq!((standings.matches, standings.distinct), (30, 7));
    assert!(standings.repeats.is_empty());
    assert_eq!(standings.overall[0].summary.n, 30);
}

#[test]
fn matches_that_are_the_same_on_every_seed_do_not_make_up_for_missing_seeds() {
    // On two seeds a is better than b; c forfeits each of its matches at once.
    let mut matches = Vec::new();
    for seed in 1..=2 {
        for (course, seats) in [(0, ["a", "b"]), (1, ["b", "a"])] {
            let score = if seats[0] == "a" { 1.0 } else { 0.0 };
            let seats = [(seats[0], score), (seats[1], 1.0 - score)];
            matches.push((result_of("m", seed, &seats), 10 * seed + course));
        }
        for (course, other) in [(1, "a"), (2, "b")] {
            matches.push((result_of("m", seed, &[(other, 1.0), ("c", 0.0)]), course));
            matches.push((result_of("m", seed, &[("c", 0.0), (other, 1.0)]), course + 2));
        }
    }
    let standings = standings_with_courses(VERSUS, &matches);
    assert_eq!((standings.certainty.seeds, standings.certainty.missing_seeds), (2, 3));
    let is_open = |row: &StandingsRow| row.mark.is_none() && row.by_seed.is_none();
    assert!(standings.overall.iter().all(is_open), "{:?}", standings.overall);
}

#[test]
fn the_same_actions_to_other_scores_are_another_match() {
    let game = |seed, score| (result_of("m", seed, &[("a", score), ("b", 1.0 - score)]), 1);
    let standings = standings_with_courses(VERSUS, &[game(1, 0.0), game(2, 1.0), game(3, 0.0)]);
    assert_eq!(standings.distinct, 2);
}

#[test]
fn scores_that_no_seed_changes_weigh_as_before_and_count_once() {
    // Constant on m, three different on n: the mean is that of all six, from four different ones.
    let mut matches = Vec::new();
    for seed in 1..=3 {
        matches.push((result_of("m", seed, &[("a", 7.0)]), 1));
        matches.push((result_of("n", seed, &[("a", seed as f64)]), seed));
    }
    let standings = standings_with_courses(SCORE, &matches);
    let row = &standings.overall[0];
    assert_eq!((row.matches, row.summary.n, row.summary.mean), (6, 4, 4.5));
    assert_eq!((standings.matches, standings.distinct), (6, 4));
    let on = |at: usize| &standings.scenarios[at].rows[0];
    assert_eq!((on(0).summary.n, on(0).summary.interval), (1, None));
    assert_eq!(on(1).summary.n, 3);
}

#[test]
fn a_constant_player_is_still_compared_with_one_that_varies_on_every_seed() {
    let mut matches = Vec::new();
    for seed in 1..=9 {
        matches.push((result_of("m", seed, &[("same", 5.0)]), 1));
        matches.push((result_of("m", seed, &[("luck", (seed % 3) as f64)]), seed));
    }
    let standings = standings_with_courses(SCORE, &matches);
    let paired = row(&standings.overall, "luck").to_leader.clone().unwrap();
    assert_eq!((paired.n, paired.difference), (9, -4.0));
    assert_eq!(row(&standings.overall, "same").summary.n, 1);
    assert_eq!(standings.scenarios[0].winners, ["same"]);
}

#[test]
fn repeated_matches_make_no_rank_certain() {
    // On eight scenarios, “a” leads on four and trails on one, by the same amount on every seed.
    let scenarios = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut matches = Vec::new();
    for (at, scenario) in scenarios.into_iter().enumerate() {
        let other = [90.0, 90.0, 90.0, 90.0, 100.0, 100.0, 100.0, 110.0][at];
        for seed in 1..=12 {
            matches.push((result_of(scenario, seed, &[("a", 100.0)]), 1));
            matches.push((result_of(scenario, seed, &[("b", other)]), 2));
            let luck = f64::from((seed * 7919 % 13) as u32);
            matches.push((result_of(scenario, seed, &[("luck", luck)]), seed));
        }
    }
    let standings = standings_with_courses(SCORE, &matches);
    let ranks = |player| row(&standings.overall, player).ranks.unwrap();
    assert_eq!((ranks("a"), ranks("b"), ranks("luck")), ((1, 2), (1, 2), (3, 3)));
}

#[test]
fn one_match_that_was_repeated_makes_no_rank_sure_among_rivals() {
    // “a” won its one match against “b”; against “luck”, both won every other game.
    let mut matches = Vec::new();
    for seed in 1..=40 {
        matches.push((result_of("m", seed, &[("a", 1.0), ("b", 0.0)]), 1));
        for (player, even) in [("a", 0), ("b", 1)] {
            let won = if seed % 2 == even { 1.0 } else { 0.0 };
            matches.push((result_of("m", seed, &[(player, won), ("luck", 1.0 - won)]), seed));
        }
    }
    let standings = standings_with_courses(VERSUS, &matches);
    let ranks = |player| row(&standings.overall, player).ranks.unwrap();
    assert_eq!((ranks("a"), ranks("b")), ((1, 3), (1, 3)));
}

#[test]
fn where_no_seed_decides_anything_the_worse_is_not_among_the_best() {
    let mut matches = Vec::new();
    for seed in 1..=3 {
        matches.push((result_of("m", seed, &[("a", 5222.0)]), 1));
        matches.push((result_of("m", seed, &[("b", 15.0)]), 2));
        matches.push((result_of("m", seed, &[("c", 5222.0)]), 3));
    }
    assert_eq!(standings_with_courses(SCORE, &matches).scenarios[0].winners, ["a", "c"]);
    // One seed alone does not tell whether another would have reversed the order.
    let once = standings_with_courses(SCORE, &matches[..3]);
    assert_eq!(once.scenarios[0].winners, ["a", "c", "b"]);
}
