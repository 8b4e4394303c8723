//! The text of a position: one line per row, `x` and `o` for the marks of the two seats and
//! `.` for a free cell. Actions are numbers; their text is made in [`rules`](crate::rules).

use std::fmt;
use std::str::FromStr;

use quintain_core::Seat;

use crate::rules::{CELLS, SIDE, State};

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(SIDE) {
            let text: String = row.iter().map(|mark| letter(*mark)).collect();
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// The letter of a cell: `x` for seat 0, `o` for seat 1, `.` where there is no mark.
pub(crate) fn letter(mark: Option<Seat>) -> char {
    match mark.map(Seat::index) {
        Some(0) => 'x',
        Some(_) => 'o',
        None => '.',
    }
}

/// Why a text is not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// A letter has no meaning.
    #[error("“{0}”: expected x, o or .")]
    Letter(char),
    /// Cells are missing.
    #[error("a board has {CELLS} cells")]
    TooShort,
    /// There are too many cells.
    #[error("a board has no more than {CELLS} cells")]
    TooLong,
}

impl FromStr for State {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let mut marks = text.chars().filter(|letter| !letter.is_whitespace());
        let mut state = State::default();
        for cell in &mut state.cells {
            *cell = match marks.next() {
                Some('x') => Some(Seat::new(0)),
                Some('o') => Some(Seat::new(1)),
                Some('.') => None,
                Some(other) => return Err(BoardError::Letter(other)),
                None => return Err(BoardError::TooShort),
            };
        }
        match marks.next() {
            None => Ok(state),
            Some(_) => Err(BoardError::TooLong),
        }
    }
}
