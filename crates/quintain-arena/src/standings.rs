//! Standings: who is how good, computed from the results of matches.
//!
//! Pure functions over plain data; the statistics themselves are in [`quintain_stats`]. This module knows no game, no store and no tournament; it never
//! replays or judges a match, and it keeps nothing but what the statistics need: per player and
//! scenario the list of scores, and per pair of players the counts of wins, draws and losses.
//!
//! What is computed, and how:
//! - **One observation is one player in one match.** A player that holds several seats of a match
//!   counts once, with the mean of its seats' scores, because the seats of one match are not
//!   independent.
//! - **Mean, standard error, 95 % interval** by Student's t (Student 1908); no interval below two
//!   observations. The overall row pools the observations of all scenarios.
//! - **Wins, draws and losses** (versus contests) compare the scores of every two seats of a match
//!   that different players hold. The seat at fault loses to every other seat.
//! - **Elo** by the Bradley–Terry model, see [`quintain_stats::bradley_terry`].
//! - **Paired differences** (score contests) to the best-ranked player on common (scenario, seed),
//!   so that the luck of a seed, shared by both, drops out.
//! - **Ranks.** Score contests rank by mean score; versus contests by Elo overall and by points per
//!   game (a draw is half a point) within a scenario. Ties share the better rank: 1, 2, 2, 4. The
//!   mean rank over scenarios gives tied players the middle of their places, as Friedman's test
//!   does (Demšar 2006, "Statistical comparisons of classifiers over multiple data sets").
//!
//! The result depends on the set of results alone, not on their order: everything is sorted before
//! it is summed.

mod counted;
mod endings;
mod field;
mod leagues;
pub(crate) mod render;
mod resampled;
mod tally;

#[cfg(test)]
mod tests;

pub use endings::OfEnding;
pub use field::{Blocks, Difference, Robustness};
pub use leagues::Leagues;
pub use render::{Format, details, render};
pub use resampled::Resampled;
pub use tally::Tally;
pub(crate) use tally::game_between;

use quintain_core::{Objective, Scoring};
use quintain_stats::{Elo, Interval, Paired, Summary, WinDrawLoss};
use serde::Serialize;

/// How the scores of a game are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Which scores are better.
    pub goal: Objective,
    /// Whether seats are compared within a match.
    pub contest: Scoring,
}

/// What standings need to know of one match.
#[derive(Clone, Copy, Debug)]
pub struct MatchResult<'a> {
    /// Where the match was played.
    pub scenario: &'a str,
    /// The match's seed; matches of one scenario with the same seed are paired.
    pub seed: u64,
    /// The player of every seat.
    pub players: &'a [&'a str],
    /// The score of every seat.
    pub scores: &'a [f64],
    /// The seat that forfeited the match by a panic, an illegal action or a broken limit.
    pub fault: Option<usize>,
    /// Whether the match was cut off before its natural end.
    pub truncated: bool,
    /// Why it ended, in a word or two.
    pub ending: &'a str,
}

/// A result that cannot be counted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadResult {
    /// Players and scores are not one per seat.
    #[error("{scenario}, seed {seed}: {players} players but {scores} scores")]
    SeatCount {
        /// The scenario of the match.
        scenario: String,
        /// The seed of the match.
        seed: u64,
        /// How many players it names.
        players: usize,
        /// How many scores it holds.
        scores: usize,
    },
    /// A score is infinite or not a number.
    #[error("{scenario}, seed {seed}: the score of seat {seat} is {score}, not a finite number")]
    NotFinite {
        /// The scenario of the match.
        scenario: String,
        /// The seed of the match.
        seed: u64,
        /// The seat with the score.
        seat: usize,
        /// The score.
        score: f64,
    },
    /// The seat at fault does not exist.
    #[error("{scenario}, seed {seed}: seat {seat} is at fault, but there are {seats} seats")]
    NoSuchSeat {
        /// The scenario of the match.
        scenario: String,
        /// The seed of the match.
        seed: u64,
        /// The seat named.
        seat: usize,
        /// How many seats there are.
        seats: usize,
    },
}

/// A player's places over the scenarios it played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Places {
    /// How many scenarios it was ranked in.
    pub scenarios: u64,
    /// The mean of its ranks, tied players each having the middle of their places.
    pub mean_rank: f64,
    /// Scenarios in which it was first, alone or tied.
    pub first: u64,
    /// Scenarios in which it was second.
    pub second: u64,
    /// Scenarios in which it was third.
    pub third: u64,
}

/// One player's line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Place, counted from 1; ties share the better one.
    pub rank: u64,
    /// The player's spec.
    pub player: String,
    /// Statistics of its scores.
    #[serde(flatten)]
    pub summary: Summary,
    /// Games against other players (versus contests).
    pub games: Option<WinDrawLoss>,
    /// Rating (versus contests, overall only, players that met another player).
    pub elo: Option<Elo>,
    /// Places over scenarios (overall only).
    pub places: Option<Places>,
    /// What other seeds might have given (overall only, from five seeds on).
    pub resampled: Option<Resampled>,
    /// Ratings as leagues keep them (versus contests, overall only).
    pub leagues: Option<Leagues>,
    /// How steady it is over scenarios (overall only, from two scenarios on).
    pub robustness: Option<Robustness>,
    /// Its matches by the reason of their end (overall only).
    pub endings: Vec<OfEnding>,
    /// Difference to the first player in this table (score contests, everyone but that player).
    pub to_leader: Option<Paired>,
    /// Seats of this player that forfeited their match.
    pub forfeits: u64,
    /// Matches of this player that were cut off.
    pub truncated: u64,
}

/// The standings of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScenarioStandings {
    /// Its name.
    pub scenario: String,
    /// How many matches were played on it.
    pub matches: u64,
    /// The first player, and those that cannot be told from it on common seeds.
    pub winners: Vec<String>,
    /// Its players, best first.
    pub rows: Vec<Row>,
}

/// How far a player stays behind a proved bound on the score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regret {
    /// The player.
    pub player: String,
    /// Matches whose bound is known.
    pub n: u64,
    /// The mean distance from the bound, in points of the score; 0 is perfect.
    pub mean: f64,
    /// 95 % interval of the mean.
    pub interval: Option<Interval>,
    /// The greatest distance.
    pub worst: f64,
    /// Matches in which the bound was reached.
    pub reached: u64,
}

/// Who met whom (versus contests).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Versus {
    /// Players in the order of the overall table.
    pub players: Vec<String>,
    /// `matrix[i][j]`: the games of player `i` against player `j`, seen by player `i`.
    pub matrix: Vec<Vec<WinDrawLoss>>,
    /// Into how many groups the rated players fall that never met one another. Ratings of
    /// different groups cannot be compared.
    pub groups: usize,
    /// Whether some set of players took every point from the rest of its group, so that the
    /// distance between the two rests on the prior alone.
    pub one_sided: bool,
}

/// Statistics over the results of many matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// How the scores were read.
    pub rule: Rule,
    /// How many matches were counted.
    pub matches: u64,
    /// All scenarios together, best player first.
    pub overall: Vec<Row>,
    /// Who met whom; none in score contests.
    pub versus: Option<Versus>,
    /// Whether the players' ranks differ; none with fewer than two players everywhere.
    pub difference: Option<Difference>,
    /// Rings of players each of whom has beaten the next.
    pub rings: Vec<Vec<String>>,
    /// Every scenario by itself, in the order of their names.
    pub scenarios: Vec<ScenarioStandings>,
    /// How far players stay behind what nobody can beat, where the game has proved such a bound; in
    /// the order of the overall table. It needs the records, see [`crate::regret`].
    pub regret: Vec<Regret>,
}

impl Standings {
    /// The standings of all `results`. Use a [`Tally`] where results cannot be lent to an iterator.
    pub fn of<'a>(
        rule: Rule,
        results: impl IntoIterator<Item = MatchResult<'a>>,
    ) -> Result<Self, BadResult> {
        let mut tally = Tally::new(rule);
        for result in results {
            tally.add(&result)?;
        }
        Ok(tally.standings())
    }
}
