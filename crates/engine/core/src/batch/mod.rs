//! Thousands of states of one game, stepped together by one call, into arrays that are allocated
//! once: what vectorised learners need. This module does not know whose arrays these are (NumPy's
//! or the caller's own buffer), nor where threads come from.
//!
//! | | |
//! |---|---|
//! | [`any`] | what is known of a batch of whatever game |
//! | [`error`] | why a batch could not go on |
//! | [`states`] | turns, ends, the next episode |
//! | [`rewards`] | what turns are rewarded with |
//! | [`erased`] | the batch of one game as that of any |
//! | [`arrays`] | the arrays, cut into those of single states |
//! | [`opponents`] | players of the roster at the seats that a learner leaves |
//! | [`against`] | a learner's turn among them |
//! | [`sharing`] | states shared out among threads |
//! | [`history`] | what an episode was played by, to save and restore it |

mod against;
mod any;
mod arrays;
mod erased;
mod error;
mod history;
mod opponents;
mod rewards;
mod sharing;
mod states;

pub use any::{ActionNumbers, AnyBatch, ObservationError};
pub use arrays::{ArrayLengths, Arrays};
pub use error::BatchError;
pub use history::SavedEpisode;
pub(crate) use opponents::Opponents;
pub use sharing::HelperThreads;
pub(crate) use states::{Batch, DrawInstance, Instance};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::budget::Budget;

/// How a batch is made.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BatchOptions {
    /// The name of the encoding; by default, the game's first one.
    pub encoding: Option<String>,
    /// Whether the next episode begins as soon as one ends.
    pub autoreset: bool,
    /// The opponents, players of the roster. For each seat but the learner's, one of them is drawn
    /// by the seed of the episode. If empty, the learner plays all seats.
    pub opponents: Vec<String>,
    /// The learner's seat among opponents; by default, it is drawn by the seed of the episode.
    pub seat: Option<usize>,
    /// The budget of each opponent, in work: with time, episodes would depend on the machine.
    pub budget: Budget,
    /// Set from outside to abandon what the batch is doing, including the opponents' decisions.
    pub stop: Option<Arc<AtomicBool>>,
}
