//! Several scenarios in one table.

use crate::*;

use super::{SCORE, VERSUS, ranking, result_of, row, standings, standings_with_courses, wdl};

#[test]
fn scores_of_different_scales_are_ranked_by_mean_rank_and_normalised() {
    // Thousands of points on one board, units on two: the player that is first on two of three is
    // first.
    let mut matches = Vec::new();
    for seed in 0..8 {
        let luck = seed as f64;
        for (board, best, other) in [("x", 1000.0, 9000.0), ("y", 30.0, 20.0), ("z", 50.0, 30.0)] {
            matches.push(result_of(board, seed, &[("often", best + luck)]));
            matches.push(result_of(board, seed, &[("once", other + luck)]));
        }
    }
    let standings = standings(SCORE, &matches);
    assert_eq!(ranking(&standings.overall), [(1, "often"), (2, "once")]);
    let iqm = |player| row(&standings.overall, player).normalised.clone().unwrap().iqm;
    assert!(iqm("often") > 0.7 && iqm("once") < 0.3, "{} {}", iqm("often"), iqm("once"));
    let superiority = standings.superiority.unwrap();
    assert_eq!(superiority.chances[0][1], Some(16.0 / 24.0));
    assert_eq!(superiority.p_values[0][1], quintain_stats::simultaneous::sign_test(16, 8));
}

#[test]
fn a_board_on_which_nothing_varies_weighs_as_much_as_the_others() {
    // “same” is the worst on x, on every seed; on y it is as good as the other half of the time.
    let mut matches = Vec::new();
    for seed in 0..12 {
        matches.push((result_of("x", seed, &[("same", 0.0)]), 1));
        matches.push((result_of("x", seed, &[("other", 10.0)]), 2));
        matches.push((result_of("y", seed, &[("same", 10.0 + (seed % 2) as f64)]), seed));
        matches.push((result_of("y", seed, &[("other", 10.0)]), 3));
    }
    let normalised =
        row(&standings_with_courses(SCORE, &matches).overall, "same").normalised.clone();
    // Of 24 runs, twelve score 0, six 0 and six 2: without a quarter at each end, all are 0.
    assert_eq!(normalised.unwrap().iqm, 0.0);
}

#[test]
fn differences_are_paired_by_scenario_and_seed() {
    let matches = [
        result_of("m", 1, &[("best", 10.0)]),
        result_of("m", 2, &[("best", 20.0)]),
        result_of("n", 1, &[("best", 100.0)]),
        result_of("m", 1, &[("other", 9.0)]),
        result_of("m", 2, &[("other", 18.0)]),
        result_of("n", 2, &[("other", 7.0)]),
        result_of("m", 5, &[("alone", 1.0)]),
    ];
    let standings = standings(SCORE, &matches);
    let paired = row(&standings.overall, "other").to_leader.clone().unwrap();
    assert_eq!((paired.n, paired.difference), (2, -1.5));
    assert_eq!(row(&standings.overall, "best").to_leader, None);
    assert_eq!(row(&standings.overall, "alone").to_leader, None);
    assert_eq!(row(&standings.scenarios[1].rows, "other").to_leader, None);
}

#[test]
fn places_are_counted_over_scenarios_with_ties_in_the_middle() {
    let matches = [
        result_of("m", 1, &[("a", 3.0)]),
        result_of("m", 1, &[("b", 3.0)]),
        result_of("m", 1, &[("c", 1.0)]),
        result_of("n", 1, &[("a", 5.0)]),
        result_of("n", 1, &[("b", 7.0)]),
    ];
    let standings = standings(SCORE, &matches);
    let places = |player| row(&standings.overall, player).places.clone().unwrap();
    let expected = |scenarios, mean_rank, first, second, third| Placements {
        scenarios,
        mean_rank,
        first,
        second,
        third,
    };
    assert_eq!(places("a"), expected(2, 1.75, 1, 1, 0));
    assert_eq!(places("b"), expected(2, 1.25, 2, 0, 0));
    assert_eq!(places("c"), expected(1, 3.0, 0, 0, 1));
}

#[test]
fn steadiness_and_endings_are_counted_by_player() {
    let mut matches = vec![
        result_of("m", 1, &[("a", 3.0), ("b", 1.0)]),
        result_of("n", 1, &[("a", 1.0), ("b", 2.0)]),
        result_of("o", 1, &[("a", 2.0), ("b", 0.0)]),
    ];
    matches[2].truncated = true;
    let standings = standings(VERSUS, &matches);
    let a = row(&standings.overall, "a");
    let steady = a.robustness.as_ref().unwrap();
    assert_eq!((steady.worst.as_str(), steady.worst_value, steady.median), ("n", 0.0, 100.0));
    assert!((steady.above_average - 2.0 / 3.0).abs() < 1e-12);
    let ends: Vec<_> = a.endings.iter().map(|of| (of.ending.as_str(), of.mean, of.games)).collect();
    assert_eq!(ends, [("over", 2.0, Some(wdl(1, 0, 1))), ("limit", 2.0, Some(wdl(1, 0, 0)))]);
}
