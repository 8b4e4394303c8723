//! Thousands of states of one game, stepped together by one call, into arrays that are allocated
//! once: what vectorised learners need. This crate does not know whose arrays these are (NumPy's or
//! the caller's own buffer), nor where threads come from.
//!
//! A game registers an encoding with [`batches`]; [`make_batch`] makes a batch of any game in a
//! catalog, and [`make_teacher`] what reads records in the same numbers.
//!
//! | | |
//! |---|---|
//! | [`make`] | from a registered encoding to a batch |
//! | [`maker`] | what makes batches, of whatever game |
//! | [`any`] | what is known of a batch of whatever game |
//! | [`error`] | why a batch could not go on |
//! | [`states`] | turns, ends, the next episode |
//! | [`rewards`] | what turns are rewarded with |
//! | [`erased`] | the batch of one game as that of any |
//! | [`arrays`] | the arrays, cut into those of single states |
//! | [`opponents`] | players of the roster at the seats that a learner leaves |
//! | [`against`] | a learner's turn among them |
//! | [`search`] | PUCT on all states, with leaves that the caller evaluates |
//! | [`sharing`] | states shared out among threads |
//! | [`history`] | what an episode was played by, to save and restore it |
//! | [`sample`] | random actions by the masks |
//! | [`teacher`] | the decisions of a record in numbers |
//! | [`conformance`] | whether an encoding agrees with the rules |

mod action_numbers;
mod against;
mod any;
mod arrays;
mod conformance;
mod erased;
mod error;
mod history;
mod make;
mod maker;
mod opponents;
mod rewards;
mod sample;
mod search;
mod sharing;
mod states;
mod teacher;

pub use action_numbers::ActionNumbers;
pub use any::{AnyBatch, ObservationError};
pub use arrays::{ArrayLengths, Arrays};
pub use error::BatchError;
pub use history::SavedEpisode;
pub use make::{batches, make_batch, make_teacher};
pub use maker::BatchOptions;
pub use sample::draw_actions;
pub use search::{Positions, SearchError, SearchResults, Searches};
pub use sharing::HelperThreads;
pub use teacher::{AnyTeacher, NumberedDecision};
