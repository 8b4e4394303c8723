//! The Quintain bot protocol: JSON lines over standard input and output. This crate defines the
//! messages and what parts of an answer count, and [`serve`] has a player of a catalog answer them.
//! The crates that run programs, `quintain-bots` and `quintain-wasm`, conduct the conversations.
//! `docs/bots.md` explains the protocol to authors of programs.

mod messages;
mod quote;
mod reply;
pub mod serve;
mod transcript;

pub use messages::{
    DrawingItem, DrawingPaint, FromProgram, Illegal, MatchEnd, MatchStartMessage, NEWEST_PROTOCOL,
    NoteValue, PROTOCOL, Ready, Reply, TimeLimits, ToProgram, Turn,
};
pub use quote::quote_line;
pub use reply::ReplyParts;
pub use transcript::{Choice, Line, Listener, transcribe, without_version};

use schemars::schema_for;
use serde_json::Value;

/// The name of this protocol in a `bots.toml`.
pub const NAME: &str = "quintain";

/// The JSON schemas of the messages to a program and of those from it.
pub fn schemas() -> (Value, Value) {
    (schema_for!(ToProgram).to_value(), schema_for!(FromProgram).to_value())
}
