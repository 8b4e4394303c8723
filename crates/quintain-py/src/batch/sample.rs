//! Random actions by the masks: what tests of speed and first steps of exploration play.

/// A number that looks random for each of a row of numbers: SplitMix64 (Steele, Lea and Flood,
/// 2014).
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One of the actions that a mask allows, uniformly by `random`; 0 if it allows none.
#[inline]
pub(super) fn draw_allowed(mask: &[i8], random: u64) -> usize {
    let allowed: u32 = mask.iter().map(|is| *is as u32).sum();
    let mut left = ((u128::from(random) * u128::from(allowed)) >> 64) as u32;
    for (number, is) in mask.iter().enumerate() {
        if *is != 0 {
            if left == 0 {
                return number;
            }
            left -= 1;
        }
    }
    0
}
