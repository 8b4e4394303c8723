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
mod error;
mod evaluator;
mod log;
pub mod plot;
mod race;
mod tuning;

pub use axis::{Axis, parse_axes};
pub use error::TuneError;
pub use evaluator::{Evaluator, GainMeasure};
pub use log::{Generation, HeldOutLook, TuningLog};
pub use tuning::{TuningOptions, TuningResult, tune};
