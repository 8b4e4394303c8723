//! A transposition table: what a search has proved about positions it may meet
//! again by another way. One entry a slot; it starts small and doubles up to a
//! bound, so that a short search pays for a small table only.

/// What an entry's value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Bound {
    /// It is the true one.
    #[default]
    Exact,
    /// The true one is no less.
    Least,
    /// The true one is no more.
    Most,
}

/// What is known of one position.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Known {
    pub(crate) value: f64,
    pub(crate) depth: u32,
    /// The index of the best action, as a hint to where to look first.
    pub(crate) best: u16,
    pub(crate) bound: Bound,
    /// No line was cut off at the horizon: the value holds at any depth.
    pub(crate) is_final: bool,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The search that wrote it; 0 is nobody.
    search: u32,
    known: Known,
}

/// The table.
pub(crate) struct Transpositions {
    slots: Vec<Slot>,
    most: usize,
    used: usize,
    search: u32,
}

const LEAST: usize = 1 << 10;

impl Transpositions {
    /// A table of at most `entries`, rounded down to a power of two.
    pub(crate) fn new(entries: usize) -> Self {
        let most = (entries.max(LEAST) + 1).next_power_of_two() / 2;
        Transpositions { slots: Vec::new(), most, used: 0, search: 0 }
    }

    /// Forgets everything: each search stands for itself.
    pub(crate) fn begin_search(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); LEAST];
        }
        self.used = 0;
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::default());
            1
        });
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Known> {
        let slot = &self.slots[key as usize & (self.slots.len() - 1)];
        (slot.key == key && slot.search == self.search).then_some(slot.known)
    }

    /// Keeps what is known, in place of anything less deep or of another position.
    pub(crate) fn put(&mut self, key: u64, known: Known) {
        if self.used * 2 > self.slots.len() && self.slots.len() < self.most {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[key as usize & mask];
        let is_free = slot.search != self.search;
        let is_better = slot.key == key && slot.known.is_final && !known.is_final;
        if is_free || !is_better {
            self.used += usize::from(is_free);
            *slot = Slot { key, search: self.search, known };
        }
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![Slot::default(); old.len() * 2];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.search == self.search) {
            self.slots[slot.key as usize & mask] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: f64) -> Known {
        Known { value, ..Known::default() }
    }

    #[test]
    fn what_is_put_is_found_until_the_next_search() {
        let mut table = Transpositions::new(1 << 12);
        table.begin_search();
        table.put(7, known(1.0));
        assert_eq!(table.get(7), Some(known(1.0)));
        assert_eq!(table.get(7 + (1 << 40)), None);
        table.begin_search();
        assert_eq!(table.get(7), None);
    }

    #[test]
    fn the_table_grows_to_its_bound_and_no_further() {
        let mut table = Transpositions::new(5000);
        table.begin_search();
        for key in 0..100_000u64 {
            table.put(key.wrapping_mul(0x9E37_79B9_7F4A_7C15), known(key as f64));
        }
        assert_eq!(table.slots.len(), 4096);
        assert!(table.slots.iter().filter(|slot| slot.search == 1).count() > 4000);
    }

    #[test]
    fn a_final_value_is_not_given_up_for_a_provisional_one() {
        let mut table = Transpositions::new(LEAST);
        table.begin_search();
        table.put(1, Known { is_final: true, ..known(3.0) });
        table.put(1, known(4.0));
        assert_eq!(table.get(1).unwrap().value, 3.0);
    }
}
