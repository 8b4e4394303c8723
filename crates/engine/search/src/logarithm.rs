//! The natural logarithm of a count, the same to the last bit on every platform:
//! the system's own `ln` is not, and a search that used it could decide
//! differently elsewhere.

use std::f64::consts::{LN_2, SQRT_2};

/// Most of a search's counts are small.
static SMALL: [f64; 1 << 10] = {
    let mut logarithms = [0.0; 1 << 10];
    let mut n = 1;
    while n < logarithms.len() {
        logarithms[n] = compute(n as u32);
        n += 1;
    }
    logarithms
};

/// ln n for n ≥ 1.
#[inline]
pub(crate) fn ln(n: u32) -> f64 {
    debug_assert!(n > 0, "the logarithm of nothing");
    match SMALL.get(n as usize) {
        Some(logarithm) => *logarithm,
        None => compute(n),
    }
}

/// By n = m·2^k with m near 1 and ln m = 2 artanh((m − 1)/(m + 1)). Only operations
/// that IEEE 754 rounds exactly; off by less than 1e-11.
const fn compute(n: u32) -> f64 {
    let bits = (n as f64).to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    let series = 1.0 / 11.0 + square * (1.0 / 13.0);
    let series = 1.0 / 9.0 + square * series;
    let series = 1.0 / 7.0 + square * series;
    let series = 1.0 / 5.0 + square * series;
    let series = 1.0 / 3.0 + square * series;
    exponent as f64 * LN_2 + 2.0 * z * (1.0 + square * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_systems_logarithm() {
        for n in (1..100_000).chain([u32::MAX, 1 << 31, 12_345_678]) {
            let error = (ln(n) - f64::from(n).ln()).abs();
            assert!(error < 1e-11, "ln {n} is off by {error}");
        }
    }
}
