//! Sixteen values of a map at a time, of cells side by side.

use wide::i16x16;

/// The values from this index on.
///
/// # Panics
/// If there are not as many.
#[inline(always)]
pub(super) fn load(map: &[i16], from: usize) -> i16x16 {
    i16x16::new(*map[from..].first_chunk().expect("maps have a margin"))
}

/// Which values are greater than this, as bits.
#[inline(always)]
pub(super) fn find_greater(values: i16x16, least: i32) -> u16 {
    let least = least.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
    values.simd_gt(i16x16::splat(least)).to_bitmask() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_that_are_greater() {
        let map: Vec<i16> = (0..40).collect();
        let values = load(&map, 10);
        assert_eq!(values.to_array(), std::array::from_fn(|lane| 10 + lane as i16));
        assert_eq!(find_greater(values, 22), 0b1110_0000_0000_0000);
        assert_eq!(find_greater(values, 1_000_000), 0);
        assert_eq!(find_greater(values, -1_000_000), !0);
    }
}
