//! Random numbers with an address. Every stream is derived from a match's seed
//! and a purpose, by BLAKE3, and drawn by xoshiro256++ (Blackman & Vigna 2019),
//! so the same seed gives the same draws on every platform and thread.
//!
//! Ranges, shuffles and weighted choices are implemented here and tested on vectors, because
//! libraries may change theirs between versions.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::seat::Seat;

/// The streams of one match. Different players on the same seed get the same start and the same
/// chance: the addresses name the seed, not the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of the match with this seed.
    pub fn new(seed: u64) -> Self {
        Streams { seed }
    }

    /// The stream for what the scenario leaves open at the start.
    pub fn start(self) -> Rng {
        self.address("start", 0)
    }

    /// The stream of chance during the match.
    pub fn chance(self) -> Rng {
        // Existing records fix this address: with another word, chance would be different.
        self.address("nature", 0)
    }

    /// The stream of the player at `seat`.
    pub fn player(self, seat: Seat) -> Rng {
        self.address("player", seat.index() as u64)
    }

    /// The seed that the player at `seat` is given: the first draw of its own stream. The match's
    /// seed cannot be computed from it, but a small one can be found by trying.
    pub fn player_seed(self, seat: Seat) -> u64 {
        self.player(seat).peek()
    }

    /// Any other stream: `purpose` names it, `index` numbers it.
    pub fn address(self, purpose: &str, index: u64) -> Rng {
        let (seed, index) = (self.seed.to_le_bytes(), index.to_le_bytes());
        // Hashed in one piece: an incremental hasher has two kilobytes to initialize.
        let address = [b"quintain stream 1\0", &seed[..], &index, purpose.as_bytes()].concat();
        Rng(Xoshiro256PlusPlus::from_seed(*blake3::hash(&address).as_bytes()))
    }
}

/// A stream of random numbers. Cloning one repeats it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// A stream that belongs to no match, for tests, benches and generators.
    pub fn from_seed(seed: u64) -> Self {
        Streams::new(seed).address("free", 0)
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// The next bits, without taking them from the stream.
    pub fn peek(&self) -> u64 {
        self.clone().bits()
    }

    /// A new stream, seeded from this one.
    pub fn split(&mut self) -> Rng {
        Rng::from_seed(self.bits())
    }

    /// A uniform number in `0..bound` (Lemire 2019: multiply, reject the short part).
    ///
    /// # Panics
    /// If `bound` is 0 or above 2³².
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound != 0, "a number below 0 was asked for");
        let bound = u32::try_from(bound).expect("bounds of random numbers fit 32 bits");
        let mut product = u64::from(self.bits() as u32) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.bits() as u32) * u64::from(bound);
            }
        }
        (product >> 32) as usize
    }

    /// A number in `0.0..1.0`, a multiple of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One of `items`, uniformly; `None` if `items` is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// An index drawn in proportion to `weights`, which must be neither negative nor all 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.unit() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
    }

    /// Puts `items` in random order, all orders equally likely (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut rng = Streams::new(7).chance();
        let bits: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(bits, [11438134557089679618, 6452665400688223556, 2344491514955765354]);
        let below: Vec<usize> = (0..10).map(|_| rng.below(10)).collect();
        assert_eq!(below, [8, 6, 6, 3, 1, 3, 5, 6, 4, 5]);
        assert_eq!(rng.unit(), 0.5612486961669563);
        let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
        rng.shuffle(&mut items);
        assert_eq!(items, [7, 1, 6, 5, 2, 4, 0, 3]);
        let drawn: Vec<usize> = (0..8).map(|_| rng.weighted(&[1.0, 0.0, 3.0])).collect();
        assert_eq!(drawn, [2, 2, 2, 2, 2, 0, 2, 0]);
    }

    #[test]
    fn different_addresses_are_different_streams() {
        let streams = Streams::new(1);
        let mut firsts = vec![
            streams.start().bits(),
            streams.chance().bits(),
            streams.player(Seat::new(0)).bits(),
            streams.player(Seat::new(1)).bits(),
            Streams::new(2).start().bits(),
        ];
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut rng = Rng::from_seed(3);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        let chi_square: f64 =
            counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        // 0.999 quantile of chi-square with 6 degrees of freedom.
        assert!(chi_square < 22.46, "{counts:?}");
    }

    #[test]
    fn zero_weights_are_never_drawn() {
        let mut rng = Rng::from_seed(4);
        assert!((0..1000).all(|_| rng.weighted(&[0.0, 2.0, 0.0]) == 1));
    }
}
