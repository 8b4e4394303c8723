//! What holds whatever the results are.

use crate::*;
use proptest::prelude::*;
use quintain_core::{Objective, Scoring};
use quintain_stats::WinDrawLoss;

use super::{OwnedResult, VERSUS, row, standings, wdl};

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
