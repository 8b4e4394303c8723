//! How a store identifies a tournament: by a number that no tournament of the store had before, not
//! even one that has been taken out since.

use rusqlite::{Transaction, params};

/// A tournament's number in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TournamentId(pub(crate) i64);

impl TournamentId {
    /// The number, as the column `tournament` has it.
    pub fn number(self) -> i64 {
        self.0
    }
}

/// The greatest number that any tournament of the store has had, in SQL.
pub(crate) const LAST: &str = "max(coalesce((SELECT max(tournament) FROM tournaments), 0),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last run'), 0))";

/// The number for a tournament of another store, in SQL: its number there, unless a tournament here
/// has that number or once had it.
pub(crate) fn number_like(theirs: TournamentId) -> String {
    let number = theirs.0;
    format!(
        "CASE WHEN EXISTS (SELECT 1 FROM tournaments WHERE tournament = {number})
            OR EXISTS (SELECT 1 FROM meta
                       WHERE key = 'last run' AND CAST(value AS INTEGER) >= {number})
         THEN {LAST} + 1 ELSE {number} END"
    )
}

/// To be called before tournaments are taken out: notes the greatest number.
pub(crate) fn note_last(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let note = format!(
        "INSERT INTO meta VALUES ('last run', {LAST})
         ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    );
    transaction.execute(&note, params![]).map(drop)
}
