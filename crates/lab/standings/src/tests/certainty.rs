//! What is called certain, and what is not.

use crate::*;
use quintain_core::Objective;
use quintain_stats::all_pairs::Mark;

use super::{SCORE, VERSUS, result_of, row, standings};

#[test]
fn players_in_a_ring_are_named_and_not_ranked_apart() {
    let mut matches = Vec::new();
    for seed in 0..20 {
        for (winner, loser) in [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")] {
            matches.push(result_of("m", seed, &[(winner, 1.0), (loser, 0.0)]));
        }
    }
    let standings = standings(VERSUS, &matches);
    assert_eq!(standings.rings, [["paper", "rock", "scissors"]]);
    assert_eq!(standings.scenarios[0].winners.len(), 3);
    for row in &standings.overall {
        assert_eq!(row.ranks, Some((1, 3)));
    }
    let difference = standings.difference.unwrap();
    assert_eq!((difference.blocks_are, difference.test.p_value), (Blocks::Seeds, 1.0));
}

#[test]
fn seeds_tell_sure_ranks_from_unsure_ones() {
    let mut matches = Vec::new();
    for seed in 0..30 {
        let luck = f64::from((seed * 7919 % 13) as u32);
        matches.push(result_of("m", seed, &[("first", 20.0 + luck)]));
        matches.push(result_of("m", seed, &[("second", f64::from((seed * 31 % 11) as u32))]));
        matches.push(result_of("m", seed, &[("third", f64::from((seed * 17 % 11) as u32))]));
    }
    let standings = standings(SCORE, &matches);
    let of = |player| row(&standings.overall, player);
    assert_eq!((of("first").ranks, of("first").mark), (Some((1, 1)), Some(Mark::Best)));
    assert_eq!((of("second").ranks, of("second").mark), (Some((2, 3)), Some(Mark::Behind)));
    let (interval, mean) = (of("first").by_seed.unwrap(), 26.0);
    assert!(interval.low > mean - 2.0 && interval.high < mean + 2.0, "{interval:?}");
    assert_eq!(standings.scenarios[0].winners, ["first"]);
}

#[test]
fn six_wins_of_six_seeds_are_certain_and_agree_with_every_other_statement() {
    // Four players on two scenarios with three seeds: the first beats everybody, the others draw.
    let mut matches = Vec::new();
    for scenario in ["m", "n"] {
        for seed in 0..3 {
            for (one, other) in [("b", "c"), ("b", "d"), ("c", "d")] {
                let lead = f64::from((seed + u32::from(one == "c")) % 3) - 1.0;
                let seats = [(one, lead), (other, -lead)];
                matches.push(result_of(scenario, seed.into(), &seats));
            }
            for other in ["b", "c", "d"] {
                matches.push(result_of(scenario, seed.into(), &[("a", 1.0), (other, 0.0)]));
            }
        }
    }
    let standings = standings(VERSUS, &matches);
    let marks: Vec<_> = standings.overall.iter().map(|row| row.mark.unwrap()).collect();
    assert_eq!(marks, [Mark::Best, Mark::Behind, Mark::Behind, Mark::Behind]);
    assert_eq!(standings.overall[0].ranks, Some((1, 1)));
    // Seeds count on each scenario, and three of one scenario are too few.
    assert_eq!((standings.certainty.seeds, standings.certainty.missing_seeds), (6, 0));
    assert!(standings.scenarios.iter().all(|one| one.rows.iter().all(|row| row.mark.is_none())));
    assert_eq!(standings.scenarios[0].winners.len(), 4);
    assert_eq!(standings.overall[0].by_seed, None, "only the prior keeps this rating finite");
}

#[test]
fn with_too_few_seeds_no_test_is_made_and_the_table_says_how_many_are_missing() {
    let mut matches = Vec::new();
    for seed in 0..2 {
        for (player, score) in [("a", 9.0), ("b", 5.0), ("c", 1.0)] {
            matches.push(result_of("m", seed, &[(player, score + seed as f64)]));
        }
    }
    let standings = standings(SCORE, &matches);
    assert_eq!((standings.difference, standings.certainty.missing_seeds), (None, 3));
    assert!(standings.overall.iter().all(|row| (row.mark, row.ranks) == (None, None)));
    assert_eq!(standings.superiority.unwrap().alpha_rank, None);
}

#[test]
fn marks_follow_the_ranks_where_the_last_player_is_erratic() {
    // Fewer is better: the last needs 40 to 2000 rounds, the others about 36 and 60.
    let rule = ScoringRule { objective: Objective::Minimize, ..SCORE };
    let erratic = [2000.0, 500.0, 300.0, 410.0, 640.0];
    let mut matches = Vec::new();
    for seed in 0..5_u64 {
        let luck = (seed % 3) as f64;
        let others = [("champion", 36.0), ("middling", 60.0), ("slow", 75.0)];
        for (player, rounds) in others {
            let own = ((seed * 7 + player.len() as u64) % 4) as f64;
            matches.push(result_of("m", seed, &[(player, rounds + luck + own)]));
        }
        matches.push(result_of("m", seed, &[("random", erratic[seed as usize])]));
    }
    let standings = standings(rule, &matches);
    let marks: Vec<_> = standings.overall.iter().map(|row| row.mark.unwrap()).collect();
    assert!(marks.is_sorted_by_key(|mark| *mark as u8), "{marks:?}");
    for row in &standings.overall[1..] {
        let interval = row.to_leader.as_ref().and_then(|paired| paired.interval).unwrap();
        let says_behind = interval.low > 0.0;
        assert_eq!(row.mark == Some(Mark::Behind), says_behind, "{row:?}");
    }
}

#[test]
fn ten_to_nothing_and_one_to_nothing_differ_in_their_margin() {
    let of = |lead: f64| {
        let mut matches = Vec::new();
        for seed in 0..6 {
            matches.push(result_of("m", seed, &[("a", lead), ("b", 0.0)]));
            matches.push(result_of("m", seed, &[("b", 2.0), ("c", 0.0)]));
        }
        let mut faulty = result_of("m", 9, &[("a", -1000.0), ("b", 0.0)]);
        faulty.fault = Some(0);
        matches.push(faulty);
        standings(VERSUS, &matches)
    };
    let margin = |standings: &Standings, player| row(&standings.overall, player).margin;
    assert_eq!((margin(&of(10.0), "a"), margin(&of(1.0), "a")), (Some(10.0), Some(1.0)));
    assert_eq!(margin(&of(10.0), "b"), Some(-4.0));
    // Where every win is worth the same, the points say it all.
    assert_eq!(margin(&of(2.0), "a"), None);
}

#[test]
fn two_wins_of_one_seed_make_no_ring_and_no_share_of_time() {
    let mut matches = Vec::new();
    for (winner, loser) in [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")] {
        for _ in 0..2 {
            matches.push(result_of("m", 1, &[(winner, 1.0), (loser, 0.0)]));
        }
    }
    let standings = standings(VERSUS, &matches);
    assert!(standings.rings.is_empty());
    assert_eq!(standings.superiority.unwrap().alpha_rank, None);
}

#[test]
fn in_a_ring_all_share_the_time_and_an_anchor_has_the_rating_it_is_given() {
    let mut matches = Vec::new();
    for seed in 0..20 {
        for (winner, loser) in
            [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"), ("rock", "none")]
        {
            matches.push(result_of("m", seed, &[(winner, 1.0), (loser, 0.0)]));
        }
    }
    let mut standings = standings(VERSUS, &matches);
    let superiority = standings.superiority.clone().unwrap();
    let share = |player: &str| {
        let at = superiority.players.iter().position(|name| name == player).unwrap();
        superiority.alpha_rank.as_ref().unwrap()[at]
    };
    assert!(["rock", "paper", "scissors"].iter().all(|one| share(one) > 0.15), "{superiority:?}");
    let elo = |standings: &Standings, player| row(&standings.overall, player).elo.clone().unwrap();
    let distance = elo(&standings, "rock").rating - elo(&standings, "paper").rating;
    assert!(standings.anchor("paper", 1500.0) && !standings.anchor("nobody", 0.0));
    let (rock, paper) = (elo(&standings, "rock"), elo(&standings, "paper"));
    assert!((rock.rating - 1500.0 - distance).abs() < 1e-9);
    assert_eq!((paper.rating, paper.low, paper.high), (1500.0, 1500.0, 1500.0));
}

#[test]
fn an_opponent_met_more_often_does_not_buy_a_rank() {
    // "farmer" beats only the weak, "giant" meets mostly the strong: points say one thing, the
    // strength of the opponents another.
    let mut matches = Vec::new();
    let mut game = |seed: u64, winner, loser| {
        matches.push(result_of("m", seed, &[(winner, 1.0), (loser, 0.0)]));
    };
    for seed in 0..10 {
        game(seed, "strong", "farmer");
        game(seed, "strong", "weak");
        game(
            seed,
            if seed < 9 { "farmer" } else { "weak" },
            if seed < 9 { "weak" } else { "farmer" },
        );
        game(
            seed,
            if seed < 5 { "giant" } else { "strong" },
            if seed < 5 { "strong" } else { "giant" },
        );
    }
    for seed in 10..100 {
        game(seed, "farmer", "weak");
    }
    let standings = standings(VERSUS, &matches);
    let share = |player| row(&standings.overall, player).games.unwrap().share().unwrap();
    let rank = |player| row(&standings.overall, player).rank;
    assert!(share("farmer") > share("giant") && rank("farmer") > rank("giant"));
}
