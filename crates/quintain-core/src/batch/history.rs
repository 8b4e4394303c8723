//! What an episode was played by, so that it can be saved and played again: states have no form
//! of their own outside memory, and need none.

/// An episode that can be [restored](crate::AnyBatch::restore).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedEpisode {
    /// The seed of the first episode, from which those of the next ones are drawn.
    pub origin: u64,
    /// How many episodes have begun since.
    pub renewals: u64,
    /// The seed of this one.
    pub seed: u64,
    /// The numbers of all actions: turn by turn, seat by seat, in as many bytes each (the lowest
    /// first) as the greatest number takes.
    pub actions: Vec<u8>,
}

/// The history of one state.
pub(super) struct History {
    origin: u64,
    renewals: u64,
    seed: u64,
    actions: Vec<u8>,
    /// Bytes of a number.
    width: usize,
}

impl History {
    /// An episode that has just begun, of a game whose actions have the numbers below `actions`.
    pub(super) fn new(seed: u64, actions: usize) -> History {
        let width = match actions {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        History { origin: seed, renewals: 0, seed, actions: Vec::new(), width }
    }

    /// The next episode of the same state begins, on this seed.
    #[inline]
    pub(super) fn begin_next(&mut self, seed: u64) {
        self.renewals += 1;
        self.seed = seed;
        self.actions.clear();
    }

    /// The episode goes on from one that was begun before.
    pub(super) fn continue_from(&mut self, saved: &SavedEpisode) {
        self.origin = saved.origin;
        self.renewals = saved.renewals;
    }

    /// Keeps a turn.
    #[inline]
    pub(super) fn add(&mut self, numbers: impl Iterator<Item = usize>) {
        if self.width == 1 {
            self.actions.extend(numbers.map(|number| number as u8));
        } else {
            for number in numbers {
                self.actions.extend_from_slice(&(number as u32).to_le_bytes()[..self.width]);
            }
        }
    }

    pub(super) fn save(&self) -> SavedEpisode {
        SavedEpisode {
            origin: self.origin,
            renewals: self.renewals,
            seed: self.seed,
            actions: self.actions.clone(),
        }
    }

    /// The numbers of what was saved; nothing if they are not those of whole turns.
    pub(super) fn read(&self, saved: &SavedEpisode, seats: usize) -> Option<Vec<i64>> {
        let read = |bytes: &[u8]| {
            bytes.iter().rev().fold(0, |number, byte| number << 8 | i64::from(*byte))
        };
        let whole = saved.actions.len() % (self.width * seats) == 0;
        whole.then(|| saved.actions.chunks_exact(self.width).map(read).collect())
    }
}
