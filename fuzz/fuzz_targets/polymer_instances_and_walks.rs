//! An instance is refused in words or sound; a walk on it that can be read is legal, and reads
//! back from its steps. The text is an instance, a line `-`, and a walk.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_polymer::{check_walk, draw, read_instance, read_walk, steps_of};

fuzz_target!(|text: &str| {
    let (instance, walk) = text.split_once("\n-\n").unwrap_or((text, "RDL"));
    let Ok(instance) = read_instance(instance) else { return };
    let Ok(walk) = read_walk(&instance, walk) else { return };
    check_walk(&instance, &walk).expect("what is read was checked");
    let steps = steps_of(instance.torus(), &walk);
    assert_eq!(steps.len() + 1, walk.len());
    if !steps.is_empty() {
        read_walk(&instance, &steps).expect("steps can be read");
    }
    let _ = draw(&instance, &walk);
});
