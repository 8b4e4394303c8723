//! The games that the command knows: one line a game.

use std::sync::Arc;

use quintain_arena::People;
use quintain_core::Catalog;

/// Every game of the workbench, with its players.
pub(crate) fn catalog() -> Catalog {
    Catalog::new()
        .with(quintain_tron::entry())
        .with(quintain_polymer::entry())
        .with(quintain_gather::entry())
        .with(quintain_hextris::entry())
        .with(quintain_pentocity::entry())
        .with_outside(Arc::new(People))
}
