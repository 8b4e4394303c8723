//! A contest that runs itself: participants hand in programs, which are checked and climb a ladder.
//! Matches are played by threads, or by workers reached through [`Workers`]. The crate knows no game;
//! its players are Quintain's programs, and its matches are Quintain's records.
//!
//! | to | see |
//! |---|---|
//! | begin a contest and run it | [`init`], [`serve()`] |
//! | hand in a program from a command | [`client::submit`] |
//! | look after one while it runs | [`admin`], [`backup()`], [`verify()`], [`export()`] |
//! | choose who meets whom | [`matchmaking`] |
//! | have matches played elsewhere | [`Workers`], [`ProgramMaker`] |
//! | keep what happens | `state`, the one file that knows its database |

#![deny(missing_docs)]

#[cfg(target_os = "linux")]
pub mod admin;
#[cfg(target_os = "linux")]
pub mod archive;
#[cfg(target_os = "linux")]
mod backup;
#[cfg(target_os = "linux")]
mod build;
#[cfg(target_os = "linux")]
mod builder;
#[cfg(target_os = "linux")]
pub mod client;
#[cfg(target_os = "linux")]
mod common_seeds;
#[cfg(target_os = "linux")]
mod config;
#[cfg(target_os = "linux")]
mod contest;
#[cfg(target_os = "linux")]
mod download;
#[cfg(target_os = "linux")]
mod elsewhere;
#[cfg(target_os = "linux")]
mod error;
#[cfg(target_os = "linux")]
mod export;
#[cfg(target_os = "linux")]
mod finals;
#[cfg(target_os = "linux")]
mod grades;
#[cfg(target_os = "linux")]
mod handing_out;
#[cfg(target_os = "linux")]
mod invitation;
#[cfg(target_os = "linux")]
mod kit;
#[cfg(target_os = "linux")]
mod ladder;
#[cfg(target_os = "linux")]
mod letters;
#[cfg(target_os = "linux")]
mod match_steps;
pub mod matchmaking;
#[cfg(target_os = "linux")]
mod module;
#[cfg(target_os = "linux")]
mod new_contest;
#[cfg(target_os = "linux")]
mod next_match;
#[cfg(target_os = "linux")]
mod packed;
#[cfg(target_os = "linux")]
mod pages;
#[cfg(target_os = "linux")]
mod performance;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod referee;
#[cfg(target_os = "linux")]
mod requests;
#[cfg(target_os = "linux")]
mod schedule;
#[cfg(target_os = "linux")]
mod seats;
#[cfg(target_os = "linux")]
mod seeds;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod state;
#[cfg(target_os = "linux")]
mod token;
#[cfg(target_os = "linux")]
mod validation;
#[cfg(target_os = "linux")]
mod verify;

#[cfg(target_os = "linux")]
pub use backup::{backup, restore};
#[cfg(target_os = "linux")]
pub use contest::init;
#[cfg(target_os = "linux")]
pub use elsewhere::{PackedProgram, Workers};
#[cfg(target_os = "linux")]
pub use error::HostError;
#[cfg(target_os = "linux")]
pub use export::{ExportOptions, export};
#[cfg(target_os = "linux")]
pub use invitation::{InvitedClass, invite, invite_class};
#[cfg(target_os = "linux")]
pub use kit::Kit;
#[cfg(target_os = "linux")]
pub use letters::letters;
#[cfg(target_os = "linux")]
pub use new_contest::{NewContest, usual_scenario};
#[cfg(target_os = "linux")]
pub use packed::ProgramMaker;
#[cfg(target_os = "linux")]
pub use serve::{ServeOptions, own_address, serve};
#[cfg(target_os = "linux")]
pub use token::NewToken;
#[cfg(target_os = "linux")]
pub use verify::{VerificationReport, verify};
