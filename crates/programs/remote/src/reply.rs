//! The action in a model's answer. It is read strictly: an answer that names no action where one is
//! expected is unreadable, however clear its meaning may be to people.

use quintain_bots::ChatReply;
use serde_json::Value;

use crate::ask::quote;

/// Signs that models put around words, and that belong to no action.
const DECORATION: [char; 4] = ['`', '*', '"', '\''];

/// Why an answer is no action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Misread {
    /// Nothing in it is an action.
    Unreadable(String),
    /// It names an action of the game that was not offered.
    Illegal(String),
}

impl Misread {
    /// What is wrong, in words that the model is told too.
    pub(crate) fn problem(&self) -> &str {
        match self {
            Misread::Unreadable(problem) | Misread::Illegal(problem) => problem,
        }
    }
}

/// What a model is told about the form of its answer.
pub(crate) fn instruction(reply: ChatReply) -> &'static str {
    match reply {
        ChatReply::Line => {
            "You may think first. End your answer with one line that contains nothing but your \
             action, written exactly as above."
        }
        ChatReply::Json => {
            "Answer with one JSON object and nothing else: {\"action\": \"YOUR ACTION\"}, with the \
             action written exactly as above."
        }
    }
}

/// Reads the offered action that an answer names. `reads` tells whether a value is an action of the
/// game at all.
///
/// # Errors
/// What is wrong with the answer.
pub(crate) fn read_action(
    reply: ChatReply,
    text: &str,
    offered: &[String],
    reads: Option<fn(&Value) -> bool>,
) -> Result<String, Misread> {
    // Some models write down their thoughts before the answer.
    let text = text.rsplit_once("</think>").map_or(text, |(_, answer)| answer).trim();
    let named = match reply {
        ChatReply::Line => last_line(text)?,
        ChatReply::Json => action_field(text)?,
    };
    let written = match &named {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    if let Some(action) = offered.iter().find(|action| **action == written) {
        return Ok(action.clone());
    }
    let is_action = reads.is_some_and(|reads| reads(&Value::from(written.as_str())));
    Err(match is_action {
        true => Misread::Illegal(format!("{} is not a possible action here", quote(&written))),
        false => Misread::Unreadable(format!(
            "{} is not one of the possible actions, written exactly as they are",
            quote(&written)
        )),
    })
}

fn last_line(text: &str) -> Result<Value, Misread> {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let line = line.map(|line| line.trim_matches(DECORATION).trim());
    match line.filter(|line| !line.is_empty()) {
        Some(line) => Ok(Value::from(line)),
        None => Err(Misread::Unreadable("the answer is empty".to_owned())),
    }
}

fn action_field(text: &str) -> Result<Value, Misread> {
    let inner = text.strip_prefix("```json").or(text.strip_prefix("```")).unwrap_or(text);
    let inner = inner.strip_suffix("```").unwrap_or(inner).trim();
    let object: Result<serde_json::Map<String, Value>, _> = serde_json::from_str(inner);
    let action = object.ok().and_then(|mut object| object.remove("action"));
    action.ok_or_else(|| {
        let expected = "{\"action\": \"YOUR ACTION\"}";
        Misread::Unreadable(format!("expected {expected}, got {}", quote(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: ChatReply, text: &str) -> Result<String, Misread> {
        let offered = ["U", "R", "place 3"].map(str::to_owned);
        let reads: fn(&Value) -> bool = |action| action.as_str().is_some_and(|a| a.len() == 1);
        read_action(reply, text, &offered, Some(reads))
    }

    #[test]
    fn the_last_line_is_the_action_and_nothing_else_is() {
        for text in ["R", "I go right.\n\nR\n", "<think>\nU\n</think>\nR", "**R**", "U\n`R` "] {
            assert_eq!(read(ChatReply::Line, text).as_deref(), Ok("R"), "{text}");
        }
        assert_eq!(read(ChatReply::Line, "place 3").as_deref(), Ok("place 3"));
        for text in ["", "   \n", "I go R", "r right", "R.", "Action: R", "R\nThat was it."] {
            let read = read(ChatReply::Line, text);
            assert!(matches!(read, Err(Misread::Unreadable(_))), "{text}: {read:?}");
        }
        let illegal = read(ChatReply::Line, "D").unwrap_err();
        assert_eq!(illegal, Misread::Illegal("“D” is not a possible action here".to_owned()));
    }

    #[test]
    fn an_object_names_the_action_in_its_field() {
        for text in ["{\"action\":\"R\"}", "```json\n{\"action\": \"R\", \"why\": 1}\n```"] {
            assert_eq!(read(ChatReply::Json, text).as_deref(), Ok("R"), "{text}");
        }
        for text in ["R", "{\"move\":\"R\"}", "{\"action\":\"R\"} ok", "{\"action\":[1]}", "["] {
            let read = read(ChatReply::Json, text);
            assert!(matches!(read, Err(Misread::Unreadable(_))), "{text}: {read:?}");
        }
        let illegal = read(ChatReply::Json, "{\"action\":\"D\"}");
        assert!(matches!(illegal, Err(Misread::Illegal(_))));
    }
}
