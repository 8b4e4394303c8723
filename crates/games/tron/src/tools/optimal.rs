//! What moves are worth against a perfect opponent.
//!
//! A matrix game can have many optimal mixtures. Those of one player are a polytope: the mixtures
//! that hold each of the other's moves down to the value. A move is worth what is left of it
//! against the mixture of these that is worst for it, which is one of the corners. Moves that are
//! worth the value are those that some optimal mixture has (strict complementarity; Goldman and
//! Tucker 1956).

/// Differences smaller than this are rounding.
const ROUNDING: f64 = 1e-9;
/// Equations whose coefficients cancel to less than this depend on each other.
const DEPENDENT: f64 = 1e-7;

/// What each row is worth against the optimal mixture of columns that is worst for it. `known` is
/// one of these mixtures.
pub(super) fn worths_of_rows(payoffs: &[f64], value: f64, known: &[f64]) -> Vec<f64> {
    let columns = known.len();
    let mut mixtures = corners(payoffs, columns, value);
    mixtures.push(known.to_vec());
    let worth = |row: &[f64]| {
        let against = mixtures.iter().map(|mixture| product(row, mixture));
        against.fold(f64::INFINITY, f64::min)
    };
    payoffs.chunks(columns).map(worth).collect()
}

/// The same for each column, in points of the first player.
pub(super) fn worths_of_columns(payoffs: &[f64], value: f64, known: &[f64]) -> Vec<f64> {
    let columns = payoffs.len() / known.len();
    let of_second = |column: usize| payoffs[column..].iter().step_by(columns).map(|own| -own);
    let turned: Vec<f64> = (0..columns).flat_map(of_second).collect();
    worths_of_rows(&turned, -value, known).into_iter().map(|worth| -worth).collect()
}

fn product(row: &[f64], mixture: &[f64]) -> f64 {
    row.iter().zip(mixture).map(|(payoff, share)| payoff * share).sum()
}

/// The corners of the set of optimal mixtures of columns: each holds as many conditions with
/// equality as it takes to name one mixture.
fn corners(payoffs: &[f64], columns: usize, value: f64) -> Vec<Vec<f64>> {
    let rows = payoffs.chunks(columns).map(|row| (row.to_vec(), value));
    let shares = (0..columns).map(|column| {
        let mut row = vec![0.0; columns];
        row[column] = -1.0;
        (row, 0.0)
    });
    // What a mixture makes of each row must not be more than the limit.
    let conditions: Vec<(Vec<f64>, f64)> = rows.chain(shares).collect();
    let is_optimal = |mixture: &Vec<f64>| {
        conditions.iter().all(|(row, limit)| product(row, mixture) < limit + ROUNDING)
    };
    let sets = 0_u32..1 << conditions.len();
    let sets = sets.filter(|set| set.count_ones() as usize + 1 == columns);
    let solved = sets.filter_map(|set| {
        let held = conditions.iter().enumerate().filter(|(number, _)| set >> number & 1 == 1);
        let mut equations: Vec<Vec<f64>> =
            held.map(|(_, (row, limit))| [row.as_slice(), &[*limit]].concat()).collect();
        equations.push(vec![1.0; columns + 1]);
        solve(equations)
    });
    solved.filter(is_optimal).collect()
}

/// The solution of as many linear equations as unknowns, each with its right-hand side at the end
/// (Gauss–Jordan elimination). None if there is not exactly one.
fn solve(mut equations: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = equations.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| equations[*a][column].abs().total_cmp(&equations[*b][column].abs()))?;
        if equations[pivot][column].abs() < DEPENDENT {
            return None;
        }
        equations.swap(column, pivot);
        let lead = equations[column][column];
        equations[column].iter_mut().for_each(|coefficient| *coefficient /= lead);
        let by = equations[column].clone();
        for (number, other) in equations.iter_mut().enumerate() {
            if number != column {
                let factor = other[column];
                other.iter_mut().zip(&by).for_each(|(own, lead)| *own -= factor * lead);
            }
        }
    }
    Some(equations.iter().map(|equation| equation[size]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quintain_search::matrix_game;

    use super::*;

    #[test]
    fn a_dominated_move_is_worth_less_though_one_perfect_reply_does_not_punish_it() {
        // Both columns are perfect for the second player; only the second one punishes the lower
        // row, which is never better than the upper one.
        let payoffs = [0.5, 0.5, 0.5, 0.0];
        assert_eq!(worths_of_rows(&payoffs, 0.5, &[1.0, 0.0]), [0.5, 0.0]);
        // In the mirror, so is the second player's second column.
        let mirror = [0.5, 0.5, 0.5, 1.0];
        assert_eq!(worths_of_columns(&mirror, 0.5, &[1.0, 0.0]), [0.5, 1.0]);
    }

    /// The mixtures whose shares have a small common denominator.
    fn grid(columns: usize) -> Vec<Vec<f64>> {
        let mut found = Vec::new();
        for parts in 1..=24_usize {
            for a in 0..=parts {
                for b in 0..=parts - a {
                    let shares = [a, b, parts - a - b];
                    if shares[columns..].iter().all(|share| *share == 0) {
                        let share = |share: &usize| *share as f64 / parts as f64;
                        found.push(shares[..columns].iter().map(share).collect());
                    }
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn worths_are_those_of_all_perfect_mixtures_on_a_grid(
            // Halves of points, so that there are often several perfect mixtures.
            halves in proptest::collection::vec(0..3_u8, 9),
            rows in 1..4_usize,
            columns in 1..4_usize,
        ) {
            let payoffs: Vec<f64> =
                halves[..rows * columns].iter().map(|half| f64::from(*half) / 2.0).collect();
            let found = matrix_game::solve(&payoffs, columns);
            let worths = worths_of_rows(&payoffs, found.value, &found.columns);
            let is_perfect = |mixture: &Vec<f64>| {
                payoffs.chunks(columns).all(|row| product(row, mixture) < found.value + ROUNDING)
            };
            let perfect: Vec<Vec<f64>> = grid(columns).into_iter().filter(is_perfect).collect();
            for (row, worth) in payoffs.chunks(columns).zip(&worths) {
                let least = perfect.iter().map(|mixture| product(row, mixture));
                let least = least.fold(f64::INFINITY, f64::min);
                prop_assert!((worth - least).abs() < ROUNDING, "{worth} {least} {payoffs:?}");
            }
        }

        #[test]
        fn moves_cost_no_less_than_against_one_mixture_and_nothing_if_they_are_perfect(
            quarters in proptest::collection::vec(0..5_u8, 16),
            rows in 1..5_usize,
            columns in 1..5_usize,
        ) {
            let payoffs: Vec<f64> =
                quarters[..rows * columns].iter().map(|part| f64::from(*part) / 4.0).collect();
            let found = matrix_game::solve(&payoffs, columns);
            let worths = worths_of_rows(&payoffs, found.value, &found.columns);
            for (number, worth) in worths.iter().enumerate() {
                let row = &payoffs[number * columns..][..columns];
                prop_assert!(*worth <= product(row, &found.columns));
                prop_assert!(*worth <= found.value + ROUNDING);
                if found.rows[number] > ROUNDING {
                    prop_assert!(*worth > found.value - ROUNDING, "{worth} {payoffs:?}");
                }
            }
            let of_columns = worths_of_columns(&payoffs, found.value, &found.rows);
            for (column, worth) in of_columns.iter().enumerate() {
                prop_assert!(*worth >= found.value - ROUNDING);
                if found.columns[column] > ROUNDING {
                    prop_assert!(*worth < found.value + ROUNDING, "{worth} {payoffs:?}");
                }
            }
        }
    }
}
