//! The transposition table: what the search found out about positions.

use quintain_core::split_mix;
use quintain_grid::Cell;

/// How a stored value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known about one position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    pub(super) value: i32,
    pub(super) depth: u8,
    pub(super) bound: Bound,
    /// Our best direction, numbered as in `Direction::ALL`; 4 means unknown.
    pub(super) direction: u8,
}

/// A table with one entry per slot; a newer entry replaces the older one.
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// Creates a table of two to the power of `bits` entries.
    pub(super) fn new(bits: u32) -> Table {
        // An empty slot has the complement of its own number as key. No position in that slot has
        // this key, so empty slots match nothing.
        let entries = (0..1u64 << bits)
            .map(|slot| Entry {
                key: !slot,
                value: 0,
                depth: 0,
                bound: Bound::AtMost,
                direction: 4,
            })
            .collect();
        Table { entries }
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let entry = self.entries[self.slot(key)];
        (entry.key == key).then_some(entry)
    }

    pub(super) fn put(&mut self, key: u64, value: i32, depth: u32, bound: Bound, direction: u8) {
        let slot = self.slot(key);
        self.entries[slot] = Entry { key, value, depth: depth.min(255) as u8, bound, direction };
    }
}

/// Random numbers per cell, whose sum modulo 2 identifies a position (Zobrist, 1970).
pub(super) struct Keys {
    width: usize,
    keys: Vec<u64>,
}

impl Keys {
    /// Creates keys for a board of `height` rows and `width` columns.
    pub(super) fn new(height: usize, width: usize) -> Keys {
        Keys { width, keys: (1..).map(split_mix).take(3 * height * width).collect() }
    }

    fn at(&self, kind: usize, cell: Cell) -> u64 {
        self.keys[3 * (cell.row as usize * self.width + cell.col as usize) + kind]
    }

    /// The key of a cell that is no longer free.
    pub(super) fn cell_key(&self, cell: Cell) -> u64 {
        self.at(2, cell)
    }

    /// The key of a player's head.
    pub(super) fn head(&self, player: usize, cell: Cell) -> u64 {
        self.at(player, cell)
    }
}
