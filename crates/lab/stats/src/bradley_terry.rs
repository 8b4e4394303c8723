//! Elo ratings from win–draw–loss counts, by the Bradley–Terry model. The ratings are not updated
//! match by match: all games are fitted at once, so their order does not matter.
//!
//! **Model.** Player i scores against player j with expectation p = 1 / (1 + exp(θⱼ − θᵢ))
//! (Bradley & Terry 1952, "Rank analysis of incomplete block designs I"); a draw is half a win and
//! half a loss. A rating is θ · 400 / ln 10, so that 400 points are odds of ten to one; the mean of
//! all rated players is 0. Davidson's model (1970) fits draws as an outcome of their own; it is not
//! used because a difference in its strengths no longer means the expected score that readers of
//! Elo take it for.
//!
//! **Prior.** The maximum of the likelihood is finite only if no set of players takes every point
//! from the rest (Ford 1957; Hunter 2004, "MM algorithms for generalized Bradley–Terry models",
//! assumption 1). So every player is given one *virtual draw* against a player of strength 0. That
//! makes the fit always unique and finite: for a player with wins only, for a single drawn or lost
//! game, for players that never met. It pulls towards the mean about as much as one game does, so
//! it fades as games are played. [`Elo::sweep`] marks ratings that are finite only because of it:
//! read them as "at least" and "at most".
//!
//! **Fit.** The log-likelihood is strictly concave. Newton's method with step halving finds its
//! maximum in a few steps, where Hunter's MM iteration needs thousands (the tests check against
//! it).
//!
//! **Intervals.** From the observed Fisher information H, the covariance is H⁻¹ V H⁻¹, where V is
//! the variance of the points. Without draws V = H, and this is the textbook's H⁻¹. A drawn game
//! varies less than a decided one: a game's points have variance p(1−p) − d/4 where d is the
//! probability of a draw, so a quarter is taken off V for every draw seen between two players (at
//! least the 1/(n+1)-th part of the variance is kept). For two players this is the usual interval
//! from the trinomial variance; with many draws it is much narrower than H⁻¹. Games are taken as
//! independent of each other, given the players.
//!
//! ```
//! use quintain_stats::{Sweep, WinDrawLoss, bradley_terry::fit_ratings};
//!
//! let games = |wins, draws, losses| WinDrawLoss { wins, draws, losses };
//! let none = WinDrawLoss::default();
//! let ratings = fit_ratings(&[
//!     vec![none, games(6, 2, 2), games(10, 0, 0)],
//!     vec![games(2, 2, 6), none, games(10, 0, 0)],
//!     vec![games(0, 0, 10), games(0, 0, 10), none],
//! ]);
//! let [first, second, third] = [0, 1, 2].map(|player| ratings[player].clone().unwrap());
//! assert!(first.rating > second.rating && second.rating > third.rating);
//! assert_eq!(third.sweep, Some(Sweep::AllLost));
//! ```

mod ladder;

use crate::elo::POINTS_PER_NAT;
use crate::summary::NORMAL_975;
use crate::win_draw_loss::{WinDrawLoss, sum};
use serde::Serialize;

pub use ladder::{Opponent, RatedGames, fit_beside_ladder};

/// The number of virtual draws that each player is given against a player of strength 0.
pub const VIRTUAL_DRAWS: f64 = 1.0;

/// A player's rating among those it was fitted with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The rating in Elo points; 0 is the mean over rated players, or the anchor.
    pub rating: f64,
    /// The standard error of that distance in Elo points.
    pub standard_error: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Set if the player won, or lost, all its games; then only the prior keeps the rating finite.
    pub sweep: Option<Sweep>,
}

/// Games that all ended the same decisive way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sweep {
    /// The player won every game.
    AllWon,
    /// The player lost every game.
    AllLost,
}

/// Fits the rating of each player to all games at once, where `matrix[i][j]` are the games of
/// player i against player j as player i saw them. Players without games have no rating.
pub fn fit_ratings(matrix: &[Vec<WinDrawLoss>]) -> Vec<Option<Elo>> {
    fit_ratings_to(matrix, None)
}

/// Fits ratings as [`fit_ratings`] does, but with the rating of `anchor`, if given, at 0 instead of
/// the mean. Standard errors are then those of the distance to the anchor. An anchor without games
/// changes nothing.
pub fn fit_ratings_to(matrix: &[Vec<WinDrawLoss>], anchor: Option<usize>) -> Vec<Option<Elo>> {
    let totals: Vec<WinDrawLoss> = matrix.iter().map(|row| sum(row)).collect();
    let rated: Vec<usize> = (0..matrix.len()).filter(|&i| totals[i].games() > 0).collect();
    let games = Games::among(matrix, &rated);
    let anchor = anchor.and_then(|anchor| rated.iter().position(|&player| player == anchor));
    let fit = fit(&games, VIRTUAL_DRAWS, anchor);
    let mut ratings = vec![None; matrix.len()];
    for (k, &i) in rated.iter().enumerate() {
        let rating = fit.strengths[k] * POINTS_PER_NAT;
        let standard_error = fit.standard_errors[k] * POINTS_PER_NAT;
        let half_width = NORMAL_975 * standard_error;
        let sweep = match totals[i] {
            WinDrawLoss { draws: 0, losses: 0, .. } => Some(Sweep::AllWon),
            WinDrawLoss { wins: 0, draws: 0, .. } => Some(Sweep::AllLost),
            _ => None,
        };
        let (low, high) = (rating - half_width, rating + half_width);
        ratings[i] = Some(Elo { rating, standard_error, low, high, sweep });
    }
    ratings
}

/// Counts the groups of players that never met one another, among players with games, and says
/// whether some set of players took every point from the rest of its group. Differences between
/// groups, and between such a set and the rest, are set by the prior alone.
pub fn count_groups(matrix: &[Vec<WinDrawLoss>]) -> (usize, bool) {
    let met = components(matrix, |games| games.games() > 0);
    let matched = components(matrix, |games| games.points() > 0.0);
    (met, matched > met)
}

/// Counts the strongly connected components, among players with games, of the graph whose edges
/// are the pairs for which `edge` holds.
fn components(matrix: &[Vec<WinDrawLoss>], edge: impl Fn(WinDrawLoss) -> bool) -> usize {
    let players = matrix.len();
    // The players that can be reached from `start` along edges; with `step` reversed, those that
    // can reach `start`. A strongly connected component is the intersection of the two.
    let reach = |start: usize, step: &dyn Fn(usize, usize) -> WinDrawLoss| {
        let mut reached = vec![false; players];
        reached[start] = true;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for (next, reached) in reached.iter_mut().enumerate() {
                if !*reached && edge(step(at, next)) {
                    *reached = true;
                    open.push(next);
                }
            }
        }
        reached
    };
    let mut counted: Vec<bool> = matrix.iter().map(|row| sum(row).games() == 0).collect();
    let mut components = 0;
    while let Some(start) = counted.iter().position(|counted| !counted) {
        let forward = reach(start, &|at, next| matrix[at][next]);
        let backward = reach(start, &|at, next| matrix[next][at]);
        for player in 0..players {
            counted[player] |= forward[player] && backward[player];
        }
        components += 1;
    }
    components
}

/// Points and numbers of games between the rated players, as dense square matrices by rows.
struct Games {
    players: usize,
    points: Vec<f64>,
    games: Vec<f64>,
    draws: Vec<f64>,
}

impl Games {
    fn among(matrix: &[Vec<WinDrawLoss>], rated: &[usize]) -> Self {
        let all = || rated.iter().flat_map(|&i| rated.iter().map(move |&j| matrix[i][j]));
        Self {
            players: rated.len(),
            points: all().map(WinDrawLoss::points).collect(),
            games: all().map(|games| games.games() as f64).collect(),
            draws: all().map(|games| games.draws as f64).collect(),
        }
    }

    /// Every pair of players that met, once each, with the index of the pair in the matrices.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let players = self.players;
        (0..players)
            .flat_map(move |i| (i + 1..players).map(move |j| (i, j, i * players + j)))
            .filter(|&(_, _, at)| self.games[at] > 0.0)
    }
}

/// The maximum of the likelihood.
struct Fit {
    /// θ relative to the mean of all θ, or to the anchor's.
    strengths: Vec<f64>,
    /// The standard errors of these.
    standard_errors: Vec<f64>,
}

/// Fits ratings without errors, for the jackknife, which needs them many times over. Takes the
/// points and the numbers of games between players as square matrices by rows, and starts at the
/// ratings `near` in Elo points, expected to be close to the result. The prior alone rates players
/// without games.
pub fn refit_ratings(points: &[f64], games: &[f64], near: &[f64]) -> Vec<f64> {
    let draws = vec![0.0; games.len()];
    let games =
        Games { players: near.len(), points: points.to_vec(), games: games.to_vec(), draws };
    let start = near.iter().map(|rating| rating / POINTS_PER_NAT).collect();
    let strengths = maximise_likelihood(&games, VIRTUAL_DRAWS, start);
    let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
    strengths.into_iter().map(|theta| (theta - mean) * POINTS_PER_NAT).collect()
}

/// Maximises the likelihood of `games` and of `virtual_draws` per player against strength 0. The
/// strengths returned are relative to the mean, or to the anchor.
fn fit(games: &Games, virtual_draws: f64, anchor: Option<usize>) -> Fit {
    let players = games.players;
    let mut strengths = maximise_likelihood(games, virtual_draws, vec![0.0; players]);
    let standard_errors = standard_errors(games, virtual_draws, &strengths, anchor);
    let mean = strengths.iter().sum::<f64>() / players as f64;
    let origin = anchor.map_or(mean, |anchor| strengths[anchor]);
    strengths.iter_mut().for_each(|theta| *theta -= origin);
    Fit { strengths, standard_errors }
}

/// The strengths of greatest likelihood, by Newton's method from `strengths`.
fn maximise_likelihood(games: &Games, virtual_draws: f64, strengths: Vec<f64>) -> Vec<f64> {
    maximise(
        strengths,
        |strengths| log_likelihood(games, virtual_draws, strengths),
        |strengths| derivatives(games, virtual_draws, strengths),
        1.0,
    )
}

/// The strengths of greatest likelihood, by Newton's method from `strengths`. `derivatives` returns
/// the gradient of the logarithm and the observed information; `scale` turns strengths into nats.
fn maximise(
    mut strengths: Vec<f64>,
    log_likelihood: impl Fn(&[f64]) -> f64,
    derivatives: impl Fn(&[f64]) -> (Vec<f64>, Vec<f64>),
    scale: f64,
) -> Vec<f64> {
    let mut likelihood = log_likelihood(&strengths);
    // Newton converges quadratically here; the bound only guards against a cycle of rounding
    // errors.
    for _ in 0..100 {
        let (gradient, information) = derivatives(&strengths);
        let step = Cholesky::of(information, strengths.len()).solve(gradient);
        let longest = step.iter().fold(0.0_f64, |longest, s| longest.max(s.abs())) * scale;
        // A full step may overshoot where the likelihood is far from quadratic, as with one-sided
        // results. It is halved until the likelihood rises.
        let mut share = 1.0;
        let (next, next_likelihood) = loop {
            let next: Vec<f64> =
                strengths.iter().zip(&step).map(|(theta, s)| theta + share * s).collect();
            let next_likelihood = log_likelihood(&next);
            if next_likelihood >= likelihood || share * longest < 1e-9 {
                break (next, next_likelihood);
            }
            share /= 2.0;
        };
        (strengths, likelihood) = (next, next_likelihood);
        if longest < 1e-10 {
            break;
        }
    }
    strengths
}

/// The expected score of a player that is `difference` stronger.
fn expectation(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// ln of [`expectation`], without overflow.
fn ln_expectation(difference: f64) -> f64 {
    difference.min(0.0) - (-difference.abs()).exp().ln_1p()
}

fn log_likelihood(games: &Games, virtual_draws: f64, strengths: &[f64]) -> f64 {
    let real: f64 = games
        .pairs()
        .map(|(i, j, at)| {
            let difference = strengths[i] - strengths[j];
            games.points[at] * ln_expectation(difference)
                + (games.games[at] - games.points[at]) * ln_expectation(-difference)
        })
        .sum();
    let prior: f64 =
        strengths.iter().map(|&theta| ln_expectation(theta) + ln_expectation(-theta)).sum();
    real + virtual_draws / 2.0 * prior
}

/// Gradient of the log-likelihood and the observed information (minus its Hessian).
fn derivatives(games: &Games, virtual_draws: f64, strengths: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let players = games.players;
    let mut gradient = vec![0.0; players];
    let mut information = vec![0.0; players * players];
    for (i, &theta) in strengths.iter().enumerate() {
        let p = expectation(theta);
        gradient[i] = virtual_draws * (0.5 - p);
        information[i * players + i] = virtual_draws * p * (1.0 - p);
    }
    for (i, j, at) in games.pairs() {
        let p = expectation(strengths[i] - strengths[j]);
        let surplus = games.points[at] - games.games[at] * p;
        gradient[i] += surplus;
        gradient[j] -= surplus;
        let weight = games.games[at] * p * (1.0 - p);
        information[i * players + i] += weight;
        information[j * players + j] += weight;
        information[i * players + j] -= weight;
        information[j * players + i] -= weight;
    }
    (gradient, information)
}

/// Square roots of the diagonal of C H⁻¹ V H⁻¹ Cᵀ, where C subtracts the mean, or the anchor.
fn standard_errors(
    games: &Games,
    virtual_draws: f64,
    strengths: &[f64],
    anchor: Option<usize>,
) -> Vec<f64> {
    let players = games.players;
    let (_, information) = derivatives(games, virtual_draws, strengths);
    let information = Cholesky::of(information, players);
    let variances: Vec<(usize, usize, f64)> = games
        .pairs()
        .map(|(i, j, at)| {
            let p = expectation(strengths[i] - strengths[j]);
            // Subtract a quarter for every draw; see “Intervals” above.
            let decided = games.games[at] * p * (1.0 - p);
            let kept = decided / (games.games[at] + 1.0);
            (i, j, (decided - games.draws[at] / 4.0).max(kept))
        })
        .collect();
    (0..players)
        .map(|player| {
            // The row of C for this player: its rating less the mean of all.
            let share_of = |i: usize| match anchor {
                Some(anchor) => f64::from(i == anchor),
                None => 1.0 / players as f64,
            };
            let centre = (0..players).map(|i| f64::from(i == player) - share_of(i));
            let b = information.solve(centre.collect());
            let real: f64 = variances.iter().map(|&(i, j, v)| v * (b[i] - b[j]).powi(2)).sum();
            let prior: f64 = strengths
                .iter()
                .zip(&b)
                .map(|(&theta, b)| {
                    let p = expectation(theta);
                    virtual_draws * p * (1.0 - p) * b * b
                })
                .sum();
            (real + prior).sqrt()
        })
        .collect()
}

/// The lower triangular factor L of a positive definite matrix L·Lᵀ, by rows.
struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factorises `matrix`. A pivot that rounding pushed to zero or below is raised to the smallest
    /// value that rounding can tell from zero.
    fn of(mut matrix: Vec<f64>, size: usize) -> Self {
        for i in 0..size {
            let (above, row) = matrix.split_at_mut(i * size);
            let pivot = row[i];
            for j in 0..i {
                let other = &above[j * size..j * size + size];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            row[i] = (pivot - dot(&row[..i], &row[..i])).max(pivot * f64::EPSILON).sqrt();
        }
        Self { size, factor: matrix }
    }

    /// The solution x of L·Lᵀ·x = `right`.
    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        for i in 0..self.size {
            let row = &self.factor[i * self.size..(i + 1) * self.size];
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
        for i in (0..self.size).rev() {
            let row = &self.factor[i * self.size..(i + 1) * self.size];
            right[i] /= row[i];
            let solved = right[i];
            right[..i].iter_mut().zip(row).for_each(|(rest, factor)| *rest -= factor * solved);
        }
        right
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests;
