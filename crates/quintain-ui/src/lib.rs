//! The words in which games speak to people: scenes to be drawn, keys and cells to be
//! pointed at. Plain data and no more: terminals, pages and pictures are made elsewhere,
//! and rules do not know this crate.

mod keyboard;
mod scene;

pub use keyboard::{Gesture, Key, Keyboard, Pointed, Pointing, Solved, SolvedError};
pub use scene::*;
