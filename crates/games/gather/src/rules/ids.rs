//! Masked ids: the number under which each seat sees each other seat.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use quintain_core::Rng;

/// The key of a seat that sees the others in the order of seats; such a mask needs no draw.
pub(crate) const IN_ORDER: u64 = 0;

/// The mapping of every seat. A mapping follows from its key and is computed when it is first
/// needed: all of them together take 200 MB with 10 000 seats.
#[derive(Debug)]
pub(crate) struct Ids {
    masked: bool,
    keys: Vec<u64>,
    tables: Vec<OnceLock<Box<[u16]>>>,
    /// The same for sets, computed when first needed: see [`Ids::of_sets`].
    sets: Vec<OnceLock<Sets>>,
}

/// For every four seats and each subset of them, the set of their ids.
type Sets = Box<[[u64; 16]]>;

impl Ids {
    /// Everybody has the number of its seat as id, even to itself.
    pub(crate) fn in_order(seats: usize) -> Ids {
        Ids::with_keys(false, vec![IN_ORDER; seats])
    }

    /// Everybody is 0 to itself and sees the others under numbers drawn from `rng`.
    pub(crate) fn with_random_masks(seats: usize, rng: &mut Rng) -> Ids {
        Ids::with_keys(true, (0..seats).map(|_| rng.bits() | 1).collect())
    }

    /// Creates the mappings from their keys.
    pub(crate) fn with_keys(masked: bool, keys: Vec<u64>) -> Ids {
        let tables = keys.iter().map(|_| OnceLock::new()).collect();
        let sets = keys.iter().map(|_| OnceLock::new()).collect();
        Ids { masked, keys, tables, sets }
    }

    /// Returns the number under which `seat` sees each seat.
    #[inline]
    pub(crate) fn of(&self, seat: usize) -> &[u16] {
        self.tables[seat].get_or_init(|| self.table(seat))
    }

    /// Returns the ids under which `seat` sees sets of seats, for at most 64 seats: for every four
    /// seats and each subset of these four.
    #[inline]
    pub(crate) fn of_sets(&self, seat: usize) -> &[[u64; 16]] {
        self.sets[seat].get_or_init(|| {
            let sets = |ids: &[u16]| {
                std::array::from_fn(|set| {
                    let ids = ids.iter().enumerate();
                    ids.fold(0, |all, (place, id)| all | (set as u64 >> place & 1) << *id)
                })
            };
            self.of(seat).chunks(4).map(sets).collect()
        })
    }

    fn table(&self, seat: usize) -> Box<[u16]> {
        let seats = self.keys.len();
        if !self.masked {
            return (0..seats).map(|other| other as u16).collect();
        }
        let mut others: Vec<u16> = (1..seats).map(|id| id as u16).collect();
        if self.keys[seat] != IN_ORDER {
            Rng::from_seed(self.keys[seat]).shuffle(&mut others);
        }
        others.insert(seat, 0);
        others.into()
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Ids) -> bool {
        (self.masked, &self.keys) == (other.masked, &other.keys)
    }
}

impl Eq for Ids {}

impl Hash for Ids {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.masked.hash(state);
        self.keys.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_gives_every_other_seat_a_number_of_its_own_and_oneself_none() {
        let ids = Ids::with_random_masks(70, &mut Rng::from_seed(1));
        for seat in 0..70 {
            let mut numbers = ids.of(seat).to_vec();
            assert_eq!(numbers[seat], 0);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..70));
        }
        assert_ne!(ids.of(0)[2..], ids.of(1)[2..]);
    }
}
