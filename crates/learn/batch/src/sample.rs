//! Random actions allowed by the masks, as speed tests and the first steps of exploration play
//! them.

use quintain_core::split_mix;

/// Draws an action that the mask allows for each (state, seat), uniformly; 0 if there is none.
/// `masks` has `actions` zeros and ones for each number in `out`. The draws are those numbered
/// from `first` of one sequence of random numbers.
pub fn draw_actions(masks: &[i8], actions: usize, first: u64, out: &mut [i32]) {
    let rows = masks.chunks_exact(actions).zip(out).zip(first..);
    if actions > 8 {
        for ((mask, out), number) in rows {
            *out = draw_of_many(mask, mix(number)) as i32;
        }
        return;
    }
    // A mask is read as a word, together with what follows it; near the end nothing may follow.
    let wanted = u64::MAX >> (64 - 8 * actions);
    for (index, ((mask, out), number)) in rows.enumerate() {
        let word = match masks.get(index * actions..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(bytes.map(|byte| byte as u8)) & wanted,
            None => mask.iter().rev().fold(0, |word, is| (word << 8) | *is as u64),
        };
        *out = draw_of_eight(word, mix(number)) as i32;
    }
}

/// A number that looks random for each number of a sequence, from 0.
#[inline]
fn mix(number: u64) -> u64 {
    split_mix(number.wrapping_add(1))
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
    // How many they are, at most 7. (Without the instruction, `count_ones` takes thrice as long.)
    ((before >> 7).wrapping_mul(ONES) >> 56 & 7) as usize
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

    /// The number drawn first from one mask.
    fn draw(mask: &[i8], number: u64) -> i32 {
        let mut drawn = [0];
        draw_actions(mask, mask.len(), number, &mut drawn);
        drawn[0]
    }

    #[test]
    fn few_actions_are_drawn_as_many_are() {
        for length in 1..=8 {
            // One after another, so that each but the last ones is read together with the next.
            let masks: Vec<i8> = (0..1_u32 << length)
                .flat_map(|bits| (0..length).map(move |bit| (bits >> bit & 1) as i8))
                .collect();
            let mut drawn = vec![0; 1 << length];
            for first in (0..50).map(|pass| pass << length) {
                draw_actions(&masks, length, first, &mut drawn);
                for ((mask, drawn), number) in masks.chunks_exact(length).zip(&drawn).zip(first..) {
                    let expected = draw_of_many(mask, mix(number)) as i32;
                    assert_eq!(*drawn, expected, "{mask:?}, {number}");
                }
            }
        }
    }

    #[test]
    fn each_allowed_action_is_drawn_equally_often() {
        let mut drawn = [0; 4];
        for number in 0..3000 {
            drawn[draw(&[1, 0, 1, 1], number) as usize] += 1;
        }
        assert_eq!(drawn[1], 0);
        // Five standard deviations.
        assert!([0, 2, 3].iter().all(|number| (870..1130).contains(&drawn[*number])), "{drawn:?}");
    }
}
