//! The interface of batches of any game, for the code that steps them.

use quintain_core::ui::Scene;
use quintain_core::{Layout, Seat, View};
use quintain_search::puct::Options;
use serde_json::Value;

use crate::action_numbers::ActionNumbers;
use crate::arrays::Arrays;
use crate::error::BatchError;
use crate::history::SavedEpisode;
use crate::search::{SearchError, Searches};
use crate::sharing::HelperThreads;

/// A batch of states of one game, of whatever type, for vectorised learners.
///
/// If an episode is over before a learner's first turn (opponents can end it), it is skipped and
/// the state's next episode begins. So every state that has just begun waits for an action.
pub trait AnyBatch: Send + Sync {
    /// The shapes of actions and observations.
    fn layout(&self) -> &Layout;

    /// Begins the match of each seed. From now on, there are as many states as seeds.
    ///
    /// # Errors
    /// If it is stopped, or no episode is found in which the learner has a turn.
    fn reset(
        &mut self,
        seeds: &[u64],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Adds states that begin the matches of more seeds; `arrays` are the arrays of the new
    /// states alone. With it, a large batch is begun bit by bit, so that the caller can see what
    /// the states take.
    ///
    /// # Errors
    /// As [`AnyBatch::reset`].
    ///
    /// # Panics
    /// If a turn was played since the batch was reset.
    fn extend(
        &mut self,
        seeds: &[u64],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Begins new matches in some states: the match of a seed, if one is given, otherwise the
    /// state's own next match. The other states stay as they are.
    ///
    /// # Errors
    /// As [`AnyBatch::reset`].
    fn reset_some(
        &mut self,
        which: &[bool],
        seeds: Option<&[u64]>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Plays a turn in every state; `actions` has a number for each (state, seat). If an episode
    /// ends, the next one begins at once if
    /// [`BatchOptions::autoreset`](crate::BatchOptions::autoreset) is set.
    ///
    /// # Errors
    /// As [`AnyBatch::reset`].
    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Plays a turn in the states that `which` marks, as [`AnyBatch::step`] does; nothing happens
    /// in the others.
    ///
    /// # Errors
    /// As [`AnyBatch::reset`].
    fn step_some(
        &mut self,
        which: &[bool],
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Makes the states `targets` copies of the states `sources`, in pairs: the position, its
    /// chance, and the seeds of its next episodes. All copies are taken before any state is
    /// overwritten. The arrays are the caller's to copy.
    ///
    /// # Panics
    /// If there are opponents, which cannot be copied.
    fn copy_states(&mut self, sources: &[usize], targets: &[usize]);

    /// Begins a search in every state whose episode is not over, for [`Options::simulations`]. It
    /// has copies of the states, so the batch may go on meanwhile. Equal seeds and equal
    /// evaluations give equal results.
    ///
    /// # Errors
    /// If there are opponents, or the encoding's actions are parts of moves.
    fn search(&self, options: &Options, seed: u64) -> Result<Box<dyn Searches>, SearchError>;

    /// The drawing of a state, as the referee or one seat sees it.
    fn scene(&self, index: usize, observer: Option<Seat>) -> Scene;

    /// Whether a state's episode has ended and no action is possible.
    fn is_over(&self, index: usize) -> bool;

    /// Whether a seat must move now.
    fn is_acting(&self, index: usize, seat: Seat) -> bool;

    /// The seat that moves, where seats move one after another and the episode is not over.
    fn mover(&self, index: usize) -> Option<Seat>;

    /// The seat whose illegal action was the last turn of a state, if it was one. If the next
    /// episode has begun since, this is still about the last turn.
    fn offender(&self, index: usize) -> Option<Seat>;

    /// The score of a seat in the position of a state.
    fn score(&self, index: usize, seat: Seat) -> f64;

    /// Whether a seat is still in the game.
    fn is_alive(&self, index: usize, seat: Seat) -> bool;

    /// What a seat sees of a state, in the game's JSON form.
    fn observation(&self, index: usize, seat: Seat) -> Value;

    /// Writes what a seat sees of a state, and which actions it may take, as [`AnyBatch::encode`]
    /// does for the seat's observation. Once the episode is over, it may take none.
    fn write_seat(&self, index: usize, seat: Seat, view: &mut View<'_>, mask: &mut [i8]);

    /// The parameter of a state's episode that is not in the scenario's text: the instance, if
    /// every episode draws its own.
    fn instance(&self, index: usize) -> Option<(&'static str, u64)>;

    /// The learner's seat in a state, if opponents play the others.
    fn learner(&self, index: usize) -> Option<Seat>;

    /// Whether matches of different seeds can differ: in their start, their chance, or the instance
    /// that is played.
    fn depends_on_seed(&self) -> bool;

    /// Writes an observation in the game's JSON form as a learner that plays this seat alone reads
    /// it (see [`Encoding::write_seat`](crate::Encoding::write_seat)), and which actions the seat
    /// may take. `view` and `mask` have the lengths for one seat.
    ///
    /// # Errors
    /// If the observation is not one of the game's; says what is wrong with it.
    fn encode(
        &self,
        observation: &Value,
        seat: Seat,
        view: &mut View<'_>,
        mask: &mut [i8],
    ) -> Result<(), ObservationError>;

    /// The action, in text, with this number for a seat that sees this observation.
    ///
    /// # Errors
    /// If the observation is not one of the game's, or no action has this number there.
    fn decode(
        &self,
        observation: &Value,
        seat: Seat,
        number: usize,
    ) -> Result<String, ObservationError>;

    /// What [`AnyBatch::restore`] needs to continue from here.
    fn save(&self) -> Vec<SavedEpisode>;

    /// Continues from what was saved, by playing the episodes again. Boards, features, masks and
    /// seeds are written; rewards, scores and flags become those of the last turn.
    ///
    /// # Errors
    /// If a saved episode is not one of this game, or it is stopped.
    fn restore(
        &mut self,
        saved: &[SavedEpisode],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;
}

/// Why an observation in JSON form could not be read as numbers, or a number as an action.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObservationError {
    /// The game has no such observation.
    #[error("this is not an observation of the game: {0}")]
    Observation(#[from] serde_json::Error),
    /// No action has this number in the position.
    #[error("action {number}: expected 0 to {last}")]
    Action {
        /// The number.
        number: usize,
        /// The greatest number that an action has.
        last: usize,
    },
}
