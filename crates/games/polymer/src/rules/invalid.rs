//! Why what somebody gives is no instance, or no walk of one. The texts are for that person.

use std::fmt;

use quintain_core::{BuildError, ProtocolError};

/// Why something is no instance: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidInstance(pub String);

impl fmt::Display for InvalidInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidInstance {}

impl From<String> for InvalidInstance {
    fn from(problem: String) -> InvalidInstance {
        InvalidInstance(problem)
    }
}

impl From<InvalidInstance> for BuildError {
    fn from(problem: InvalidInstance) -> BuildError {
        problem.0.into()
    }
}

impl From<InvalidInstance> for ProtocolError {
    fn from(problem: InvalidInstance) -> ProtocolError {
        problem.0.into()
    }
}

/// Why something is no whole walk of an instance: which step or monomer is wrong, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidWalk(pub String);

impl fmt::Display for InvalidWalk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidWalk {}

impl From<String> for InvalidWalk {
    fn from(problem: String) -> InvalidWalk {
        InvalidWalk(problem)
    }
}
