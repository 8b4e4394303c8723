//! A match in which a person has a seat. It waits for the person's moves and answers each
//! at once with the moves of the others, who are asked as advisers; what comes of it is a
//! record like any other. How the person is shown the position is not known here.

mod human_match;
mod players;

pub use human_match::{HumanMatch, HumanMatchConfig};
pub use players::{HUMAN, HumanPlayers};
