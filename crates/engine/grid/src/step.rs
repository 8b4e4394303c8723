//! One step in all four directions: the inner loop of every flood.
//!
//! [`portable`] defines the computation and runs anywhere. For it, the compiler keeps the lanes of
//! a small board in scattered registers: a territory flood of a 15×15 board then takes three times
//! as long as with the SSE2 of every x86-64 processor, in which a step north or south is a byte
//! shift. So the SSE2 version is written out; the tests compare the two.

/// The cells one step from those of the board.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub(crate) fn portable<L: crate::lane::Lane, const N: usize>(lanes: &[L; N]) -> [L; N] {
    std::array::from_fn(|row| {
        let above = if row > 0 { lanes[row - 1] } else { L::ZERO };
        let below = if row + 1 < N { lanes[row + 1] } else { L::ZERO };
        lanes[row] << 1 | lanes[row] >> 1 | above | below
    })
}

macro_rules! step {
    ($name:ident, $lane:ty, $bytes:literal, $rest:literal, $double:ident, $halve:ident) => {
        /// The cells one step from those of a board of such lanes.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        pub(crate) fn $name<const N: usize>(lanes: &[$lane; N]) -> [$lane; N] {
            use std::arch::x86_64::*;
            const LANES: usize = size_of::<__m128i>() / size_of::<$lane>();
            const { assert!(N >= LANES && N.is_multiple_of(LANES)) };
            let mut stepped = [0; N];
            // SAFETY: SSE2 is part of x86-64. `load` and the store touch the
            // 16 bytes of the lanes `chunk * LANES..(chunk + 1) * LANES`, which lie
            // within the N lanes for every `chunk < N / LANES`; neither needs
            // alignment.
            unsafe {
                let load = |chunk: usize| {
                    _mm_loadu_si128(lanes.as_ptr().add(chunk * LANES).cast::<__m128i>())
                };
                for chunk in 0..N / LANES {
                    let here = load(chunk);
                    let mut near = _mm_or_si128($double(here, here), $halve::<1>(here));
                    near = _mm_or_si128(near, _mm_slli_si128::<$bytes>(here));
                    near = _mm_or_si128(near, _mm_srli_si128::<$bytes>(here));
                    if chunk > 0 {
                        near = _mm_or_si128(near, _mm_srli_si128::<$rest>(load(chunk - 1)));
                    }
                    if chunk + 1 < N / LANES {
                        near = _mm_or_si128(near, _mm_slli_si128::<$rest>(load(chunk + 1)));
                    }
                    _mm_storeu_si128(stepped.as_mut_ptr().add(chunk * LANES).cast(), near);
                }
            }
            stepped
        }

        #[cfg(not(target_arch = "x86_64"))]
        pub(crate) use portable as $name;
    };
}
step!(of_16, u16, 2, 14, _mm_add_epi16, _mm_srli_epi16);
step!(of_32, u32, 4, 12, _mm_add_epi32, _mm_srli_epi32);
step!(of_64, u64, 8, 8, _mm_add_epi64, _mm_srli_epi64);

/// The cells one step from those of a board of such lanes.
#[inline(always)]
pub(crate) fn of_128<const N: usize>(lanes: &[u128; N]) -> [u128; N] {
    let mut stepped = lanes.map(|lane| lane << 1 | lane >> 1);
    for row in 1..N {
        stepped[row - 1] |= lanes[row];
        stepped[row] |= lanes[row - 1];
    }
    stepped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_width_steps_as_the_portable_form(seed in prop::array::uniform32(any::<u128>())) {
            let narrow = seed.map(|lane| lane as u16);
            prop_assert_eq!(of_16(&narrow), portable(&narrow));
            let narrow = seed.map(|lane| lane as u32);
            prop_assert_eq!(of_32(&narrow), portable(&narrow));
            let narrow = seed.map(|lane| lane as u64);
            prop_assert_eq!(of_64(&narrow), portable(&narrow));
            prop_assert_eq!(of_128(&seed), portable(&seed));
        }
    }
}
