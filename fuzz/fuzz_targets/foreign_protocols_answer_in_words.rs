//! Neither side of a foreign protocol panics, whatever it is told: the program's side hears the
//! lines, the referee's side reads them as answers and as a plan. The first byte says which
//! protocol it is.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use quintain_core::{AnyEntry, Catalog, ForeignProtocol, Parsed};
use serde_json::{Value, json};

static CATALOG: LazyLock<Catalog> = LazyLock::new(quintain_games::catalog);
/// A setting for those that plan a whole game, by protocol.
static SETTINGS: LazyLock<[(&str, Value); 2]> = LazyLock::new(|| {
    let problem = json!({ "problem": { "id": 7, "sourceSeeds": [17] }, "phrases": ["ei!"] });
    let chain =
        json!({ "width": 3, "height": 3, "interaction": "charge", "monomers": [1, -1, 1, -1] });
    [("icfp2015", problem), ("polymer-file", chain)]
});

fuzz_target!(|told: (u8, &str)| {
    let (which, text) = told;
    let all: Vec<&ForeignProtocol> =
        CATALOG.entries().flat_map(|entry: &dyn AnyEntry| entry.protocols()).collect();
    let protocol = all[usize::from(which) % all.len()];
    if let Some(program) = protocol.program {
        let mut program = program();
        for line in text.lines() {
            if let Ok(Parsed::Request(request)) = program.hear(line) {
                // Whatever it asks is a position, or is refused in words.
                if let Err(error) =
                    serde_json::from_value::<quintain_tron::State>(request.observation)
                {
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    let mut referee = (protocol.referee)();
    for line in text.lines() {
        let _ = referee.answer(line);
    }
    let _ = referee.plan(text);
    if let Some((_, setting)) = SETTINGS.iter().find(|(name, _)| *name == protocol.name) {
        let launched = referee.launch(setting, Duration::from_secs(1), Path::new("/given"));
        launched.expect("the setting is sound");
        let _ = referee.plan(text);
    }
});
