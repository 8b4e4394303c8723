//! Why a tuning ended without a result.

/// Why a tuning ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The request is wrong: an unknown name, a range that does not fit, another log.
    #[error("{0}")]
    Usage(String),
    /// Something failed while it ran: a match, a file, a thread.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it; the log keeps every whole generation.
    #[error("stopped")]
    Stopped,
}

impl From<quintain_core::SpecError> for TuneError {
    fn from(error: quintain_core::SpecError) -> Self {
        TuneError::Usage(error.to_string())
    }
}
