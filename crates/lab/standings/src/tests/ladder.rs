//! Players compared on the seeds that both have played.

use crate::*;

use super::{alone, result_of, wdl};

/// On small seeds 1 to 4 the first has 5, 7, 9, 20 and the second 4, 7, 10; on the large one the
/// first has 100 and the second 50.
fn common_seeds() -> StandingsBuilder {
    let mut matches = vec![
        result_of("large", 1, &[("a", 100.0)]),
        result_of("large", 1, &[("b", 50.0)]),
        result_of("large", 1, &[("c", 1.0)]),
        result_of("small", 4, &[("a", 20.0)]),
    ];
    for (seed, first, second) in [(1, 5.0, 4.0), (2, 7.0, 7.0), (3, 9.0, 10.0)] {
        matches.push(result_of("small", seed, &[("a", first)]));
        matches.push(result_of("small", seed, &[("b", second)]));
    }
    alone(&matches)
}

#[test]
fn only_seeds_that_both_have_played_are_compared() {
    let builder = common_seeds();
    let rows = builder.ladder(&["b", "a", "nobody"]);
    let ranking: Vec<(u64, &str)> =
        rows.iter().map(|row| (row.rank, row.player.as_str())).collect();
    assert_eq!(ranking, [(1, "a"), (2, "b"), (3, "nobody")]);
    assert_eq!(rows[0].beside_next, Some(wdl(2, 1, 1)));
    assert_eq!(rows[1].beside_next, None);
    assert_eq!((rows[0].measure, rows[1].measure), (Some(0.375), Some(0.625)));
    assert_eq!((rows[0].matches, rows[2].matches), (5, 0));
    let worst = builder.worst_seeds("a", &["a", "b", "c"], 9);
    let seeds: Vec<(&str, u64, f64, f64)> =
        worst.iter().map(|of| (of.scenario.as_str(), of.seed, of.score, of.best)).collect();
    assert_eq!(seeds, [("small", 3, 9.0, 10.0)]);
}

#[test]
fn scenarios_are_compared_apart_since_their_scores_are_of_other_sizes() {
    let [large, small] = &common_seeds().compare("a", "b")[..] else { panic!("two scenarios") };
    assert_eq!((large.scenario.as_str(), large.lead.difference), ("large", 50.0));
    assert_eq!((small.scenario.as_str(), small.lead.difference), ("small", 0.0));
    assert!(large.lead.interval.is_none(), "one seed tells nothing of the others");
    let interval = small.lead.interval.unwrap();
    assert!(interval.low < -2.0 && interval.high > 2.0, "±1 on three seeds: {interval:?}");
}

#[test]
fn players_are_compared_alone_as_in_the_standings() {
    let builder = common_seeds();
    let (names, pairs) = builder.compare_players();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(pairs.is_refused() && !pairs.is_ahead(0, 1));
    assert_eq!(pairs.undecided().len(), 3);
}
