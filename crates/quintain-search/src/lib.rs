//! Search over any [`quintain_core::Rules`]: one tool per file, none of which knows
//! a game.
//!
//! | tool | for | where |
//! |---|---|---|
//! | UCT | any number of seats, simultaneous moves, chance, hidden information | [`uct`] |
//! | alpha-beta | two rivals, everything in sight, no chance; simultaneous moves too | [`alpha_beta`] |
//! | flat Monte Carlo | as UCT, without a tree | [`flat_monte_carlo`] |
//! | one-step look-ahead | as UCT, by [`Rules::estimate`](quintain_core::Rules::estimate) | [`greedy`] |
//! | uniform play | the yardstick below all others | [`random`] |
//! | matrix games | small zero-sum games given by their payoffs | [`matrix_game`] |
//! | beam | whole plans: the best few of every level, undone along the tree | [`beam`] |
//! | annealing | whole solutions, by random moves | [`annealing`] |
//! | ensemble UCT | one seat: several trees that vote, undone instead of copied | [`ensemble`] |
//! | nested search, NRPA | one seat: playouts of playouts, policies that learn | [`nested`] |
//! | evolution | vectors of numbers whose cost can only be sampled: separable CMA-ES | [`evolution`] |
//! | replica exchange | whole solutions, at several temperatures side by side | [`replica_exchange`] |
//! | playouts | games played to their end by [`Rules::rollout_action`](quintain_core::Rules::rollout_action) | [`playout`] |
//!
//! [`players::add_to`] puts them on a game's roster.

pub mod alpha_beta;
pub mod annealing;
pub mod beam;
pub mod ensemble;
pub mod evolution;
pub mod flat_monte_carlo;
mod found;
pub mod greedy;
mod logarithm;
pub mod matrix_game;
pub mod nested;
pub mod players;
pub mod playout;
pub mod random;
pub mod replica_exchange;
pub mod solitaire;
mod transpositions;
pub mod uct;
mod worth;

pub use found::SearchResult;
