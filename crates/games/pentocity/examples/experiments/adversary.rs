//! What `quintain adversary` finds: the distributions that hurt the submitted player most,
//! under both readings of the rules, and the one that hurts the champion most.

use std::sync::Arc;

use quintain_core::{AnyEntry, ToolRequest};
use quintain_pentocity::entry;

pub(crate) fn found(generations: u64) {
    let tool = Arc::new(entry()).tool("adversary").expect("pentocity has an adversary");
    for (against, reference, scoring) in [
        ("g1", "champion", "simulator"),
        ("g1", "champion", "report"),
        ("champion", "g1", "simulator"),
        ("g1", "naive", "simulator"),
    ] {
        let options = [
            ("against", against),
            ("reference", reference),
            ("scoring", scoring),
            ("generations", &generations.to_string()),
        ];
        let request = ToolRequest {
            options: options.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..ToolRequest::default()
        };
        println!("{}", tool(&request).unwrap_or_else(|error| panic!("{error}")));
    }
}
