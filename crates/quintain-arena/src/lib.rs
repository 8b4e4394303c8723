//! Tournaments: fixtures, executors, the store and standings.

pub mod standings;
