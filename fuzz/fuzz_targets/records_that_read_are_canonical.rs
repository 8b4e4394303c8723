//! Whatever reads as a record is, byte for byte, what the record prints, and verifying
//! it never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_core::{Catalog, Record};

fuzz_target!(|text: &str| {
    if let Ok(record) = Record::from_json(text) {
        assert_eq!(record.to_json(), text.trim_end());
    }
    // Past the digest: a forged record must be refused in words too.
    if let Ok(record) = serde_json::from_str::<Record>(text) {
        let _ = Catalog::new().with(quintain_tron::entry()).verify(&record);
    }
});
