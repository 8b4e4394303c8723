//! The catalog of the command: the games that it was started with, and people as players.

use std::sync::{Arc, OnceLock};

use quintain_core::Catalog;
use quintain_human::HumanPlayers;

static GAMES: OnceLock<fn() -> Catalog> = OnceLock::new();

/// Says which games there are, before anything asks. Those that are said first stay.
pub(crate) fn set_games(games: fn() -> Catalog) {
    let _ = GAMES.set(games);
}

/// Every game with its players, and the person at the keyboard.
pub(crate) fn catalog() -> Catalog {
    let games = GAMES.get_or_init(|| quintain_games::catalog);
    games().with_external(Arc::new(HumanPlayers))
}
