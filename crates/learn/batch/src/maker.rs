//! An encoding of whatever type, of which batches can be made.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{AnyEntry, Budget, SpecError};

use crate::any::AnyBatch;
use crate::teacher::AnyTeacher;

/// How a batch is made.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BatchOptions {
    /// The name of the encoding; by default, the game's first one.
    pub encoding: Option<String>,
    /// Whether the next episode begins as soon as one ends.
    pub autoreset: bool,
    /// The opponents, players of the roster. For each seat but the learner's, one of them is drawn
    /// by the seed of the episode. If empty, the learner plays all seats.
    pub opponents: Vec<String>,
    /// The learner's seat among opponents; by default, it is drawn by the seed of the episode.
    pub seat: Option<usize>,
    /// The budget of each opponent, in work: with time, episodes would depend on the machine.
    pub budget: Budget,
    /// Set from outside to abandon what the batch is doing, including the opponents' decisions.
    pub stop: Option<Arc<AtomicBool>>,
}

/// An encoding of whatever type, of which batches can be made.
pub(crate) trait MakeBatch: Send + Sync {
    /// The game.
    fn entry(&self) -> &dyn AnyEntry;

    /// The encoding's name.
    fn name(&self) -> &'static str;

    /// A batch without states, and the scenario's canonical text.
    fn make(
        &self,
        scenario: &str,
        options: &BatchOptions,
    ) -> Result<(Box<dyn AnyBatch>, String), SpecError>;

    /// What reads records of a scenario.
    fn teacher(&self, scenario: &str) -> Result<Box<dyn AnyTeacher>, SpecError>;
}
