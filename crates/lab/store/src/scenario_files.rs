//! What a store does with the files of its scenarios.

use quintain_core::{digest_in, keep_file, kept_file};
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::file_table::{self, has_files};
use crate::store::{Store, WriteError};

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
            while let Some(row) = rows.next().map_err(fail)? {
                let text: String = row.get(0).map_err(fail)?;
                file_table::insert(transaction, &keep_file(&text), &text)?;
            }
            file_table::clear(transaction)?;
            Ok::<(), WriteError>(())
        })
    }
}
