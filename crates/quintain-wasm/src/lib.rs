//! WebAssembly modules as players of any game: `wasm:FILE`. They are found and compiled in
//! [`Modules`], which is also the catalog's source of them.
//!
//! A module has no clock but the fuel that it burns (five units are a nanosecond to it), no random
//! numbers but those of its seat's seed, no files and no network. What it does is decided by the
//! module, the questions and its limits alone, so a match is the same on every machine, however
//! loaded. It knows no game; messages are those of [`quintain_protocol`].

mod direct;
mod engine;
mod fault;
mod host;
mod limits;
mod module;
mod modules;
mod packed;
mod player;
mod program;
mod rewrite;
mod wasi;

pub use limits::{FuelError, Limits};
pub use module::ModuleError;
pub use modules::Modules;
