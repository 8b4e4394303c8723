//! The Elo scale: how an expected score and a difference in rating say the same.
//! Ratings of many players are fitted in [`crate::bradley_terry`].

/// Rating points per natural logarithm of the odds: 400 / ln 10.
pub const POINTS_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected score, in 0..1, of who is `difference` Elo points stronger.
pub fn score_of(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference / POINTS_PER_NAT).exp())
}

/// The difference in Elo points at which `score`, in 0..1, is expected; infinite at 0 and 1.
pub fn difference_of(score: f64) -> f64 {
    POINTS_PER_NAT * (score / (1.0 - score)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_points_are_odds_of_ten_to_one() {
        assert!((score_of(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((difference_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert_eq!((difference_of(0.5), difference_of(1.0)), (0.0, f64::INFINITY));
    }
}
