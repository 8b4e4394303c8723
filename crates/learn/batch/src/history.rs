//! The actions that the episodes of a batch were played with, so that episodes can be saved and
//! played again. States have no form outside memory and need none.

use crate::action_numbers::ActionNumbers;

/// An episode that can be [restored](crate::AnyBatch::restore).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedEpisode {
    /// The seed of the first episode, from which those of the next ones are drawn.
    pub origin: u64,
    /// How many episodes have begun since.
    pub renewals: u64,
    /// The seed of this one.
    pub seed: u64,
    /// The numbers of all actions, turn by turn, seat by seat. Each takes as many bytes as the
    /// greatest number needs, the lowest byte first.
    pub actions: Vec<u8>,
}

/// The actions of all states, step by step, as far back as an episode in progress goes. They are
/// kept together, since writing to a separate place for each state costs more than stepping it.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The bytes per number.
    width: usize,
    /// The numbers per step, for all seats of all states.
    row: usize,
    /// The first step that is kept, and the next step.
    first: u64,
    next: u64,
    bytes: Vec<u8>,
}

/// In place of an action's number: the state does not move on this step. No action has this number,
/// however many bytes of it are kept.
pub(crate) const IDLE: usize = usize::MAX;

/// The number of steps after which steps that are no longer needed are dropped.
const DROP_AFTER: u64 = 256;

/// The part of the history that belongs to one episode.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    pub(crate) origin: u64,
    pub(crate) renewals: u64,
    /// The steps that played it: from `begun` up to but not including `ended`, which is none as
    /// long as it goes on.
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    /// What was played before it was restored, if it was restored.
    pub(crate) before: Vec<u8>,
}

impl Chapter {
    /// The first episode of a state, which begins with the step `begun`.
    pub(crate) fn new(origin: u64, begun: u64) -> Chapter {
        Chapter { origin, renewals: 0, begun, ended: None, before: Vec::new() }
    }

    /// Begins the next episode of the same state with the step `begun`.
    #[inline]
    pub(crate) fn begin_next(&mut self, begun: u64) {
        self.renewals += 1;
        self.begun = begun;
        self.ended = None;
        self.before.clear();
    }
}

impl History {
    /// A history of `states` states with `seats` seats each, in a game whose actions have numbers
    /// below `actions`.
    pub(crate) fn new(states: usize, seats: usize, actions: usize) -> History {
        let width = match actions {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        };
        History { width, row: states * seats, ..History::default() }
    }

    /// The next step.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Appends a step. [`IDLE`] stands for the actions of a state that does not move.
    pub(crate) fn add(&mut self, numbers: impl Iterator<Item = usize>) {
        if self.width == 1 {
            self.bytes.extend(numbers.map(|number| number as u8));
        } else {
            for number in numbers {
                self.bytes.extend_from_slice(&(number as u32).to_le_bytes()[..self.width]);
            }
        }
        self.next += 1;
    }

    /// Appends a step in which every state moves.
    pub(crate) fn add_all(&mut self, numbers: ActionNumbers<'_>) {
        match numbers {
            ActionNumbers::Long(all) => self.add(all.iter().map(|number| *number as usize)),
            ActionNumbers::Int(all) => self.add(all.iter().map(|number| *number as usize)),
            ActionNumbers::Byte(all) => self.add(all.iter().map(|number| usize::from(*number))),
        }
    }

    /// Whether it is time to drop steps that are no longer needed.
    pub(crate) fn is_long(&self) -> bool {
        self.next - self.first >= DROP_AFTER && self.next.is_multiple_of(DROP_AFTER)
    }

    /// Drops all steps before `step`.
    pub(crate) fn drop_before(&mut self, step: u64) {
        let steps = (step - self.first) as usize;
        self.bytes.drain(..steps * self.row * self.width);
        self.first = step;
    }

    /// The actions of one state's episode.
    pub(crate) fn actions(&self, state: usize, seats: usize, chapter: &Chapter) -> Vec<u8> {
        let one = seats * self.width;
        let steps = chapter.begun - self.first..chapter.ended.unwrap_or(self.next) - self.first;
        let at = |step: u64| step as usize * self.row * self.width + state * one;
        let since = steps.map(|step| &self.bytes[at(step)..][..one]);
        // The first number tells: a state moves with all of its seats or not at all.
        let moved = since.filter(|turn| turn[..self.width].iter().any(|byte| *byte != u8::MAX));
        chapter.before.iter().chain(moved.flatten()).copied().collect()
    }

    /// Makes the actions of the states `targets` those of the states `sources`, in pairs, as they
    /// are before any is overwritten.
    pub(crate) fn copy(&mut self, sources: &[usize], targets: &[usize], seats: usize) {
        let one = seats * self.width;
        let mut taken = Vec::with_capacity(sources.len() * one);
        for step in self.bytes.chunks_exact_mut((self.row * self.width).max(1)) {
            taken.clear();
            for source in sources {
                taken.extend_from_slice(&step[source * one..][..one]);
            }
            for (target, actions) in targets.iter().zip(taken.chunks_exact(one)) {
                step[target * one..][..one].copy_from_slice(actions);
            }
        }
    }

    /// Reads the numbers of saved actions; none if they are not those of whole turns.
    pub(crate) fn read(&self, actions: &[u8], seats: usize) -> Option<Vec<i64>> {
        let read = |bytes: &[u8]| {
            bytes.iter().rev().fold(0, |number, byte| number << 8 | i64::from(*byte))
        };
        let whole = actions.len().is_multiple_of(self.width * seats);
        whole.then(|| actions.chunks_exact(self.width).map(read).collect())
    }
}
