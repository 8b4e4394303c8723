//! A position that can be read from JSON prints to JSON that reads as the same one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_tron::State;

fuzz_target!(|text: &str| {
    if let Ok(state) = serde_json::from_str::<State>(text) {
        let json = serde_json::to_string(&state).expect("a position has a JSON form");
        assert_eq!(serde_json::from_str::<State>(&json).ok(), Some(state));
    }
});
