//! A list of solutions that can be read prints to a text that reads as the same list.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_hextris::{read_solutions, write_solutions};

fuzz_target!(|text: &str| {
    let Ok(solutions) = read_solutions(text) else { return };
    let again = read_solutions(&write_solutions(&solutions)).expect("what is written can be read");
    assert_eq!(again, solutions);
});
