//! Whether players differ over many blocks (scenarios, or seeds), judged by their ranks in each:
//! Friedman's test (1937) with the correction for ties, the sharper form by Iman & Davenport
//! (1980), a permutation test where blocks are few, and Nemenyi's critical difference (1963)
//! between mean ranks. Demšar 2006, "Statistical comparisons of classifiers over multiple data
//! sets", describes how to combine these to compare algorithms.
//!
//! ```
//! use quintain_stats::friedman::friedman_test;
//!
//! // Three players on eight scenarios, on each of which the first is best and the last worst.
//! let test = friedman_test(&vec![vec![30.0, 20.0, 10.0]; 8]).unwrap();
//! assert_eq!(test.mean_ranks, [1.0, 2.0, 3.0]);
//! assert!(test.p_value < 0.001);
//! ```

use quintain_core::Streams;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::ranks::rank;

/// The result of the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Friedman {
    /// The number of blocks.
    pub blocks: usize,
    /// Mean rank of each player; 1 is best, tied players have fractional ranks.
    pub mean_ranks: Vec<f64>,
    /// Friedman's statistic, corrected for ties.
    pub chi_square: f64,
    /// The probability of a statistic as large if all players are equal, by the χ² approximation.
    pub p_value: f64,
    /// The p-value by Iman and Davenport's F.
    pub iman_davenport_p_value: f64,
    /// The p-value by permuting ranks within blocks, where blocks are too few for approximations.
    pub permutation_p_value: Option<f64>,
}

/// With more blocks than this, Iman and Davenport's F is near enough.
const FEW_BLOCKS: usize = 30;

/// Up to this many ways to order the players in all blocks but one, all of them are tried.
const ALL_ORDERS: f64 = 50_000.0;

/// The number of orders that are drawn where there are more.
const DRAWN_ORDERS: u32 = 20_000;

impl Friedman {
    /// The most trustworthy of the p-values, and how it was found.
    pub fn best_p_value(&self) -> (f64, &'static str) {
        match self.permutation_p_value {
            Some(p) => (p, "Friedman by permutation"),
            None => (self.iman_davenport_p_value, "Friedman with Iman and Davenport's F"),
        }
    }
}

/// Tests whether players differ, from `merits[block][player]`, where more is better. `None` with
/// fewer than two blocks or players.
pub fn friedman_test(merits: &[Vec<f64>]) -> Option<Friedman> {
    let blocks = merits.len();
    let players = merits.first()?.len();
    if blocks < 2 || players < 2 {
        return None;
    }
    let (n, k) = (blocks as f64, players as f64);
    let mut sums = vec![0.0; players];
    let mut ties = 0.0;
    let mut ranked = Vec::with_capacity(blocks);
    for block in merits {
        let ranks: Vec<f64> = rank(block, 0.0).iter().map(|rank| rank.fractional).collect();
        for (sum, rank) in sums.iter_mut().zip(&ranks) {
            *sum += rank;
        }
        let mut sorted = ranks.clone();
        sorted.sort_by(f64::total_cmp);
        for tied in sorted.chunk_by(|a, b| a == b) {
            let t = tied.len() as f64;
            ties += t * (t * t - 1.0);
        }
        ranked.push(ranks);
    }
    let squares = sum_squares(&sums);
    let correction = 1.0 - ties / (n * k * (k * k - 1.0));
    let raw = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    // Where all are tied everywhere, nothing differs.
    let chi_square = if correction > 0.0 { (raw / correction).max(0.0) } else { 0.0 };
    let p_value = 1.0 - ChiSquared::new(k - 1.0).ok()?.cdf(chi_square);
    let most = n * (k - 1.0);
    let f = (n - 1.0) * chi_square / (most - chi_square);
    let iman_davenport_p_value = match f.is_finite() && f >= 0.0 {
        true => 1.0 - FisherSnedecor::new(k - 1.0, (k - 1.0) * (n - 1.0)).ok()?.cdf(f),
        // All blocks rank alike.
        false => 0.0,
    };
    let mean_ranks: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
    Some(Friedman {
        blocks,
        mean_ranks,
        chi_square,
        p_value,
        iman_davenport_p_value,
        permutation_p_value: (blocks <= FEW_BLOCKS).then(|| permutation_p_value(&ranked, squares)),
    })
}

/// The probability of mean ranks at least this far apart if every order of the ranks in a block was
/// equally likely; equivalently, of a sum of `squares` of rank sums at least this large. Counted
/// over all orders, or estimated from drawn ones. The draws come from a fixed stream: the same
/// ranks give the same probability.
fn permutation_p_value(ranked: &[Vec<f64>], squares: f64) -> f64 {
    // The first block's order may stay: only how the blocks are ordered relative to one another
    // counts.
    let (first, others) = ranked.split_first().expect("a block at least");
    let players = first.len();
    // Friedman's statistic grows with the sum of squares; everything else in it is constant.
    let is_as_far = |sums: &[f64]| sum_squares(sums) >= squares - 1e-9;
    let orders = (1..=players).map(|n| n as f64).product::<f64>();
    if orders.powi(others.len() as i32) <= ALL_ORDERS {
        let mut all = vec![first.clone()];
        for block in others {
            let orders = list_orders(block);
            let add_each = |sums: &Vec<f64>| -> Vec<Vec<f64>> {
                let add = |order: &Vec<f64>| sums.iter().zip(order).map(|(a, b)| a + b).collect();
                orders.iter().map(add).collect()
            };
            all = all.iter().flat_map(add_each).collect();
        }
        return all.iter().filter(|sums| is_as_far(sums)).count() as f64 / all.len() as f64;
    }
    let mut rng = Streams::new(ranked.len() as u64).address("permutations", 0);
    let mut others = others.to_vec();
    let mut as_far = 0;
    for _ in 0..DRAWN_ORDERS {
        let mut sums = first.clone();
        for block in &mut others {
            for at in (1..players).rev() {
                block.swap(at, rng.below(at + 1));
            }
            sums.iter_mut().zip(&*block).for_each(|(sum, rank)| *sum += rank);
        }
        as_far += u32::from(is_as_far(&sums));
    }
    // The order that was observed is one of them.
    f64::from(as_far + 1) / f64::from(DRAWN_ORDERS + 1)
}

fn sum_squares(sums: &[f64]) -> f64 {
    sums.iter().map(|sum| sum * sum).sum()
}

/// All orders of a block's ranks.
fn list_orders(ranks: &[f64]) -> Vec<Vec<f64>> {
    if ranks.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for at in 0..ranks.len() {
        let mut rest = ranks.to_vec();
        let last = rest.remove(at);
        for mut order in list_orders(&rest) {
            order.push(last);
            orders.push(order);
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_demsar_comes_out() {
        // Demšar 2006, table 6: accuracies of four classifiers on 14 data sets.
        let merits: Vec<Vec<f64>> = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
        .map(|row| row.to_vec())
        .to_vec();
        let test = friedman_test(&merits).unwrap();
        let expected = [3.143, 2.000, 2.893, 1.964];
        for (rank, expected) in test.mean_ranks.iter().zip(expected) {
            assert!((rank - expected).abs() < 6e-4, "{:?}", test.mean_ranks);
        }
        // scipy 1.17: friedmanchisquare on the columns; F by hand from it, and f.sf.
        assert!((test.chi_square - 10.228_346_456_692_925).abs() < 1e-9, "{}", test.chi_square);
        assert!((test.p_value - 0.016_721_580_328_441).abs() < 1e-9, "{}", test.p_value);
        assert!((test.iman_davenport_p_value - 0.011_620_659_515_311).abs() < 1e-9, "{test:?}");
    }

    #[test]
    fn blocks_that_all_rank_alike_part_the_players() {
        let test = friedman_test(&vec![vec![3.0, 2.0, 1.0]; 20]).unwrap();
        assert_eq!((test.chi_square, test.iman_davenport_p_value), (40.0, 0.0));
        let equal = friedman_test(&vec![vec![1.0; 3]; 5]).unwrap();
        assert_eq!((equal.chi_square, equal.p_value), (0.0, 1.0));
        assert_eq!(friedman_test(&[vec![1.0, 2.0]]), None);
    }

    #[test]
    fn few_blocks_are_counted_out() {
        // Two blocks that order three players alike: one order of six.
        let two = friedman_test(&vec![vec![3.0, 2.0, 1.0]; 2]).unwrap();
        assert_eq!(two.permutation_p_value, Some(1.0 / 6.0));
        // Three of them: one of 36. Lehmann 1975: P(S >= 18) = 0.028 for k = 3, n = 3.
        let three = friedman_test(&vec![vec![3.0, 2.0, 1.0]; 3]).unwrap();
        assert_eq!(three.permutation_p_value, Some(1.0 / 36.0));
        // Friedman 1937, table V: k = 4, n = 2, chi-square 6 has p = 0.042.
        let four = friedman_test(&vec![vec![4.0, 3.0, 2.0, 1.0]; 2]).unwrap();
        assert_eq!((four.chi_square, four.permutation_p_value), (6.0, Some(1.0 / 24.0)));
        // All tied: every order is equally far apart.
        let tied = friedman_test(&vec![vec![1.0; 3]; 2]).unwrap();
        assert_eq!(tied.permutation_p_value, Some(1.0));
        assert_eq!(friedman_test(&vec![vec![2.0, 1.0]; 31]).unwrap().permutation_p_value, None);
    }

    #[test]
    fn drawn_orders_agree_with_f_where_blocks_are_many_enough() {
        let merits: Vec<Vec<f64>> = (0..25)
            .map(|block| (0..4).map(|at| f64::from((block * 7 + at * at * 3) % 11 + at)).collect())
            .collect();
        let test = friedman_test(&merits).unwrap();
        let (p, f) = (test.permutation_p_value.unwrap(), test.iman_davenport_p_value);
        assert!((p - f).abs() < 0.02, "{p} by permutation, {f} by F");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn players_in_another_order_have_the_same_ranks(
            merits in prop::collection::vec(prop::collection::vec(0..5_i32, 4), 2..12),
            constant in -50..50_i32,
        ) {
            let of = |turn: fn(&mut Vec<f64>), plus: i32| {
                let blocks = merits.iter().map(|block| {
                    let mut block: Vec<f64> = block.iter().map(|m| f64::from(m + plus)).collect();
                    turn(&mut block);
                    block
                });
                friedman_test(&blocks.collect::<Vec<_>>()).unwrap()
            };
            let (plain, mut turned) = (of(|_| {}, 0), of(|block| block.reverse(), constant));
            turned.mean_ranks.reverse();
            prop_assert_eq!(&plain.mean_ranks, &turned.mean_ranks);
            prop_assert!((plain.p_value - turned.p_value).abs() < 1e-12);
        }
    }
}
