//! The bounded list of the best entries of a position, which keeps the search from growing with the
//! number of texts.

/// The most entries that a position holds.
pub(in crate::players::champion) const LONGEST: usize = 24;

/// No entry.
pub(super) const NO_ENTRY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// Points so far and the value of the node, in parts of a point.
    pub(super) rank: i32,
    /// The number of the entry.
    pub(super) entry: u32,
    pub(super) node: u16,
}

/// The best entries of one position, one for each node of the automaton.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// In no order: taking an entry looks through all of them for its node anyway, and sees the
    /// worst on the way.
    slots: [Slot; LONGEST],
    pub(super) length: u8,
    best: i32,
    /// Entries that are not worth more than this are refused. It is kept ready, since most entries
    /// are refused.
    pub(super) floor: i32,
}

pub(super) const EMPTY: List = List {
    slots: [Slot { rank: 0, entry: 0, node: 0 }; LONGEST],
    length: 0,
    best: i32::MIN,
    floor: i32::MIN,
};

impl List {
    #[inline]
    pub(super) fn clear(&mut self) {
        (self.length, self.best, self.floor) = (0, i32::MIN, i32::MIN);
    }

    /// The entries held, in no order.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots[..usize::from(self.length)]
    }

    /// Takes an entry if it is among the best `most` and within `margin` of the best. Returns the
    /// number of the entry that it displaces, or [`NO_ENTRY`] if there was room.
    ///
    /// Two entries of the same node have the same future, so the better one replaces the other even
    /// if there is room. It is ignored that they may have spoken different phrases: telling these
    /// apart would multiply the states for little gain.
    #[inline]
    pub(super) fn take(&mut self, slot: Slot, most: usize, margin: i32) -> Option<u32> {
        if slot.rank <= self.floor {
            return None;
        }
        let length = usize::from(self.length);
        let mut worst = 0;
        let mut worst_rank = i32::MAX;
        let mut same = None;
        for (index, known) in self.slots[..length].iter().enumerate() {
            if known.node == slot.node {
                same = Some(index);
                break;
            }
            if known.rank < worst_rank {
                worst_rank = known.rank;
                worst = index;
            }
        }
        let driven = match same {
            Some(index) if self.slots[index].rank >= slot.rank => return None,
            Some(index) => std::mem::replace(&mut self.slots[index], slot).entry,
            None if length < most => {
                self.slots[length] = slot;
                self.length += 1;
                NO_ENTRY
            }
            None if worst_rank < slot.rank => std::mem::replace(&mut self.slots[worst], slot).entry,
            None => return None,
        };
        self.best = self.best.max(slot.rank);
        self.floor = self.best.saturating_sub(margin);
        if usize::from(self.length) == most {
            let worst = self.slots[..most].iter().map(|slot| slot.rank).min();
            self.floor = self.floor.max(worst.unwrap_or(i32::MIN));
        }
        Some(driven)
    }
}
