//! Tetris on a honeycomb, where the commands are letters and some strings of letters are
//! phrases of power: the ICFP Programming Contest of 2015.
//!
//! | | |
//! |---|---|
//! | [`commands`] | letters and what they command |
//! | [`units`], [`board`], [`walk`] | positions, what fits, locking, where a unit has been |
//! | [`problem`], [`notation`] | problems, solutions and their JSON |
//! | [`phrases`] | the automaton that hears phrases |
//! | [`play`], [`score`] | a game letter by letter; what a text is worth |
//! | [`paths`], [`reach`] | where a unit can come to, with the ways or in no time |
//! | [`solvers`] | whole games: the post's solver and the champion |

pub mod board;
pub mod commands;
pub mod notation;
pub mod paths;
pub mod phrases;
pub mod play;
pub mod problem;
pub mod reach;
pub mod score;
pub mod solvers;
pub mod units;
pub mod walk;
