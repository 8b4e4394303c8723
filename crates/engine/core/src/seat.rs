//! A place at a game.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place at the game, counted from 0.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Seat(u16);

impl Seat {
    /// The seat with this index.
    ///
    /// # Panics
    /// If the index is above 65 535.
    #[inline]
    pub const fn new(index: usize) -> Self {
        assert!(index <= u16::MAX as usize, "more seats than a seat number can hold");
        Seat(index as u16)
    }

    /// The index, 0..seats.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its name for people: A, B and so on, then `player 27` and so on.
    pub fn letter(self) -> String {
        let letter = u8::try_from(self.0).ok().filter(|seat| *seat < 26);
        letter.map_or_else(
            || format!("player {}", u32::from(self.0) + 1),
            |seat| char::from(b'A' + seat).into(),
        )
    }

    /// All seats of a game with `seats` seats.
    pub fn all(seats: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..seats).map(Seat::new)
    }
}

impl Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}
