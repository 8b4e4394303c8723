//! The games of the workbench: one line a game. The command, the Python package and the tests
//! that go through all games begin here; nothing below the games does.

use quintain_core::Catalog;
use quintain_net::add_to;

/// Every game, with its scenarios and players; those with an encoding with networks as players.
pub fn catalog() -> Catalog {
    Catalog::new()
        .with(add_to(quintain_tron::entry()))
        .with(add_to(quintain_polymer::entry()))
        .with(add_to(quintain_gather::entry()))
        .with(add_to(quintain_hextris::entry()))
        .with(add_to(quintain_pentocity::entry()))
}
