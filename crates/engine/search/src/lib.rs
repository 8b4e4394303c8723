//! Search over any [`Rules`] and over problems that are not games: each algorithm
//! has its own file, and none of them knows a particular game.
//!
//! | algorithm | for | module |
//! |---|---|---|
//! | UCT | any number of seats, simultaneous moves, chance, hidden information | [`uct`] |
//! | PUCT | the same games as UCT, guided by priors and values of a network | [`puct`] |
//! | alpha-beta | two rivals, perfect information, no chance; also at once | [`alpha_beta`] |
//! | flat Monte Carlo | the same games as UCT, without a tree | [`flat_monte_carlo`] |
//! | one-step look-ahead | the same, by [`Rules::estimate`] | [`greedy`] |
//! | uniform play | the baseline for all others | [`random`] |
//! | rollouts | games played to their end by [`Rules::rollout_action`] | [`rollout`] |
//! | matrix games | small zero-sum games given by their payoffs | [`matrix_game`] |
//! | ensemble UCT | one seat: several trees that vote, with undo instead of copies | [`ensemble`] |
//! | nested Monte Carlo, NRPA | one seat: rollouts of rollouts, policies that learn | [`nested`] |
//! | beam search | whole plans: the best few nodes of every level, with undo | [`beam`] |
//! | simulated annealing | whole solutions, by random moves | [`annealing`] |
//! | replica exchange | the same, at several temperatures side by side | [`replica_exchange`] |
//! | CMA-ES | vectors of numbers whose cost can only be sampled | [`evolution`] |
//! | solvers | one seat: whole plans, which a [`Planner`](planner::Planner) plays | [`planner`] |
//!
//! A search reaches the game or the problem through one trait. Which to implement:
//!
//! - [`Rules`], for the searches from UCT to rollouts: positions can be copied, and any number of
//!   seats plays; [`utility`] gives each seat's gain.
//! - [`PriorEvaluator`](puct::PriorEvaluator) beside the rules, for PUCT: a prior for each action
//!   and a value for each seat.
//! - [`Solitaire`](solitaire::Solitaire), for ensemble UCT, nested Monte Carlo and NRPA: a position
//!   of one seat that steps, undoes steps, and is worth something at its end.
//! - [`Branching`](beam::Branching), for beam search: a position that steps, undoes steps, and
//!   gives each step a key and a hash without making it.
//! - [`Landscape`](annealing::Landscape), for annealing and replica exchange: a whole solution that
//!   changes by random moves.
//!
//! None of them contains another. Few rules can undo a step, so [`Rules`] copies; a rollout has no
//! keys, and a beam needs no value.
//!
//! [`players::add_to`] puts the first five on a game's roster. Searches over rules take an
//! observation or a state and return a [`SearchResult`]; all searches count their work with a
//! [`Meter`](quintain_core::Meter) and draw from one [`Rng`](quintain_core::Rng), so that the same
//! work and the same stream give the same result.
//!
//! [`Rules`]: quintain_core::Rules
//! [`Rules::estimate`]: quintain_core::Rules::estimate
//! [`Rules::rollout_action`]: quintain_core::Rules::rollout_action

pub mod alpha_beta;
pub mod annealing;
mod arms;
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
