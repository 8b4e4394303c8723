//! Programs in any language as players: how they are found ([`programs`]), run and confined
//! ([`process`], on Linux `sandbox`), limited ([`limits`]) and spoken to ([`protocol`], a crate of
//! its own, and the games' own foreign protocols), how they are examined ([`check`]), and how our
//! players become such programs themselves ([`serve`]).
//!
//! This crate knows no game and no tournament: programs reach a match through `quintain_core`'s
//! traits for external players. Programs are confined by means that only Linux has; elsewhere, and
//! for those that are trusted, they run with what every system has (`unconfined`).

mod answer_times;
#[cfg(target_os = "linux")]
pub mod audit;
mod bot;
mod bots_file;
mod build;
pub mod check;
#[cfg(target_os = "linux")]
mod clock;
mod command;
#[cfg(target_os = "linux")]
mod confined;
mod confinement;
mod connection;
pub mod debug;
mod error;
#[cfg(target_os = "linux")]
mod error_pipe;
mod faults;
mod foreign;
mod git;
mod idle;
pub mod inside;
mod job;
mod kept;
mod launch;
pub mod limits;
mod listed;
mod open;
pub mod packed;
pub mod process;
mod process_group;
pub mod programs;
mod protection;
mod report;
#[cfg(target_os = "linux")]
pub mod sandbox;
mod saves;
mod session;
mod slips;
mod snapshot;
mod stage;
mod stale;
mod standard_error;
mod store_file;
mod take_over;
mod temporary;
mod unconfined;
mod unrunnable;
mod version;
pub mod versions;

pub use answer_times::{AnswerTimes, format_time};
pub use bot::Bot;
pub use bots_file::{
    BotEntry, BotsFile, ChatBudget, ChatEntry, ChatPrice, ChatReply, ServiceEntry,
};
pub use build::Build;
pub use command::{Command, join_words};
pub use error::{CommandError, ProgramError};
pub use faults::Unstarted;
pub use git::Commit;
pub use idle::{count_fitting_matches, limit_waiting_memory, warn_of_memory};
pub use job::{JobEnd, JobFailure};
pub use programs::{Programs, Settings, name_for_check};
pub use protection::Protection;
pub use quintain_protocol as protocol;
pub use report::{ProgramEnd, ProgramReport};
pub use saves::Footprint;
pub use slips::Slip;
pub use snapshot::LESSONS;
pub use take_over::take_over_if_asked;
pub use temporary::ProgramFolder;
