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

impl ReplyParts {
    /// Takes a reply apart, of a program that speaks this version of the protocol.
    pub fn new(reply: Reply, protocol: u32) -> ReplyParts {
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
        let marks = reply.draw.into_iter().take(MAX_MARKS);
        let marks: Vec<Mark> = marks.map(|item| item.into_mark(protocol)).collect();
        if !marks.is_empty() {
            log.push(LogContent::Drawing(marks));
        }
        ReplyParts { action: reply.action, figures, log }
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::ui::{Mark, Point};
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_column_and_row_in_version_1_and_row_and_column_since() {
        let reply = json!({
            "action": "U",
            "draw": [
                { "cell": [3, 1] },
                { "line": [[3, 1], [4, 1]] },
                { "label": [3, 1], "text": "x" }
            ]
        });
        let places = |protocol: u32| {
            let reply: Reply = serde_json::from_value(reply.clone()).unwrap();
            let log = ReplyParts::new(reply, protocol).log;
            let Some(LogContent::Drawing(marks)) = log.first() else { panic!("{log:?}") };
            let places = marks.iter().map(|mark| match mark {
                Mark::Cell { at, .. } | Mark::Label { at, .. } => vec![*at],
                Mark::Line { from, to, .. } => vec![*from, *to],
                mark => panic!("{mark:?}"),
            });
            places.collect::<Vec<_>>().concat()
        };
        let expected = |places: [(i32, i32); 4]| places.map(|(x, y)| Point::new(x, y)).to_vec();
        assert_eq!(places(1), expected([(3, 1), (3, 1), (4, 1), (3, 1)]));
        assert_eq!(places(2), expected([(1, 3), (1, 3), (1, 4), (1, 3)]));
    }
}
