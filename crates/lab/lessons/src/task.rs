//! Who makes lessons, and what comes of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use quintain_core::{AnyGame, Budget, Catalog, PlayerHandle, RecordError, Scoring, SpecError};
use quintain_play::AnalysisError;

use crate::lesson::Lesson;

/// By how much of the range of scores a better action is better, at least.
pub(crate) const GAP: f64 = 0.25;
/// Differences smaller than this are rounding.
pub(crate) const ROUNDING: f64 = 1e-9;

/// Why there is no small board, where a search for one has found none.
pub(crate) const NO_BOARD: &str = "no smaller board was found";

/// Who makes lessons, and how much work that may take.
#[derive(Clone, Copy)]
pub struct Teacher<'a> {
    /// The games and players.
    pub catalog: &'a Catalog,
    /// The strong player that reviews the match and plays on from positions.
    pub judge: &'a PlayerHandle,
    /// Its budget for each decision; the lesson is verified with ten times as much.
    pub budget: Budget,
    /// The most nodes in all.
    pub nodes: u64,
    /// When set, ends the search: the smallest position so far makes the lesson.
    pub stop: Option<&'a Arc<AtomicBool>>,
    /// When set, ends the checks of what was found, too. Without it, `stop` does.
    pub stop_checks: Option<&'a Arc<AtomicBool>>,
    /// When the caller will set `stop` for lack of time. Without a limit, the same match always
    /// gives the same lesson.
    pub until: Option<Instant>,
}

/// A lesson with what its file does not say.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Taught {
    /// The lesson.
    pub lesson: Lesson,
    /// The size of its board, if it has become smaller.
    pub size: Option<String>,
    /// Whether the judge, with ten times the budget of the search, got more after the better
    /// action.
    pub is_confirmed: bool,
    /// Whether the mistake certainly loses the match: exact values prove it.
    pub is_lost: bool,
    /// Whether the decision was seen to cost something in the match itself; there may have been no
    /// time to see it.
    pub costs_in_match: bool,
    /// Why its position is that of the whole match, if it is.
    pub whole: Option<String>,
    /// The turns from its position to the end.
    pub turns: u32,
    /// For a player that decides at random: with how many of the other seeds that were tried it
    /// makes a mistake too.
    pub other_seeds: Option<(u64, u64)>,
}

/// Why there is no lesson.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LessonError {
    /// The player did not lose.
    #[error("{player} {result}, so there is no lost decision; name a match that it lost")]
    NotLost {
        /// The player.
        player: String,
        /// What it did instead: `drew` or `won`.
        result: &'static str,
    },
    /// It lost by a fault.
    #[error(
        "{player} forfeited by {fault}: there is no decision to learn from; mend the program first"
    )]
    Forfeit {
        /// The player.
        player: String,
        /// Its fault.
        fault: String,
    },
    /// There is no mistake.
    #[error(
        "no single decision of {player} lost this match, as far as {judge} sees with {budget}: \
         the position was lost from the start, or it slipped away bit by bit"
    )]
    NoMistake {
        /// The player.
        player: String,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// There is no mistake, as exact values prove.
    #[error(
        "no single decision of {player} lost this match, by exact values: the costliest gave away \
         {most:.2} of a point"
    )]
    NoExactMistake {
        /// The player.
        player: String,
        /// The most that one of its decisions gave away.
        most: f64,
    },
    /// In a game without rivals, nothing would have been better.
    #[error(
        "{judge} with {budget} sees no other decision of {player} that would have gained anything \
         on this seed"
    )]
    NoGain {
        /// The player.
        player: String,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// Where players cannot know how the match started, nothing else would have been better on
    /// average.
    #[error(
        "no single decision of {player} costs anything on average over continuations that look \
         the same to everybody until then, as far as {judge} with {budget} sees: what gains on \
         this seed alone is luck"
    )]
    OnlyLuck {
        /// The player.
        player: String,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// The player decides otherwise when it is asked again.
    #[error(
        "{player} does not repeat its mistake when it is asked again: it was changed since this \
         match, or it decides at random; then let it use the seed that it is given"
    )]
    NotRepeated {
        /// The player.
        player: String,
    },
    /// Only a part of the match was reviewed.
    #[error(
        "no mistake was found in the {seen} of {turns} turns that {judge} with {budget} could look \
         at; more nodes or time let it look at more"
    )]
    Unseen {
        /// The turns that were reviewed.
        seen: usize,
        /// The turns of the match.
        turns: usize,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// It was stopped.
    #[error("no mistake was found yet")]
    Stopped,
    /// The work is used up.
    #[error("{nodes} nodes were not enough to be certain of a mistake")]
    Spent {
        /// The nodes allowed.
        nodes: u64,
    },
    /// The record does not replay.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A player or a scenario is refused.
    #[error(transparent)]
    Refused(#[from] SpecError),
    /// The strong player failed.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

/// How closely a match is looked at. Between rivals, small boards come before the whole match; in
/// games without rivals, all looks are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// The decisions at the end whose exact values can be found, which takes least.
    Ending,
    /// The decision by which the match seems to have been lost, if a small board shows it.
    Quick,
    /// The same, seen with the whole budget.
    Steady,
    /// What these two have seen, on the board of the match.
    Whole,
    /// As many decisions as there is work for, each with a part of the budget.
    Close,
    /// As many decisions as there is work for, with the whole budget.
    Thorough,
}

impl Look {
    /// The look that may find what this one has not.
    pub(crate) fn closer(self) -> Option<Look> {
        match self {
            Look::Ending => Some(Look::Quick),
            Look::Quick => Some(Look::Steady),
            Look::Steady => Some(Look::Whole),
            Look::Whole => Some(Look::Close),
            Look::Close => Some(Look::Thorough),
            Look::Thorough => None,
        }
    }

    /// Whether it is content with the board of the match.
    pub(crate) fn is_content_with_whole(self) -> bool {
        matches!(self, Look::Whole | Look::Close | Look::Thorough)
    }

    /// The budget of decisions while a match between rivals is looked at, as a multiple of the
    /// teacher's: what looks like a mistake is checked afterwards.
    pub(crate) fn factor(self) -> f64 {
        match self {
            Look::Ending | Look::Quick | Look::Whole | Look::Close => 0.2,
            Look::Steady | Look::Thorough => 1.0,
        }
    }

    /// The budgets at which a decision must look like a mistake before it is made smaller or
    /// verified. What only the whole budget saw need not be one with less.
    pub(crate) fn checks(self) -> &'static [f64] {
        match self {
            Look::Ending | Look::Quick | Look::Whole | Look::Close => &[0.2, 0.5, 1.0],
            Look::Steady | Look::Thorough => &[1.0],
        }
    }
}

/// The difference in scores that makes a mistake.
pub(crate) fn gap_of(game: &dyn AnyGame) -> f64 {
    match (game.scoring(), game.score_range()) {
        (Scoring::Adversarial, Some((low, high))) => GAP * (high - low),
        _ => ROUNDING,
    }
}
