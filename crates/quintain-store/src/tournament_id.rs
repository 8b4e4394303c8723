//! How a store knows a tournament.

/// A tournament's number in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TournamentId(pub(crate) i64);

impl TournamentId {
    /// The number, as it stands in the column `tournament`.
    pub fn number(self) -> i64 {
        self.0
    }
}
