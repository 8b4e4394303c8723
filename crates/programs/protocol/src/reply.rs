//! What is kept of a program's reply: the action, and a limited number of notes and marks.

use quintain_core::LogContent;
use quintain_core::ui::Mark;
use serde_json::Value;

use crate::messages::{NoteValue, Reply};

/// Maximum number of notes that are kept of an answer, and maximum length of their names in bytes.
const MAX_NOTES: usize = 32;
const MAX_NOTE_NAME: usize = 64;
/// Maximum length of a note in words, in characters, and maximum number of marks of a drawing.
const MAX_TEXT: usize = 200;
const MAX_MARKS: usize = 1000;

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
        let notes = reply.notes.into_iter().filter(|(name, _)| name.len() <= MAX_NOTE_NAME);
        for (name, value) in notes.take(MAX_NOTES) {
            match value {
                NoteValue::Number(value) => figures.push((name, value)),
                NoteValue::Text(text) => {
                    let text = text.chars().take(MAX_TEXT).collect();
                    log.push(LogContent::Note { name, text });
                }
            }
        }
        let marks: Vec<Mark> = reply.draw.into_iter().take(MAX_MARKS).map(Mark::from).collect();
        if !marks.is_empty() {
            log.push(LogContent::Drawing(marks));
        }
        ReplyParts { action: reply.action, figures, log }
    }
}
