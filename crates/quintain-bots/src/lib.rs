//! Programs in any language as players: how they are found ([`roster`]), run and
//! confined ([`sandbox`], [`process`]), limited ([`limits`]) and spoken to
//! ([`protocol`] and the games' own dialects).
//!
//! No game is named here, and no tournament: programs reach a match through
//! `quintain_core`'s seam for players from outside.

mod clock;
mod foreign;
pub mod limits;
pub mod process;
pub mod protocol;
pub mod roster;
pub mod sandbox;
mod session;

pub use roster::{Roster, Settings};
pub use sandbox::take_over_if_asked;
