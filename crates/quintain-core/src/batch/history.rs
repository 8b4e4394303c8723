//! What the episodes of a batch were played by, so that they can be saved and played again: states
//! have no form of their own outside memory, and need none.

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

/// The actions of all states, step by step: as far back as an episode in progress goes. They are
/// kept together, since to write to a place of each state's own costs more than to step it.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Bytes of a number.
    width: usize,
    /// Numbers of a step: of all seats of all states.
    row: usize,
    /// The first step that is kept, and the one that comes.
    first: u64,
    next: u64,
    bytes: Vec<u8>,
}

/// Steps after which what nobody needs is dropped.
const DROP_AFTER: u64 = 256;

/// The part of the history that is one episode's.
#[derive(Clone, Debug)]
pub(super) struct Chapter {
    pub(super) origin: u64,
    pub(super) renewals: u64,
    /// The steps that played it: from this one to before that one; open as long as it goes on.
    pub(super) begun: u64,
    pub(super) ended: Option<u64>,
    /// What was played before it was restored, if it was.
    pub(super) before: Vec<u8>,
}

impl Chapter {
    /// The first episode of a state begins with the step that comes.
    pub(super) fn new(origin: u64, begun: u64) -> Chapter {
        Chapter { origin, renewals: 0, begun, ended: None, before: Vec::new() }
    }

    /// The next episode of the same state begins with the step that comes.
    #[inline]
    pub(super) fn begin_next(&mut self, begun: u64) {
        self.renewals += 1;
        self.begun = begun;
        self.ended = None;
        self.before.clear();
    }
}

impl History {
    /// Of so many states of as many seats, in a game whose actions have the numbers below
    /// `actions`.
    pub(super) fn new(states: usize, seats: usize, actions: usize) -> History {
        let width = match actions {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        History { width, row: states * seats, ..History::default() }
    }

    /// The step that comes.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Keeps a step.
    pub(super) fn add(&mut self, numbers: impl Iterator<Item = usize>) {
        if self.width == 1 {
            self.bytes.extend(numbers.map(|number| number as u8));
        } else {
            for number in numbers {
                self.bytes.extend_from_slice(&(number as u32).to_le_bytes()[..self.width]);
            }
        }
        self.next += 1;
    }

    /// Whether it is time to drop what nobody needs.
    pub(super) fn is_long(&self) -> bool {
        self.next - self.first >= DROP_AFTER && self.next.is_multiple_of(DROP_AFTER)
    }

    /// Drops what was before a step.
    pub(super) fn drop_before(&mut self, step: u64) {
        let steps = (step - self.first) as usize;
        self.bytes.drain(..steps * self.row * self.width);
        self.first = step;
    }

    /// The actions of one state's episode.
    pub(super) fn actions(&self, state: usize, seats: usize, chapter: &Chapter) -> Vec<u8> {
        let one = seats * self.width;
        let steps = chapter.begun - self.first..chapter.ended.unwrap_or(self.next) - self.first;
        let at = |step: u64| step as usize * self.row * self.width + state * one;
        let since = steps.flat_map(|step| &self.bytes[at(step)..][..one]);
        chapter.before.iter().chain(since).copied().collect()
    }

    /// The numbers of what was saved; nothing if they are not those of whole turns.
    pub(super) fn read(&self, actions: &[u8], seats: usize) -> Option<Vec<i64>> {
        let read = |bytes: &[u8]| {
            bytes.iter().rev().fold(0, |number, byte| number << 8 | i64::from(*byte))
        };
        let whole = actions.len().is_multiple_of(self.width * seats);
        whole.then(|| actions.chunks_exact(self.width).map(read).collect())
    }
}
