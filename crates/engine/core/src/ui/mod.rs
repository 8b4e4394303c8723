//! The vocabulary in which games present themselves to people: scenes to draw, keys to press and
//! cells to point at. It is only plain data: terminals, pages and pictures are made elsewhere, and
//! rules do not know this module.

mod keyboard;
mod scene;

pub use keyboard::{Gesture, Key, Keyboard, Pointed, Pointing, Solved, SolvedError};
pub use scene::*;
