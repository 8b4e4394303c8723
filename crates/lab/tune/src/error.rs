//! Why a tuning ended without a result.

/// Why a tuning ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The request is wrong: an unknown name, an unsuitable range, the log of another tuning.
    #[error("{0}")]
    Usage(String),
    /// Something failed during the tuning: a match, a file, a thread.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it; the log keeps every complete generation.
    #[error("stopped")]
    Stopped,
}

impl From<quintain_core::SpecError> for TuneError {
    fn from(error: quintain_core::SpecError) -> Self {
        TuneError::Usage(error.to_string())
    }
}
