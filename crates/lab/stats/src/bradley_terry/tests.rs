//! Golden values come from statsmodels 0.15.0 (GLM, binomial, logit link, one row per pair and one
//! half-won game per player against a player of strength 0); choix 0.4.1 (`opt_pairwise`, every
//! game doubled so that a draw is one win each) gives the same ratings to five digits.

use super::*;
use proptest::prelude::*;
use quintain_core::{GOLDEN_GAMMA, mix_bits};

fn matrix(players: usize, pairs: &[(usize, usize, [u64; 3])]) -> Vec<Vec<WinDrawLoss>> {
    let mut matrix = vec![vec![WinDrawLoss::default(); players]; players];
    for &(i, j, [wins, draws, losses]) in pairs {
        let games = WinDrawLoss { wins, draws, losses };
        matrix[i][j] += games;
        matrix[j][i] += games.reversed();
    }
    matrix
}

fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= tolerance, "{got:?} are not {expected:?}");
    }
}

fn rated(pairs: &[(usize, usize, [u64; 3])], players: usize) -> (Vec<f64>, Vec<f64>) {
    let ratings: Vec<Elo> = fit_ratings(&matrix(players, pairs)).into_iter().flatten().collect();
    (
        ratings.iter().map(|elo| elo.rating).collect(),
        ratings.iter().map(|elo| elo.standard_error).collect(),
    )
}

#[test]
fn ratings_and_errors_without_draws_equal_those_of_statsmodels() {
    let (ratings, errors) = rated(
        &[
            (0, 1, [15, 0, 5]),
            (0, 2, [13, 0, 7]),
            (0, 3, [18, 0, 2]),
            (1, 2, [10, 0, 10]),
            (1, 3, [13, 0, 7]),
            (2, 3, [14, 0, 6]),
        ],
        4,
    );
    let expected = [157.699257977235, -19.241063518744, 8.902125899570, -147.360320358061];
    assert_near(&ratings, &expected, 1e-8);
    // The square root of the diagonal of C (XᵀWX)⁻¹ C as statsmodels gives (XᵀWX)⁻¹.
    assert_near(&errors, &[39.919574305, 35.607380040, 35.568888995, 39.232900029], 1e-6);
}

#[test]
fn draws_count_half_and_narrow_the_interval() {
    let games = [
        (0, 1, [12, 5, 3]),
        (0, 2, [9, 8, 3]),
        (0, 3, [17, 2, 1]),
        (1, 2, [7, 6, 7]),
        (1, 3, [11, 4, 5]),
        (2, 3, [10, 7, 3]),
    ];
    let (ratings, errors) = rated(&games, 4);
    let expected = [151.206308958887, -14.402570978549, 4.220470337297, -141.024208317635];
    assert_near(&ratings, &expected, 1e-8);
    // numpy 2.4.6: C (XᵀWX)⁻¹ (XᵀVX) (XᵀWX)⁻¹ C at the strengths that statsmodels found.
    assert_near(&errors, &[32.193391284, 30.110673785, 27.646404386, 32.865921721], 1e-6);
}

#[test]
fn the_interval_between_two_players_is_that_of_the_trinomial_variance() {
    // 3000 wins, 5000 draws, 2000 losses: a share of 0.55 whose standard error is √((0.3 + 0.5/4 −
    // 0.55²) / 10000) = 0.0035; on the Elo scale times 400 / ln 10 / (0.55 · 0.45).
    let (ratings, errors) = rated(&[(0, 1, [3000, 5000, 2000])], 2);
    let difference = ratings[0] - ratings[1];
    let expected = POINTS_PER_NAT * (0.55_f64 / 0.45).ln();
    assert!((difference - expected).abs() < 0.01, "{difference}, not {expected}");
    // Each player's error is half of the difference's, as the two move about their mean.
    let expected = 0.0035 * POINTS_PER_NAT / (0.55 * 0.45) / 2.0;
    assert!((errors[0] / expected - 1.0).abs() < 1e-3, "{}, not {expected}", errors[0]);
}

#[test]
fn baseball_teams_have_the_published_strengths() {
    // Agresti (2002), Categorical Data Analysis, tables 10.10 and 10.11: American League east,
    // 1987, both grounds together; Milwaukee, Detroit, Toronto, New York, Boston, Cleveland,
    // Baltimore, strengths relative to the last. Digits beyond the book's two from statsmodels.
    let table: &[&[[u64; 2]]] = &[
        &[[7, 6], [9, 4], [7, 6], [7, 6], [9, 4], [11, 2]],
        &[[7, 6], [5, 8], [11, 2], [9, 4], [9, 4]],
        &[[7, 6], [7, 6], [8, 5], [12, 1]],
        &[[6, 7], [7, 6], [10, 3]],
        &[[7, 6], [12, 1]],
        &[[6, 7]],
    ];
    let pairs: Vec<(usize, usize, [u64; 3])> = table
        .iter()
        .enumerate()
        .flat_map(|(i, row)| {
            row.iter().enumerate().map(move |(k, &[won, lost])| (i, i + 1 + k, [won, 0, lost]))
        })
        .collect();
    let games = Games::among(&matrix(7, &pairs), &(0..7).collect::<Vec<_>>());
    let strengths = fit(&games, 1e-7, None).strengths;
    let relative: Vec<f64> = strengths.iter().map(|theta| theta - strengths[6]).collect();
    let expected = [1.581356, 1.436408, 1.294485, 1.247618, 1.107698, 0.683853, 0.0];
    assert_near(&relative, &expected, 2e-6);
}

#[test]
fn a_player_that_won_everything_is_rated_finitely_and_marked() {
    let games = [(0, 1, [10, 0, 0]), (0, 2, [10, 0, 0]), (1, 2, [6, 0, 4])];
    let (strengths, errors) = rated(&games, 3);
    assert_near(&strengths, &[440.124500653, -187.636618105, -252.487882549], 1e-6);
    assert_near(&errors, &[167.153645858, 97.692410475, 100.933081175], 1e-6);
    let sweeps: Vec<_> =
        fit_ratings(&matrix(3, &games)).into_iter().map(|elo| elo?.sweep).collect();
    assert_eq!(sweeps, [Some(Sweep::AllWon), None, None]);
    assert_eq!(count_groups(&matrix(3, &games)), (1, true));
}

#[test]
fn groups_that_never_met_are_counted_and_rated_about_the_same_mean() {
    let games = [(0, 1, [3, 0, 1]), (2, 3, [2, 1, 2])];
    let (strengths, errors) = rated(&games, 4);
    assert_near(&strengths, &[82.419269028, -82.419269028, 0.0, 0.0], 1e-6);
    assert_near(&errors, &[198.031440370, 198.031440370, 188.500149664, 188.500149664], 1e-6);
    assert_eq!(count_groups(&matrix(4, &games)), (2, false));
}

#[test]
fn one_game_is_enough_for_a_finite_rating() {
    let ratings = fit_ratings(&matrix(2, &[(0, 1, [1, 0, 0])]));
    let (winner, loser) = (ratings[0].as_ref().unwrap(), ratings[1].as_ref().unwrap());
    assert!(winner.rating > 0.0 && winner.rating < 400.0, "{winner:?}");
    assert!((winner.rating + loser.rating).abs() < 1e-9);
    assert!(winner.low < loser.rating, "one game proves nothing: {winner:?}");
    assert_eq!((winner.sweep, loser.sweep), (Some(Sweep::AllWon), Some(Sweep::AllLost)));
}

#[test]
fn players_that_only_drew_are_equal_with_a_narrow_interval() {
    let ratings = fit_ratings(&matrix(2, &[(0, 1, [0, 400, 0])]));
    for elo in ratings.iter().flatten() {
        assert!(elo.rating.abs() < 1e-9);
        assert!(elo.standard_error > 0.0 && elo.standard_error < 2.0, "{elo:?}");
        assert_eq!(elo.sweep, None);
    }
}

#[test]
fn a_player_without_games_is_not_rated() {
    let ratings = fit_ratings(&matrix(3, &[(0, 2, [1, 1, 1])]));
    assert!(ratings[0].is_some() && ratings[1].is_none() && ratings[2].is_some());
    assert_eq!(super::fit_ratings(&matrix(2, &[])), [None, None]);
    assert_eq!(count_groups(&matrix(3, &[(0, 2, [1, 1, 1])])), (1, false));
}

#[test]
fn a_million_wins_in_a_row_are_still_fitted() {
    let ratings = fit_ratings(&matrix(2, &[(0, 1, [1_000_000, 0, 0])]));
    let elo = ratings[0].as_ref().unwrap();
    assert!(elo.rating > 1000.0 && elo.rating < 1500.0, "{elo:?}");
    assert!(elo.standard_error.is_finite());
}

#[test]
fn intervals_cover_the_truth_95_times_in_a_hundred_with_few_draws_and_with_many() {
    for (draw_rate, games) in [(0.0, 200), (0.3, 200), (0.7, 200)] {
        let (mut covered, rounds) = (0, 1000);
        for round in 0..rounds {
            covered += usize::from(simulated_interval_covers(round, draw_rate, games));
        }
        // Two standard deviations of a binomial proportion at 95 % are 1.4 %.
        let coverage = covered as f64 / rounds as f64;
        assert!((0.93..=0.97).contains(&coverage), "{coverage} at a draw rate of {draw_rate}");
    }
}

/// Whether the first player's interval holds its true rating in one simulated round robin of three
/// players, each pair playing `games` games.
fn simulated_interval_covers(seed: u64, draw_rate: f64, games: u64) -> bool {
    let truth = [60.0, 0.0, -60.0];
    let mut state = seed.wrapping_mul(0xD129_0DDF_53F2_6C25);
    let mut pairs = Vec::new();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let p = expectation((truth[i] - truth[j]) / POINTS_PER_NAT);
        let mut counts = [0; 3];
        for _ in 0..games {
            let u = uniform(&mut state);
            let win = p - draw_rate / 2.0;
            counts[if u < win {
                0
            } else if u < win + draw_rate {
                1
            } else {
                2
            }] += 1;
        }
        pairs.push((i, j, counts));
    }
    let elo = fit_ratings(&matrix(3, &pairs))[0].clone().unwrap();
    elo.low <= truth[0] && truth[0] <= elo.high
}

/// The next number in 0..1 of SplitMix64.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(GOLDEN_GAMMA);
    (mix_bits(*state) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Hunter's MM iteration (2004, equation 3), with the virtual opponent as a player of fixed
/// strength: slow and obvious.
fn strengths_by_mm(games: &Games, virtual_draws: f64) -> Vec<f64> {
    let players = games.players;
    let mut gamma = vec![1.0; players];
    for _ in 0..200_000 {
        let mut moved: f64 = 0.0;
        for i in 0..players {
            let pairs = (0..players).map(|j| (i * players + j, j));
            let won: f64 = pairs.clone().map(|(at, _)| games.points[at]).sum();
            let met: f64 = pairs.map(|(at, j)| games.games[at] / (gamma[i] + gamma[j])).sum();
            let next = (won + virtual_draws / 2.0) / (met + virtual_draws / (gamma[i] + 1.0));
            moved = moved.max((next / gamma[i]).ln().abs());
            gamma[i] = next;
        }
        if moved < 1e-13 {
            break;
        }
    }
    let logs: Vec<f64> = gamma.iter().map(|g| g.ln()).collect();
    let mean = logs.iter().sum::<f64>() / players as f64;
    logs.iter().map(|log| log - mean).collect()
}

fn any_games() -> impl Strategy<Value = Vec<Vec<WinDrawLoss>>> {
    (2..7_usize).prop_flat_map(|players| {
        let pair = (0..players, 1..players, [0..9_u64, 0..9, 0..9]);
        proptest::collection::vec(pair, 1..12).prop_map(move |pairs| {
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(i, step, games)| (i, (i + step) % players, games))
                .collect();
            matrix(players, &pairs)
        })
    })
}

proptest! {
    #[test]
    fn newton_finds_the_same_strengths_as_hunters_mm(matrix in any_games()) {
        let games = Games::among(&matrix, &(0..matrix.len()).collect::<Vec<_>>());
        assert_near(&fit(&games, 1.0, None).strengths, &strengths_by_mm(&games, 1.0), 1e-8);
    }

    #[test]
    fn turning_every_game_round_turns_the_ratings_round(matrix in any_games()) {
        let turned: Vec<Vec<_>> =
            matrix.iter().map(|row| row.iter().map(|games| games.reversed()).collect()).collect();
        for (elo, turned) in fit_ratings(&matrix).iter().zip(fit_ratings(&turned)) {
            if let (Some(elo), Some(turned)) = (elo, &turned) {
                prop_assert!((elo.rating + turned.rating).abs() < 1e-7);
                prop_assert!((elo.standard_error - turned.standard_error).abs() < 1e-7);
            } else {
                prop_assert!(elo.is_none() && turned.is_none());
            }
        }
    }

    #[test]
    fn the_mean_rating_is_zero(matrix in any_games()) {
        let sum: f64 = fit_ratings(&matrix).iter().flatten().map(|elo| elo.rating).sum();
        prop_assert!(sum.abs() < 1e-7);
    }

    #[test]
    fn a_cholesky_factor_solves_its_matrix(
        rows in proptest::collection::vec(proptest::array::uniform5(-3.0..3.0_f64), 5),
        right in proptest::array::uniform5(-3.0..3.0_f64),
    ) {
        // A·Aᵀ + I is positive definite.
        let entry = |i: usize, j: usize| dot(&rows[i], &rows[j]) + f64::from(i == j);
        let matrix: Vec<f64> = (0..25).map(|at| entry(at / 5, at % 5)).collect();
        let solution = Cholesky::of(matrix.clone(), 5).solve(right.to_vec());
        let product: Vec<f64> = matrix.chunks(5).map(|row| dot(row, &solution)).collect();
        assert_near(&product, &right, 1e-8);
    }
}

#[test]
fn an_anchor_moves_ratings_and_makes_errors_those_of_the_distance_to_it() {
    let games = |wins, draws, losses| WinDrawLoss { wins, draws, losses };
    let none = WinDrawLoss::default();
    let matrix = [
        vec![none, games(30, 10, 10), games(40, 5, 5)],
        vec![games(10, 10, 30), none, games(25, 10, 15)],
        vec![games(5, 5, 40), games(15, 10, 25), none],
    ];
    let free = fit_ratings(&matrix);
    let anchored = fit_ratings_to(&matrix, Some(1));
    let of = |ratings: &[Option<Elo>], at: usize| ratings[at].clone().unwrap();
    let (zero, first) = (of(&anchored, 1), of(&anchored, 0));
    assert_eq!((zero.rating, zero.standard_error), (0.0, 0.0));
    assert!((first.rating - (of(&free, 0).rating - of(&free, 1).rating)).abs() < 1e-9);
    // The slow twin: the spread of the distance over results drawn again.
    let mut rng = quintain_core::Rng::from_seed(1);
    let mut distances = Vec::new();
    for _ in 0..2000 {
        let mut drawn = matrix.clone();
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let WinDrawLoss { wins, draws, losses } = matrix[a][b];
            let chances = [wins, draws, losses].map(|games| games as f64);
            let mut counts = [0; 3];
            (0..50).for_each(|_| counts[rng.weighted(&chances)] += 1);
            drawn[a][b] = games(counts[0], counts[1], counts[2]);
            drawn[b][a] = drawn[a][b].reversed();
        }
        let ratings = fit_ratings(&drawn);
        distances.push(of(&ratings, 0).rating - of(&ratings, 1).rating);
    }
    let mean = distances.iter().sum::<f64>() / 2000.0;
    let spread = distances.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 2000.0;
    let spread = spread.sqrt();
    assert!((first.standard_error / spread - 1.0).abs() < 0.1, "{} {spread}", first.standard_error);
}
