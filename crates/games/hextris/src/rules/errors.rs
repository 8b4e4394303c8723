//! Why what somebody gives is no problem, or no list of solutions. The texts are for that person.

use std::fmt;

/// Why something is no problem: what is wrong, where, and what was expected there.
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

/// Why a text is no list of solutions: what is wrong, where, and what was expected there.
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
