//! What can be wrong with a tournament file, reported with the place in the file.

use std::fmt;
use std::ops::Range;

use quintain_core::TextFileError;

/// A position in a file. Line and column count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SourcePosition {
    /// The file as the user named it.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl SourcePosition {
    /// The place of the first byte of `span` in `text`.
    pub(crate) fn new(file: &str, text: &str, span: &Range<usize>) -> SourcePosition {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SourcePosition {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A tournament file that cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// The file cannot be read.
    #[error("cannot read {0}")]
    Read(#[from] TextFileError),
    /// Not TOML.
    #[error("{position}: {problem}")]
    Syntax {
        /// Where.
        position: SourcePosition,
        /// What is wrong.
        problem: String,
    },
    /// A key that is unknown or missing, or a value of the wrong kind or out of range.
    #[error("{position}: {problem}")]
    Key {
        /// Where.
        position: SourcePosition,
        /// What is wrong.
        problem: String,
    },
    /// A game, scenario, player or parameter that the catalog does not have.
    #[error("{position}: {problem}")]
    Name {
        /// Where.
        position: SourcePosition,
        /// What is wrong.
        problem: String,
    },
    /// Players, seats and format that do not go together.
    #[error("{position}: {problem}")]
    Seating {
        /// Where.
        position: SourcePosition,
        /// What is wrong.
        problem: String,
    },
    /// Something in a part of a series.
    #[error("{part}: {problem}")]
    Part {
        /// The file, and which part of it.
        part: String,
        /// What is wrong.
        problem: String,
    },
}

impl TournamentError {
    /// The same about a part of a series, whose text has other places than the file's.
    pub(crate) fn of_part(self, part: &str) -> TournamentError {
        let problem = match self {
            TournamentError::Read(_) | TournamentError::Part { .. } => self.to_string(),
            TournamentError::Syntax { problem, .. }
            | TournamentError::Key { problem, .. }
            | TournamentError::Name { problem, .. }
            | TournamentError::Seating { problem, .. } => problem,
        };
        TournamentError::Part { part: part.to_owned(), problem }
    }

    /// The same about a player whose absence leaves nothing to play.
    pub(crate) fn of_challenger(self) -> TournamentError {
        match self {
            TournamentError::Name { position, problem } => TournamentError::Name {
                position,
                problem: format!(
                    "{problem}; it is a challenger of this gauntlet, so nothing is played without \
                     it"
                ),
            },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let text = "a = 1\nbéta = 2\n";
        let at =
            |index: usize| SourcePosition::new("x.toml", text, &(index..index + 1)).to_string();
        assert_eq!(at(0), "x.toml:1:1");
        assert_eq!(at(6), "x.toml:2:1");
        // The é takes two bytes but one column.
        assert_eq!(at(text.find('2').unwrap()), "x.toml:2:8");
        assert_eq!(at(text.len()), "x.toml:3:1");
    }
}
