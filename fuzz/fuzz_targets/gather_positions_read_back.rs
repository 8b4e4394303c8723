//! What a player is shown of a position, in JSON, is refused in words or reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_gather::{Observation, Units};

fuzz_target!(|text: &str| {
    if let Ok(units) = serde_json::from_str::<Units>(text) {
        let json = serde_json::to_string(&units).expect("sets have a JSON form");
        assert_eq!(serde_json::from_str::<Units>(&json).ok(), Some(units));
    }
    if let Ok(seen) = serde_json::from_str::<Observation>(text) {
        let json = serde_json::to_string(&seen).expect("what is seen has a JSON form");
        assert_eq!(serde_json::from_str::<Observation>(&json).ok(), Some(seen));
    }
});
