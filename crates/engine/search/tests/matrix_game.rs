//! Matrix games of known value, and the property that makes something a solution: neither side
//! gains by any pure deviation.

use proptest::prelude::*;
use quintain_search::matrix_game::{Solution, solve};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b))
}

#[test]
fn rock_paper_scissors_is_even_and_played_evenly() {
    let Solution { value, rows, columns } =
        solve(&[0.0, -1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0], 3);
    let third = 1.0 / 3.0;
    assert!(close(value, 0.0), "{value}");
    assert!(all_close(&rows, &[third; 3]) && all_close(&columns, &[third; 3]));
}

#[test]
fn two_by_two_follows_the_closed_form() {
    // value = (ad − bc)/(a + d − b − c), first row (d − c)/(a + d − b − c).
    let Solution { value, rows, columns } = solve(&[3.0, -1.0, -2.0, 4.0], 2);
    assert!(close(value, 1.0));
    assert!(all_close(&rows, &[0.6, 0.4]) && all_close(&columns, &[0.5, 0.5]));
}

#[test]
fn a_saddle_point_is_played_pure() {
    let solution = solve(&[4.0, 2.0, 5.0, 3.0, 3.0, 7.0, 1.0, 0.0, 9.0], 3);
    assert_eq!(solution.value, 3.0);
    assert_eq!((solution.rows, solution.columns), (vec![0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0]));
}

#[test]
fn morra_with_two_fingers_has_value_zero() {
    // Both show and guess 1 or 2: actions (show, guess) 11, 12, 21, 22 (von Neumann's example).
    let payoffs = [
        0.0, 2.0, -3.0, 0.0, //
        -2.0, 0.0, 0.0, 3.0, //
        3.0, 0.0, 0.0, -4.0, //
        0.0, -3.0, 4.0, 0.0,
    ];
    assert!(close(solve(&payoffs, 4).value, 0.0));
}

#[test]
fn one_row_or_one_column_is_a_plain_choice() {
    assert_eq!(solve(&[3.0, 1.0, 2.0], 3).value, 1.0);
    assert_eq!(solve(&[3.0, 1.0, 2.0], 1).value, 3.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_pure_deviation_gains(
        (rows, columns, payoffs) in (1..6usize, 1..6usize).prop_flat_map(|(rows, columns)| {
            // Small whole numbers give many ties and degenerate programs.
            let payoffs = proptest::collection::vec(-3..4i32, rows * columns);
            (Just(rows), Just(columns), payoffs)
        }),
        scale in prop_oneof![Just(1.0), Just(1e6), Just(1e-6)],
    ) {
        let payoffs: Vec<f64> = payoffs.into_iter().map(|p| f64::from(p) * scale).collect();
        let solution = solve(&payoffs, columns);
        let slack = 1e-9 * scale;
        for strategy in [&solution.rows, &solution.columns] {
            prop_assert!(strategy.iter().all(|p| *p >= 0.0));
            prop_assert!(close(strategy.iter().sum::<f64>(), 1.0));
        }
        for row in 0..rows {
            let gain: f64 =
                (0..columns).map(|c| payoffs[row * columns + c] * solution.columns[c]).sum();
            prop_assert!(gain <= solution.value + slack, "row {row} gains {gain}");
        }
        for column in 0..columns {
            let loss: f64 =
                (0..rows).map(|r| payoffs[r * columns + column] * solution.rows[r]).sum();
            prop_assert!(loss >= solution.value - slack, "column {column} loses {loss}");
        }
    }
}
