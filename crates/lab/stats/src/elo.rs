//! The Elo scale (Elo 1978, "The rating of chessplayers", in its logistic form): expected scores as
//! differences in rating, and back. Ratings of many players are fitted in [`crate::bradley_terry`].
//!
//! ```
//! use quintain_stats::elo::{difference_at_score, expected_score};
//!
//! // 400 points are odds of ten to one.
//! assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
//! assert!((difference_at_score(0.75) - 190.85).abs() < 0.01);
//! ```

/// Rating points per natural logarithm of the odds: 400 / ln 10.
pub const POINTS_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected score, from 0 to 1, of the player who is rated `difference` Elo points higher.
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference / POINTS_PER_NAT).exp())
}

/// The difference in Elo points at which `score`, from 0 to 1, is the expected score; infinite at
/// 0 and 1.
pub fn difference_at_score(score: f64) -> f64 {
    POINTS_PER_NAT * (score / (1.0 - score)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_points_are_odds_of_ten_to_one() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((difference_at_score(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert_eq!((difference_at_score(0.5), difference_at_score(1.0)), (0.0, f64::INFINITY));
    }
}
