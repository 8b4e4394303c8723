//! Tunes numeric parameters of a player with the separable CMA-ES of `quintain-search`, or by SPSA.
//! Candidates play on common seeds, new ones in every generation; candidates of the evolution that
//! are clearly worse are dropped early, and the result is measured on held-out seeds.
//!
//! The crate knows no game: any declared numeric parameter of any player can be tuned. It stores no
//! records; a tuning has its own log file, from which it can be continued.
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
mod spsa;
mod tuning;

pub use axis::{Axis, parse_axes};
pub use error::TuneError;
pub use evaluator::{Evaluator, GainMeasure, MatchToPlay, PlayMatches};
pub use log::{Generation, HeldOutLook, Method, TuningLog};
pub use tuning::{TuningOptions, TuningResult, tune};
