//! Statistics over plain numbers. Pure functions: nothing here knows a game, a store or a
//! tournament, and the same numbers give the same answer on every machine.
//!
//! | question | answer |
//! |---|---|
//! | mean, 95 % interval and median of a list of scores | [`Summary::of`] |
//! | a mean with its interval by Student's t | [`mean_with_interval`] |
//! | a share with its interval | [`wilson_interval`] |
//! | two players on common seeds | [`paired`] |
//! | is one better, asked after every pair: scores | [`DifferenceTest`] |
//! | is one better, asked after every pair: rivals | [`ThreeWayTest`], [`Sprt`] |
//! | Elo and normalised Elo of pairs with swapped seats | [`Pairs`] |
//! | ratings of many players at once | [`bradley_terry::fit_ratings`] |
//! | ratings beside players of known strength, over several games | [`bradley_terry::fit_beside_ladder`] |
//! | ratings as leagues keep them, game by game | [`online`] |
//! | means of observations in clusters | [`clustered`] |
//! | do players differ over many scenarios | [`friedman::friedman_test`] |
//! | players who beat each other in a cycle | [`cycles::find_cycles`] |
//! | how often each is met where players beat one another in rings | [`alpha_rank`](mod@alpha_rank) |
//! | scores of many boards together, as rliable has them | [`aggregate`] |
//! | who is best, and the ranks of many players, all true together | [`all_pairs`] |
//! | p-values of many tests, corrected | [`simultaneous`] |
//! | ranks with ties | [`ranks::rank`] |

pub mod aggregate;
pub mod all_pairs;
pub mod alpha_rank;
pub mod anytime;
pub mod bradley_terry;
pub mod clustered;
pub mod cycles;
pub mod difference_test;
pub mod elo;
pub mod friedman;
pub mod likelihood;
pub mod moderated;
pub mod online;
pub mod paired;
pub mod pairs;
mod passage;
pub mod plan;
pub mod ranks;
pub mod simultaneous;
pub mod sprt;
pub mod studentised_range;
pub mod summary;
pub mod win_draw_loss;

pub use bradley_terry::{Elo, Sweep};
pub use difference_test::{DifferenceTest, Measure};
pub use paired::PairedDifference;
pub use pairs::{Pairs, PlusMinus};
pub use sprt::{Risks, Sprt, ThreeWayTest, Verdict};
pub use summary::{
    Interval, Summary, mean_with_interval, quantile, repeated_mean_with_interval, wilson_interval,
};
pub use win_draw_loss::WinDrawLoss;
