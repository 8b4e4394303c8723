//! Thousands of states of one game side by side, stepped by one call into arrays that are
//! made once: what vectorised learners need. Whose arrays these are (NumPy's, a buffer of
//! one's own) is not known here, nor where threads come from.
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
    /// The name of the encoding; the game's first one unless it is said.
    pub encoding: Option<String>,
    /// Whether an episode that ends is followed by the next one at once.
    pub autoreset: bool,
    /// Players of the roster, one of which, drawn by the seed of the episode, plays each seat
    /// but the learner's. None: the learner plays all seats.
    pub opponents: Vec<String>,
    /// The learner's seat among them; drawn by the seed of the episode unless it is said.
    pub seat: Option<usize>,
    /// What each of them may think, in work: time would make episodes depend on the machine.
    pub budget: Budget,
    /// Set from outside to give up what the batch is doing, opponents' thoughts included.
    pub stop: Option<Arc<AtomicBool>>,
}
