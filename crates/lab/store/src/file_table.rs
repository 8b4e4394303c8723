//! The table of scenarios' files: the maps, chains, problems and lists that records name by their
//! digest, so that the store replays them wherever it is. It is created when the first one is
//! stored; a store without it is just as valid.

use quintain_core::{digest_in, kept_file};
use rusqlite::{Connection, Transaction};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS files (
    digest TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) STRICT";

pub(crate) fn has_files(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'files'")?
        .exists([])
}

/// Stores the file of a scenario, if it names one that is in memory.
pub(crate) fn keep(transaction: &Transaction<'_>, scenario: &str) -> rusqlite::Result<()> {
    let Some(digest) = digest_in(scenario) else { return Ok(()) };
    let Some(text) = kept_file(&digest) else { return Ok(()) };
    insert(transaction, &digest, &text)
}

/// Stores a file, unless it is there.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    digest: &str,
    text: &str,
) -> rusqlite::Result<()> {
    transaction.execute_batch(CREATE)?;
    let insert = "INSERT INTO files VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    transaction.prepare_cached(insert)?.execute([digest, text]).map(drop)
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
