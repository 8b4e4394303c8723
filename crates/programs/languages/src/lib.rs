//! The programming languages of players: [`starters`] with which `quintain new player` begins,
//! [`builds`] of programs that are submitted as sources, and the types of a game's observations in
//! each language. `languages.toml` is the only list of languages, and the files of a starter are in
//! `starters/`; a new language needs no line of Rust.
//!
//! This crate runs no program and knows no game.

mod example;
mod kit;
mod table;
mod types;

pub use kit::{
    GameInfo, Kit, LINE_WIDTH, PlayerFiles, Shell, Step, align_steps, begin, bots_entry, kits,
};
pub use table::{Build, Entry, Module, Starter, builds, is_source, starters};
