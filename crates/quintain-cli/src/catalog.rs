//! The catalog of the command: the games of the workbench, and people as players.

use std::sync::Arc;

use quintain_core::Catalog;
use quintain_human::HumanPlayers;

/// Every game with its players, and the person at the keyboard.
pub(crate) fn catalog() -> Catalog {
    quintain_games::catalog().with_external(Arc::new(HumanPlayers))
}
