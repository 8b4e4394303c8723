//! Exponential and logarithm of real numbers, and distributions drawn with them, the same to the
//! last bit on every platform. The system's own functions are not, and a search or a network that
//! used them could decide differently elsewhere. The logarithm of counts, which UCT needs millions
//! of times, has its own table.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

use quintain_core::Rng;

/// e to the power of `x`, with a relative error below 1e-12. Outside the range of numbers it is 0
/// or infinite, and NaN remains NaN.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -708.0 {
        return 0.0;
    }
    // x = k·ln 2 + r with |r| ≤ ln 2 / 2; e^r by its series.
    let k = (x * LOG2_E).round();
    let r = x - k * LN_2;
    let mut sum = 1.0;
    for n in (1..=16).rev() {
        sum = 1.0 + sum * r / f64::from(n);
    }
    sum * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// The natural logarithm of `x` above 0; off by less than 1e-13.
pub fn ln(x: f64) -> f64 {
    debug_assert!(x > 0.0, "the logarithm of {x}");
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh z; |z| < 0.172.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    let mut series = 0.0;
    for odd in (0..=8).rev() {
        series = 1.0 / f64::from(2 * odd + 1) + square * series;
    }
    f64::from(exponent) * LN_2 + 2.0 * z * series
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    if x.abs() > 20.0 {
        return x.signum();
    }
    let double = exp(2.0 * x);
    (double - 1.0) / (double + 1.0)
}

/// Turns logits into probabilities, in place.
pub fn softmax(logits: &mut [f64]) {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for logit in logits.iter_mut() {
        *logit = exp(*logit - most);
        total += *logit;
    }
    for logit in logits {
        *logit /= total;
    }
}

/// A uniformly drawn number above 0 and below 1.
fn open_unit(rng: &mut Rng) -> f64 {
    (rng.unit() + 0.5 / (1u64 << 53) as f64).min(1.0 - f64::EPSILON)
}

/// A draw from the standard Gumbel distribution: the greatest `logit + gumbel` over actions belongs
/// to an action drawn from the softmax of the logits.
pub(crate) fn gumbel(rng: &mut Rng) -> f64 {
    -ln(-ln(open_unit(rng)))
}

/// A draw from the symmetric Dirichlet distribution over `count` outcomes: shares that sum to 1,
/// close to each other if `concentration` is high.
pub(crate) fn dirichlet(concentration: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
    let mut shares: Vec<f64> = (0..count).map(|_| gamma(concentration, rng)).collect();
    let total: f64 = shares.iter().sum();
    if total > 0.0 {
        shares.iter_mut().for_each(|share| *share /= total);
    } else {
        shares.fill(1.0 / count as f64);
    }
    shares
}

/// A draw from the gamma distribution of this shape and scale 1 (Marsaglia & Tsang 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * exp(ln(open_unit(rng)) / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let root = 1.0 + c * x;
        if root > 0.0 {
            let v = root * root * root;
            if ln(open_unit(rng)) < 0.5 * x * x + d - d * v + d * ln(v) {
                return d * v;
            }
        }
    }
}

/// A draw from the standard normal distribution (Marsaglia's polar method).
fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * ln(square) / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_systems_functions() {
        for n in -7000..7000 {
            let x = f64::from(n) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "exp {x}");
            assert!((tanh(x) - x.tanh()).abs() < 1e-14, "tanh {x}");
            let positive = x.exp();
            assert!((ln(positive) - positive.ln()).abs() < 1e-12, "ln {positive}");
        }
        assert_eq!((exp(-1e4), exp(1e4), exp(0.0)), (0.0, f64::INFINITY, 1.0));
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn shares_sum_to_one_and_spread_as_their_concentration_says() {
        let mut rng = Rng::from_seed(1);
        for concentration in [0.03, 0.3, 1.0, 10.0] {
            let (mut mean, mut square) = (0.0, 0.0);
            for _ in 0..4_000 {
                let shares = dirichlet(concentration, 5, &mut rng);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                mean += shares[0] / 4_000.0;
                square += shares[0] * shares[0] / 4_000.0;
            }
            let variance = 0.2 * 0.8 / (5.0 * concentration + 1.0);
            assert!((mean - 0.2).abs() < 0.03, "{concentration}: {mean}");
            assert!((square - mean * mean - variance).abs() < 0.02, "{concentration}");
        }
    }

    #[test]
    fn the_greatest_gumbel_is_drawn_as_the_softmax_says() {
        let mut rng = Rng::from_seed(2);
        let draws = 20_000;
        let first = (0..draws).filter(|_| ln(3.0) + gumbel(&mut rng) > gumbel(&mut rng)).count();
        assert!((first as f64 / f64::from(draws) - 0.75).abs() < 0.02);
    }
}
