//! Zero-sum games given by a matrix of payoffs: their value and optimal mixed strategies. A saddle
//! point is taken if there is one (pure play is exact and free); otherwise the game is a linear
//! program (Dantzig 1951, von Neumann's minimax theorem), solved by the simplex method with Bland's
//! rule, which cannot cycle. Meant for small matrices: the tableau is dense.
//!
//! ```
//! use quintain_search::matrix_game::solve;
//!
//! // Matching pennies, with twice the stake on heads: a row for each action of the first player.
//! let solution = solve(&[2.0, -1.0, -1.0, 1.0], 2);
//! assert!((solution.value - 0.2).abs() < 1e-9);
//! assert!((solution.rows[0] - 0.4).abs() < 1e-9);
//! ```

/// Reduced costs and pivots below this are treated as zero.
const TINY: f64 = 1e-11;

/// A solved matrix game.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The value of the game: the row player's expected payoff when both play optimally.
    pub value: f64,
    /// The optimal mixed strategy of the row player: the probability of each row.
    pub rows: Vec<f64>,
    /// The optimal mixed strategy of the column player: the probability of each column.
    pub columns: Vec<f64>,
}

/// Solves the zero-sum game in which the row player gets `payoffs[row * columns + column]` and the
/// column player loses as much.
///
/// # Panics
/// If there is no payoff, or their number is not a multiple of `columns`.
pub fn solve(payoffs: &[f64], columns: usize) -> Solution {
    assert!(columns > 0 && !payoffs.is_empty() && payoffs.len().is_multiple_of(columns));
    saddle_point(payoffs, columns).unwrap_or_else(|| simplex(payoffs, columns))
}

/// Pure strategies, if the maximum of the rows' minima equals the minimum of the columns' maxima.
fn saddle_point(payoffs: &[f64], columns: usize) -> Option<Solution> {
    let rows = payoffs.len() / columns;
    let worst_of_row = |row: usize| {
        payoffs[row * columns..(row + 1) * columns].iter().copied().fold(f64::INFINITY, f64::min)
    };
    let best_of_column = |column: usize| {
        let entries = payoffs[column..].iter().step_by(columns);
        entries.copied().fold(f64::NEG_INFINITY, f64::max)
    };
    let row = (0..rows).rev().max_by(|a, b| worst_of_row(*a).total_cmp(&worst_of_row(*b)))?;
    let column = (0..columns).min_by(|a, b| best_of_column(*a).total_cmp(&best_of_column(*b)))?;
    let pure = |index: usize, len: usize| {
        let mut strategy = vec![0.0; len];
        strategy[index] = 1.0;
        strategy
    };
    (worst_of_row(row) == best_of_column(column)).then(|| Solution {
        value: worst_of_row(row),
        rows: pure(row, rows),
        columns: pure(column, columns),
    })
}

/// With all payoffs shifted and scaled into 1..=2, the column player's y/value solves
/// max Σy subject to A·y ≤ 1, y ≥ 0; the row player's strategy is the dual solution.
fn simplex(payoffs: &[f64], columns: usize) -> Solution {
    let rows = payoffs.len() / columns;
    let low = payoffs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = payoffs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let spread = high - low;
    // One row for each action of the row player, then the objective; one column for each action of
    // the column player, each slack, and the right-hand side.
    let width = columns + rows + 1;
    let mut tableau = vec![0.0; (rows + 1) * width];
    for row in 0..rows {
        for column in 0..columns {
            tableau[row * width + column] = 1.0 + (payoffs[row * columns + column] - low) / spread;
        }
        tableau[row * width + columns + row] = 1.0;
        tableau[row * width + width - 1] = 1.0;
    }
    tableau[rows * width..rows * width + columns].fill(-1.0);
    let mut basis: Vec<usize> = (columns..columns + rows).collect();

    // Bland: the first column that improves, the limiting row of the first variable.
    while let Some(enter) = (0..width - 1).find(|&j| tableau[rows * width + j] < -TINY) {
        let ratio = |row: usize| tableau[row * width + width - 1] / tableau[row * width + enter];
        let limiting = (0..rows)
            .filter(|&row| tableau[row * width + enter] > TINY)
            .min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])));
        let Some(leave) = limiting else { break };
        pivot(&mut tableau, width, leave, enter);
        basis[leave] = enter;
    }

    let objective = &tableau[rows * width..];
    let total = objective[width - 1];
    let share = |part: f64| part.max(0.0) / total;
    let mut column_shares = vec![0.0; columns];
    for (row, &variable) in basis.iter().enumerate().filter(|(_, variable)| **variable < columns) {
        column_shares[variable] = share(tableau[row * width + width - 1]);
    }
    Solution {
        value: (1.0 / total - 1.0) * spread + low,
        rows: objective[columns..columns + rows].iter().map(|&dual| share(dual)).collect(),
        columns: column_shares,
    }
}

/// Brings column `enter` into the basis in place of row `leave`'s variable.
fn pivot(tableau: &mut [f64], width: usize, leave: usize, enter: usize) {
    let scale = 1.0 / tableau[leave * width + enter];
    let pivot_row: Vec<f64> =
        tableau[leave * width..(leave + 1) * width].iter().map(|entry| entry * scale).collect();
    for (row, line) in tableau.chunks_exact_mut(width).enumerate() {
        if row == leave {
            line.copy_from_slice(&pivot_row);
        } else if line[enter] != 0.0 {
            let factor = line[enter];
            for (entry, above) in line.iter_mut().zip(&pivot_row) {
                *entry -= factor * above;
            }
        }
    }
}
