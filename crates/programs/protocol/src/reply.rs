//! What is kept of a program's reply: the action, and a limited number of notes and marks.

use quintain_core::LogContent;
use quintain_core::ui::Mark;
use serde_json::Value;

use crate::messages::{NoteValue, Reply};

/// The most notes that are kept of an answer, and the longest name of a note in bytes.
const MOST_NOTES: usize = 32;
const LONGEST_NOTE: usize = 64;
/// The most characters that are kept of a note in words, and the most marks of a drawing.
const LONGEST_TEXT: usize = 200;
const MOST_MARKS: usize = 1000;

/// The parts of a reply.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplyParts {
    /// The action.
    pub action: Value,
    /// Notes in figures.
    pub figures: Vec<(String, f64)>,
    /// Notes in words, and a drawing.
    pub log: Vec<LogContent>,
}

impl From<Reply> for ReplyParts {
    fn from(reply: Reply) -> ReplyParts {
        let (mut figures, mut log) = (Vec::new(), Vec::new());
        let notes = reply.notes.into_iter().filter(|(name, _)| name.len() <= LONGEST_NOTE);
        for (name, value) in notes.take(MOST_NOTES) {
            match value {
                NoteValue::Number(value) => figures.push((name, value)),
                NoteValue::Text(text) => {
                    let text = text.chars().take(LONGEST_TEXT).collect();
                    log.push(LogContent::Note { name, text });
                }
            }
        }
        let marks: Vec<Mark> = reply.draw.into_iter().take(MOST_MARKS).map(Mark::from).collect();
        if !marks.is_empty() {
            log.push(LogContent::Drawing(marks));
        }
        ReplyParts { action: reply.action, figures, log }
    }
}
