//! One file per verb: its arguments, and `run`.

pub(crate) mod analyse;
#[cfg(all(feature = "programs", target_os = "linux"))]
pub(crate) mod bot;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod experiments;
pub(crate) mod export;
pub(crate) mod games;
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) mod host;
pub(crate) mod matches;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod play;
pub(crate) mod players;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod scenarios;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod standings;
pub(crate) mod store;
pub(crate) mod tools;
pub(crate) mod tournament;
pub(crate) mod tune;
pub(crate) mod verify;
#[cfg(all(feature = "programs", target_os = "linux"))]
pub(crate) mod watch;
pub(crate) mod worker;
pub(crate) mod workers;
