//! The messages, as types from which their documented schema is also derived.

use std::collections::BTreeMap;
use std::time::Duration;

use quintain_core::ui::{Mark, Paint, Point};
use quintain_core::{MatchStart, Outcome, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol that a program speaks unless its `ready` names another. Fields may
/// be added to messages within a version; programs ignore those they do not know.
pub const PROTOCOL: u32 = 1;

/// The newest version of the protocol. In version 1, places of drawings are column and row; in
/// version 2 they are row and column, as in observations.
pub const NEWEST_PROTOCOL: u32 = 2;

/// A message from the arena to a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToProgram {
    /// The first message to a process. The answer is `ready`.
    Hello {
        /// The version of the protocol that is spoken unless `ready` names another.
        protocol: u32,
        /// The newest version that `ready` may name.
        #[serde(default = "oldest")]
        newest: u32,
        /// The name and version of the arena.
        arena: String,
    },
    /// A match begins. There is no answer.
    Start(MatchStartMessage),
    /// The program must move. The answer is `action`.
    Turn(Turn),
    /// The last action was refused, which loses the match. There is no answer.
    Illegal(Illegal),
    /// The match is over. There is no answer; another `start` may follow.
    End(MatchEnd),
    /// Nothing more will come, and the program must end.
    Bye {},
}

impl ToProgram {
    /// The first message to a process.
    pub fn hello() -> ToProgram {
        let arena = concat!("quintain ", env!("CARGO_PKG_VERSION")).to_owned();
        ToProgram::Hello { protocol: PROTOCOL, newest: NEWEST_PROTOCOL, arena }
    }

    /// The message that a match begins, the `number`-th of this process.
    pub fn start(number: u64, match_start: &MatchStart, setting: &Value) -> ToProgram {
        let budget = match_start.budget;
        let ms = |time: Option<Duration>| time.map(|time| time.as_millis() as u64);
        ToProgram::Start(MatchStartMessage {
            number,
            game: match_start.game.clone(),
            scenario: match_start.scenario.clone(),
            seats: match_start.seats,
            seat: match_start.seat.index(),
            seed: match_start.seed,
            setting: setting.clone(),
            limits: TimeLimits {
                move_ms: ms(budget.per_move),
                match_ms: ms(budget.per_match),
                increment_ms: ms(budget.increment),
                iterations: budget.iterations,
                nodes: budget.nodes,
            },
        })
    }

    /// The message that the program must move within this time.
    pub fn turn(question: &Question, time: Duration) -> ToProgram {
        ToProgram::Turn(Turn {
            turn: question.turn,
            observation: question.observation.clone(),
            actions: question.actions.clone(),
            time_ms: time.as_millis() as u64,
        })
    }

    /// The line of [`ToProgram::turn`]. It is written for every question, so it does not copy the
    /// observation, which may be large.
    pub fn turn_line(question: &Question, time: Duration) -> String {
        #[derive(Serialize)]
        #[serde(tag = "type", rename = "turn")]
        struct BorrowedTurn<'a> {
            turn: u32,
            observation: &'a Value,
            actions: &'a [String],
            time_ms: u64,
        }
        line(&BorrowedTurn {
            turn: question.turn,
            observation: &question.observation,
            actions: &question.actions,
            time_ms: time.as_millis() as u64,
        })
    }

    /// The match is over.
    pub fn end(outcome: &Outcome) -> ToProgram {
        ToProgram::End(MatchEnd {
            scores: outcome.scores.clone(),
            ending: outcome.ending.clone(),
            fault_seat: outcome.fault.as_ref().map(|fault| fault.seat.index()),
        })
    }

    /// The message as a line, with its line ending.
    pub fn line(&self) -> String {
        line(self)
    }
}

fn line(message: &impl Serialize) -> String {
    let mut text = serde_json::to_string(message).expect("messages have a JSON form");
    text.push('\n');
    text
}

/// A match begins.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MatchStartMessage {
    /// The number of this match in this process, from 1.
    #[serde(rename = "match")]
    pub number: u64,
    /// The game.
    pub game: String,
    /// The scenario with its parameters, as one string.
    pub scenario: String,
    /// The number of seats.
    pub seats: usize,
    /// The program's own seat, from 0.
    pub seat: usize,
    /// A seed for the program's own random numbers. It says nothing about the match.
    pub seed: u64,
    /// What is known about the game before it begins, in the game's own form, which the
    /// game's page describes.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub setting: Value,
    /// The time limits.
    pub limits: TimeLimits,
}

/// The limits of a match, with times in milliseconds; an absent field means no limit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TimeLimits {
    /// Time for each answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// Time for all answers of the match together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// Time that every answer adds to `match_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Iterations for each decision, if the match limits the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Nodes for each decision, if the match limits the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The program must move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The turn of the match, from 0.
    pub turn: u32,
    /// What the program's seat sees, in the game's form.
    pub observation: Value,
    /// The offered actions, as text; if there are too many to list, some of them.
    pub actions: Vec<String>,
    /// Milliseconds for the answer.
    pub time_ms: u64,
}

/// The last action was refused.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Illegal {
    /// Why it was refused.
    pub reason: String,
}

/// The match is over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MatchEnd {
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// Why the match ended.
    pub ending: String,
    /// The seat that was taken out of the match, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault_seat: Option<usize>,
}

/// A message from a program to the arena.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FromProgram {
    /// The answer to `hello`.
    Ready(Ready),
    /// The answer to `turn`.
    Action(Reply),
}

/// The program is ready to play.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ready {
    /// What the program calls itself.
    #[serde(default)]
    pub name: String,
    /// The games that the program plays; an empty list means any game.
    #[serde(default)]
    pub games: Vec<String>,
    /// The version of the protocol that the program speaks.
    #[serde(default = "oldest", skip_serializing_if = "is_oldest")]
    pub protocol: u32,
}

fn oldest() -> u32 {
    PROTOCOL
}

fn is_oldest(version: &u32) -> bool {
    *version <= PROTOCOL
}

/// The program's answer to `turn`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The action, as text like the offered ones or in the game's JSON form.
    pub action: Value,
    /// Notes on the decision: figures such as depth, value and nodes, or a few words. They are
    /// kept with the match if notes are kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, NoteValue>,
    /// What to draw over the board for this turn. It is kept with the match if notes are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draw: Vec<DrawingItem>,
}

/// A note: a figure, or a few words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum NoteValue {
    /// A figure.
    Number(f64),
    /// Words.
    Text(String),
}

/// Something drawn over the board. Places are row and column, from 0 at the top left; in version 1
/// of the protocol, column and row.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Drawn")]
#[non_exhaustive]
pub enum DrawingItem {
    /// A whole cell.
    Cell {
        /// Its place.
        cell: [i32; 2],
        /// What it means; `accent` if absent.
        #[serde(default)]
        paint: DrawingPaint,
        /// A character in it.
        #[serde(default = "blank")]
        glyph: char,
    },
    /// A line between the centres of two cells.
    Line {
        /// The places of both cells.
        line: [[i32; 2]; 2],
        /// What it means; `accent` if absent.
        #[serde(default)]
        paint: DrawingPaint,
    },
    /// A short text at a cell.
    Label {
        /// Its place.
        label: [i32; 2],
        /// The text.
        text: String,
    },
}

/// What something drawn means; the viewer chooses colours for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "DrawnPaint")]
#[non_exhaustive]
pub enum DrawingPaint {
    /// Something to notice.
    #[default]
    Accent,
    /// Something that is good for the seat.
    Good,
    /// Something that is bad for the seat.
    Bad,
    /// A quantity, from cold (0) to hot (255).
    Heat(u8),
    /// What a seat could get.
    Claim(u16),
    /// What a seat has left behind, or would leave behind.
    Seat(u16),
}

/// The most characters that are kept of a label.
const MAX_LABEL: usize = 24;

fn blank() -> char {
    ' '
}

impl From<DrawingPaint> for Paint {
    fn from(paint: DrawingPaint) -> Paint {
        match paint {
            DrawingPaint::Accent => Paint::Accent,
            DrawingPaint::Good => Paint::Good,
            DrawingPaint::Bad => Paint::Bad,
            DrawingPaint::Heat(heat) => Paint::Heat(heat),
            DrawingPaint::Claim(seat) => Paint::Claim(seat),
            DrawingPaint::Seat(seat) => Paint::Seat(seat),
        }
    }
}

impl DrawingItem {
    /// Makes a mark of a scene, from a program that speaks this version of the protocol. Control
    /// characters, which would upset a terminal, become spaces.
    pub(crate) fn into_mark(self, protocol: u32) -> Mark {
        let at = |[first, second]: [i32; 2]| match protocol {
            ..=1 => Point::new(first, second),
            _ => Point::new(second, first),
        };
        let to_printable = |letter: char| if letter.is_control() { ' ' } else { letter };
        match self {
            DrawingItem::Cell { cell, paint, glyph } => {
                Mark::Cell { at: at(cell), paint: paint.into(), glyph: to_printable(glyph) }
            }
            DrawingItem::Line { line: [from, to], paint } => {
                Mark::Line { from: at(from), to: at(to), paint: paint.into() }
            }
            DrawingItem::Label { label, text } => {
                let text = text.chars().take(MAX_LABEL).map(to_printable).collect();
                Mark::Label { at: at(label), text }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::Seat;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_line_of_a_turn_is_the_same_with_and_without_a_copy() {
        let question = Question::new(
            Seat::new(1),
            7,
            json!({ "rows": ["# a", "B #"], "heads": [[0, 2], null] }),
            vec!["U".to_owned(), "“D”".to_owned()],
        )
        .with_time(Some(Duration::from_millis(40)));
        let time = Duration::from_micros(40_900);
        let copied = ToProgram::turn(&question, time).line();
        assert_eq!(ToProgram::turn_line(&question, time), copied);
    }
}
