//! One step of a walk and its text form: the letters R, D, L and U, and between layers F
//! and B.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of the walk; rows count downwards. Text form `R`, `D`, `L`, `U`, and between layers
/// `F` and `B`.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// One column right.
    Right,
    /// One row down.
    Down,
    /// One column left.
    Left,
    /// One row up.
    Up,
    /// One layer forward.
    Forward,
    /// One layer back.
    Back,
}

impl Step {
    /// All six steps, in the order of [`Torus::next`](super::torus::Torus::next); a torus of one
    /// layer has only the first four.
    pub const ALL: [Step; 6] =
        [Step::Right, Step::Down, Step::Left, Step::Up, Step::Forward, Step::Back];
}

impl Step {
    /// The letter of the step: R, D, L, U, F or B.
    pub const fn letter(self) -> char {
        match self {
            Step::Right => 'R',
            Step::Down => 'D',
            Step::Left => 'L',
            Step::Up => 'U',
            Step::Forward => 'F',
            Step::Back => 'B',
        }
    }

    /// The step of a letter.
    pub const fn of_letter(letter: char) -> Option<Step> {
        match letter {
            'R' | 'r' => Some(Step::Right),
            'D' | 'd' => Some(Step::Down),
            'L' | 'l' => Some(Step::Left),
            'U' | 'u' => Some(Step::Up),
            'F' | 'f' => Some(Step::Forward),
            'B' | 'b' => Some(Step::Back),
            _ => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A text that is not a step.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is not a step; expected R, D, L or U (between layers F or B)")]
pub struct StepError(String);

impl FromStr for Step {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Self, StepError> {
        let mut letters = text.trim().chars();
        match (letters.next().and_then(Step::of_letter), letters.next()) {
            (Some(step), None) => Ok(step),
            _ => Err(StepError(text.trim().to_owned())),
        }
    }
}
