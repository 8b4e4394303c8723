//! A spec that can be read prints to a text that reads as the same spec.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_core::Spec;

fuzz_target!(|text: &str| {
    if let Ok(spec) = text.parse::<Spec>() {
        assert_eq!(spec.to_string().parse::<Spec>().as_ref(), Ok(&spec));
    }
});
