//! The input of standings: the results of matches, and how their scores are read.

use std::collections::BTreeMap;

use quintain_core::{Objective, Scoring};
use quintain_stats::WinDrawLoss;
use serde::Serialize;

/// How the scores of a game are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoringRule {
    /// Which scores are better.
    #[serde(rename = "goal")]
    pub objective: Objective,
    /// Whether seats are compared within a match.
    #[serde(rename = "contest")]
    pub scoring: Scoring,
}

/// The parts of a match that standings need.
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
    /// The seat that forfeited the match by a panic, an illegal action or an exceeded limit, and
    /// the kind of its fault in words.
    pub fault: Option<(usize, &'a str)>,
    /// Whether the match was cut off before its natural end.
    pub truncated: bool,
    /// Why the match ended, in a word or two.
    pub ending: &'a str,
}

/// A result that cannot be counted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadResult {
    /// There is not one player and one score per seat.
    #[error("{scenario}, seed {seed}: {players} players but {scores} scores")]
    SeatCount {
        /// The scenario of the match.
        scenario: String,
        /// The seed of the match.
        seed: u64,
        /// How many players the result names.
        players: usize,
        /// How many scores it has.
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
    /// There are more rivals than can be compared with each other.
    #[error(
        "{scenario}, seed {seed}: {seats} rivals in one match; standings compare at most \
         {MAX_RIVALS} with each other"
    )]
    TooManyRivals {
        /// The scenario of the match.
        scenario: String,
        /// The seed of the match.
        seed: u64,
        /// How many seats there are.
        seats: usize,
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

/// The most seats of a match between rivals: every two of them are compared, and a store from a
/// stranger may name thousands.
const MAX_RIVALS: usize = 256;

/// Refuses a result that cannot be counted.
pub(crate) fn check(result: &MatchResult<'_>, scoring: Scoring) -> Result<(), BadResult> {
    let (scenario, seed) = (|| result.scenario.to_owned(), result.seed);
    let (players, scores) = (result.players.len(), result.scores.len());
    if scoring == Scoring::Adversarial && players > MAX_RIVALS {
        return Err(BadResult::TooManyRivals { scenario: scenario(), seed, seats: players });
    }
    if players != scores {
        return Err(BadResult::SeatCount { scenario: scenario(), seed, players, scores });
    }
    if let Some(seat) = result.scores.iter().position(|score| !score.is_finite()) {
        let score = result.scores[seat];
        return Err(BadResult::NotFinite { scenario: scenario(), seed, seat, score });
    }
    if let Some((seat, _)) = result.fault.filter(|&(seat, _)| seat >= players) {
        return Err(BadResult::NoSuchSeat { scenario: scenario(), seed, seat, seats: players });
    }
    Ok(())
}

/// The game between two seats of a match as the first sees it. Each seat has its merit (more is
/// better) and whether it forfeited.
pub fn game_between(first: (f64, bool), second: (f64, bool)) -> WinDrawLoss {
    let ((merit, at_fault), (their_merit, they_at_fault)) = (first, second);
    let won = they_at_fault || (!at_fault && merit > their_merit);
    let lost = at_fault || (!they_at_fault && merit < their_merit);
    WinDrawLoss { wins: won.into(), draws: (!won && !lost).into(), losses: lost.into() }
}

/// How a seat came out of a match between rivals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatResult {
    /// It beat every other seat.
    Won,
    /// No seat beat it, and another did as well.
    Drew,
    /// Another seat beat it.
    Lost,
}

/// How each seat came out of a match between rivals, as [`game_between`] has it: scores alone do
/// not tell, since a seat at fault may have as many points as another.
///
/// ```
/// use quintain_core::Objective;
/// use quintain_standings::{SeatResult, seat_results};
///
/// let draw = seat_results(Objective::Maximize, &[1.0, 1.0], None);
/// assert_eq!(draw, [SeatResult::Drew; 2]);
/// let forfeit = seat_results(Objective::Maximize, &[1.0, 1.0], Some(0));
/// assert_eq!(forfeit, [SeatResult::Lost, SeatResult::Won]);
/// ```
pub fn seat_results(objective: Objective, scores: &[f64], fault: Option<usize>) -> Vec<SeatResult> {
    let merit = |seat: usize| (objective.gain(scores[seat]), fault == Some(seat));
    let result = |own: usize| {
        let others = (0..scores.len()).filter(|other| *other != own);
        let mut games = WinDrawLoss::default();
        others.for_each(|other| games += game_between(merit(own), merit(other)));
        match games {
            WinDrawLoss { losses: 1.., .. } => SeatResult::Lost,
            WinDrawLoss { draws: 0, wins: 1.., .. } => SeatResult::Won,
            _ => SeatResult::Drew,
        }
    };
    (0..scores.len()).map(result).collect()
}

/// Each player of a match once, in the order of names, with the mean of its seats' values: the
/// seats of one match are not independent.
///
/// ```
/// use quintain_standings::mean_by_player;
///
/// let seats = [("b", 1.0), ("a", 4.0), ("b", 2.0)];
/// assert_eq!(mean_by_player(seats).collect::<Vec<_>>(), [("a", 4.0), ("b", 1.5)]);
/// ```
pub fn mean_by_player<'a>(
    seats: impl IntoIterator<Item = (&'a str, f64)>,
) -> impl Iterator<Item = (&'a str, f64)> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (player, value) in seats {
        let (sum, seats) = sums.entry(player).or_default();
        *sum += value;
        *seats += 1.0;
    }
    sums.into_iter().map(|(player, (sum, seats))| (player, sum / seats))
}
