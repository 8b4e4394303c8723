//! What the command seats: the games of the workbench, and people.

use std::sync::Arc;

use quintain_core::Catalog;
use quintain_human::HumanPlayers;

/// Every game with its players, and whoever sits at the keyboard.
pub(crate) fn catalog() -> Catalog {
    quintain_games::catalog().with_external(Arc::new(HumanPlayers))
}
