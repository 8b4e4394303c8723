//! One rating over several games, beside ladders of fixed ratings.

use quintain_core::{Objective, Rng};
use quintain_stats::all_pairs::Mark;

use crate::series::{Answers, SeriesBuilder, SeriesPart};
use crate::*;

use super::{SCORE, VERSUS};

fn part(name: &str, rule: ScoringRule, ladder: &[(&str, f64)]) -> SeriesPart {
    let ladder = ladder.iter().map(|(player, rating)| ((*player).to_owned(), *rating));
    SeriesPart { name: name.to_owned(), rule, ladder: ladder.collect() }
}

fn builder(players: &[&str]) -> SeriesBuilder {
    let duel = part("duel", VERSUS, &[("weak", -100.0), ("strong", 300.0)]);
    let rule = ScoringRule { objective: Objective::Minimize, ..SCORE };
    let alone = part("alone", rule, &[("poor", 0.0), ("fair", 200.0), ("good", 400.0)]);
    SeriesBuilder::new(
        players.iter().map(|player| (*player).to_owned()).collect(),
        vec![duel, alone],
    )
}

fn add(builder: &mut SeriesBuilder, part: usize, seed: u64, seats: &[(&str, f64)]) {
    let players: Vec<&str> = seats.iter().map(|(player, _)| *player).collect();
    let scores: Vec<f64> = seats.iter().map(|(_, score)| *score).collect();
    let result = MatchResult {
        scenario: "here",
        seed,
        players: &players,
        scores: &scores,
        fault: None,
        truncated: false,
        ending: "over",
    };
    builder.add(part, &result).unwrap();
}

#[test]
fn the_ends_of_every_ladder_are_0_and_1000_and_a_player_that_is_level_with_one_stands_there() {
    let mut all = builder(&["new"]);
    for seed in 0..200 {
        // Level with the strong one, and ten points of eleven against the weak one: 400 Elo more.
        let won = f64::from(u8::from(seed % 2 == 0));
        add(&mut all, 0, seed, &[("new", won), ("strong", 1.0 - won)]);
        let won = f64::from(u8::from(seed % 11 != 0));
        add(&mut all, 0, seed, &[("weak", 1.0 - won), ("new", won)]);
    }
    let standings = all.standings();
    let row = &standings.rows[0];
    let rating = row.parts[0].unwrap();
    assert!((rating.rating - 1000.0).abs() < 30.0, "{rating:?}");
    let interval = rating.interval.unwrap();
    assert!(interval.low < 1000.0 && interval.high > 1000.0, "{interval:?}");
    assert_eq!((row.parts[1], row.matches), (None, 400));
    assert_eq!(standings.parts[0].scale(), [("weak", 0.0), ("strong", 1000.0)]);
}

#[test]
fn where_everybody_plays_alone_scores_on_a_seed_are_compared_and_fewer_points_may_be_better() {
    let mut all = builder(&["new"]);
    for seed in 0..20 {
        add(&mut all, 1, seed, &[("poor", 9.0)]);
        add(&mut all, 1, seed, &[("fair", 5.0)]);
        add(&mut all, 1, seed, &[("good", 2.0)]);
        // Between the fair one and the good one, and twice level with the good one.
        add(&mut all, 1, seed, &[("new", if seed < 2 { 2.0 } else { 3.0 })]);
    }
    let row = &all.standings().rows[0];
    let rating = row.parts[1].unwrap();
    assert!(rating.rating > 500.0 && rating.rating < 1000.0, "{rating:?}");
    assert_eq!((rating.sweep, row.overall), (None, None), "one game is not all");
}

#[test]
fn ratings_do_not_depend_on_players_that_were_not_met() {
    let mut few = builder(&["one"]);
    let mut many = builder(&["one", "other"]);
    for seed in 0..12 {
        let won = f64::from(u8::from(seed % 3 == 0));
        for all in [&mut few, &mut many] {
            add(all, 0, seed, &[("one", won), ("strong", 1.0 - won)]);
        }
        add(&mut many, 0, seed, &[("other", 1.0), ("strong", 0.0)]);
    }
    let [alone, beside] = [few, many].map(|all| {
        let rows = all.standings().rows;
        rows.into_iter().find(|row| row.player == "one").unwrap().parts[0].unwrap().rating
    });
    assert!((alone - beside).abs() < 1e-6, "{alone} and {beside}");
}

#[test]
fn every_game_weighs_the_same_however_many_matches_it_has() {
    let row = |repeats: u64| {
        let mut all = builder(&["new"]);
        for seed in 0..20 {
            for repeat in 0..repeats {
                let won = f64::from(u8::from(seed % 4 == 0));
                add(&mut all, 0, 20 * repeat + seed, &[("new", won), ("strong", 1.0 - won)]);
            }
            add(&mut all, 1, seed, &[("fair", 5.0)]);
            add(&mut all, 1, seed, &[("new", if seed % 2 == 0 { 4.0 } else { 6.0 })]);
        }
        all.standings().rows.remove(0)
    };
    for row in [row(1), row(10)] {
        let parts: Vec<f64> = row.parts.iter().map(|of| of.unwrap().rating).collect();
        let overall = row.overall.unwrap();
        assert!((overall.rating - (parts[0] + parts[1]) / 2.0).abs() < 1e-9, "{parts:?}");
        assert!(overall.interval.unwrap().low < overall.rating);
    }
}

#[test]
fn the_best_is_certain_only_with_enough_seeds_and_answers_are_counted() {
    let standings = |seeds: u64| {
        let mut all = builder(&["good one", "bad one"]);
        for seed in 0..seeds {
            for (player, score) in [
                ("poor", 9.0),
                ("good", 2.0),
                ("good one", 3.0),
                ("bad one", 4.0 + (seed % 3) as f64),
            ] {
                add(&mut all, 1, seed, &[(player, score)]);
            }
            let upset = f64::from(u8::from(seed % 5 == 4));
            add(&mut all, 0, seed, &[("good one", 1.0 - upset), ("bad one", upset)]);
            add(&mut all, 0, seed, &[("good one", 1.0), ("weak", 0.0)]);
            add(&mut all, 0, seed, &[("bad one", upset), ("weak", 1.0 - upset)]);
            all.add_answers("bad one", Answers { turns: 10, misread: 1, tokens: 500.0 });
        }
        all.standings()
    };
    let few = standings(1);
    assert_eq!((few.rows[0].mark, few.rows[0].overall.unwrap().interval), (None, None));
    let many = standings(40);
    assert_eq!(many.rows[0].player, "good one");
    assert_eq!([many.rows[0].mark, many.rows[1].mark], [Some(Mark::Best), Some(Mark::Behind)]);
    let (lead, interval) = many.rows[1].behind.unwrap();
    assert!(lead > 0.0 && interval.unwrap().low > 0.0, "{lead} {interval:?}");
    let answers = many.rows[1].answers;
    assert_eq!((answers.turns, answers.misread, answers.tokens), (400, 40, 20_000.0));
}

/// How often the interval of a rating leaves out the truth, and how often of two equal players one
/// is called certainly better. Two games of 5 seeds each, where every seed has luck of its own.
#[test]
#[ignore = "nightly: two thousand simulated series"]
fn intervals_and_certainty_err_as_rarely_as_they_say() {
    let (mut missed, mut wrong, runs) = (0, 0, 2000);
    let mut rng = Rng::from_seed(1);
    for _ in 0..runs {
        let mut all = builder(&["one", "other"]);
        for seed in 0..5 {
            let luck = 200.0 * (rng.unit() + rng.unit() - 1.0);
            for player in ["one", "other"] {
                for (rung, elo) in [("weak", -100.0), ("strong", 300.0)] {
                    for _ in 0..2 {
                        let p = 1.0 / (1.0 + 10_f64.powf((elo - 100.0 - luck) / 400.0));
                        let won = f64::from(u8::from(rng.chance(p)));
                        add(&mut all, 0, seed, &[(player, won), (rung, 1.0 - won)]);
                    }
                }
            }
            // Merits with Gumbel's noise compare as the model says (Luce 1959).
            for (player, elo) in
                [("poor", 0.0), ("fair", 200.0), ("good", 400.0), ("one", 200.0), ("other", 200.0)]
            {
                let noise = -(-rng.unit().max(1e-300).ln()).ln();
                add(&mut all, 1, seed, &[(player, -(elo / 400.0 * 10_f64.ln() + noise))]);
            }
        }
        let standings = all.standings();
        let rows = &standings.rows;
        wrong += u32::from(rows.iter().any(|row| row.mark == Some(Mark::Best)));
        let one = rows.iter().find(|row| row.player == "one").unwrap().overall.unwrap();
        missed += u32::from(one.interval.is_some_and(|of| of.low > 500.0 || of.high < 500.0));
    }
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(runs);
    println!("missed {:.1} %, wrong {:.1} %", share(missed), share(wrong));
    assert!(share(missed) <= 6.5 && share(wrong) <= 6.0, "{missed} {wrong}");
}
