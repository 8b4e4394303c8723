//! The error of the checker of proofs.

/// Why a proof is not known to be valid: what is wrong with it, and after which walk, or how far
/// the check got before it was stopped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProofError(pub(super) String);

impl From<&str> for ProofError {
    fn from(problem: &str) -> Self {
        ProofError(problem.to_owned())
    }
}
