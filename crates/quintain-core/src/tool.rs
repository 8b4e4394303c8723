//! Verbs on files that a game brings along (`solve`, `score`, `stats`): what they are asked
//! and what they answer. How their options are read from a command line is not here.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a verb on files (`solve`, `score`) is asked.
#[derive(Clone, Debug, Default)]
pub struct ToolRequest {
    /// Files or names.
    pub inputs: Vec<String>,
    /// Further settings by name.
    pub options: Vec<(String, String)>,
    /// JSON instead of text for people.
    pub json: bool,
    /// Set when the user wants the best so far, now.
    pub stop: Arc<AtomicBool>,
    /// Where the best solutions are kept, if they are.
    pub keeper: Option<Arc<dyn Keeper>>,
}

/// Keeps the best solution known of each instance of a game.
pub trait Keeper: fmt::Debug + Send + Sync {
    /// Keeps a solution if it is better (`gain` is higher) than what is known of its
    /// instance; the gain known before, if there was one.
    ///
    /// # Errors
    /// If it cannot be read or written; the text says why.
    fn keep(&self, instance: &str, gain: f64, solution: &str) -> Result<Option<f64>, String>;

    /// All that is kept, by instance.
    ///
    /// # Errors
    /// If it cannot be read; the text says why.
    fn kept(&self) -> Result<Vec<(String, String)>, String>;
}

/// Why a verb on files failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ToolError {
    /// Request for wrongly.
    #[error("{0}")]
    Usage(String),
    /// Could not be done.
    #[error("{0}")]
    Failed(String),
}

/// A verb on files that a single-seat game brings along: text for standard output.
pub type FileTool = Arc<dyn Fn(&ToolRequest) -> Result<String, ToolError> + Send + Sync>;
