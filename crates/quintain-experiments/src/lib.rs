//! What the sources of the five games claim, as named experiments that can be run again:
//! statement, the source's figure, ours with its interval, and a verdict.
//!
//! This crate knows what was claimed and how it is measured. It plays nothing itself:
//! matches are tournaments of `quintain-arena`, kept in a store, so that a run that was
//! interrupted goes on where it stopped and experiments share what they have in common.
//!
//! | to | see |
//! |---|---|
//! | list what is claimed | [`all`], [`chosen`] |
//! | measure it | [`Lab`], [`reproduce`] |
//! | say what came of it | [`Finding`], [`Verdict`] |
//! | write it down | [`report`] |
//! | print a tournament as a game's source does | [`printed()`] |

mod claims;
mod data;
mod estimate;
mod experiment;
mod games;
mod lab;
mod polyominoes;
mod printed;
pub mod report;
mod trial;

pub use claims::{SOURCES, Source, all, chosen};
pub use estimate::Estimate;
pub use experiment::{Expected, Experiment, Finding, Measured, Part, Verdict, reproduce};
pub use games::{Game, Games};
pub use lab::{Effort, Lab, LabError};
pub use printed::printed;
pub use trial::Trial;
