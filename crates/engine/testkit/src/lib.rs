//! Tests that any game and its whole roster can be put through, and signatures that make changing a
//! player's behaviour a conscious decision.
//!
//! The crate is a development dependency of games and plays nothing for users. The rules of a
//! particular game are tested in that game's crate.

mod chance;
mod check;
mod encoding;
mod hiding;
mod notation;
mod playthrough;
mod report;
mod roster;
mod signature;

pub use check::check_game;
pub use playthrough::{playthrough, rollout_joint};
pub use report::{ConformanceReport, TestEffort};
pub use signature::{signature, signatures};
