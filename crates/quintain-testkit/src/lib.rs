//! Tests that any game and its whole roster can be put through, and signatures that
//! make a change of a player's behaviour a decision.
//!
//! It is a development dependency of games and plays nothing for users. Rules of one
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
