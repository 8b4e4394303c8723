//! A tournament file is refused in words or gives fixtures with distinct ids.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_arena::Tournament;
use quintain_core::Catalog;

fuzz_target!(|text: &str| {
    let catalog = Catalog::new().with(quintain_tron::entry());
    match Tournament::parse(text, "fuzz.toml", &catalog) {
        Ok(tournament) => {
            let schedule = tournament.schedule();
            let ids = (0..schedule.len().min(50)).map(|index| schedule.fixture(index).id());
            let mut ids: Vec<String> = ids.collect();
            let all = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), all, "a fixture is there twice");
        }
        Err(error) => assert!(error.to_string().starts_with("fuzz.toml")),
    }
});
