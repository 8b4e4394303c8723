//! Programs on the command line: the players of the roster behind the protocols of contests,
//! tournaments with hostile programs, and an arena that is killed.
#![cfg(target_os = "linux")]

mod check;
mod endings;
mod labs;
mod messages;
mod modules;
mod place;
mod protocols;
mod tournaments;
