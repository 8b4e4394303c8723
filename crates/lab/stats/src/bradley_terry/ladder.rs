//! Ratings beside a ladder of players whose strengths are known: what a newcomer is worth does not
//! depend on which other newcomers came with it, and the ladder's own matches need not be played.
//!
//! The model is that of [`bradley_terry`](super), with the known strengths held fixed. Games of
//! several kinds enter one fit: each kind has its own *slope*, by which strengths decide its games.
//! Every player is given one virtual draw, of mean slope, against a strength in the middle of the
//! ladder.

use super::{VIRTUAL_DRAWS, expectation, ln_expectation, maximise};

/// The games of a player against one opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedGames {
    /// The player.
    pub player: usize,
    /// Whom it met.
    pub opponent: Opponent,
    /// The log-odds of winning by which a lead of 1 shows in these games.
    pub slope: f64,
    /// The points of the player.
    pub points: f64,
    /// The games. They may be weighted, and so broken numbers.
    pub games: f64,
}

/// Whom a rated player met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Opponent {
    /// Another of the players that are rated.
    Rated(usize),
    /// A player of this strength.
    Known(f64),
}

/// Fits the strengths of `players` players to all games at once; `middle` is the strength of the
/// opponent of the virtual draws. Games of players that do not exist are an error of the caller.
///
/// ```
/// use quintain_stats::bradley_terry::{Opponent, RatedGames, fit_beside_ladder};
///
/// // Half of the points against 200, on a scale where 400 points are odds of ten to one.
/// let slope = 10_f64.ln() / 400.0;
/// let games = RatedGames {
///     player: 0, opponent: Opponent::Known(200.0), slope, points: 50.0, games: 100.0,
/// };
/// assert!((fit_beside_ladder(&[games], 1, 200.0)[0] - 200.0).abs() < 1e-6);
/// ```
pub fn fit_beside_ladder(games: &[RatedGames], players: usize, middle: f64) -> Vec<f64> {
    let total: f64 = games.iter().map(|of| of.games).sum();
    let steepness: f64 = games.iter().map(|of| of.games * of.slope).sum();
    if total <= 0.0 || players == 0 {
        return vec![middle; players];
    }
    let fit = LadderFit { games, players, middle, slope: steepness / total };
    maximise(
        vec![middle; players],
        |strengths| fit.log_likelihood(strengths),
        |strengths| fit.derivatives(strengths),
        fit.slope,
    )
}

struct LadderFit<'a> {
    games: &'a [RatedGames],
    players: usize,
    middle: f64,
    /// Of the virtual draws.
    slope: f64,
}

impl LadderFit<'_> {
    /// By how much a player leads its opponent, in log-odds.
    fn lead(&self, of: &RatedGames, strengths: &[f64]) -> f64 {
        let other = match of.opponent {
            Opponent::Rated(other) => strengths[other],
            Opponent::Known(strength) => strength,
        };
        of.slope * (strengths[of.player] - other)
    }

    fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        let real = |of: &RatedGames| {
            let lead = self.lead(of, strengths);
            of.points * ln_expectation(lead) + (of.games - of.points) * ln_expectation(-lead)
        };
        let prior = |theta: &f64| {
            let lead = self.slope * (theta - self.middle);
            ln_expectation(lead) + ln_expectation(-lead)
        };
        self.games.iter().map(real).sum::<f64>()
            + VIRTUAL_DRAWS / 2.0 * strengths.iter().map(prior).sum::<f64>()
    }

    fn derivatives(&self, strengths: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let players = self.players;
        let mut gradient = vec![0.0; players];
        let mut information = vec![0.0; players * players];
        for (i, theta) in strengths.iter().enumerate() {
            let p = expectation(self.slope * (theta - self.middle));
            gradient[i] = VIRTUAL_DRAWS * self.slope * (0.5 - p);
            information[i * players + i] = VIRTUAL_DRAWS * self.slope * self.slope * p * (1.0 - p);
        }
        for of in self.games {
            let p = expectation(self.lead(of, strengths));
            let surplus = of.slope * (of.points - of.games * p);
            let weight = of.slope * of.slope * of.games * p * (1.0 - p);
            let i = of.player;
            gradient[i] += surplus;
            information[i * players + i] += weight;
            if let Opponent::Rated(j) = of.opponent {
                gradient[j] -= surplus;
                information[j * players + j] += weight;
                information[i * players + j] -= weight;
                information[j * players + i] -= weight;
            }
        }
        (gradient, information)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::POINTS_PER_NAT;

    fn games(player: usize, opponent: Opponent, points: f64, games: f64) -> RatedGames {
        RatedGames { player, opponent, slope: 1.0 / POINTS_PER_NAT, points, games }
    }

    #[test]
    fn a_player_stands_where_its_points_against_the_ladder_put_it() {
        // 10 to 1 against 0 and 1 to 10 against 800: in the middle, 400 from both.
        let against = [
            games(0, Opponent::Known(0.0), 1000.0, 1100.0),
            games(0, Opponent::Known(800.0), 100.0, 1100.0),
        ];
        let found = fit_beside_ladder(&against, 1, 400.0);
        assert!((found[0] - 400.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_game_that_strengths_decide_less_gives_the_same_strength_from_flatter_results() {
        let flat = 0.5 / POINTS_PER_NAT;
        let points = 1e6 * expectation(flat * 300.0);
        let of = RatedGames {
            player: 0,
            opponent: Opponent::Known(0.0),
            slope: flat,
            points,
            games: 1e6,
        };
        let found = fit_beside_ladder(&[of], 1, 0.0);
        assert!((found[0] - 300.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn players_that_met_only_one_another_are_told_apart_around_the_middle() {
        let won = games(0, Opponent::Rated(1), 9.0, 10.0);
        let found = fit_beside_ladder(&[won], 2, 500.0);
        assert!(found[0] > 550.0 && found[1] < 450.0, "{found:?}");
        assert!((found[0] + found[1] - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn winning_everything_stays_finite_and_no_games_are_the_middle() {
        let won = games(0, Opponent::Known(1000.0), 20.0, 20.0);
        let found = fit_beside_ladder(&[won], 2, 500.0);
        assert!(found[0] > 1000.0 && found[0] < 3000.0, "{found:?}");
        assert!((found[1] - 500.0).abs() < 1e-6);
        assert_eq!(fit_beside_ladder(&[], 1, 500.0), [500.0]);
    }
}
