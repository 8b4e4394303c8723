//! Search over any [`quintain_core::Rules`] and over problems that are not games: each algorithm has a file
//! of its own, and none of them knows a particular game.
//!
//! | algorithm | for | module |
//! |---|---|---|
//! | UCT | any number of seats, simultaneous moves, chance, hidden information | [`uct`] |
//! | PUCT | the same games as UCT, guided by priors and values of a network | [`puct`] |
//! | alpha-beta | two rivals, perfect information, no chance; simultaneous moves too | [`alpha_beta`] |
//! | flat Monte Carlo | the same games as UCT, without a tree | [`flat_monte_carlo`] |
//! | one-step look-ahead | the same, by [`Rules::estimate`](quintain_core::Rules::estimate) | [`greedy`] |
//! | uniform play | the baseline for all others | [`random`] |
//! | rollouts | games played to their end by [`Rules::rollout_action`](quintain_core::Rules::rollout_action) | [`rollout`] |
//! | matrix games | small zero-sum games given by their payoffs | [`matrix_game`] |
//! | ensemble UCT | one seat: several trees that vote, with undo instead of copies | [`ensemble`] |
//! | nested Monte Carlo, NRPA | one seat: rollouts of rollouts, policies that learn | [`nested`] |
//! | beam search | whole plans: the best few nodes of every level, with undo | [`beam`] |
//! | simulated annealing | whole solutions, by random moves | [`annealing`] |
//! | replica exchange | the same, at several temperatures side by side | [`replica_exchange`] |
//! | CMA-ES | vectors of numbers whose cost can only be sampled | [`evolution`] |
//! | solvers | one seat: whole plans, which a [`Planner`](planner::Planner) plays | [`planner`] |
//!
//! [`players::add_to`] puts the first five on a game's roster. Searches over rules take an
//! observation or a state and return a [`SearchResult`]; all searches count their work with a
//! [`Meter`](quintain_core::Meter) and draw from one [`Rng`](quintain_core::Rng), so that the same
//! work and the same stream give the same result.

pub mod alpha_beta;
pub mod annealing;
pub mod beam;
pub mod ensemble;
pub mod evolution;
pub mod exponential;
pub mod flat_monte_carlo;
pub mod greedy;
mod logarithm;
pub mod matrix_game;
pub mod nested;
pub mod planner;
pub mod players;
pub mod puct;
pub mod random;
pub mod replica_exchange;
pub mod rollout;
mod search_result;
pub mod solitaire;
mod transposition_table;
pub mod uct;
pub mod utility;

pub use search_result::SearchResult;
