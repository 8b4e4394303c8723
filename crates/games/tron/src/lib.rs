//! Light cycles: the rules of four contests as one engine, their boards and
//! generated ones, the three bots of the report with its list of improvements, and
//! a champion.
//!
//! | | |
//! |---|---|
//! | [`rules`] | state, actions, step, score |
//! | [`environment`] | how a match starts |
//! | [`scenarios`] | boards |
//! | [`notation`] | text and JSON forms, map files |
//! | [`dialects`] | the contests' own protocols |
//! | [`territory`] | who reaches what first |
//! | [`players`] | one strategy a file |
//! | [`scene`] | how a position looks |

mod dialects;
mod duel;
mod encoding;
mod environment;
mod generate;
mod keyboard;
pub mod notation;
mod players;
pub mod rules;
mod scenarios;
mod scene;
pub mod territory;

use quintain_core::Entry;

pub use environment::scenario_on;
pub use rules::{Direction, State, Tron};

/// Tron with its boards and players, for a catalog.
pub fn entry() -> Entry<Tron> {
    let entry = Entry::new(
        "tron",
        1,
        "light cycles: each leaves a wall behind, the last one alive wins",
        "HackerRank, Google AI Challenge 2010, CodinGame, Riddles",
    );
    let entry = dialects::ALL.into_iter().fold(entry, Entry::dialect);
    players::add_to(scenarios::add_to(entry))
        .showcase("rooms?width=19&height=15", ["champion?nodes=3000", "contest2010?nodes=3000"])
        .presentation(scene::TronPresentation)
        .encoding("board", |scenario| Ok(encoding::TronEncoding::new(scenario)))
}

/// The page on writing a player, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/writing-a-player.md")]
pub struct WritingAPlayer;
