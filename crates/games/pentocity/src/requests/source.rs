//! The trait of the sources of requests, and what a source may look at.

use quintain_core::Rng;

use crate::rules::board::Board;
use crate::rules::pieces::Piece;
use crate::rules::state::{Ruleset, Totals};

/// What a source may look at: the board and the totals so far. A source has no other memory.
#[derive(Clone, Copy, Debug)]
pub struct RequestHistory<'a> {
    /// The board as it is now: a source may adapt to it.
    pub board: &'a Board,
    /// What was asked for, built and earned.
    pub totals: &'a Totals,
    /// Which reading of the rules is played.
    pub scoring: Ruleset,
}

impl RequestHistory<'_> {
    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.residences() + self.factories()
    }

    /// Residences asked for so far.
    pub fn residences(&self) -> usize {
        usize::from(self.totals.residences_asked)
    }

    /// Factories asked for so far.
    pub fn factories(&self) -> usize {
        usize::from(self.totals.factories_asked)
    }
}

/// A source of requests for buildings, one by one.
pub trait RequestSource: Send + Sync {
    /// The next request.
    fn next(&self, history: &RequestHistory<'_>, rng: &mut Rng) -> Piece;

    /// How many requests there are; `None` if they go on for ever.
    fn length(&self) -> Option<usize> {
        None
    }
}
