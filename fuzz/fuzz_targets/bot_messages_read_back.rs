//! A message of a program, or to one, that can be read prints to a line that reads as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_bots::protocol::{FromProgram, ToProgram};

fuzz_target!(|text: &str| {
    if let Ok(message) = serde_json::from_str::<FromProgram>(text) {
        let json = serde_json::to_string(&message).expect("a message has a JSON form");
        assert_eq!(serde_json::from_str::<FromProgram>(&json).ok(), Some(message));
    }
    if let Ok(message) = serde_json::from_str::<ToProgram>(text) {
        let line = message.line();
        assert_eq!(line.trim_end().lines().count(), 1);
        assert_eq!(serde_json::from_str::<ToProgram>(&line).ok(), Some(message));
    }
});
