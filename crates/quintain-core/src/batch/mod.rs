//! Thousands of states of one game side by side, stepped by one call into arrays that are
//! made once: what vectorised learners need. Whose arrays these are (NumPy's, a buffer of
//! one's own) is not known here, nor where threads come from.
//!
//! | | |
//! |---|---|
//! | [`states`] | turns, rewards, ends, the next episode |
//! | [`arrays`] | the arrays, cut into those of single states |

mod arrays;
mod states;

pub use arrays::{ArrayLengths, Arrays};
pub(crate) use states::Batch;
pub use states::{ActionNumbers, AnyBatch, HelperThreads};
