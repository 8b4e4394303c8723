//! Mixing of bits: turns numbers that resemble each other, such as indices and keys, into numbers
//! that look random. These are no random numbers of a match; those come from
//! [`Streams`](crate::Streams).

/// 2⁶⁴ divided by the golden ratio, made odd: the step of SplitMix64. Multiplied by it,
/// neighbouring numbers end up far apart in their high bits (Knuth, The Art of Computer Programming
/// 3, 6.4).
pub const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes the bits of a word: every bit of the result depends on every bit of `word`, and different
/// words have different results. This is the finaliser of SplitMix64 (Steele, Lea & Flood 2014,
/// Fast splittable pseudorandom number generators; its constants are Stafford's variant 13).
#[inline]
pub const fn mix_bits(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The number with this index, from 1, that SplitMix64 draws from the seed 0.
///
/// ```
/// use quintain_core::split_mix;
///
/// // The first outputs of the reference implementation (Vigna 2015, splitmix64.c).
/// assert_eq!(split_mix(1), 0xe220_a839_7b1d_cdaf);
/// assert_eq!(split_mix(2), 0x6e78_9e6a_a1b9_65f4);
/// ```
#[inline]
pub const fn split_mix(index: u64) -> u64 {
    mix_bits(index.wrapping_mul(GOLDEN_GAMMA))
}
