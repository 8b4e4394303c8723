//! What a comparison is asked, and why it may come to no end.

use std::collections::BTreeMap;
use std::sync::Arc;

use quintain_core::panics::PanicMessage;
use quintain_core::{AnyGame, Budget, PlayerHandle, SpecError};
use quintain_stats::Risks;
use quintain_stats::likelihood::EloScale;
use quintain_store::StoreError;

/// The game on the instance of a seed.
pub type DrawGame = Box<dyn Fn(u64) -> Arc<dyn AnyGame> + Send + Sync>;

/// Who is compared with whom, where, and how sure the answer must be.
pub struct ComparisonConfig {
    /// The game on every scenario; rounds take them in turn.
    pub games: Vec<Arc<dyn AnyGame>>,
    /// How every seed draws its own instance of a scenario, by the scenario's place among
    /// `games`; on the others seeds decide no more than how matches begin and chance.
    pub instances: BTreeMap<usize, DrawGame>,
    /// Who is asked about.
    pub candidates: Vec<PlayerHandle>,
    /// Whom each is compared with: all of them together.
    pub references: Vec<PlayerHandle>,
    /// The seed of the first round.
    pub first_seed: u64,
    /// What each player may think.
    pub budget: Budget,
    /// Matches to be counted at most.
    pub matches: u64,
    /// What of independent scores is compared; rivals have their points.
    pub measure: ScoreMeasure,
    /// The difference that matters, in Elo points or in units of the measure. Rivals need one.
    pub delta: Option<f64>,
    /// In what the difference of rivals is measured.
    pub scale: EloScale,
    /// The chances of error that are allowed.
    pub risks: Risks,
}

/// What of independent scores is compared, see [`quintain_stats::Measure`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum ScoreMeasure {
    /// The probability of scoring better less that of scoring worse.
    #[default]
    Chance,
    /// The mean difference, single differences being clipped at a bound set by the first ones.
    Clipped,
    /// The median difference.
    Median,
    /// The mean difference; only where the rules bound scores.
    Mean,
}

/// A comparison that came to no end.
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
    /// The system gives no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// A record in the store has another course.
    #[error(
        "the store has record {0} with another course of this match; were two versions of quintain \
         at work?"
    )]
    Conflict(String),
}
