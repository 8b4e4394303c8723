//! Statements about many players that all hold together with the stated probability: corrected
//! p-values, and ranks. Of many comparisons at 95 % each, usually some are wrong.

/// The p-values corrected by Holm's method ("A simple sequentially rejective multiple test
/// procedure", 1979), in the order of `p_values`. If all differences with a corrected value up to α
/// are taken to be real, the probability that any of them is not is at most α, however the tests
/// depend on one another.
///
/// ```
/// use quintain_stats::simultaneous::holm;
///
/// assert_eq!(holm(&[0.01, 0.5, 0.02]), [0.03, 0.5, 0.04]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut least = 0.0_f64;
    for (done, &at) in order.iter().enumerate() {
        least = least.max(p_values[at] * (p_values.len() - done) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

/// The two-sided p-value of the exact sign test: `better` against `worse` under even chances.
///
/// ```
/// assert!((quintain_stats::simultaneous::sign_test(6, 0) - 2.0 / 64.0).abs() < 1e-12);
/// ```
pub fn sign_test(better: u64, worse: u64) -> f64 {
    use statrs::distribution::{Binomial, DiscreteCDF};
    if better + worse == 0 {
        return 1.0;
    }
    let even = Binomial::new(0.5, better + worse).expect("one half is a probability");
    (2.0 * even.cdf(better.min(worse))).min(1.0)
}

/// The probability with which all ranks hold together.
const LEVEL: f64 = 0.95;

/// The ranks of all players, best and worst of each, that hold together with a probability of 95 %.
/// The best rank comes after all players that are certainly better, the worst rank before all that
/// are certainly worse. Two players certainly differ if the difference of their merits, in standard
/// errors, is more than chance makes of the largest of all differences (Mogstad, Romano, Shaikh &
/// Wilhelm 2024, "Inference for ranks"). Higher `merits` are better; `replicates` are the merits in
/// resamples of `clusters` clusters, `None` for a player without one there. The spread of the
/// replicates is that of a normal distribution with known deviation; Student's t for that many
/// clusters takes its place. `None` for players without a merit.
///
/// ```
/// use quintain_stats::simultaneous::ranks_together;
///
/// let replicates: Vec<Vec<Option<f64>>> = (0..100)
///     .map(|at| f64::from(at * 7 % 10))
///     .map(|noise| [9.0, 1.0, 1.5].iter().map(|merit| Some(merit + noise)).collect())
///     .collect();
/// let ranks = ranks_together(&[Some(13.0), Some(5.5), Some(5.5)], &replicates, 100);
/// assert_eq!(ranks, [Some((1, 1)), Some((2, 3)), Some((2, 3))]);
/// ```
pub fn ranks_together(
    merits: &[Option<f64>],
    replicates: &[Vec<Option<f64>>],
    clusters: usize,
) -> Vec<Option<(u64, u64)>> {
    let there: Vec<usize> = (0..merits.len()).filter(|&at| merits[at].is_some()).collect();
    // For every pair: the difference, its standard error, and the pair.
    let mut pairs = Vec::new();
    let mut largest = vec![0.0_f64; replicates.len()];
    for (at, &one) in there.iter().enumerate() {
        for &other in &there[at + 1..] {
            let difference = |of: &[Option<f64>]| Some(of[one]? - of[other]?);
            let Some(mean) = difference(merits) else { continue };
            let drawn: Vec<Option<f64>> = replicates.iter().map(|of| difference(of)).collect();
            let squares: Vec<f64> = drawn.iter().flatten().map(|d| (d - mean).powi(2)).collect();
            let error = (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt();
            // A difference by rounding alone is none.
            let error = error.max(1e-9 * mean.abs());
            if error > 0.0 {
                for (largest, drawn) in largest.iter_mut().zip(&drawn) {
                    let off = drawn.map_or(0.0, |drawn| (drawn - mean).abs() / error);
                    *largest = largest.max(off);
                }
            }
            pairs.push((one, other, mean, error));
        }
    }
    largest.sort_unstable_by(f64::total_cmp);
    let Some(last) = largest.len().checked_sub(1) else { return vec![None; merits.len()] };
    let critical = largest[((largest.len() as f64 * LEVEL).ceil() as usize).min(last)];
    let critical = student(critical, clusters);
    let mut ranks: Vec<Option<(u64, u64)>> =
        merits.iter().map(|merit| merit.map(|_| (1, there.len() as u64))).collect();
    for (one, other, mean, error) in pairs {
        if mean == 0.0 || mean.abs() <= critical * error {
            continue;
        }
        let (better, worse) = if mean > 0.0 { (one, other) } else { (other, one) };
        if let Some((_, worst)) = &mut ranks[better] {
            *worst -= 1;
        }
        if let Some((best, _)) = &mut ranks[worse] {
            *best += 1;
        }
    }
    ranks
}

/// The quantile of Student's t that corresponds to the quantile `normal` of the normal
/// distribution, where the deviation was estimated from `observations` with n instead of n − 1.
fn student(normal: f64, observations: usize) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
    let n = observations.max(2) as f64;
    if observations > 1000 {
        return normal;
    }
    let beyond = Normal::standard().sf(normal).max(1e-12);
    let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("there is a degree of freedom");
    -student.inverse_cdf(beyond) * (n / (n - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::for_each_resample;
    use quintain_core::Rng;

    #[test]
    fn holm_is_that_of_statsmodels() {
        // statsmodels 0.15.0: multipletests([0.011, 0.04, 0.002, 0.6, 0.03], method="holm")[1]
        let expected = [0.044, 0.09, 0.01, 0.6, 0.09];
        let got = holm(&[0.011, 0.04, 0.002, 0.6, 0.03]);
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?}");
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn the_sign_test_is_the_sum_of_the_binomial() {
        // (1 + 10 + 45) · 2 / 1024
        assert!((sign_test(8, 2) - 112.0 / 1024.0).abs() < 1e-12);
        assert_eq!((sign_test(0, 0), sign_test(5, 5)), (1.0, 1.0));
    }

    #[test]
    fn five_equals_all_hold_the_rank_that_they_share() {
        let runs = 200;
        let mut wrong = 0;
        for run in 0..runs {
            let mut rng = Rng::from_seed(run);
            let seeds: Vec<[f64; 5]> =
                (0..40).map(|_| std::array::from_fn(|_| rng.unit().powi(3))).collect();
            let means = |times: &[u32]| {
                (0..5)
                    .map(|player| {
                        let drawn = times.iter().zip(&seeds);
                        Some(drawn.map(|(n, seed)| f64::from(*n) * seed[player]).sum::<f64>())
                    })
                    .collect::<Vec<_>>()
            };
            let mut replicates = Vec::new();
            for_each_resample(40, 500, |times| replicates.push(means(times)));
            let ranks = ranks_together(&means(&[1; 40]), &replicates, 40);
            wrong +=
                u64::from(ranks.iter().flatten().any(|(best, worst)| (*best, *worst) != (1, 5)));
        }
        assert!(wrong <= runs / 20 + 4, "{wrong}");
    }
}
