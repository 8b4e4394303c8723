//! Pairs of matches with swapped seats, counted by the points scored in them. The two matches of a
//! pair share their start, so they are not independent; pairs are. Counting pairs instead of games
//! gives honest errors, and usually smaller ones.
//!
//! A pair of two games has five possible sums of points, from 0 to 2 by halves: the *pentanomial*
//! counts of engine testing (M. Van den Bergh 2019, "Normalized Elo"). With more games in a pair,
//! for more seats or more opponents, there are more sums; the statistics are the same.
//!
//! ```
//! use quintain_stats::Pairs;
//!
//! // Lost both, lost and drew, won and lost, drew both, won and drew, won both.
//! let pairs = Pairs::pentanomial([10, 40, 30, 90, 60, 20]);
//! assert_eq!(pairs.len(), 250);
//! let (elo, interval) = pairs.elo().unwrap();
//! assert!((elo - 27.85).abs() < 0.01 && interval.low > 0.0);
//! ```

use crate::elo;
use crate::summary::{Interval, NORMAL_975};

/// Points of normalised Elo per unit of (mean − ½) / σ of one game: 800 / ln 10.
pub const NORMALISED_POINTS: f64 = 800.0 / std::f64::consts::LN_10;

/// How often each sum of points occurred in a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// `counts[h]`: pairs that brought `h` half-points.
    counts: Vec<u64>,
}

/// A value with half of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct PlusMinus {
    /// The value.
    pub value: f64,
    /// Half of the width of its 95 % interval.
    pub error: f64,
}

impl Pairs {
    /// No pairs yet, each of `games` games.
    ///
    /// # Panics
    /// If a pair has no game.
    pub fn of_games(games: usize) -> Pairs {
        assert!(games > 0, "a pair has games");
        Pairs { counts: vec![0; 2 * games + 1] }
    }

    /// Pairs of two games in the order in which engine testing prints them: LL, LD, WL, DD, WD, WW
    /// (lost both, lost and drew, won and lost, drew both, won and drew, won both).
    pub fn pentanomial([ll, ld, wl, dd, wd, ww]: [u64; 6]) -> Pairs {
        Pairs { counts: vec![ll, ld, wl + dd, wd, ww] }
    }

    /// Pairs, or single games, counted by the half-points that they brought: 0, 1, 2, …
    ///
    /// # Panics
    /// If the length of `counts` is not the number of sums that a whole number of games, at least
    /// one, can have.
    pub fn from_counts(counts: Vec<u64>) -> Pairs {
        assert!(counts.len() > 2 && counts.len() % 2 == 1, "a game is lost, drawn or won");
        Pairs { counts }
    }

    /// Counts one more pair, which brought `half_points` half-points.
    ///
    /// # Panics
    /// If there are more half-points than the games of a pair can bring.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// The number of games in one pair.
    pub fn games_of_one(&self) -> usize {
        (self.counts.len() - 1) / 2
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pairs brought 0, 1, 2, … half-points.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The score, from 0 to 1, of a pair that brought `half_points` half-points.
    pub fn score(&self, half_points: usize) -> f64 {
        half_points as f64 / (self.counts.len() - 1) as f64
    }

    /// Mean and variance (the population's, divided by n) of a pair's score; `None` without pairs.
    pub fn mean_and_variance(&self) -> Option<(f64, f64)> {
        let n = self.len() as f64;
        if n == 0.0 {
            return None;
        }
        let scored = || self.counts.iter().enumerate().map(|(at, &c)| (self.score(at), c as f64));
        let mean = scored().map(|(score, count)| score * count).sum::<f64>() / n;
        let squares = scored().map(|(score, count)| count * (score - mean).powi(2));
        Some((mean, squares.sum::<f64>() / n))
    }

    /// The difference in Elo with its 95 % interval, from the mean score and its standard error;
    /// `None` without pairs. The interval ends are those of the score, converted to Elo.
    pub fn elo(&self) -> Option<(f64, Interval)> {
        let (mean, variance) = self.mean_and_variance()?;
        let half = NORMAL_975 * (variance / self.len() as f64).sqrt();
        let end = |score: f64| elo::difference_at_score(score.clamp(0.0, 1.0));
        Some((end(mean), Interval { low: end(mean - half), high: end(mean + half) }))
    }

    /// Elo with half of its interval, as engine testing prints it; `None` where an end is infinite,
    /// or if all pairs scored the same.
    pub fn elo_plus_minus(&self) -> Option<PlusMinus> {
        let (value, Interval { low, high }) = self.elo()?;
        let error = (high - low) / 2.0;
        (value.is_finite() && error.is_finite() && error > 0.0)
            .then_some(PlusMinus { value, error })
    }

    /// Normalised Elo: the effect in units of the noise of one game, so that equal normalised
    /// differences take equally many games to show (Van den Bergh 2019). `None` without pairs, or
    /// if all pairs scored the same.
    pub fn normalised_elo(&self) -> Option<PlusMinus> {
        let (mean, variance) = self.mean_and_variance()?;
        let games = self.games_of_one() as f64;
        let per_game = NORMALISED_POINTS / games.sqrt();
        (variance > 0.0).then(|| PlusMinus {
            value: (mean - 0.5) / variance.sqrt() * per_game,
            error: NORMAL_975 * per_game / (self.len() as f64).sqrt(),
        })
    }

    /// The same pairs seen from the other side.
    pub fn reversed(&self) -> Pairs {
        Pairs { counts: self.counts.iter().rev().copied().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(value: Option<PlusMinus>) -> String {
        let PlusMinus { value, error } = value.expect("there is a value");
        format!("{value:.2} ± {error:.2}")
    }

    #[test]
    fn elo_and_normalised_elo_are_those_that_fastchess_prints() {
        // Printed by fastchess for these counts.
        let pairs = Pairs::pentanomial([34, 54, 31, 32, 64, 75]);
        assert_eq!(printed(pairs.elo_plus_minus()), "55.58 ± 27.65");
        assert_eq!(printed(pairs.normalised_elo()), "57.94 ± 28.28");
        let pairs = Pairs::pentanomial([332, 433, 457, 41, 333, 334]);
        assert_eq!(printed(pairs.elo_plus_minus()), "-8.64 ± 10.33");
        assert_eq!(printed(pairs.normalised_elo()), "-9.17 ± 10.96");
    }

    #[test]
    fn one_sided_pairs_have_no_finite_elo() {
        let pairs = Pairs::pentanomial([0, 0, 0, 0, 0, 7]);
        assert_eq!((pairs.elo_plus_minus(), pairs.normalised_elo()), (None, None));
        assert_eq!(pairs.elo().unwrap().0, f64::INFINITY);
        assert_eq!(Pairs::of_games(2).elo(), None);
    }

    proptest! {
        #[test]
        fn swapped_names_change_the_sign_and_nothing_else(
            counts in prop::array::uniform6(1..500_u64)
        ) {
            let pairs = Pairs::pentanomial(counts);
            let (ours, theirs) =
                (pairs.elo_plus_minus().unwrap(), pairs.reversed().elo_plus_minus().unwrap());
            prop_assert!((ours.value + theirs.value).abs() < 1e-9);
            prop_assert!((ours.error - theirs.error).abs() < 1e-9);
        }

        #[test]
        fn a_drawn_pair_counts_as_one_that_was_won_and_lost(
            counts in prop::array::uniform6(0..50_u64)
        ) {
            let [ll, ld, wl, dd, wd, ww] = counts;
            let other = Pairs::pentanomial([ll, ld, dd, wl, wd, ww]);
            prop_assert_eq!(Pairs::pentanomial(counts), other);
        }
    }
}
