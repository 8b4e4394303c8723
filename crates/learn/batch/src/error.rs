//! Why a batch could not go on.

/// After this many episodes in a row that are over before a learner's first turn, no more are
/// tried.
pub(crate) const MAX_SKIPPED: usize = 1000;

/// Why a batch could not go on. Its states can then only be reset, by
/// [`AnyBatch::reset`](crate::AnyBatch::reset).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The flag in [`BatchOptions::stop`](crate::BatchOptions::stop) was set.
    #[error("it was stopped")]
    Stopped,
    /// No episode was found in which a learner moves.
    #[error(
        "state {state}: {MAX_SKIPPED} episodes in a row, the last with seed {seed}, ended before \
         the learner's first turn"
    )]
    NoTurn {
        /// The state.
        state: usize,
        /// The seed of the last episode that was tried.
        seed: u64,
    },
    /// What was saved is not an episode of this game.
    #[error("state {state}: its episode cannot be played")]
    Unplayable {
        /// The first such state.
        state: usize,
    },
    /// There is not enough memory for so many states.
    #[error("there is not enough memory for so many states")]
    Memory,
}

/// What went wrong with one state, which does not know its own index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StateError {
    /// No episode was found in which a learner moves; contains the seed that was tried last.
    NoTurn(u64),
    Unplayable,
}

impl StateError {
    /// The error for the batch, given the index of the state.
    pub(crate) fn of(self, state: usize) -> BatchError {
        match self {
            StateError::NoTurn(seed) => BatchError::NoTurn { state, seed },
            StateError::Unplayable => BatchError::Unplayable { state },
        }
    }
}
