//! The store: tournaments and records in one SQLite file. Written in batches,
//! each one transaction, so that whatever happens a batch is there or not; a record
//! is known by its fixture's id, so that it counts once however often it comes.
//!
//! It is in WAL mode with `synchronous = NORMAL`: a commit survives the death of the
//! process at once, and the loss of power from the next checkpoint on; the file is
//! consistent in either case. The tables are described in `schema.sql`.

mod error;
mod read;
mod row;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};

pub use error::StoreError;
pub use read::{Filter, MatchRow, TournamentInfo};
pub use row::{Row, Stored};

use crate::tournament::Tournament;
use row::{id_bytes, id_text, same_match};

/// “Qunt”, by which SQLite files say whose they are.
const APPLICATION: i64 = 0x5175_6E74;
/// The schema's version.
const SCHEMA: i64 = 1;
/// How long to wait for another process.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tournaments and records in a file.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A tournament's number in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TournamentId(i64);

/// What became of rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inserted {
    /// Rows that are new.
    pub new: u64,
    /// Rows that were there already.
    pub known: u64,
    /// Ids of rows that were there with another content, although the same fixture
    /// must give the same record. What was there first is kept.
    pub conflicts: Vec<String>,
}

impl Store {
    /// Opens a store to read and write; makes it if there is none.
    ///
    /// # Errors
    /// If it is no store, from a newer version, locked, read-only, or the disk is full.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let fail = |error| StoreError::new(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            // If this fails, opening fails too, and says why.
            let _ = std::fs::create_dir_all(directory);
        }
        let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
        Store::prepare(Store { connection, path: path.to_owned() })
    }

    /// A store that is gone when it is dropped.
    ///
    /// # Errors
    /// If memory is short.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = PathBuf::from("(in memory)");
        match Connection::open_in_memory() {
            Ok(connection) => Store::prepare(Store { connection, path }),
            Err(error) => Err(StoreError::new(&path, error)),
        }
    }

    /// Opens a store that exists, to read only.
    ///
    /// # Errors
    /// If there is none, it is no store, from a newer version or locked.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let open = |name: &Path| {
            let connection = Connection::open_with_flags(name, flags)?;
            connection.busy_timeout(PATIENCE)?;
            // SQLite opens lazily: only a first question shows whether it can.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = open(path).or_else(|error: rusqlite::Error| {
            // In a directory where SQLite cannot put its lock file, a store that nobody
            // writes can still be read by promising so.
            let mut wal = path.as_os_str().to_owned();
            wal.push("-wal");
            let waiting = std::fs::metadata(wal).is_ok_and(|wal| wal.len() > 0);
            let cannot = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            );
            if !cannot || waiting {
                return Err(error);
            }
            let mut name = String::from("file:");
            for byte in path.as_os_str().as_encoded_bytes() {
                match byte {
                    b'/' | b'.' | b'-' | b'_' => name.push(char::from(*byte)),
                    byte if byte.is_ascii_alphanumeric() => name.push(char::from(*byte)),
                    byte => name.push_str(&format!("%{byte:02x}")),
                }
            }
            name.push_str("?immutable=1");
            open(Path::new(&name))
        });
        let store = Store {
            connection: connection.map_err(|error| StoreError::new(path, error))?,
            path: path.to_owned(),
        };
        match store.schema()? {
            Some(SCHEMA) => Ok(store),
            Some(_) | None => Err(store.not_a_store()),
        }
    }

    fn not_a_store(&self) -> StoreError {
        let what = "it is an SQLite database of another program";
        StoreError::NotAStore { path: self.path.clone(), what }
    }

    fn prepare(mut store: Store) -> Result<Store, StoreError> {
        store.connection.busy_timeout(PATIENCE).map_err(|error| store.fail(error))?;
        let schema = store.schema()?;
        let pragmas = [
            ("journal_mode", "WAL"),
            ("synchronous", "NORMAL"),
            // 64 MiB: ids arrive in random order, so their index should stay in memory.
            ("cache_size", "-65536"),
            // Fewer, larger checkpoints write the id index's pages fewer times.
            ("wal_autocheckpoint", "8192"),
        ];
        for (name, value) in pragmas {
            let set = store.connection.pragma_update_and_check(None, name, value, |_| Ok(()));
            match set {
                Ok(()) | Err(rusqlite::Error::QueryReturnedNoRows) => {}
                Err(error) => return Err(store.fail(error)),
            }
        }
        if schema.is_none() {
            store.create()?;
        }
        store.connection.set_prepared_statement_cache_capacity(32);
        Ok(store)
    }

    /// The schema's version; nothing if the file is empty yet.
    fn schema(&self) -> Result<Option<i64>, StoreError> {
        let number = |sql| {
            let found = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            found.map_err(|error| self.fail(error))
        };
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        match (application, version) {
            (APPLICATION, 1..=SCHEMA) => Ok(Some(version)),
            (APPLICATION, found) => {
                Err(StoreError::Newer { path: self.path.clone(), found, known: SCHEMA })
            }
            _ if number("SELECT count(*) FROM sqlite_schema")? == 0 => Ok(None),
            _ => Err(self.not_a_store()),
        }
    }

    fn create(&mut self) -> Result<(), StoreError> {
        let path = self.path.clone();
        let fail = |error| StoreError::new(&path, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        // Another process may have been quicker.
        let tables = "SELECT count(*) FROM sqlite_schema";
        if transaction.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(fail)? == 0 {
            transaction.execute_batch(include_str!("store/schema.sql")).map_err(fail)?;
            transaction
                .execute(
                    "INSERT INTO meta VALUES ('created_by', ?1), ('created_at', ?2)",
                    [concat!("quintain ", env!("CARGO_PKG_VERSION")), &now_ms().to_string()],
                )
                .map_err(fail)?;
            transaction.pragma_update(None, "application_id", APPLICATION).map_err(fail)?;
            transaction.pragma_update(None, "user_version", SCHEMA).map_err(fail)?;
        }
        transaction.commit().map_err(fail)
    }

    /// How long to wait for another process that holds the store: 5 s unless this is said.
    ///
    /// # Errors
    /// None in practice.
    pub fn wait_for_others(&self, patience: Duration) -> Result<(), StoreError> {
        self.connection.busy_timeout(patience).map_err(|error| self.fail(error))
    }

    /// Lets the file grow to so many pages of 4 KiB at most (never below what it has).
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

    /// Notes that this tournament is now played.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn enter(&mut self, tournament: &Tournament) -> Result<TournamentId, StoreError> {
        let hash = id_bytes(&quintain_core::digest(tournament.definition().as_bytes()));
        let word = |value: serde_json::Result<serde_json::Value>| {
            let value = value.expect("words have JSON");
            value.as_str().expect("words are text").to_owned()
        };
        let inserted = self.connection.query_row(
            "INSERT INTO tournaments
                (hash, name, game, format, goal, contest, fixtures, definition, file, run_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (hash) DO UPDATE SET run_at = excluded.run_at, file = excluded.file
             RETURNING tournament",
            params![
                hash,
                tournament.name(),
                tournament.game(),
                word(serde_json::to_value(tournament.format())),
                word(serde_json::to_value(tournament.goal())),
                word(serde_json::to_value(tournament.contest())),
                tournament.schedule().len() as i64,
                tournament.definition(),
                tournament.text(),
                now_ms(),
            ],
            |row| row.get(0),
        );
        inserted.map(TournamentId).map_err(|error| self.fail(error))
    }

    /// Which of these fixtures have a record here. Those that have one count for the
    /// tournament from now on.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn adopt(
        &mut self,
        tournament: TournamentId,
        ids: &[String],
    ) -> Result<Vec<bool>, StoreError> {
        let path = &self.path;
        let fail = |error| StoreError::new(path, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let mut present = Vec::with_capacity(ids.len());
        {
            let mut find = transaction
                .prepare_cached("SELECT record FROM records WHERE id = ?1")
                .map_err(fail)?;
            let mut link = transaction.prepare_cached(LINK).map_err(fail)?;
            for id in ids {
                let found = find.query_row([id_bytes(id)], |row| row.get::<_, i64>(0));
                let found = found.optional().map_err(fail)?;
                if let Some(record) = found {
                    link.execute([tournament.0, record]).map_err(fail)?;
                }
                present.push(found.is_some());
            }
        }
        transaction.commit().map_err(fail)?;
        Ok(present)
    }

    /// Stores rows in one transaction: all or, on an error, none. With a tournament,
    /// they count for it.
    ///
    /// # Errors
    /// If the store is locked, read-only or damaged, or the disk full.
    pub fn insert(
        &mut self,
        tournament: Option<TournamentId>,
        rows: &[Row],
    ) -> Result<Inserted, StoreError> {
        let path = &self.path;
        let fail = |error| StoreError::new(path, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let mut inserted = Inserted::default();
        {
            let mut insert = transaction.prepare_cached(INSERT).map_err(fail)?;
            let mut link = transaction.prepare_cached(LINK).map_err(fail)?;
            for row in rows {
                let columns = &row.columns;
                let new = insert.execute(params![
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
                    row.json,
                ]);
                let record = if new.map_err(fail)? == 1 {
                    inserted.new += 1;
                    transaction.last_insert_rowid()
                } else {
                    let mut find = transaction
                        .prepare_cached("SELECT record, json FROM records WHERE id = ?1")
                        .map_err(fail)?;
                    let known = find.query_row([row.id], |known| {
                        Ok((known.get::<_, i64>(0)?, known.get::<_, String>(1)?))
                    });
                    let (record, json) = known.map_err(fail)?;
                    if json == row.json || !row.reproducible || same_match(&json, &row.json) {
                        inserted.known += 1;
                    } else {
                        inserted.conflicts.push(id_text(&row.id));
                    }
                    record
                };
                if let Some(tournament) = tournament {
                    link.execute([tournament.0, record]).map_err(fail)?;
                }
            }
        }
        transaction.commit().map_err(fail)?;
        Ok(inserted)
    }
}

const INSERT: &str = "INSERT INTO records
    (id, game, scenario, seed, seats, scores, ending, fault_seat, fault, truncated, turns,
     played_at, elapsed_us, json)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    ON CONFLICT (id) DO NOTHING";

const LINK: &str = "INSERT INTO tournament_records VALUES (?1, ?2) ON CONFLICT DO NOTHING";

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}
