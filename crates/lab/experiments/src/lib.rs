//! The claims that the sources of the five games make, as named experiments that can be repeated:
//! statement, the source's figure, ours with its interval, and a verdict.
//!
//! This crate knows what was claimed and how it is measured. It plays nothing itself: matches are
//! tournaments of `quintain-arena`, kept in a store. So an interrupted run continues where it
//! stopped, and experiments share the matches they have in common.
//!
//! | to | see |
//! |---|---|
//! | list or choose claims | [`all`], [`choose`] |
//! | measure it | [`Lab`], [`reproduce`] |
//! | read the result | [`Finding`], [`ClaimVerdict`] |
//! | render it | [`report`] |
//! | keep the figures of a run, and add to them | [`write_figures`], [`read_figures`] |
//! | report a tournament as the game's source does | [`source_forms`] |

mod claims;
mod data;
mod estimate;
mod experiment;
mod figures;
mod forms;
mod lab;
mod matches;
mod measurement;
mod plan;
mod polyominoes;
pub mod report;

pub use claims::{SOURCES, Source, all, choose};
pub use estimate::{Estimate, Method};
pub use experiment::{Experiment, Finding, reproduce};
pub use figures::{read_figures, write_figures};
pub use forms::source_forms;
pub use lab::{Lab, LabError, RunSize};
pub use matches::{MeasuredMatch, PlayedMatches};
pub use measurement::{ClaimVerdict, ExpectedValue, Measurement, Measurements, Threshold};
pub use plan::{DataSet, TournamentPlan};
