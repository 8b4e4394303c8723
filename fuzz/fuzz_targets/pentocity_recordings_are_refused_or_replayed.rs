//! A recorded game is refused in words or can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_pentocity::recorded::{parse, replay};
use quintain_pentocity::{Pentocity, Ruleset};

fuzz_target!(|text: &str| {
    let Ok(recorded) = parse(text) else { return };
    let _ = replay(&Pentocity::new(20, Ruleset::Simulator), &recorded);
});
