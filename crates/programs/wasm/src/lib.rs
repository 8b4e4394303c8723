//! WebAssembly modules as players of any game: `wasm:FILE`. [`Modules`] finds and compiles them,
//! and is also the catalog's source of them.
//!
//! A module has no clock but the fuel that it burns (five units count as a nanosecond), no random
//! numbers but those of its seat's seed, no files and no network. Only the module, the questions
//! and its limits determine what it does, so a match is the same on every machine, however loaded.
//! This crate knows no game; messages are those of [`quintain_protocol`].

mod direct;
mod engine;
mod fault;
mod host;
mod limits;
mod module;
mod modules;
mod packed;
mod patience;
mod player;
mod prices;
mod program;
mod rewrite;
mod wasi;

pub use limits::{FuelError, Limits};
pub use module::ModuleError;
pub use modules::{Modules, SentModules};
