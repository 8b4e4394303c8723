//! A contest that runs itself: participants submit programs, which are checked and climb a ladder.
//! Matches are played by threads, or by workers reached through [`Workers`]. The crate knows no
//! game; its players are Quintain's programs, and its matches are Quintain's records.
//!
//! | to | see |
//! |---|---|
//! | begin a contest and run it | [`init`], [`serve()`] |
//! | submit a program from a command | [`client::Client`] |
//! | look after one while it runs | [`admin`], [`backup()`], [`verify()`], [`export()`] |
//! | publish lessons | [`publish_lessons`] |
//! | look for lines of moves that beat programs | [`exploit`] |
//! | choose who meets whom | [`matchmaking`], [`shares`] |
//! | have matches played elsewhere | [`Workers`], [`ProgramMaker`] |
//! | keep what happens | `state`, the one file that knows its database |

#![deny(missing_docs)]

pub mod admin;
pub mod archive;
mod backup;
mod build;
mod builder;
mod bulk;
mod class_list;
pub mod client;
mod config;
mod contest;
mod copies;
mod current_ladder;
mod disk;
mod download;
mod duels;
mod elsewhere;
mod error;
mod events;
mod exploits;
mod export;
mod final_document;
mod finals;
#[cfg(feature = "fleet")]
mod fleet;
mod formula;
mod grades;
mod guests;
mod handing_out;
mod invitation;
mod kit;
mod ladder;
mod lessons;
mod letters;
mod lock;
mod maps;
mod match_steps;
pub mod matchmaking;
mod module;
mod names;
mod new_contest;
mod next_match;
mod own_page;
mod packed;
mod pages;
mod performance;
mod points;
mod program;
mod referee;
mod requests;
mod salted;
mod schedule;
mod seats;
mod serve;
pub mod shares;
mod similarity;
mod state;
mod stores;
mod teams;
mod token;
mod trends;
mod trouble;
mod validation;
mod verify;
mod voids;
mod zone;

pub use backup::{backup, restore};
pub use class_list::{CourseEntry, text_of_list};
pub use contest::init;
pub use elsewhere::{PackedProgram, Workers};
pub use error::HostError;
pub use exploits::{
    Examined, ExaminedProgram, ExploitReport, ExploitTerms, exploit, show_exploits,
};
pub use export::{ExportOptions, Exported, export};
#[cfg(feature = "fleet")]
pub use fleet::fleet_workers;
pub use guests::rename;
pub use invitation::{InvitedClass, invite, invite_class};
pub use kit::Kit;
pub use lessons::{NewLessonSet, publish_lessons, withdraw_lessons};
pub use letters::letters;
pub use new_contest::{NewContest, is_time, is_time_zone, usual_scenario};
pub use packed::ProgramMaker;
pub use serve::{ServeOptions, own_address, serve};
pub use teams::{Joined, join_team, leave_team};
pub use token::NewToken;
pub use verify::{VerificationReport, verify};
