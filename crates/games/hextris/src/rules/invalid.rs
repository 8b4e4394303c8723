//! Why what somebody gives is no problem, or no list of solutions. The texts are for that person.

use std::fmt;

/// Why something is no problem: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidProblem(pub String);

impl fmt::Display for InvalidProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidProblem {}

impl From<String> for InvalidProblem {
    fn from(problem: String) -> InvalidProblem {
        InvalidProblem(problem)
    }
}

/// Why a text is no list of solutions: what is wrong, where, and what was expected there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidSolutions(pub String);

impl fmt::Display for InvalidSolutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSolutions {}

impl From<String> for InvalidSolutions {
    fn from(problem: String) -> InvalidSolutions {
        InvalidSolutions(problem)
    }
}
