//! Tunes numeric parameters of a player: the separable CMA-ES of `quintain-search` over
//! matches on common seeds, every generation on fresh ones, candidates that are clearly
//! worse dropped early, and what comes of it measured on seeds that were held out.
//!
//! It knows no game: any declared numeric parameter of any player can be tuned. It keeps
//! no records; the course of a tuning is a file of its own, from which it goes on.
//!
//! | to | see |
//! |---|---|
//! | say what is tuned | [`Plan`], [`Axis`] |
//! | tune it | [`tune`] |
//! | keep and go on | [`Course`] |
//! | see how it went | [`plot`] |

mod axis;
mod course;
mod ground;
pub mod plot;
mod race;
mod tuning;

pub use axis::{Axis, axes};
pub use course::{Course, Generation};
pub use ground::Ground;
pub use tuning::{HeldOut, Plan, Tuned, tune};

/// Why a tuning came to a halt.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Request for wrongly.
    #[error("{0}")]
    Usage(String),
    /// Could not be done.
    #[error("{0}")]
    Failed(String),
    /// The user wants to stop; whole generations are kept.
    #[error("stopped")]
    Stopped,
}

impl From<quintain_core::SpecError> for TuneError {
    fn from(error: quintain_core::SpecError) -> Self {
        TuneError::Usage(error.0)
    }
}
