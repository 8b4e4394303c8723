//! The catalog of the command: the games that it was started with, human players, and lines of
//! moves.

use std::sync::{Arc, OnceLock};

use quintain_core::Catalog;
use quintain_play::{HumanPlayers, LinePlayers};

static GAMES: OnceLock<fn() -> Catalog> = OnceLock::new();

/// Sets the games before anything asks for them. Only the first call has an effect.
pub(crate) fn set_games(games: fn() -> Catalog) {
    let _ = GAMES.set(games);
}

/// Returns every game with its players, including the person at the keyboard and lines of moves.
pub(crate) fn catalog() -> Catalog {
    let games = GAMES.get_or_init(|| quintain_games::catalog);
    games().with_external(Arc::new(HumanPlayers)).with_external(Arc::new(LinePlayers))
}
