//! A transposition table: what a search has proved about positions that it may reach again by other
//! moves. Each slot has one entry; the table starts small and doubles up to its capacity, so that a
//! short search pays only for a small table.

/// How an entry's value relates to the true value, depending on whether the search that made it
/// ended within its window, above or below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Bound {
    /// The true value.
    #[default]
    Exact,
    /// The true value is this or greater.
    Lower,
    /// The true value is this or less.
    Upper,
}

/// What was proved about one position.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct TableEntry {
    pub(crate) value: f64,
    /// The number of turns looked ahead from the position.
    pub(crate) depth: u32,
    /// The index of the best action, as a hint for the order of moves.
    pub(crate) best: u16,
    pub(crate) bound: Bound,
    /// No line was cut off at the horizon: the value holds at any depth.
    pub(crate) is_final: bool,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The number of the search that wrote the entry; 0 if none did.
    search: u32,
    entry: TableEntry,
}

/// The table; its number of slots is a power of two.
pub(crate) struct TranspositionTable {
    slots: Vec<Slot>,
    capacity: usize,
    used: usize,
    search: u32,
}

/// The number of slots in the beginning.
const SMALLEST: usize = 1 << 10;

impl TranspositionTable {
    /// A table of at most `entries`, rounded down to a power of two.
    pub(crate) fn new(entries: usize) -> Self {
        let capacity = (entries.max(SMALLEST) + 1).next_power_of_two() / 2;
        TranspositionTable { slots: Vec::new(), capacity, used: 0, search: 0 }
    }

    /// Forgets everything, so that searches do not depend on each other. Entries of other searches
    /// are recognized by their numbers, so nothing needs to be cleared.
    pub(crate) fn begin_search(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); SMALLEST];
        }
        self.used = 0;
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::default());
            1
        });
    }

    /// The entry of the position with this key, if there is one.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<TableEntry> {
        let slot = &self.slots[key as usize & (self.slots.len() - 1)];
        (slot.key == key && slot.search == self.search).then_some(slot.entry)
    }

    /// Stores an entry in place of whatever its slot holds. But a final entry of the same position
    /// is not replaced by a value that depends on the horizon.
    pub(crate) fn put(&mut self, key: u64, entry: TableEntry) {
        if self.used * 2 > self.slots.len() && self.slots.len() < self.capacity {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[key as usize & mask];
        let is_free = slot.search != self.search;
        let holds_final = slot.key == key && slot.entry.is_final && !entry.is_final;
        if is_free || !holds_final {
            self.used += usize::from(is_free);
            *slot = Slot { key, search: self.search, entry };
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
    use quintain_core::GOLDEN_GAMMA;

    fn entry(value: f64) -> TableEntry {
        TableEntry { value, ..TableEntry::default() }
    }

    #[test]
    fn entries_are_found_until_the_next_search() {
        let mut table = TranspositionTable::new(1 << 12);
        table.begin_search();
        table.put(7, entry(1.0));
        assert_eq!(table.get(7), Some(entry(1.0)));
        assert_eq!(table.get(7 + (1 << 40)), None);
        table.begin_search();
        assert_eq!(table.get(7), None);
    }

    #[test]
    fn the_table_grows_to_its_bound_and_no_further() {
        let mut table = TranspositionTable::new(5000);
        table.begin_search();
        for key in 0..100_000u64 {
            table.put(key.wrapping_mul(GOLDEN_GAMMA), entry(key as f64));
        }
        assert_eq!(table.slots.len(), 4096);
        assert!(table.slots.iter().filter(|slot| slot.search == 1).count() > 4000);
    }

    #[test]
    fn a_final_value_is_not_given_up_for_a_provisional_one() {
        let mut table = TranspositionTable::new(SMALLEST);
        table.begin_search();
        table.put(1, TableEntry { is_final: true, ..entry(3.0) });
        table.put(1, entry(4.0));
        assert_eq!(table.get(1).unwrap().value, 3.0);
    }
}
