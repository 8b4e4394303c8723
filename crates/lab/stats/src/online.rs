//! Ratings that are updated game by game, as sites and leagues keep them: Weng–Lin (2011, Bradley–
//! Terry with full pairs) and Glicko-2 (Glickman 2013). They show what a league would show, beside
//! the ratings of [`crate::bradley_terry`], which fit all games at once. Here the order of games
//! matters. The updates are those of the crate `skillratings`.
//!
//! ```
//! use quintain_stats::online::{GameResult, RatedGame, glicko2_ratings, weng_lin_ratings};
//!
//! // Player 0 beats player 1 five times.
//! let games = [RatedGame { first: 0, second: 1, result: GameResult::Win }; 5];
//! let ratings = weng_lin_ratings(2, games);
//! assert!(ratings[0].rating > 25.0 && ratings[1].rating < 25.0);
//! // As two rating periods.
//! let ratings = glicko2_ratings(2, [&games[..3], &games[3..]]);
//! assert!(ratings[0].rating > 1500.0 && ratings[0].deviation < 350.0);
//! ```

use serde::Serialize;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin};

/// One game between two players, given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedGame {
    /// The index of the one player.
    pub first: usize,
    /// The index of the other player.
    pub second: usize,
    /// How it ended for the first.
    pub result: GameResult,
}

/// How a game ended for the player named first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameResult {
    /// The first player won.
    Win,
    /// Neither player won.
    Draw,
    /// The first player lost.
    Loss,
}

impl GameResult {
    fn for_first(self) -> Outcomes {
        match self {
            GameResult::Win => Outcomes::WIN,
            GameResult::Draw => Outcomes::DRAW,
            GameResult::Loss => Outcomes::LOSS,
        }
    }

    fn for_second(self) -> Outcomes {
        match self {
            GameResult::Win => Outcomes::LOSS,
            GameResult::Draw => Outcomes::DRAW,
            GameResult::Loss => Outcomes::WIN,
        }
    }
}

/// A rating and its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The rating, in points of the scale of its system.
    pub rating: f64,
    /// Its standard deviation, in the same points.
    pub deviation: f64,
}

/// The Weng–Lin ratings of `players` players after these games, in order of their indices. All
/// begin at 25 ± 25/3.
///
/// # Panics
/// If a game names a player whose index is not below `players`.
pub fn weng_lin_ratings(players: usize, games: impl IntoIterator<Item = RatedGame>) -> Vec<Rating> {
    let config = WengLinConfig::new();
    let mut ratings = vec![WengLinRating::new(); players];
    for RatedGame { first, second, result } in games {
        (ratings[first], ratings[second]) =
            weng_lin(&ratings[first], &ratings[second], &result.for_first(), &config);
    }
    let rating = |of: WengLinRating| Rating { rating: of.rating, deviation: of.uncertainty };
    ratings.into_iter().map(rating).collect()
}

/// The Glicko-2 ratings of `players` players after these rating periods; the games of a period
/// count as simultaneous. All begin at 1500 ± 350.
///
/// # Panics
/// If a game names a player whose index is not below `players`.
pub fn glicko2_ratings<'a>(
    players: usize,
    periods: impl IntoIterator<Item = &'a [RatedGame]>,
) -> Vec<Rating> {
    let config = Glicko2Config::new();
    let mut ratings = vec![Glicko2Rating::new(); players];
    for period in periods {
        let mut results = vec![Vec::new(); players];
        for RatedGame { first, second, result } in period {
            results[*first].push((ratings[*second], result.for_first()));
            results[*second].push((ratings[*first], result.for_second()));
        }
        let played = ratings.iter().zip(&results);
        ratings =
            played.map(|(own, results)| glicko2_rating_period(own, results, &config)).collect();
    }
    let rating = |of: Glicko2Rating| Rating { rating: of.rating, deviation: of.deviation };
    ratings.into_iter().map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn duel(first: usize, second: usize, result: GameResult) -> RatedGame {
        RatedGame { first, second, result }
    }

    #[test]
    fn winners_rise_and_equals_stay() {
        let games = [
            duel(0, 1, GameResult::Win),
            duel(1, 2, GameResult::Draw),
            duel(0, 2, GameResult::Win),
        ];
        let periods = [&games[..]; 5];
        let glicko = glicko2_ratings(3, periods);
        let weng_lin = weng_lin_ratings(3, periods.concat());
        for ratings in [&glicko, &weng_lin] {
            assert!(ratings[0].rating > ratings[1].rating, "{ratings:?}");
            assert!(ratings[0].deviation < 350.0);
        }
        assert!((glicko[1].rating - glicko[2].rating).abs() < 1e-9);
    }

    #[test]
    fn ratings_are_those_of_other_implementations() {
        let games = [
            duel(0, 1, GameResult::Win),
            duel(1, 2, GameResult::Draw),
            duel(2, 0, GameResult::Loss),
            duel(0, 1, GameResult::Win),
            duel(1, 2, GameResult::Win),
        ];
        let near = |ratings: &[Rating], expected: [(f64, f64); 3], tolerance: f64| {
            ratings.iter().zip(expected).all(|(got, (rating, deviation))| {
                (got.rating - rating).abs() < tolerance
                    && (got.deviation - deviation).abs() < tolerance
            })
        };
        // openskill 6.2.0 (Python): BradleyTerryFull(tau=0).
        let expected = [
            (31.633_427_710_434, 7.593_299_524_968),
            (23.348_377_835_070, 7.379_878_267_841),
            (19.864_744_500_096, 7.560_512_633_166),
        ];
        let ratings = weng_lin_ratings(3, games);
        assert!(near(&ratings, expected, 1e-6), "{ratings:?}");
        // glicko2 2.1.0 (Python), τ = 0.5, the first three games one period, the others another.
        let expected = [
            (1_786.472_142_025, 234.144_911_778),
            (1_442.033_009_081, 207.297_740_425),
            (1_267.342_362_506, 220.448_445_525),
        ];
        let ratings = glicko2_ratings(3, [&games[..3], &games[3..]]);
        assert!(near(&ratings, expected, 1e-3), "{ratings:?}");
    }

    proptest! {
        #[test]
        fn swapped_seats_change_nothing(
            games in prop::collection::vec((0..4_usize, 1..4_usize, 0..3_usize), 1..40),
        ) {
            let results = [GameResult::Win, GameResult::Draw, GameResult::Loss];
            let all = games.iter().map(|&(a, step, r)| duel(a, (a + step) % 4, results[r]));
            let all: Vec<RatedGame> = all.collect();
            let turned = all.iter().map(|one| {
                let result = results[2 - one.result as usize];
                duel(one.second, one.first, result)
            });
            let turned: Vec<RatedGame> = turned.collect();
            let near = |a: &[Rating], b: &[Rating]| {
                a.iter().zip(b).all(|(a, b)| {
                    (a.rating - b.rating).abs() < 1e-6 && (a.deviation - b.deviation).abs() < 1e-6
                })
            };
            let one = weng_lin_ratings(4, all.clone());
            let other = weng_lin_ratings(4, turned.clone());
            prop_assert!(near(&one, &other));
            prop_assert!(near(&glicko2_ratings(4, [&all[..]]), &glicko2_ratings(4, [&turned[..]])));
        }
    }
}
