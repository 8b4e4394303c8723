//! The table of scenarios' files: the maps, chains, problems and lists that records name by their
//! digest, so that the store replays them wherever it is. It is created when the first one is
//! stored; a store without it is just as valid.

use quintain_core::{digest_in, keep_file, kept_file};
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::StoreError;
use crate::store::{Store, WriteError};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS files (
    digest TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) STRICT";

fn has_files(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'files'")?
        .exists([])
}

/// Stores the file of a scenario, if it names one that is in memory.
pub(crate) fn keep(transaction: &Transaction<'_>, scenario: &str) -> rusqlite::Result<()> {
    let Some(digest) = digest_in(scenario) else { return Ok(()) };
    let Some(text) = kept_file(&digest) else { return Ok(()) };
    transaction.execute_batch(CREATE)?;
    let insert = "INSERT INTO files VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    transaction.prepare_cached(insert)?.execute([&digest, text.as_ref()]).map(drop)
}

/// Deletes the files that no record names.
pub(crate) fn clear(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if !has_files(transaction)? {
        return Ok(());
    }
    let gone = "DELETE FROM files WHERE NOT EXISTS (
                    SELECT 1 FROM records WHERE instr(scenario, 'digest=' || digest) > 0)";
    transaction.execute(gone, []).map(drop)
}

impl Store {
    /// Brings the file of a scenario into memory, if the store has it.
    pub(crate) fn load_file(&self, scenario: &str) -> Result<(), StoreError> {
        let Some(digest) = digest_in(scenario) else { return Ok(()) };
        if kept_file(&digest).is_some() {
            return Ok(());
        }
        let read = || {
            if !has_files(&self.connection)? {
                return Ok(None);
            }
            let find = "SELECT text FROM files WHERE digest = ?1";
            let mut find = self.connection.prepare_cached(find)?;
            find.query_row([&digest], |row| row.get::<_, String>(0)).optional()
        };
        if let Some(text) = read().map_err(|error| self.fail(error))? {
            // Known by the digest of what it holds, not by what the table says.
            keep_file(&text);
        }
        Ok(())
    }

    /// Copies the files that another store has of records that are in this one too.
    pub(crate) fn take_in_files(&mut self, other: &Store) -> Result<(), StoreError> {
        let fail = |error| other.fail(error);
        if !has_files(&other.connection).map_err(fail)? {
            return Ok(());
        }
        self.write(|transaction| {
            let mut read = other.connection.prepare("SELECT text FROM files").map_err(fail)?;
            let mut rows = read.query([]).map_err(fail)?;
            transaction.execute_batch(CREATE)?;
            let insert = "INSERT INTO files VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            let mut insert = transaction.prepare_cached(insert)?;
            while let Some(row) = rows.next().map_err(fail)? {
                let text: String = row.get(0).map_err(fail)?;
                insert.execute([&keep_file(&text), &text])?;
            }
            clear(transaction)?;
            Ok::<(), WriteError>(())
        })
    }
}
