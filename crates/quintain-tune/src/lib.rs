//! Tunes numeric parameters of a player: the separable CMA-ES of `quintain-search` over
//! matches on common seeds, every generation on fresh ones, candidates that are clearly
//! worse dropped early, and what comes of it measured on seeds that were held out.
//!
//! It knows no game: any declared numeric parameter of any player can be tuned. It stores
//! no records; a tuning has a log file of its own, from which it can be continued.
//!
//! | to | see |
//! |---|---|
//! | say what is tuned | [`TuningOptions`], [`Axis`] |
//! | tune it | [`tune`] |
//! | keep and go on | [`TuningLog`] |
//! | see how it went | [`plot`] |

mod axis;
mod evaluator;
mod log;
pub mod plot;
mod race;
mod tuning;

pub use axis::{Axis, parse_axes};
pub use evaluator::{Evaluator, GainMeasure};
pub use log::{Generation, HeldOutLook, TuningLog};
pub use tuning::{TuningOptions, TuningResult, tune};

/// Why a tuning ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The request is wrong: an unknown name, a range that does not fit, another log.
    #[error("{0}")]
    Usage(String),
    /// Something failed while it ran: a match, a file, a thread.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it; the log keeps every whole generation.
    #[error("stopped")]
    Stopped,
}

impl From<quintain_core::SpecError> for TuneError {
    fn from(error: quintain_core::SpecError) -> Self {
        TuneError::Usage(error.0)
    }
}
