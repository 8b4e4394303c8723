//! Programs on the command line: examples in several languages, our own players behind other people's
//! protocols, tournaments with hostile programs, and an arena that is killed.
#![cfg(target_os = "linux")]

mod check;
mod endings;
mod messages;
mod place;
mod protocols;
mod tournaments;
