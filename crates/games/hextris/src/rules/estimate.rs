//! The evaluation of boards in the post “ICFPC 2015: Hexagonal Tetris”: its six features and the
//! weights that it found by hand for every problem.

use crate::rules::board::Board;

/// Weights of the features, and how many units to look ahead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Units placed before boards are compared: 1 to 3.
    pub depth: u32,
    /// For cells low on the board.
    pub gravity: f64,
    /// Against empty cells under a full one to the upper right.
    pub right: f64,
    /// Against empty cells under a full one to the upper left.
    pub left: f64,
    /// Against empty cells under two full ones.
    pub both: f64,
    /// Against nearly full rows; below 0, for them.
    pub unfinished: f64,
    /// Against changes between full and empty along the rows.
    pub rough: f64,
}

macro_rules! weights {
    (
        $depth:literal, $gravity:expr, $right:expr, $left:expr, $both:expr, $unfinished:expr,
        $rough:expr
    ) => {
        Weights {
            depth: $depth,
            gravity: $gravity as f64,
            right: $right as f64,
            left: $left as f64,
            both: $both as f64,
            unfinished: $unfinished as f64,
            rough: $rough as f64,
        }
    };
}

/// The post's weights by the number of the problem.
pub const POST: [Weights; 25] = [
    weights!(1, 150, 1, 1, 10, 0.5, 20),
    weights!(1, 50, 1, 1, 1, 0.5, 2),
    weights!(1, 20, 4, 4, 1, 0, 2),
    weights!(1, 20, 4, 4, 1, 0, 2),
    weights!(1, 70, 1, 1, 3, 0, 2),
    weights!(1, 70, 1, 1, 3, 0, 2),
    weights!(1, 0, -0.1, 0.2, 10, -145, 2),
    weights!(1, 70, 1, 1, 3, 0, 2),
    weights!(2, 10, 1, -4, 50, 0, 8),
    weights!(1, 0, -1, -1, 10, 0, 2),
    weights!(1, 35, 3, -1, 50, -500, 0.4),
    weights!(2, 50, 1, 1, 8, 0, 5),
    weights!(1, 50, 1, 1, 8, 0, 5),
    weights!(1, 50, 1, 1, 8, 0, 5),
    weights!(1, 50, 1, 1, 8, 0, 5),
    weights!(2, 50, 1, 1, 1, 0, 1),
    weights!(1, 50, 1, 1, 1, 0, 1),
    weights!(1, 10, 0, 0, 0, 0, 0),
    weights!(1, 50, 1, 1, 1, 0, 1),
    weights!(1, 50, 1, 1, 1, 0, 1),
    weights!(1, 50, 0, 0, 1, -3, 1),
    weights!(1, 50, 0, 0, 1, -3, 1),
    weights!(1, 70, 1, -10, 10, -460, 4),
    weights!(3, 15, 0, 0, 0.3, 2, 15),
    weights!(1, 50, 0, 0, 2, 0, 10),
];

/// The post's weights for any other problem.
pub const POST_DEFAULT: Weights = weights!(1, 50, 1, 1, 1, -100.5, 2);

impl Weights {
    /// The post's weights for a problem.
    pub fn of_problem(id: u32) -> Weights {
        POST.get(id as usize).copied().unwrap_or(POST_DEFAULT)
    }

    /// Returns each weight times its factor.
    pub fn times(self, factors: &Factors) -> Weights {
        Weights {
            depth: self.depth,
            gravity: self.gravity * factors.gravity,
            right: self.right * factors.right,
            left: self.left * factors.left,
            both: self.both * factors.both,
            unfinished: self.unfinished * factors.unfinished,
            rough: self.rough * factors.rough,
        }
    }
}

/// The factors by which weights are multiplied: 1 leaves a weight as it is, 0 leaves its feature
/// out, −1 reverses it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factors {
    /// The factor of [`Weights::gravity`].
    pub gravity: f64,
    /// The factor of [`Weights::right`].
    pub right: f64,
    /// The factor of [`Weights::left`].
    pub left: f64,
    /// The factor of [`Weights::both`].
    pub both: f64,
    /// The factor of [`Weights::unfinished`].
    pub unfinished: f64,
    /// The factor of [`Weights::rough`].
    pub rough: f64,
}

impl Default for Factors {
    /// Leaves all weights as they are.
    fn default() -> Factors {
        Factors { gravity: 1.0, right: 1.0, left: 1.0, both: 1.0, unfinished: 1.0, rough: 1.0 }
    }
}

/// The features of a board, as counts and sums.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Features {
    /// −Σ e^(−y/20) over full cells.
    pub gravity: f64,
    /// Empty cells under a full one to the upper right.
    pub right: u32,
    /// Empty cells under a full one to the upper left.
    pub left: u32,
    /// Empty cells under both.
    pub both: u32,
    /// −Σ e^(−empty/6) over rows.
    pub unfinished: f64,
    /// Changes between full and empty along the rows.
    pub rough: u32,
}

/// Evaluates boards of one size by weights.
#[derive(Clone, Debug)]
pub struct Evaluation {
    weights: Weights,
    /// By row: what a full cell adds to gravity there.
    depth: Vec<f64>,
    /// By the number of full cells: what a row adds to unfinished.
    rows: Vec<f64>,
}

impl Evaluation {
    /// Creates an evaluation for boards of the size of `board`.
    pub fn new(weights: Weights, board: &Board) -> Evaluation {
        let depth = (0..board.height()).map(|y| -(-(y as f64) / 20.0).exp()).collect();
        let width = board.width();
        let rows = (0..=width).map(|full| -(-((width - full) as f64) / 6.0).exp()).collect();
        Evaluation { weights, depth, rows }
    }

    /// A value below that of any board, provided that the weight of unfinished rows is at most 0
    /// and all other weights are at least 0.
    pub fn floor(&self) -> f64 {
        let weights = &self.weights;
        let width = (self.rows.len() - 1) as f64;
        let holes = weights.right + weights.left + weights.both + weights.rough;
        let row = |gravity: &f64| width * (weights.gravity * gravity - holes);
        self.depth.iter().map(row).sum::<f64>()
    }

    /// The features of a board.
    #[inline]
    pub fn features(&self, board: &Board) -> Features {
        let full_row = board.full_row();
        let pairs = full_row >> 1;
        let mut features =
            Features { gravity: 0.0, right: 0, left: 0, both: 0, unfinished: 0.0, rough: 0 };
        let mut above = 0u128;
        for (y, row) in board.rows().iter().enumerate() {
            let full = row.count_ones();
            features.unfinished += self.rows[full as usize];
            features.gravity += f64::from(full) * self.depth[y];
            features.rough += ((row ^ row >> 1) & pairs).count_ones();
            let empty = !row & full_row;
            let (left, right) = if y & 1 == 0 { (above << 1, above) } else { (above, above >> 1) };
            features.left += (empty & left).count_ones();
            features.right += (empty & right).count_ones();
            features.both += (empty & left & right).count_ones();
            above = *row;
        }
        features
    }

    /// The value of the board; more is better.
    #[inline]
    pub fn of(&self, board: &Board) -> f64 {
        let features = self.features(board);
        let weights = &self.weights;
        weights.gravity * features.gravity + weights.unfinished * features.unfinished
            - weights.right * f64::from(features.right)
            - weights.left * f64::from(features.left)
            - weights.both * f64::from(features.both)
            - weights.rough * f64::from(features.rough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_those_of_the_post() {
        // Row 0 is empty, row 1 has two full cells with a gap, row 2 one.
        //  . . . .
        //   # . # .
        //  . . # .
        let mut board = Board::new(4, 3).unwrap();
        for (x, y) in [(0, 1), (2, 1), (2, 2)] {
            board.fill(x, y);
        }
        let evaluation = Evaluation::new(POST_DEFAULT, &board);
        let features = evaluation.features(&board);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(features.gravity, -2.0 * (-0.05f64).exp() - (-0.1f64).exp()));
        // In row 2, (0, 2) is under (0, 1) to its upper right, (1, 2) under (0, 1) to its
        // upper left, (3, 2) under (2, 1) to its upper left.
        assert_eq!((features.right, features.left, features.both), (1, 2, 0));
        let rows = [4.0, 2.0, 3.0].map(|empty: f64| (-empty / 6.0).exp());
        assert!(near(features.unfinished, -rows.iter().sum::<f64>()));
        assert_eq!(features.rough, 3 + 2);
    }
}
