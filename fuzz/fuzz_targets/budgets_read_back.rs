//! A budget that can be read prints to a text that reads as the same budget.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_core::Budget;

fuzz_target!(|text: &str| {
    if let Ok(budget) = text.parse::<Budget>() {
        let again = budget.to_string().parse::<Budget>();
        assert_eq!(again.map(|again| again.to_string()), Ok(budget.to_string()));
    }
});
