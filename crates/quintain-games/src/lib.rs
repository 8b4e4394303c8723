//! The games of the workbench: one line a game. The command, the Python package and the tests
//! that go through all games begin here; nothing below the games does.

use quintain_core::Catalog;

/// Every game, with its scenarios and players.
pub fn catalog() -> Catalog {
    Catalog::new()
        .with(quintain_tron::entry())
        .with(quintain_polymer::entry())
        .with(quintain_gather::entry())
        .with(quintain_hextris::entry())
        .with(quintain_pentocity::entry())
}
