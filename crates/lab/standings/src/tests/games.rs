//! Who won, and the smallest cases.

use crate::*;
use quintain_core::Objective;

use super::{SCORE, VERSUS, ranking, result_of, row, standings, wdl};

#[test]
fn no_results_make_empty_standings() {
    for rule in [VERSUS, SCORE] {
        let standings = standings(rule, &[]);
        assert_eq!((standings.matches, standings.overall.len()), (0, 0));
    }
}

#[test]
fn one_result_has_means_but_no_intervals() {
    let standings = standings(SCORE, &[result_of("m", 1, &[("a", 3.0)])]);
    let row = &standings.overall[0];
    assert_eq!((row.rank, row.summary.n, row.summary.mean), (1, 1, 3.0));
    assert_eq!((row.summary.interval, &row.to_leader, row.games), (None, &None, None));
    assert_eq!(row.places.as_ref().unwrap().first, 1);
}

#[test]
fn one_versus_result_ranks_the_winner_first() {
    let standings = standings(VERSUS, &[result_of("m", 1, &[("a", 0.0), ("b", 1.0)])]);
    assert_eq!(ranking(&standings.overall), [(1, "b"), (2, "a")]);
    let versus = standings.versus.unwrap();
    assert_eq!(versus.players, ["b", "a"]);
    assert_eq!(versus.matrix, [[wdl(0, 0, 0), wdl(1, 0, 0)], [wdl(0, 0, 1), wdl(0, 0, 0)]]);
    assert_eq!((versus.groups, versus.one_sided), (1, true));
}

#[test]
fn players_that_only_drew_share_the_first_rank() {
    let draw = |seed, a, b| result_of("m", seed, &[(a, 0.5), (b, 0.5)]);
    let standings = standings(VERSUS, &[draw(1, "a", "b"), draw(2, "b", "c"), draw(3, "c", "a")]);
    assert_eq!(ranking(&standings.overall), [(1, "a"), (1, "b"), (1, "c")]);
    for row in &standings.overall {
        let places = row.places.as_ref().unwrap();
        assert_eq!((places.mean_rank, places.first), (2.0, 1));
        assert!(row.elo.as_ref().unwrap().rating.abs() < 1e-9);
    }
}

#[test]
fn the_lowest_score_wins_where_less_is_better() {
    let seats = [("a", 1.0), ("b", 2.0)];
    let versus = ScoringRule { objective: Objective::Minimize, ..VERSUS };
    let score = ScoringRule { objective: Objective::Minimize, ..SCORE };
    for rule in [versus, score] {
        let standings = standings(rule, &[result_of("m", 1, &seats)]);
        assert_eq!(ranking(&standings.overall), [(1, "a"), (2, "b")]);
    }
}

#[test]
fn the_seat_at_fault_loses_to_every_other_whatever_the_scores_say() {
    let mut one = result_of("m", 1, &[("a", 9.0), ("b", 5.0), ("c", 5.0)]);
    one.fault = Some(0);
    one.truncated = true;
    let standings = standings(VERSUS, &[one]);
    let games = |player| row(&standings.overall, player).games.unwrap();
    assert_eq!(games("a"), wdl(0, 0, 2));
    assert_eq!(games("b"), wdl(1, 1, 0));
    assert_eq!(games("c"), wdl(1, 1, 0));
    let counts = |player| {
        let row = row(&standings.overall, player);
        (row.forfeits, row.truncated)
    };
    assert_eq!((counts("a"), counts("b")), ((1, 1), (0, 1)));
    let faults = |player| row(&standings.overall, player).faults.clone();
    assert_eq!(faults("a"), [("timeout".to_owned(), 1)].into());
    assert!(faults("b").is_empty());
}

#[test]
fn a_player_in_all_seats_counts_once_a_match_and_plays_no_one() {
    let mirror = |seed, x, y| result_of("m", seed, &[("a", x), ("a", y)]);
    let standings = standings(VERSUS, &[mirror(1, 2.0, 4.0), mirror(2, 5.0, 5.0)]);
    let row = &standings.overall[0];
    assert_eq!((row.summary.n, row.summary.mean, row.games), (2, 4.0, Some(wdl(0, 0, 0))));
    assert_eq!(row.elo, None);
}

#[test]
fn a_player_in_two_of_three_seats_meets_the_third_twice() {
    let one = result_of("m", 1, &[("a", 1.0), ("b", 0.5), ("a", 0.0)]);
    let standings = standings(VERSUS, &[one]);
    assert_eq!(row(&standings.overall, "b").games, Some(wdl(1, 0, 1)));
    assert_eq!(row(&standings.overall, "a").summary.n, 1);
}

#[test]
fn what_cannot_be_counted_is_refused_and_leaves_no_trace() {
    let result = |players, scores, fault| MatchResult {
        scenario: "m",
        seed: 7,
        players,
        scores,
        fault,
        truncated: false,
        ending: "over",
    };
    let mut tally = StandingsBuilder::new(VERSUS);
    for (bad, text) in [
        (result(&["a", "b"], &[1.0], None), "m, seed 7: 2 players but 1 scores"),
        (
            result(&["a", "b"], &[1.0, f64::NAN], None),
            "m, seed 7: the score of seat 1 is NaN, not a finite number",
        ),
        (
            result(&["a", "b"], &[1.0, 0.0], Some((2, "crash"))),
            "m, seed 7: seat 2 is at fault, but there are 2 seats",
        ),
    ] {
        assert_eq!(tally.add(&bad).unwrap_err().to_string(), text);
    }
    assert_eq!(tally.standings(), standings(VERSUS, &[]));
}

#[test]
fn a_match_of_more_rivals_than_can_be_compared_is_refused() {
    let add = |rule: ScoringRule, seats: usize| {
        let (players, scores) = (vec!["a"; seats], vec![1.0; seats]);
        let (players, scores) = (&players[..], &scores[..]);
        let (scenario, seed, fault, truncated, ending) = ("empty", 1, None, false, "over");
        StandingsBuilder::new(rule).add(&MatchResult {
            scenario,
            seed,
            players,
            scores,
            fault,
            truncated,
            ending,
        })
    };
    assert!(matches!(add(VERSUS, 65_535), Err(BadResult::TooManyRivals { .. })));
    assert_eq!(add(VERSUS, 64), Ok(()));
    // Nobody is compared with the other seats of a match that all play for themselves.
    assert_eq!(add(SCORE, 65_535), Ok(()));
}

#[test]
fn a_player_that_is_renamed_has_the_new_name_in_all_tables() {
    let scores = [("a1b2", 1.0), ("second", 0.0)];
    let swapped = [("second", 0.0), ("a1b2", 1.0)];
    let seeds = (0..8)
        .flat_map(|seed| [result_of("arena", seed, &scores), result_of("arena", seed, &swapped)]);
    let third = (0..8).map(|seed| result_of("arena", seed, &[("a1b2", 0.0), ("third", 0.0)]));
    let mut found = standings(VERSUS, &seeds.chain(third).collect::<Vec<_>>());
    found.set_bracket(vec!["a1b2".to_owned(), "second".to_owned()], 2);
    found.set_challengers(vec!["a1b2".to_owned()]);
    found.rename(|player| (player == "a1b2").then(|| "mine@git:1a2b3c4".to_owned()));
    assert_eq!(found.overall[0].player, "mine@git:1a2b3c4");
    // It knows matches by the names in their records.
    found.repeats = Default::default();
    let text = format!("{found:?}");
    assert!(!text.contains("a1b2") && text.contains("second"), "{text}");
}
