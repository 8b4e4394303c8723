//! Thousands of states of one game side by side, stepped by one call into arrays that are
//! made once: what vectorised learners need. Whose arrays these are (NumPy's, a buffer of
//! one's own) is not known here, nor where threads come from.
//!
//! | | |
//! |---|---|
//! | [`states`] | turns, rewards, ends, the next episode |
//! | [`arrays`] | the arrays, cut into those of single states |
//! | [`opponents`] | players of the roster at the seats that a learner leaves |
//! | [`against`] | a learner's turn among them |
//! | [`sharing`] | states shared out among threads |
//! | [`history`] | what an episode was played by, to save and restore it |

mod against;
mod arrays;
mod history;
mod opponents;
mod sharing;
mod states;

pub use arrays::{ArrayLengths, Arrays};
pub use history::SavedEpisode;
pub(crate) use opponents::Opponents;
pub use sharing::HelperThreads;
pub use states::{ActionNumbers, AnyBatch};
pub(crate) use states::{Batch, DrawInstance, Instance};

use crate::budget::Budget;

/// How a batch is made.
#[derive(Clone, PartialEq, Debug, Default)]
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
}
