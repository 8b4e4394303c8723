//! A scenario of any game (gather's boards among them) is refused in words, or a match on it
//! can be begun and gives a record that verifies. Text: the game, a colon, the scenario. Files are
//! left out: what they hold is fuzzed by targets of their own.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quintain_core::{Catalog, Setup};

static CATALOG: LazyLock<Catalog> = LazyLock::new(quintain_games::catalog);

fuzz_target!(|text: &str| {
    let Some((name, scenario)) = text.split_once(':') else { return };
    if scenario.contains("path=") || scenario.contains("file") {
        return;
    }
    let Ok(game) = CATALOG.game(name, scenario) else { return };
    assert!(game.seats() > 0);
    // Large boards are sound as well, but slow.
    if game.seats() > 8 || scenario.len() > 60 {
        return;
    }
    let Ok(player) = CATALOG.player(name, "random") else { return };
    let seats = vec![&player; game.seats()];
    let Ok(record) = game.play(&Setup::default(), &seats, None) else { return };
    CATALOG.verify(&record).expect("what was played verifies");
});
