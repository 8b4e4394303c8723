//! What is common to batches of any game: the interface of those who step them.

use quintain_ui::Scene;
use serde_json::Value;

use super::arrays::Arrays;
use super::error::BatchError;
use super::history::SavedEpisode;
use super::sharing::HelperThreads;
use crate::encoding::{Layout, View};
use crate::seat::Seat;

/// States of one game side by side, of whatever type: what vectorised learners step.
///
/// An episode that is over before a learner's first turn (its opponents can end it) is skipped for
/// the next one of its state, so that every state that has just begun waits for an action.
pub trait AnyBatch: Send + Sync {
    /// The shapes of actions and observations.
    fn layout(&self) -> &Layout;

    /// Begins the match of each seed: there are as many states as seeds from now on.
    ///
    /// # Errors
    /// If it is stopped, or the learner has no turn in any match.
    fn reset(
        &mut self,
        seeds: &[u64],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// Adds states that begin the matches of more seeds; `arrays` has those of the new ones alone.
    /// So many states are begun bit by bit, and whoever waits can see what they take.
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

    /// Begins the matches of some states anew: of a seed where one is given, otherwise the next
    /// match of the state's own. The others stay as they are.
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

    /// Plays a turn in every state; `actions` has a number for each (state, seat). Where an
    /// episode ends, the next one begins at once if the batch was made so.
    ///
    /// # Errors
    /// As [`AnyBatch::reset`].
    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError>;

    /// The drawing of a state, to the referee or to one seat.
    fn scene(&self, index: usize, observer: Option<Seat>) -> Scene;

    /// Whether a state's episode has ended and no action is possible.
    fn is_over(&self, index: usize) -> bool;

    /// Whether a seat must move now.
    fn is_acting(&self, index: usize, seat: Seat) -> bool;

    /// Whether a seat is still in the game.
    fn is_alive(&self, index: usize, seat: Seat) -> bool;

    /// What a seat sees of a state, in the game's JSON form.
    fn observation(&self, index: usize, seat: Seat) -> Value;

    /// Writes what a seat sees of a state, and which actions it may take, as [`AnyBatch::encode`] does
    /// for its observation.
    fn write_seat(&self, index: usize, seat: Seat, view: &mut View<'_>, mask: &mut [i8]);

    /// The parameters that a state's episode has besides those of the scenario's text: which
    /// instance is played, where every episode draws its own.
    fn instance(&self, index: usize) -> Option<(&'static str, u64)>;

    /// The seat that the learner has in a state, where other players have the others.
    fn learner(&self, index: usize) -> Option<Seat>;

    /// Whether matches of different seeds can differ: by how they begin, by chance, or by the
    /// instance that is played.
    fn depends_on_seed(&self) -> bool;

    /// Writes what a seat sees for an observation in the game's JSON form, as a learner that has
    /// this seat alone reads it (see [`Encoding::write_seat`](crate::Encoding::write_seat)), and
    /// which actions it may take. `view` and `mask` have the lengths of one seat.
    ///
    /// # Errors
    /// If the observation is none of the game's; what is wrong with it.
    fn encode(
        &self,
        observation: &Value,
        seat: Seat,
        view: &mut View<'_>,
        mask: &mut [i8],
    ) -> Result<(), ObservationError>;

    /// The action with this number for a seat that sees an observation, in text.
    ///
    /// # Errors
    /// If the observation is none of the game's, or the number none of an action there.
    fn decode(
        &self,
        observation: &Value,
        seat: Seat,
        number: usize,
    ) -> Result<String, ObservationError>;

    /// What [`AnyBatch::restore`] needs to go on from here.
    fn save(&self) -> Vec<SavedEpisode>;

    /// Goes on from what was saved: the episodes are played again. Boards, features, masks and
    /// seeds are written; rewards, scores and flags become those of the last turn.
    ///
    /// # Errors
    /// If what was saved is none of this game's episodes, or it is stopped.
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
    #[error("this is no observation of the game: {0}")]
    Observation(#[from] serde_json::Error),
    /// No action has this number in the position.
    #[error("action {number}: expected 0 to {last}")]
    Action {
        /// The number.
        number: usize,
        /// The greatest that an action has.
        last: usize,
    },
}

/// Actions by number, in the integers that arrays of learners have.
#[derive(Clone, Copy, Debug)]
pub enum ActionNumbers<'a> {
    /// 64 bits each.
    Long(&'a [i64]),
    /// 32 bits each.
    Int(&'a [i32]),
    /// A byte each.
    Byte(&'a [u8]),
}

impl ActionNumbers<'_> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            ActionNumbers::Long(all) => all.len(),
            ActionNumbers::Int(all) => all.len(),
            ActionNumbers::Byte(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn get(self, index: usize) -> usize {
        match self {
            ActionNumbers::Long(all) => all[index] as usize,
            ActionNumbers::Int(all) => all[index] as usize,
            ActionNumbers::Byte(all) => usize::from(all[index]),
        }
    }

    /// The first that is not below `actions`: its place, and what it is.
    pub fn first_beyond(self, actions: usize) -> Option<(usize, i64)> {
        let wrong = |number: i64| !(0..actions as i64).contains(&number);
        match self {
            ActionNumbers::Long(all) => {
                all.iter().position(|n| wrong(*n)).map(|place| (place, all[place]))
            }
            ActionNumbers::Int(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
            ActionNumbers::Byte(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
        }
    }
}
