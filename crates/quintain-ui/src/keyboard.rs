//! How a game is played by hand: what keys mean, and how actions are put together by
//! pointing at cells. Who reads keys and mice is not known here.

use serde_json::Value;

use crate::scene::Point;

/// A key that a person presses to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter, digit or sign; the space too.
    Character(char),
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow upwards.
    Up,
    /// The arrow downwards.
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
    /// The action of a key, in text.
    pub action: fn(Key) -> Option<String>,
    /// What keys do, in a word or two, for buttons, where the action's text does not say it:
    /// then only these keys are buttons.
    pub names: &'static [(Key, &'static str)],
    /// How actions are put together on the board, where a key is not enough.
    pub pointing: Option<Pointing>,
    /// What was played, as a solution in the form of the game's files: from the scenario
    /// and the actions. Only where there is such a form.
    pub solution: Option<Solved>,
}

impl Keyboard {
    /// Keys alone: what they do, in a line, and the action of each, in text.
    pub const fn new(help: &'static str, action: fn(Key) -> Option<String>) -> Keyboard {
        Keyboard { help, action, names: &[], pointing: None, solution: None }
    }

    /// Adds actions that are a cell pointed at: how it is done, in a line, and what
    /// pointing means.
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

/// How actions are put together by pointing at cells.
#[derive(Clone, Copy, Debug)]
pub struct Pointing {
    /// How it is done, in a line.
    pub help: &'static str,
    /// What cells can be marked as beforehand, each with its key: `('w', "water")`.
    pub marks: &'static [(char, &'static str)],
    /// Actions that need no cell, each with its key: `('x', "reject")`.
    pub others: &'static [(char, &'static str)],
    /// What is meant by a gesture.
    pub action: fn(&Gesture<'_>) -> Option<Pointed>,
}

/// A cell pointed at, and what was said before.
#[derive(Clone, Copy, Debug)]
pub struct Gesture<'a> {
    /// The cell.
    pub at: Point,
    /// How often the piece was turned.
    pub turns: u8,
    /// Cells marked, by the key of [`Pointing::marks`].
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
    /// The action, in text; perhaps one that the rules refuse.
    pub action: String,
    /// The cells that it is about.
    pub cells: Vec<Point>,
}
