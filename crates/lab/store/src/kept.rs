//! The best solution known of each instance of a game, as `solve --keep` collects them. The table
//! is created when something is first kept; a store without it is just as valid.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use quintain_core::{SolutionStore, SolutionStoreError};
use rusqlite::{OptionalExtension, params};

use crate::error::StoreError;
use crate::store::{Store, now_ms};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS kept (
    game TEXT NOT NULL,
    instance TEXT NOT NULL,
    gain REAL NOT NULL,
    kept_at INTEGER NOT NULL,
    solution TEXT NOT NULL,
    PRIMARY KEY (game, instance)
) STRICT, WITHOUT ROWID";

impl Store {
    /// Keeps a solution if its gain is higher than that of the best one known for the instance.
    /// Returns the gain known before, if there was one.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn keep(
        &mut self,
        game: &str,
        instance: &str,
        gain: f64,
        solution: &str,
    ) -> Result<Option<f64>, StoreError> {
        self.write(|transaction| {
            transaction.execute_batch(CREATE)?;
            let known: Option<f64> = transaction
                .query_row(
                    "SELECT gain FROM kept WHERE game = ?1 AND instance = ?2",
                    [game, instance],
                    |row| row.get(0),
                )
                .optional()?;
            if known.is_none_or(|known| gain > known) {
                transaction.execute(
                    "INSERT OR REPLACE INTO kept VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![game, instance, gain, now_ms(), solution],
                )?;
            }
            Ok(known)
        })
    }

    /// The kept solutions of a game, with their instances.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn solutions(&self, game: &str) -> Result<Vec<(String, String)>, StoreError> {
        let fail = |error| self.fail(error);
        if !self.keeps_any()? {
            return Ok(Vec::new());
        }
        let query = "SELECT instance, solution FROM kept WHERE game = ?1 ORDER BY instance";
        let mut statement = self.connection.prepare(query).map_err(fail)?;
        let rows = statement.query_map([game], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.and_then(Iterator::collect).map_err(fail)
    }

    /// All kept solutions: game, instance, gain, solution.
    pub(crate) fn list_solutions(&self) -> Result<Vec<(String, String, f64, String)>, StoreError> {
        let fail = |error| self.fail(error);
        if !self.keeps_any()? {
            return Ok(Vec::new());
        }
        let query = "SELECT game, instance, gain, solution FROM kept ORDER BY game, instance";
        let mut statement = self.connection.prepare(query).map_err(fail)?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        rows.and_then(Iterator::collect).map_err(fail)
    }

    fn keeps_any(&self) -> Result<bool, StoreError> {
        let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'kept'";
        let tables = self.connection.query_row(table, [], |row| row.get::<_, i64>(0));
        tables.map(|tables| tables > 0).map_err(|error| self.fail(error))
    }
}

/// A store that keeps the solutions of one game.
pub struct KeptSolutions {
    store: Mutex<Store>,
    game: String,
}

impl KeptSolutions {
    /// Keeps solutions of `game` in `store`.
    pub fn new(store: Store, game: &str) -> KeptSolutions {
        KeptSolutions { store: Mutex::new(store), game: game.to_owned() }
    }
}

impl fmt::Debug for KeptSolutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptSolutions").field("game", &self.game).finish_non_exhaustive()
    }
}

impl From<StoreError> for SolutionStoreError {
    fn from(error: StoreError) -> Self {
        SolutionStoreError::from(error.to_string())
    }
}

impl SolutionStore for KeptSolutions {
    fn keep(
        &self,
        instance: &str,
        gain: f64,
        solution: &str,
    ) -> Result<Option<f64>, SolutionStoreError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.keep(&self.game, instance, gain, solution)?)
    }

    fn solutions(&self) -> Result<Vec<(String, String)>, SolutionStoreError> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.solutions(&self.game)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_better_solution_takes_the_place_of_what_is_kept() {
        let mut store = Store::in_memory().unwrap();
        assert!(store.solutions("hextris").unwrap().is_empty());
        assert_eq!(store.keep("hextris", "3:17", 10.0, "first").unwrap(), None);
        assert_eq!(store.keep("hextris", "3:17", 9.0, "worse").unwrap(), Some(10.0));
        assert_eq!(store.keep("hextris", "3:17", 10.0, "equal").unwrap(), Some(10.0));
        assert_eq!(store.solutions("hextris").unwrap(), [("3:17".to_owned(), "first".to_owned())]);
        assert_eq!(store.keep("hextris", "3:17", 11.0, "better").unwrap(), Some(10.0));
        store.keep("polymer", "3:17", 1.0, "of another game").unwrap();
        assert_eq!(store.solutions("hextris").unwrap(), [("3:17".to_owned(), "better".to_owned())]);
    }

    #[test]
    fn a_foreign_store_makes_no_solution_infinite() {
        let mut other = Store::in_memory().unwrap();
        other.keep("hextris", "3:17", f64::INFINITY, "nothing").unwrap();
        other.keep("hextris", "3:18", 2.0, "good").unwrap();
        let mut own = Store::in_memory().unwrap();
        own.keep("hextris", "3:17", 10.0, "first").unwrap();
        let merged = own.merge(&other).unwrap();
        assert_eq!((merged.solutions, merged.untrusted.len()), (1, 1));
        assert_eq!(own.solutions("hextris").unwrap()[0].1, "first");
    }
}
