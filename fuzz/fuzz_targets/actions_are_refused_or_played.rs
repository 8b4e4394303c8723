//! What a player writes as an action, in any game, is refused in words, or is legal and can be
//! played. Text: the game in the first line, then an action a line; other seats take the first one
//! offered.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quintain_core::Catalog;

static CATALOG: LazyLock<Catalog> = LazyLock::new(quintain_games::catalog);

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let Some(entry) = CATALOG.entries().find(|entry| entry.name() == name) else { return };
    let scenario = entry.scenarios().first().map_or("", |scenario| scenario.name);
    let mut game = entry.game(scenario).expect("a game's first scenario can be played").begin(1);
    for action in lines {
        let seats = game.acting().to_vec();
        let Some(first) = seats.first() else { return };
        if let Err(refused) = game.check(*first, action) {
            assert!(!refused.to_string().is_empty());
            continue;
        }
        let offered: Vec<String> =
            seats.iter().map(|seat| game.actions(*seat).swap_remove(0)).collect();
        let mut joint: Vec<&str> = offered.iter().map(String::as_str).collect();
        joint[0] = action;
        assert!(game.play(&joint).is_ok(), "what was found legal can be played");
    }
});
