//! The file itself: what is entered in it, and how rows are written.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quintain_core::{Objective, Scoring, digest};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::error::StoreError;
use crate::file_table;
use crate::log_table;
use crate::row::{RecordRow, id_bytes, id_text, same_match};
use crate::tally::{self, RecordSum};
use crate::tournament_id::{LAST, TournamentId};

/// Tournaments and records in a file.
///
/// ```
/// use quintain_store::{Filter, Store, StoreError};
///
/// # fn main() -> Result<(), StoreError> {
/// let mut store = Store::in_memory()?;
/// store.keep("polymer", "HPHPPHHPHPPHPHHPPHPH", 9.0, "a first fold")?;
/// assert_eq!(store.solutions("polymer")?.len(), 1);
///
/// // Matches are read one by one, however many there are.
/// let mut turns = 0;
/// store.matches(&Filter::default(), |row| {
///     turns += row.turns;
///     Ok::<(), StoreError>(())
/// })?;
/// assert_eq!(turns, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// A tournament as it is entered in a store.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TournamentEntry<'a> {
    /// Its name.
    pub name: &'a str,
    /// The game's name.
    pub game: &'a str,
    /// Its format, in a word.
    pub format: &'a str,
    /// Which scores are good.
    pub objective: Objective,
    /// How scores are compared.
    pub scoring: Scoring,
    /// The number of its fixtures.
    pub fixtures: u64,
    /// What distinguishes this tournament from any other, in JSON: two with the same definition are
    /// one.
    pub definition: &'a str,
    /// The text of its file.
    pub file: &'a str,
}

/// What happened to inserted rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct InsertReport {
    /// Rows that are new.
    pub new: u64,
    /// Rows that were there already.
    pub known: u64,
    /// Of those, rows whose content differs from the stored one, as time budgets allow. The stored
    /// one is kept.
    pub differing: u64,
    /// Ids of rows whose content differs from the stored one although the same fixture must give
    /// the same record. The stored one is kept.
    pub conflicts: Vec<String>,
}

impl Store {
    /// Sets how long to wait for another process that has locked the store: 5 s unless this is
    /// called.
    ///
    /// # Errors
    /// None in practice.
    pub fn wait_for_others(&self, patience: Duration) -> Result<(), StoreError> {
        self.connection.busy_timeout(patience).map_err(|error| self.fail(error))
    }

    /// Makes every commit from now on wait until it is on disk, so that it survives a power loss
    /// too. Without this, only the last moments before one may be lost.
    ///
    /// # Errors
    /// None in practice.
    pub fn sync_commits(&self) -> Result<(), StoreError> {
        let set = self.connection.pragma_update(None, "synchronous", "FULL");
        set.map_err(|error| self.fail(error))
    }

    /// Limits the file to this many pages of 4 KiB (never fewer than it has).
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn limit_pages(&self, pages: u32) -> Result<(), StoreError> {
        let set =
            self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.map_err(|error| self.fail(error))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn fail(&self, error: rusqlite::Error) -> StoreError {
        StoreError::new(&self.path, error)
    }

    /// Notes that this tournament is run now.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn enter(&mut self, tournament: &TournamentEntry<'_>) -> Result<TournamentId, StoreError> {
        let hash = id_bytes(&digest(tournament.definition.as_bytes()));
        let word = |value: serde_json::Result<serde_json::Value>| {
            let value = value.expect("words have JSON");
            value.as_str().expect("words are text").to_owned()
        };
        let insert = format!(
            "INSERT INTO tournaments
                (tournament, hash, name, game, format, goal, contest, fixtures, definition, file,
                 run_at)
             VALUES ({LAST} + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (hash) DO UPDATE SET run_at = excluded.run_at, file = excluded.file
             RETURNING tournament"
        );
        let inserted = self.connection.query_row(
            &insert,
            params![
                hash,
                tournament.name,
                tournament.game,
                tournament.format,
                word(serde_json::to_value(tournament.objective)),
                word(serde_json::to_value(tournament.scoring)),
                tournament.fixtures as i64,
                tournament.definition,
                tournament.file,
                now_ms(),
            ],
            |row| row.get(0),
        );
        inserted.map(TournamentId).map_err(|error| self.fail(error))
    }

    /// Says how many matches make a tournament complete, where that is known only at its end.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_fixtures(
        &mut self,
        tournament: TournamentId,
        fixtures: u64,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE tournaments SET fixtures = ?2 WHERE tournament = ?1";
        let set = self.connection.execute(sql, params![tournament.0, fixtures.cast_signed()]);
        set.map(|_| ()).map_err(|error| self.fail(error))
    }

    /// Says which of these fixtures have a record here. Those that have one count for the
    /// tournament from now on.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn adopt(
        &mut self,
        tournament: TournamentId,
        ids: &[String],
    ) -> Result<Vec<bool>, StoreError> {
        self.write(|transaction| {
            tally::begin(transaction)?;
            let mut counted = RecordSum::default();
            let mut present = Vec::with_capacity(ids.len());
            let mut find =
                transaction.prepare_cached("SELECT record FROM records WHERE id = ?1")?;
            let mut link = transaction.prepare_cached(LINK)?;
            for id in ids {
                let found = find.query_row([id_bytes(id)], |row| row.get::<_, i64>(0));
                let found = found.optional()?;
                if let Some(record) = found
                    && link.execute([tournament.0, record])? == 1
                {
                    counted.add(&id_bytes(id));
                }
                present.push(found.is_some());
            }
            tally::end(transaction, RecordSum::default(), Some((tournament, counted)))?;
            Ok(present)
        })
    }

    /// Stores rows in one transaction: all or, on an error, none. If a tournament is given, they
    /// count for it.
    ///
    /// # Errors
    /// If the store is locked, read-only or damaged, or the disk full.
    pub fn insert(
        &mut self,
        tournament: Option<TournamentId>,
        rows: &[RecordRow],
    ) -> Result<InsertReport, StoreError> {
        self.write(|transaction| {
            tally::begin(transaction)?;
            let (mut new_ones, mut counted) = (RecordSum::default(), RecordSum::default());
            let mut inserted = InsertReport::default();
            let mut insert = transaction.prepare_cached(INSERT)?;
            let mut link = transaction.prepare_cached(LINK)?;
            for row in rows {
                let columns = &row.columns;
                let new = insert.query_row(
                    params![
                        row.id,
                        columns.game,
                        columns.scenario,
                        columns.seed,
                        columns.seats,
                        columns.scores,
                        columns.ending,
                        columns.fault_seat,
                        columns.fault,
                        columns.truncated,
                        columns.turns,
                        row.played_at,
                        row.elapsed_us,
                        columns.checksum(&row.id),
                        row.json,
                    ],
                    |row| row.get::<_, i64>(0),
                );
                let record = if let Some(record) = new.optional()? {
                    inserted.new += 1;
                    new_ones.add(&row.id);
                    file_table::keep(transaction, &columns.scenario)?;
                    if let Some(log) = &row.log {
                        log_table::keep(transaction, &row.id, log)?;
                    }
                    record
                } else {
                    let mut find = transaction
                        .prepare_cached("SELECT record, json FROM records WHERE id = ?1")?;
                    let known = find.query_row([row.id], |known| {
                        Ok((known.get::<_, i64>(0)?, known.get::<_, String>(1)?))
                    });
                    let (record, json) = known?;
                    if json == row.json || same_match(&json, &row.json) {
                        inserted.known += 1;
                    } else if !row.reproducible {
                        inserted.known += 1;
                        inserted.differing += 1;
                    } else {
                        inserted.conflicts.push(id_text(&row.id));
                    }
                    record
                };
                if let Some(tournament) = tournament
                    && link.execute([tournament.0, record])? == 1
                {
                    counted.add(&row.id);
                }
            }
            tally::end(transaction, new_ones, tournament.map(|number| (number, counted)))?;
            Ok(inserted)
        })
    }

    /// Writes in one transaction: all or, on an error, nothing. It is the only writer from the
    /// start, so that what it reads still holds when it writes.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> Result<T, WriteError>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let fail = |error| StoreError::new(path, error);
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior).map_err(fail)?;
        let written = write(&transaction).map_err(|why| match why {
            WriteError::Sqlite(error) => fail(error),
            WriteError::Store(error) => error,
        })?;
        transaction.commit().map_err(fail)?;
        Ok(written)
    }
}

/// Why nothing was written.
pub(crate) enum WriteError {
    /// This store's database failed.
    Sqlite(rusqlite::Error),
    /// Something else failed, such as another store that was read.
    Store(StoreError),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> WriteError {
        WriteError::Sqlite(error)
    }
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> WriteError {
        WriteError::Store(error)
    }
}

const INSERT: &str = "INSERT INTO records
    (id, game, scenario, seed, seats, scores, ending, fault_seat, fault, truncated, turns,
     played_at, elapsed_us, checksum, json)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT (id) DO NOTHING RETURNING record";

/// Counts a record for a tournament.
pub(crate) const LINK: &str =
    "INSERT INTO tournament_records VALUES (?1, ?2) ON CONFLICT DO NOTHING";

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}
