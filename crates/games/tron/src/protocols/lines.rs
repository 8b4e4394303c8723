//! The building blocks of the protocols' lines: positions, words, numbers and rows of characters.

use quintain_core::{ProtocolError, Question};

use crate::rules::direction::Direction;
use crate::rules::state::State;

/// The position that a question shows.
pub(super) fn read_position(question: &Question) -> Result<State, ProtocolError> {
    let state = serde_json::from_value(question.observation.clone());
    Ok(state.map_err(|error| error.to_string())?)
}

/// The word for a direction: `LEFT`, `RIGHT`, `UP` or `DOWN`.
pub(super) fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "UP",
        Direction::Right => "RIGHT",
        Direction::Down => "DOWN",
        Direction::Left => "LEFT",
    }
}

/// Reads a line that must hold one of those words.
pub(super) fn parse_word(line: &str) -> Result<Direction, ProtocolError> {
    let known = Direction::ALL.into_iter().find(|direction| word(*direction) == line.trim());
    Ok(known.ok_or("expected LEFT, RIGHT, UP or DOWN")?)
}

/// Reads exactly `N` whole numbers.
pub(super) fn parse_numbers<const N: usize>(line: &str) -> Result<[i32; N], ProtocolError> {
    let read: Result<Vec<i32>, _> = line.split_whitespace().map(str::parse).collect();
    let expected = || ProtocolError::from(format!("expected {N} whole numbers"));
    read.map_err(|_| expected())?.try_into().map_err(|_| expected())
}

/// Draws a board row by row.
pub(super) fn draw_rows(state: &State, sign: impl Fn(usize) -> char) -> String {
    let mut text = String::with_capacity((state.width() + 1) * state.height());
    for row in 0..state.height() {
        text.extend((0..state.width()).map(|column| sign(row * state.width() + column)));
        text.push('\n');
    }
    text
}
