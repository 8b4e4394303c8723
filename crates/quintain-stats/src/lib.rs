//! Statistics over plain numbers. Pure functions: nothing here knows a game, a store or a
//! tournament, and the same numbers give the same answer on every machine.
//!
//! | question | answer |
//! |---|---|
//! | what a list of scores comes to: mean, 95 % interval, median | [`Summary::of`] |
//! | a mean with its interval by Student's t | [`mean_with_interval`] |
//! | two players on common seeds | [`paired::by_seed`], [`paired::differences`], [`paired::paired`] |
//! | is one better, asked after every pair: scores | [`DifferenceTest`] |
//! | is one better, asked after every pair: rivals | [`ThreeWay`], [`Sprt`] |
//! | Elo and normalised Elo of pairs with swapped seats | [`Pairs`] |
//! | ratings of many players at once | [`bradley_terry::ratings`] |
//! | ratings as leagues keep them, game by game | [`online`] |
//! | intervals by resampling clusters | [`bootstrap`] |
//! | do players differ over many scenarios | [`friedman::friedman`] |
//! | who beats whom in a ring | [`cycles::cycles`] |
//! | places with ties | [`places::places`] |

pub mod bootstrap;
pub mod bradley_terry;
pub mod cycles;
pub mod elo;
pub mod friedman;
pub mod likelihood;
pub mod online;
pub mod paired;
pub mod pairs;
pub mod places;
pub mod sequence;
pub mod sprt;
pub mod summary;
pub mod win_draw_loss;

pub use bradley_terry::{Elo, Sweep};
pub use paired::Paired;
pub use pairs::{Pairs, PlusMinus};
pub use sequence::DifferenceTest;
pub use sprt::{Risks, Sprt, ThreeWay, Verdict};
pub use summary::{Interval, Summary, mean_with_interval, quantile};
pub use win_draw_loss::WinDrawLoss;
