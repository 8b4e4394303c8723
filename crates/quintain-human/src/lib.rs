//! A match in which a person has a seat. It waits for the person's move, then plays the moves of
//! the other players, which are asked as advisers, until it is the person's turn again. A finished
//! match gives a record like any other. This crate draws nothing and reads no keys: terminals and
//! pages do that.

mod human_match;
mod players;

pub use human_match::{HumanMatch, HumanMatchConfig, OUTSIDE, PlayError};
pub use players::{HUMAN, HumanPlayers};
