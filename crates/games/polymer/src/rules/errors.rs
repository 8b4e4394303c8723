//! Why given data is not an instance, or not a walk of one. The texts are for the person who gave
//! it.

use std::fmt;

use quintain_core::{BuildError, ProtocolError};

/// Why something is not an instance: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstanceError(pub(crate) String);

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InstanceError {}

impl From<String> for InstanceError {
    fn from(problem: String) -> InstanceError {
        InstanceError(problem)
    }
}

impl From<InstanceError> for BuildError {
    fn from(problem: InstanceError) -> BuildError {
        problem.0.into()
    }
}

impl From<InstanceError> for ProtocolError {
    fn from(problem: InstanceError) -> ProtocolError {
        problem.0.into()
    }
}

/// Why something is not a whole walk of an instance: which step or monomer is wrong, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WalkError(pub(crate) String);

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WalkError {}

impl From<String> for WalkError {
    fn from(problem: String) -> WalkError {
        WalkError(problem)
    }
}
