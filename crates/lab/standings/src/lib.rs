//! Standings: how good each player is, computed from the results of matches.
//!
//! Pure functions over plain data; the statistics themselves are in [`quintain_stats`]. This crate
//! knows no game, no store and no tournament, and it never replays or judges a match. It keeps only
//! what the statistics need: per player and scenario the list of scores, and per pair of players
//! the counts of wins, draws and losses.
//!
//! What is computed, and how:
//! - **One observation is one player in one match.** A player that plays several seats of a match
//!   counts once, with the mean of its seats' scores, because the seats of one match are not
//!   independent.
//! - **The same match counts once.** Where a line-up plays the same match on every seed of a
//!   scenario, it is one observation: it keeps its weight in the mean, but not in errors, ratings
//!   and tests.
//! - **Mean, standard error, 95 % interval** by Student's t (Student 1908); no interval below two
//!   observations. The overall row pools the observations of all scenarios.
//! - **Wins, draws and losses** (versus contests) compare the scores of every two seats in a match
//!   that different players hold. The seat at fault loses to every other seat.
//! - **Elo** by the Bradley–Terry model, see [`quintain_stats::bradley_terry`].
//! - **Paired differences** (score contests) to the best-ranked player on common (scenario, seed)
//!   pairs, so that the luck of a seed, shared by both, cancels out.
//! - **Who certainly differs**, and so the best and the possible ranks, by one procedure for all
//!   players at once, see [`quintain_stats::all_pairs`].
//! - **Ranks.** Score contests rank by mean score; over several scenarios, whose scores may be on
//!   different scales, by mean rank. Versus contests rank by Elo overall, and by points per game (a
//!   draw is half a point) within a scenario. Ties share the better rank: 1, 2, 2, 4. The mean rank
//!   over scenarios gives tied players the middle of their places, as Friedman's test does (Demšar
//!   2006, "Statistical comparisons of classifiers over multiple data sets").
//!
//! The result depends on the set of results alone, not on their order: everything is sorted before
//! it is summed.

mod across;
mod bracket;
mod builder;
mod clusters;
pub mod columns;
mod comparison;
mod counts;
mod endings;
mod faults;
mod field;
mod ladder;
mod leagues;
mod normalised;
mod ranking;
mod regret;
mod renamed;
mod repeats;
mod result;
mod rounds;
pub mod series;
mod sorted_counts;
mod spread;
mod superiority;
mod table;

#[cfg(test)]
mod tests;

pub use across::{Duels, RankSum};
pub use bracket::{Bracket, Meeting};
pub use builder::StandingsBuilder;
pub use faults::describe_faults;
pub use ladder::{LadderRow, SeedComparison, WorstSeed};
pub use regret::{Distances, Regret};
pub use repeats::Repeats;
pub use result::{
    BadResult, MatchResult, ScoringRule, SeatResult, game_between, mean_by_player, seat_results,
};
pub use rounds::Rounds;
pub use table::{
    Blocks, Certainty, Difference, EndingStats, LeadIn, LeagueRatings, NormalisedScores,
    OpenQuestion, Placements, Robustness, ScenarioStandings, Standings, StandingsRow, Superiority,
    Versus,
};
