//! The `quintain` command with this game beside those of the workbench.

use std::process::ExitCode;

use quintain_core::Catalog;

fn main() -> ExitCode {
    quintain_cli::run(catalog)
}

/// Every game. A game with an encoding can also be played by networks.
fn catalog() -> Catalog {
    quintain_games::catalog().with(quintain_net::add_to(quintain_new_game::entry()))
}
