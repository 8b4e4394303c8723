//! How a game is played by hand: what keys mean, and how actions are composed by pointing at cells.
//! Keys and mice are read elsewhere.

use serde_json::Value;

use super::scene::Point;

/// A key that a person presses to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter, digit or sign, or the space.
    Character(char),
    /// The left arrow.
    Left,
    /// The right arrow.
    Right,
    /// The up arrow.
    Up,
    /// The down arrow.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

impl Key {
    /// The key as the text of an action, if it is one of these characters.
    pub fn among(self, characters: &str) -> Option<String> {
        match self {
            Key::Character(typed) if characters.contains(typed) => Some(typed.to_string()),
            _ => None,
        }
    }
}

/// How a game is played by hand.
#[derive(Clone, Copy, Debug)]
pub struct Keyboard {
    /// What the keys do, in a line.
    pub help: &'static str,
    /// Returns the action of a key, in text.
    pub action: fn(Key) -> Option<String>,
    /// Labels for buttons: what keys do, in a word or two, if the action's text does not say it. If
    /// there are any, only these keys become buttons.
    pub names: &'static [(Key, &'static str)],
    /// How actions are composed on the board, if a key is not enough.
    pub pointing: Option<Pointing>,
    /// Writes what was played, given as a scenario and actions, as a solution in the game's file
    /// format, if the game has one.
    pub solution: Option<Solved>,
}

impl Keyboard {
    /// A keyboard of keys alone: what they do, in a line, and the action of each, in text.
    pub const fn new(help: &'static str, action: fn(Key) -> Option<String>) -> Keyboard {
        Keyboard { help, action, names: &[], pointing: None, solution: None }
    }

    /// Adds actions made by pointing at a cell: how it is done, in a line, and what pointing means.
    pub const fn with_cells(
        self,
        help: &'static str,
        action: fn(&Gesture<'_>) -> Option<Pointed>,
    ) -> Keyboard {
        Keyboard { pointing: Some(Pointing { help, marks: &[], others: &[], action }), ..self }
    }
}

/// Why what was played cannot be written as a solution.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SolvedError(String);

impl From<String> for SolvedError {
    fn from(text: String) -> Self {
        SolvedError(text)
    }
}

/// See [`Keyboard::solution`].
pub type Solved = fn(&str, &[String]) -> Result<String, SolvedError>;

/// How actions are composed by pointing at cells.
#[derive(Clone, Copy, Debug)]
pub struct Pointing {
    /// How it is done, in a line.
    pub help: &'static str,
    /// The marks that cells can be given beforehand, each with its key: `('w', "water")`.
    pub marks: &'static [(char, &'static str)],
    /// Actions that need no cell, each with its key: `('x', "reject")`.
    pub others: &'static [(char, &'static str)],
    /// Returns what a gesture means.
    pub action: fn(&Gesture<'_>) -> Option<Pointed>,
}

/// A cell pointed at, with the turns and marks made before.
#[derive(Clone, Copy, Debug)]
pub struct Gesture<'a> {
    /// The cell.
    pub at: Point,
    /// How many times the piece was turned.
    pub turns: u8,
    /// The cells marked, each with its key in [`Pointing::marks`].
    pub marks: &'a [(char, Point)],
    /// What the person sees, in the game's JSON form.
    pub observation: &'a Value,
    /// The actions offered, in text.
    pub offered: &'a [String],
}

impl Gesture<'_> {
    /// An action that is about the cell pointed at.
    pub fn means(&self, action: impl ToString) -> Option<Pointed> {
        Some(Pointed { action: action.to_string(), cells: vec![self.at] })
    }
}

/// What a gesture means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointed {
    /// The action, in text. The rules may refuse it.
    pub action: String,
    /// The cells that it is about.
    pub cells: Vec<Point>,
}
