//! Programs in any language as players: how they are found ([`programs`]), run and confined
//! ([`sandbox`], [`process`]), limited ([`limits`]) and spoken to ([`protocol`], a crate of its
//! own, and the games' own foreign protocols), how they are examined ([`check`]), and how our
//! players become such programs themselves ([`serve`]).
//!
//! This crate knows no game and no tournament: programs reach a match through `quintain_core`'s
//! traits for external players. Programs are confined by means that only Linux has, so elsewhere
//! this crate is empty.

#![cfg(target_os = "linux")]

mod answer_times;
pub mod audit;
mod bot;
mod bots_file;
mod build;
pub mod check;
mod clock;
mod command;
mod connection;
pub mod debug;
mod error;
mod faults;
mod foreign;
mod idle;
mod job;
pub mod limits;
mod listed;
mod open;
pub mod process;
pub mod programs;
pub mod sandbox;
mod saves;
pub mod serve;
mod session;
mod slips;
mod snapshot;
mod stale;
mod standard_error;
mod temporary;
mod version;
pub mod versions;

pub use answer_times::{AnswerTimes, format_time};
pub use bot::Bot;
pub use bots_file::{BotEntry, BotsFile};
pub use build::Build;
pub use command::Command;
pub use error::{CommandError, ProgramError};
pub use faults::Unstarted;
pub use idle::{limit_waiting_memory, warn_of_memory};
pub use job::{JobEnd, JobFailure};
pub use programs::{Programs, Settings, name_for_check};
pub use quintain_protocol as protocol;
pub use sandbox::take_over_if_asked;
pub use saves::Footprint;
pub use slips::Slip;
pub use temporary::ProgramFolder;
