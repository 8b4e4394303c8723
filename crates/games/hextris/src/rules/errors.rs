//! The errors for input that is not a problem or not a list of solutions, written for whoever
//! supplied it.

use std::fmt;

/// Why something is not a problem: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProblemError(pub(crate) String);

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProblemError {}

impl From<String> for ProblemError {
    fn from(problem: String) -> ProblemError {
        ProblemError(problem)
    }
}

/// Why a text is not a list of solutions: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolutionsError(pub(crate) String);

impl fmt::Display for SolutionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SolutionsError {}

impl From<String> for SolutionsError {
    fn from(problem: String) -> SolutionsError {
        SolutionsError(problem)
    }
}
