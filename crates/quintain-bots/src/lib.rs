//! Programs in any language as players: how they are found ([`roster`]), run and
//! confined ([`sandbox`], [`process`]), limited ([`limits`]) and spoken to
//! ([`protocol`] and the games' own dialects); how they are examined ([`check`]), and how
//! our players become such programs themselves ([`serve`]).
//!
//! No game is named here, and no tournament: programs reach a match through
//! `quintain_core`'s seam for players from outside. What confines them is Linux's own, so
//! elsewhere this crate is empty.

#![cfg(target_os = "linux")]

pub mod check;
mod clock;
mod foreign;
pub mod limits;
pub mod process;
pub mod protocol;
pub mod roster;
pub mod sandbox;
pub mod serve;
mod session;

pub use roster::{Roster, Settings};
pub use sandbox::take_over_if_asked;
