//! The question that a comparison answers, and why it may fail.

use std::collections::BTreeMap;
use std::sync::Arc;

use quintain_core::panics::PanicMessage;
use quintain_core::{AnyGame, Budget, PlayerHandle, Scoring, SpecError};
use quintain_stats::Risks;
use quintain_stats::likelihood::EloScale;
use quintain_store::{DIFFERENCE_CAUSES, StoreError};

/// Makes the game on the instance that a seed draws.
pub type DrawGame = Box<dyn Fn(u64) -> Arc<dyn AnyGame> + Send + Sync>;

/// Which players are compared with which, where, and how certain the answer must be.
pub struct ComparisonConfig {
    /// The game on every scenario; every seed is played on all of them before it is judged.
    pub games: Vec<Arc<dyn AnyGame>>,
    /// How every seed draws its own instance of a scenario, by the scenario's index in `games`. On
    /// the other scenarios a seed decides only how matches begin and chance events.
    pub instances: BTreeMap<usize, DrawGame>,
    /// The players asked about.
    pub candidates: Vec<PlayerHandle>,
    /// The players that each candidate is compared with: all of them together.
    pub references: Vec<PlayerHandle>,
    /// The seed of the first round.
    pub first_seed: u64,
    /// What each player may spend on thinking.
    pub budget: Budget,
    /// The most matches that may be counted.
    pub matches: u64,
    /// What is compared of independent scores; rivals are compared by their points.
    pub measure: ScoreMeasure,
    /// The difference that matters, in Elo points or in units of the measure. Rivals need one.
    pub delta: Option<f64>,
    /// The scale on which the difference of rivals is measured.
    pub scale: EloScale,
    /// The error probabilities that are allowed.
    pub risks: Risks,
}

/// What is compared of independent scores, see [`quintain_stats::Measure`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum ScoreMeasure {
    /// The probability of scoring better minus that of scoring worse.
    #[default]
    Chance,
    /// The mean difference, with single differences clipped at a bound set by the first ones.
    Clipped,
    /// The median difference.
    Median,
    /// The mean difference; only where the rules bound scores.
    Mean,
}

/// The difference among rivals to detect, in Elo points.
const USUAL_DELTA: f64 = 20.0;
/// The difference to detect where scores are independent: 0.15 is better on 57.5 % of seeds and
/// worse on the rest. Usually the most matches are enough to tell.
const USUAL_CHANCE: f64 = 0.15;

/// The error probabilities that are usual.
pub const DEFAULT_RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };

impl ScoreMeasure {
    /// The difference to detect if none is given; none for measures in points, whose scale is
    /// unknown.
    pub fn usual_delta(self, scoring: Scoring) -> Option<f64> {
        match (scoring, self) {
            (Scoring::Adversarial, _) => Some(USUAL_DELTA),
            (Scoring::Independent, ScoreMeasure::Chance) => Some(USUAL_CHANCE),
            (Scoring::Independent, _) => None,
        }
    }
}

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The configuration makes no sense.
    #[error("{0}")]
    Config(String),
    /// A match could not be played: its program is gone, for example.
    #[error(transparent)]
    Match(#[from] SpecError),
    /// The rules panicked in a match.
    #[error("the rules failed: {0}")]
    Panic(PanicMessage),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The matches cannot be played where they were to be played.
    #[error("{0}")]
    Elsewhere(String),
    /// The system gives no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// A record in the store has a different course of the same match.
    #[error("the store has record {0} with a different course of this match; {DIFFERENCE_CAUSES}")]
    Conflict(String),
}
