//! What programs said in the matches, kept beside the records: no record or digest depends on it.

use quintain_core::{Record, read_log};
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::log_table::{has_logs, keep};
use crate::row::id_bytes;
use crate::store::Store;

impl Store {
    /// The one record whose id begins with `prefix`, checked, together with what programs said in
    /// its match.
    ///
    /// # Errors
    /// As [`Store::get`], and if the record was altered.
    pub fn load(&self, prefix: &str) -> Result<Record, StoreError> {
        let mut record = self.get(prefix)?.record()?;
        self.load_log(&mut record)?;
        Ok(record)
    }

    /// Completes a record with what programs said in its match.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn load_log(&self, record: &mut Record) -> Result<(), StoreError> {
        let json = self.log(&id_bytes(&record.id)).map_err(|error| self.fail(error))?;
        record.log = json.as_deref().map_or_else(Vec::new, read_log);
        Ok(())
    }

    fn log(&self, id: &[u8; 16]) -> rusqlite::Result<Option<String>> {
        if !has_logs(&self.connection)? {
            return Ok(None);
        }
        let mut find = self.connection.prepare_cached("SELECT log FROM logs WHERE id = ?1")?;
        find.query_row([id], |row| row.get(0)).optional()
    }

    /// Copies the logs that another store has of records that are in this one too. Logs already
    /// here stay.
    pub(crate) fn take_in_logs(&mut self, other: &Store) -> Result<(), StoreError> {
        let fail = |error| other.fail(error);
        if !has_logs(&other.connection).map_err(fail)? {
            return Ok(());
        }
        self.write(|transaction| {
            let mut known = transaction.prepare("SELECT 1 FROM records WHERE id = ?1")?;
            let mut read = other.connection.prepare("SELECT id, log FROM logs").map_err(fail)?;
            let mut rows = read.query([]).map_err(fail)?;
            while let Some(row) = rows.next().map_err(fail)? {
                let id: [u8; 16] = row.get(0).map_err(fail)?;
                if known.exists([id])? {
                    keep(transaction, &id, &row.get::<_, String>(1).map_err(fail)?)?;
                }
            }
            Ok(())
        })
    }
}
