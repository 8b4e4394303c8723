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

#[cfg(test)]
mod tests {
    use super::*;

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
}
