//! The verbs that hextris adds to the command: `solve`, `score`, `stats`, `leaderboard` and `play`;
//! they share their [`inputs`].

pub(crate) mod account;
mod bound;
mod inputs;
pub(crate) mod leaderboard;
pub(crate) mod score;
pub(crate) mod solve;
pub(crate) mod stats;
mod table;
mod turns;
