//! Standings as a whole: what holds whatever the results are, and the smallest cases.

use crate::*;
use proptest::prelude::*;
use quintain_core::{Objective, Scoring};
use quintain_stats::WinDrawLoss;
use quintain_stats::all_pairs::Mark;

const VERSUS: ScoringRule =
    ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial };
const SCORE: ScoringRule =
    ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };

/// A result that owns what [`MatchResult`] borrows.
#[derive(Clone, Debug)]
struct OwnedResult {
    scenario: &'static str,
    seed: u64,
    seats: Vec<(&'static str, f64)>,
    fault: Option<usize>,
    truncated: bool,
}

fn result_of(scenario: &'static str, seed: u64, seats: &[(&'static str, f64)]) -> OwnedResult {
    OwnedResult { scenario, seed, seats: seats.to_vec(), fault: None, truncated: false }
}

fn standings(rule: ScoringRule, matches: &[OwnedResult]) -> Standings {
    let mut tally = StandingsBuilder::new(rule);
    for one in matches {
        let (players, scores): (Vec<_>, Vec<_>) = one.seats.iter().copied().unzip();
        let &OwnedResult { scenario, seed, fault, truncated, .. } = one;
        let (players, scores) = (&players[..], &scores[..]);
        let ending = if truncated { "limit" } else { "over" };
        let fault = fault.map(|seat| (seat, "timeout"));
        tally
            .add(&MatchResult { scenario, seed, players, scores, fault, truncated, ending })
            .unwrap();
    }
    tally.standings()
}

/// Counts the scores of players who play alone.
fn alone(matches: &[OwnedResult]) -> StandingsBuilder {
    let mut tally = StandingsBuilder::new(SCORE);
    for OwnedResult { scenario, seed, seats, .. } in matches {
        let (players, scores): (Vec<_>, Vec<_>) = seats.iter().copied().unzip();
        let (players, scores, seed, ending) = (&players[..], &scores[..], *seed, "over");
        let result =
            MatchResult { scenario, seed, players, scores, fault: None, truncated: false, ending };
        tally.add(&result).unwrap();
    }
    tally
}

fn row<'a>(rows: &'a [StandingsRow], player: &str) -> &'a StandingsRow {
    rows.iter().find(|row| row.player == player).expect("the player is listed")
}

fn ranking(rows: &[StandingsRow]) -> Vec<(u64, &str)> {
    rows.iter().map(|row| (row.rank, row.player.as_str())).collect()
}

fn wdl(wins: u64, draws: u64, losses: u64) -> WinDrawLoss {
    WinDrawLoss { wins, draws, losses }
}

/// Standings of matches with known actions: equal courses stand for the same actions.
fn standings_with_courses(rule: ScoringRule, matches: &[(OwnedResult, u64)]) -> Standings {
    let mut tally = StandingsBuilder::new(rule);
    for (one, course) in matches {
        let (players, scores): (Vec<_>, Vec<_>) = one.seats.iter().copied().unzip();
        let &OwnedResult { scenario, seed, fault, truncated, .. } = one;
        let (players, scores) = (&players[..], &scores[..]);
        let fault = fault.map(|seat| (seat, "timeout"));
        let result =
            MatchResult { scenario, seed, players, scores, fault, truncated, ending: "over" };
        tally.add_with_course(&result, &|| Some(*course)).unwrap();
    }
    tally.standings()
}

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
fn players_are_compared_alone_as_in_the_standings() {
    let builder = common_seeds();
    let (names, pairs) = builder.compare_players();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(pairs.is_refused() && !pairs.is_ahead(0, 1));
    assert_eq!(pairs.undecided().len(), 3);
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

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn any_matches() -> impl Strategy<Value = Vec<OwnedResult>> {
    let seat = (0..NAMES.len(), -8..9_i32);
    let one = (0..3_usize, 0..4_u64, prop::collection::vec(seat, 1..5), any::<bool>(), 0..9_usize);
    let one = one.prop_map(|(scenario, seed, seats, truncated, fault)| OwnedResult {
        scenario: ["x", "y", "z"][scenario],
        seed,
        fault: (fault < seats.len()).then_some(fault),
        seats: seats.into_iter().map(|(name, score)| (NAMES[name], f64::from(score))).collect(),
        truncated,
    });
    prop::collection::vec(one, 1..30)
}

fn any_rule() -> impl Strategy<Value = ScoringRule> {
    let objective = prop_oneof![Just(Objective::Maximize), Just(Objective::Minimize)];
    let scoring = prop_oneof![Just(Scoring::Adversarial), Just(Scoring::Independent)];
    (objective, scoring).prop_map(|(objective, scoring)| ScoringRule { objective, scoring })
}

/// Fails unless `a` and `b` say the same about every player, up to rounding.
fn assert_alike(a: &StandingsRow, b: &StandingsRow) -> Result<(), TestCaseError> {
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-7;
    prop_assert_eq!((a.rank, a.games), (b.rank, b.games));
    prop_assert_eq!((a.forfeits, a.truncated, &a.places), (b.forfeits, b.truncated, &b.places));
    prop_assert_eq!(a.summary.n, b.summary.n);
    prop_assert!(near(a.summary.mean, b.summary.mean));
    prop_assert!(near(a.summary.median, b.summary.median));
    let half = |row: &StandingsRow| row.summary.interval.map_or(-1.0, |i| i.high - i.low);
    prop_assert!(near(half(a), half(b)));
    let elo =
        |row: &StandingsRow| row.elo.as_ref().map_or(0.0, |elo| elo.rating + elo.standard_error);
    prop_assert!(near(elo(a), elo(b)));
    prop_assert_eq!((a.ranks, a.mark), (b.ranks, b.mark));
    let steady = |row: &StandingsRow| row.robustness.as_ref().map(|of| of.above_average);
    prop_assert_eq!(steady(a), steady(b));
    Ok(())
}

proptest! {
    #[test]
    fn the_order_of_results_changes_nothing(
        rule in any_rule(),
        (matches, shuffled) in any_matches().prop_flat_map(|matches| {
            (Just(matches.clone()), Just(matches).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(standings(rule, &matches), standings(rule, &shuffled));
    }

    #[test]
    fn the_order_of_seats_changes_nothing(rule in any_rule(), matches in any_matches()) {
        let mut turned = matches.clone();
        for one in &mut turned {
            one.seats.reverse();
            one.fault = one.fault.map(|seat| one.seats.len() - 1 - seat);
        }
        prop_assert_eq!(standings(rule, &matches), standings(rule, &turned));
    }

    #[test]
    fn players_called_otherwise_stand_where_they_stood(
        rule in any_rule(), matches in any_matches(),
    ) {
        let renamed = |name| {
            let place = NAMES.iter().position(|n| *n == name).unwrap();
            NAMES[NAMES.len() - 1 - place]
        };
        let mut others = matches.clone();
        others.iter_mut().flat_map(|one| &mut one.seats).for_each(|seat| seat.0 = renamed(seat.0));
        let (before, after) = (standings(rule, &matches), standings(rule, &others));
        let is_ranked = |name: &str| before.overall.iter().any(|row| row.player == name);
        for player in NAMES.iter().filter(|name| is_ranked(name)) {
            assert_alike(row(&before.overall, player), row(&after.overall, renamed(player)))?;
        }
    }

    #[test]
    fn a_constant_added_to_all_scores_moves_means_and_nothing_else(
        rule in any_rule(), matches in any_matches(), constant in -100..100_i32,
    ) {
        let constant = f64::from(constant);
        let mut moved = matches.clone();
        moved.iter_mut().flat_map(|one| &mut one.seats).for_each(|seat| seat.1 += constant);
        let before = standings(rule, &matches);
        let mut after = standings(rule, &moved);
        for row in after.overall.iter_mut() {
            row.summary.mean -= constant;
            row.summary.median -= constant;
        }
        for row in &before.overall {
            let moved = after.overall.iter().find(|moved| moved.player == row.player).unwrap();
            assert_alike(row, moved)?;
            match (&row.to_leader, &moved.to_leader) {
                (Some(a), Some(b)) => prop_assert!((a.difference - b.difference).abs() < 1e-9),
                (a, b) => prop_assert_eq!(a.is_none(), b.is_none()),
            }
        }
        prop_assert_eq!(before.versus, after.versus);
    }

    #[test]
    fn every_game_is_won_by_one_and_lost_by_the_other(matches in any_matches()) {
        let versus = standings(VERSUS, &matches).versus.unwrap();
        for (i, row) in versus.matrix.iter().enumerate() {
            for (j, games) in row.iter().enumerate() {
                prop_assert_eq!(games.reversed(), versus.matrix[j][i]);
            }
            prop_assert_eq!(row[i], wdl(0, 0, 0));
        }
    }

    #[test]
    fn games_of_the_rows_are_those_of_the_matrix_and_of_the_scenarios(matches in any_matches()) {
        let standings = standings(VERSUS, &matches);
        let versus = standings.versus.as_ref().unwrap();
        for (row, games) in standings.overall.iter().zip(&versus.matrix) {
            prop_assert_eq!(row.games.unwrap(), quintain_stats::win_draw_loss::sum(games));
            let mut sum = WinDrawLoss::default();
            let of_player = standings.scenarios.iter().flat_map(|scenario| &scenario.rows);
            of_player.filter(|r| r.player == row.player).for_each(|r| sum += r.games.unwrap());
            prop_assert_eq!(row.games.unwrap(), sum);
        }
    }
}

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
