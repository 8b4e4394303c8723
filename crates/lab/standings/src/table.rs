//! The output of standings: tables of numbers, with the keys of their JSON. The neighbouring files
//! compute them.

use std::collections::BTreeMap;

use quintain_stats::friedman::Friedman;
use quintain_stats::online::Rating;
use quintain_stats::{Elo, Interval, PairedDifference, Summary, WinDrawLoss};
use serde::Serialize;

use crate::regret::{Distances, Regret};
use crate::repeats::Repeats;
use crate::result::ScoringRule;

/// A player's places over the scenarios it played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Placements {
    /// How many scenarios it was ranked in.
    pub scenarios: u64,
    /// The mean of its ranks, where tied players each have the middle of their places.
    pub mean_rank: f64,
    /// Scenarios in which it was first, alone or tied.
    pub first: u64,
    /// Scenarios in which it was second.
    pub second: u64,
    /// Scenarios in which it was third.
    pub third: u64,
}

/// A player's scores on all scenarios together, normalised: on each scenario, 0 is the mean score
/// of the worst player there and 1 that of the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NormalisedScores {
    /// The interquartile mean.
    pub iqm: f64,
    /// Its 95 % interval, by resampling the seeds of each scenario.
    pub interval: Option<Interval>,
    /// The performance profile: levels, and the share of scores above each.
    pub profile: Vec<(f64, f64)>,
}

/// Who does better than whom on a common seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Superiority {
    /// Players in the order of the overall table.
    pub players: Vec<String>,
    /// `chances[i][j]`: the share of common seeds on which `i` does better than `j`, with equality
    /// counting half; `None` without a common seed.
    pub chances: Vec<Vec<Option<f64>>>,
    /// The p-values of the sign tests, corrected for all pairs (Holm).
    pub p_values: Vec<Vec<f64>>,
    /// The share of time of each player by α-rank, where a player takes over from those that it
    /// certainly beats; in a ring every player has some.
    pub alpha_rank: Vec<f64>,
}

/// What other seeds might have given a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResampledStanding {
    /// 95 % interval of the rating (versus contests) or of the mean score.
    pub interval: Option<Interval>,
    /// The best and the worst rank that it may have; the ranks of all players hold together with 95
    /// %.
    pub ranks: (u64, u64),
}

/// A player's ratings in the systems that leagues use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeagueRatings {
    /// Glicko-2, with one rating period per seed (at most a hundred periods).
    pub glicko2: Rating,
    /// Weng–Lin, game by game.
    pub weng_lin: Rating,
}

/// How steady a player is over scenarios.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Robustness {
    /// The scenario on which it is furthest below the average of all players, or least above it.
    pub worst: String,
    /// Its points in percent (versus contests) or mean score there.
    pub worst_value: f64,
    /// The median of this value over all scenarios.
    pub median: f64,
    /// The share of scenarios on which it is above the average of all players there.
    pub above_average: f64,
}

/// Whether the players' ranks differ, block by block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// What a block is: a scenario, or a seed of one.
    pub blocks_are: Blocks,
    /// The players in the test's order: those that played every block.
    pub players: Vec<String>,
    /// The test.
    #[serde(flatten)]
    pub test: Friedman,
}

/// The blocks on which players are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// Every scenario.
    Scenarios,
    /// Every seed of every scenario.
    Seeds,
}

/// A player's matches that ended for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EndingStats {
    /// The reason.
    pub ending: String,
    /// How many matches.
    pub matches: u64,
    /// The mean score in them.
    pub mean: f64,
    /// Games against other players in them (versus contests).
    pub games: Option<WinDrawLoss>,
}

/// One player's row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StandingsRow {
    /// Rank, counted from 1; ties share the better one.
    pub rank: u64,
    /// The player's spec.
    pub player: String,
    /// Statistics of its scores.
    #[serde(flatten)]
    pub summary: Summary,
    /// Its matches, with repetitions of the same match counted each time.
    pub matches: u64,
    /// Games against other players (versus contests).
    pub games: Option<WinDrawLoss>,
    /// Rating (versus contests, overall only, players that met another player).
    pub elo: Option<Elo>,
    /// Ranks over scenarios (overall only).
    pub places: Option<Placements>,
    /// What other seeds might have given (overall only, with five or more seeds).
    pub resampled: Option<ResampledStanding>,
    /// Its scores normalised scenario by scenario (score contests, overall only).
    pub normalised: Option<NormalisedScores>,
    /// Ratings as leagues keep them (versus contests, overall only).
    pub leagues: Option<LeagueRatings>,
    /// How steady it is over scenarios (overall only, with two or more scenarios).
    pub robustness: Option<Robustness>,
    /// Its matches by the reason why they ended (overall only).
    pub endings: Vec<EndingStats>,
    /// Difference to the first player in this table (score contests, for everyone but that player).
    pub to_leader: Option<PairedDifference>,
    /// Seats of this player that forfeited their match.
    pub forfeits: u64,
    /// Of these, how many for each kind of fault, in words.
    pub faults: BTreeMap<String, u64>,
    /// Matches of this player that were cut off.
    pub truncated: u64,
}

impl Standings {
    /// Computes the regret of every player in the overall table.
    pub fn add_regret(&mut self, distances: Distances) {
        self.regret = distances.into_regrets(self.overall.iter().map(|row| &row.player));
    }
}

impl StandingsRow {
    /// Whether the interval of the mean score may not hold: the scores are too skewed for so few,
    /// or some matches were cut off, so that nobody knows how far their scores would have gone.
    /// Neither applies to points among rivals.
    pub fn is_doubtful(&self) -> bool {
        let has_scores = self.games.is_none() && self.summary.interval.is_some();
        has_scores && (self.summary.skewed || self.truncated > 0)
    }
}

/// The standings of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScenarioStandings {
    /// Its name.
    pub scenario: String,
    /// How many matches were played on it.
    pub matches: u64,
    /// The first player, and those that common seeds cannot distinguish from it.
    pub winners: Vec<String>,
    /// Its players, best first.
    pub rows: Vec<StandingsRow>,
}

/// The games between every two players (versus contests).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Versus {
    /// Players in the order of the overall table.
    pub players: Vec<String>,
    /// `matrix[i][j]`: the games of player `i` against player `j`, seen by player `i`.
    pub matrix: Vec<Vec<WinDrawLoss>>,
    /// The same matrix with games that repeat on every seed counted once: ratings are based on it.
    pub distinct: Vec<Vec<WinDrawLoss>>,
    /// The number of groups into which the rated players fall, where players of different groups
    /// never met. Ratings of different groups cannot be compared.
    pub groups: usize,
    /// Whether some set of players took every point from the rest of its group, so that the
    /// distance between the two depends on the prior alone.
    pub one_sided: bool,
}

/// Statistics over the results of many matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Standings {
    /// How the scores were read.
    pub rule: ScoringRule,
    /// How many matches were counted.
    pub matches: u64,
    /// How many of them are distinct: a line-up that gave the same match on every seed of a
    /// scenario has played one.
    pub distinct: u64,
    /// All scenarios together, best player first.
    pub overall: Vec<StandingsRow>,
    /// The games between every two players; `None` in score contests.
    pub versus: Option<Versus>,
    /// Whether the players' ranks differ; `None` if fewer than two players played everywhere.
    pub difference: Option<Difference>,
    /// Who does better than whom, pair by pair; `None` for one player or very many.
    pub superiority: Option<Superiority>,
    /// Rings of players in which each has beaten the next.
    pub rings: Vec<Vec<String>>,
    /// Every scenario by itself, in the order of names.
    pub scenarios: Vec<ScenarioStandings>,
    /// The distance between players' scores and the bound that the game has proved, if it proves
    /// one, in the order of the overall table. See [`Standings::add_regret`].
    pub regret: Vec<Regret>,
    /// The matches that count once, however often they were played.
    #[serde(skip)]
    pub repeats: Repeats,
}
