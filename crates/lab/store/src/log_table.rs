//! The table of what programs wrote to their logs in the matches. It is created when something is
//! first logged; a store without it is just as valid.

use rusqlite::{Connection, Transaction, params};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS logs (
    id  BLOB PRIMARY KEY,  -- of the record
    log TEXT NOT NULL      -- JSON: turn, seat, and what was said
) STRICT, WITHOUT ROWID";

pub(crate) fn has_logs(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'logs'")?
        .exists([])
}

/// Keeps a log, unless there already is one for this record.
pub(crate) fn keep(
    transaction: &Transaction<'_>,
    id: &[u8; 16],
    json: &str,
) -> rusqlite::Result<()> {
    transaction.execute_batch(CREATE)?;
    let insert = "INSERT INTO logs VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    transaction.prepare_cached(insert)?.execute(params![id, json]).map(drop)
}

/// Deletes the logs of records that are gone.
pub(crate) fn clear(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if !has_logs(transaction)? {
        return Ok(());
    }
    let gone = "DELETE FROM logs WHERE id NOT IN (SELECT id FROM records)";
    transaction.execute(gone, []).map(drop)
}
