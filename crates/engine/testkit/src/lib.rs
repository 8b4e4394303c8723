//! Tests that any game and its whole roster can be put through, and signatures that make changing a
//! player's behaviour a conscious decision.
//!
//! The crate is a development dependency of games and plays nothing for users. The rules of a
//! particular game are tested in that game's crate.
//!
//! # What `check_game` demands
//!
//! `check_game` runs a game and all its players through these checks:
//! - equal seeds give equal games;
//! - offered actions are accepted, without duplicates, and chosen uniformly at random; others are
//!   refused and leave the state unchanged;
//! - text and JSON forms can be read back;
//! - a position that is determinized from what a seat observes looks to that seat like the true
//!   position, whether the seat moves, waits or has seen the end. Equal are: the observation, also
//!   in JSON; the drawing, with and without notes; the offered actions in every form; a random
//!   action drawn from the same random numbers; and the reason why an action is refused. Nothing
//!   more than the observation's JSON form is needed to draw the position;
//! - where something is hidden, determinized positions are not always the true positions;
//! - rules are pure: neither the setting nor any answer changes when another match begins;
//! - the model of chance draws the same where the same is observed. Where different events follow
//!   the same observation, the model's draws are not correlated with the events (a permutation
//!   test). Where no observation occurs twice, the model does not predict events more often than it
//!   agrees with itself, nor nearly always while events vary. Events are added up over matches; if
//!   there are too few, the report says so;
//! - estimates and scores are within their range;
//! - whole numbers in JSON are within 2⁵³;
//! - masks of encodings allow only legal actions, and an encoding writes nothing for a seat that
//!   the seat does not see, also in scenarios with many instances;
//! - drawings stay within their frame, on every turn and for every observer;
//! - between rivals, the seat that forfeits is worse off than the others;
//! - no action is possible after the end;
//! - every player's matches, played twice, give the same records, which can be read back and
//!   replayed.
//!
//! A panic in the rules is a failure in the report; for example, a game with turns of chance panics
//! if it does not implement `sample_chance`. The crate's tests have a card game that leaks in each
//! of these ways. One fault no test can detect: rules that remember a match in a way that depends
//! on the position alone.

mod chance;
mod check;
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
