//! A table of values by key, of bounded size. A value that is pushed out is computed again when it
//! is needed, so the bound costs time only.

use quintain_core::GOLDEN_GAMMA;

/// The number of places that a key may have.
const WAYS: usize = 4;
/// The key of an empty place. No position has it: two heads are never in the same cell.
const NONE: [u64; 2] = [0; 2];

/// A place: the two halves of the key, and the value.
type Place = ([u64; 2], f64);

/// What a place takes, in bytes.
pub(crate) const PLACE: usize = size_of::<Place>();

/// Values by key.
#[derive(Debug)]
pub(crate) struct Table {
    places: Vec<Place>,
    /// The place in its group where the next value goes that finds none empty.
    next: usize,
}

impl Table {
    /// A table that takes at most this many bytes; untouched parts of it take none.
    pub(crate) fn new(bytes: usize) -> Table {
        let groups = (bytes / PLACE / WAYS).max(1);
        let groups = if groups.is_power_of_two() { groups } else { groups.next_power_of_two() / 2 };
        Table { places: vec![(NONE, 0.0); groups * WAYS], next: 0 }
    }

    fn group(&self, [low, high]: [u64; 2]) -> usize {
        let groups = self.places.len() / WAYS;
        let shift = u64::BITS - groups.trailing_zeros();
        let mixed =
            (low.wrapping_mul(GOLDEN_GAMMA).rotate_left(32) ^ high).wrapping_mul(GOLDEN_GAMMA);
        WAYS * mixed.checked_shr(shift).unwrap_or(0) as usize
    }

    /// All values that are there, in no particular order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u128, f64)> {
        let known = self.places.iter().filter(|(key, _)| *key != NONE);
        known
            .map(|([low, high], value)| (u128::from(*low) | u128::from(*high) << u64::BITS, *value))
    }

    /// The value of a key, if it is there.
    #[inline]
    pub(crate) fn get(&self, key: u128) -> Option<f64> {
        let key = halves(key);
        let group = self.group(key);
        let places = &self.places[group..group + WAYS];
        places.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Keeps a value; another one may have to go.
    pub(crate) fn put(&mut self, key: u128, value: f64) {
        let key = halves(key);
        let group = self.group(key);
        let places = &mut self.places[group..group + WAYS];
        let own = places.iter().position(|(known, _)| *known == key || *known == NONE);
        let own = own.unwrap_or_else(|| {
            self.next = (self.next + 1) % WAYS;
            self.next
        });
        places[own] = (key, value);
    }
}

fn halves(key: u128) -> [u64; 2] {
    [key as u64, (key >> u64::BITS) as u64]
}
