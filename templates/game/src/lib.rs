//! A new game. It begins as three in a line on a board of three by three: a game that plays
//! and passes the checks that every game must pass, to be replaced file by file.
//!
//! | | |
//! |---|---|
//! | [`rules`] | state, actions, step, score |
//! | [`environment`] | how a match starts, and what chance does |
//! | [`scenarios`] | where it is played |
//! | [`notation`] | the text of a position |
//! | [`encoding`] | positions and actions as numbers, for learners |
//! | [`scene`] | how a position looks, and how it is played by hand |
//! | [`players`] | one strategy per file |

mod encoding;
mod environment;
mod notation;
mod players;
mod rules;
mod scenarios;
mod scene;

use quintain_core::Entry;

pub use environment::scenario;
pub use rules::{Cell, NewGame, State};

/// The game with its scenarios and players, for a catalog.
pub fn entry() -> Entry<NewGame> {
    let entry = Entry::new("new-game", 1, "three marks in a line win", "tic-tac-toe");
    players::add_to(scenarios::add_to(entry))
        .showcase("standard", ["uct", "centre"])
        .presentation(scene::NewGamePresentation)
        .encoding_with("board", encoding::encode, quintain_batch::batches)
}
