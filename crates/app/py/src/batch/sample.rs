//! Random actions allowed by the masks, as speed tests and the first steps of exploration play
//! them.

use quintain_core::split_mix;

/// A number that looks random for each number of a sequence, from 0.
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    split_mix(number.wrapping_add(1))
}

/// One of the actions that a mask of zeros and ones allows, chosen uniformly by `random`; 0 if
/// there is none.
#[inline]
pub(super) fn draw_allowed(mask: &[i8], random: u64) -> usize {
    // For the usual number of actions there is a copy with a known length, which needs no call.
    match mask.len() {
        4 => {
            let word =
                u32::from_le_bytes([mask[0] as u8, mask[1] as u8, mask[2] as u8, mask[3] as u8]);
            draw_of_eight(u64::from(word), random)
        }
        0..=8 => {
            let word = mask.iter().rev().fold(0, |word, is| (word << 8) | *is as u64);
            draw_of_eight(word, random)
        }
        _ => draw_of_many(mask, random),
    }
}

/// The same for at most eight actions in the bytes of a word, the first in the lowest byte. It is
/// branchless: which of few actions is drawn cannot be predicted, and a wrong guess takes longer
/// than all of this.
#[inline]
fn draw_of_eight(mask: u64, random: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // Each byte holds the number of allowed actions up to it.
    let sums = mask.wrapping_mul(ONES);
    let allowed = sums >> 56;
    let left = scale(random, allowed);
    // Bytes whose sum is at most `left` keep their highest bit.
    let before = (((left * ONES) | HIGHS) - sums) & HIGHS;
    (before.count_ones() & 7) as usize
}

fn draw_of_many(mask: &[i8], random: u64) -> usize {
    let allowed: u64 = mask.iter().map(|is| *is as u64).sum();
    let mut left = scale(random, allowed);
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

/// A number below `end` that lies proportionally as far up as `random` does among all numbers.
#[inline]
fn scale(random: u64, end: u64) -> u64 {
    ((u128::from(random) * u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_actions_are_drawn_as_many_are() {
        for length in 0..=8 {
            for bits in 0..1_u32 << length {
                let mask: Vec<i8> = (0..length).map(|bit| (bits >> bit & 1) as i8).collect();
                for random in (0..50).map(mix) {
                    let drawn = draw_allowed(&mask, random);
                    assert_eq!(drawn, draw_of_many(&mask, random), "{mask:?}, {random}");
                }
            }
        }
    }

    #[test]
    fn each_allowed_action_is_drawn_equally_often() {
        let mut drawn = [0; 4];
        for random in (0..3000).map(mix) {
            drawn[draw_allowed(&[1, 0, 1, 1], random)] += 1;
        }
        assert_eq!(drawn[1], 0);
        // Five standard deviations.
        assert!([0, 2, 3].iter().all(|number| (870..1130).contains(&drawn[*number])), "{drawn:?}");
    }
}
