//! Opening a store: creating a new one, and saying what is wrong with a file that is not one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_core::digest;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;
use crate::store::{Store, now_ms};

/// “Qunt”, the id that marks an SQLite file as belonging to this application.
const APPLICATION: i64 = 0x5175_6E74;
/// The schema's version.
const SCHEMA: i64 = 1;
/// How long to wait for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Store {
    /// Opens a store to read and write; creates it if there is none.
    ///
    /// # Errors
    /// If it is not a store, comes from a newer version, is locked or read-only, or the disk is
    /// full.
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

    /// Opens a store in memory, which is gone when it is dropped.
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
    /// If there is none, or it is not a store, comes from a newer version or is locked.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        // Only a connection that may write removes the two files through which SQLite's processes
        // agree when it is closed. Where the file is read-only, SQLite opens it read-only anyway.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let open = |name: &Path| {
            let connection = Connection::open_with_flags(name, flags)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "query_only", true)?;
            // SQLite opens lazily: only a first query shows whether it can.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = open(path).or_else(|error: rusqlite::Error| {
            // In a directory where SQLite cannot put its lock file, a store that nobody writes can
            // still be read, by promising that nobody does.
            let mut wal = path.as_os_str().to_owned();
            wal.push("-wal");
            let waiting = std::fs::metadata(wal).is_ok_and(|wal| wal.len() > 0);
            let cannot = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure)
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
            Some(_) => Ok(store),
            None => Err(StoreError::NotAStore { path: store.path, what: "the file is empty" }),
        }
    }

    fn not_a_store(&self) -> StoreError {
        let what = "an SQLite database of another program";
        StoreError::NotAStore { path: self.path.clone(), what }
    }

    fn prepare(mut store: Store) -> Result<Store, StoreError> {
        store.connection.busy_timeout(BUSY_TIMEOUT).map_err(|error| store.fail(error))?;
        let schema = store.schema()?;
        let pragmas = [
            ("journal_mode", "WAL"),
            ("synchronous", "NORMAL"),
            // 64 MiB: ids arrive in random order, so their index should stay in memory.
            ("cache_size", "-65536"),
            // Fewer, larger checkpoints write the id index's pages less often.
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
        store.renew_views()?;
        store.connection.set_prepared_statement_cache_capacity(32);
        Ok(store)
    }

    /// The schema's version; `None` if the file is still empty.
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
        self.write(|transaction| {
            // Another process may have been quicker.
            let tables = "SELECT count(*) FROM sqlite_schema";
            if transaction.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0 {
                transaction.execute_batch(include_str!("schema.sql"))?;
                transaction.execute(
                    "INSERT INTO meta VALUES ('created_by', ?1), ('created_at', ?2)",
                    [concat!("quintain ", env!("CARGO_PKG_VERSION")), &now_ms().to_string()],
                )?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", SCHEMA)?;
            }
            Ok(())
        })
    }

    /// Replaces the store's views by those of this version if they differ, as in older stores.
    fn renew_views(&mut self) -> Result<(), StoreError> {
        const VIEWS: &str = include_str!("views.sql");
        const KEY: &str = "views";
        let known = digest(VIEWS.as_bytes());
        let has = "SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?1 AND value = ?2)";
        let is_new = |connection: &Connection| {
            connection.query_row(has, [KEY, &known], |row| row.get::<_, bool>(0))
        };
        if is_new(&self.connection).map_err(|error| self.fail(error))? {
            return Ok(());
        }
        self.write(|transaction| {
            if is_new(transaction)? {
                return Ok(());
            }
            for view in ["results", "all_results", "runs"] {
                transaction.execute_batch(&format!("DROP VIEW IF EXISTS {view}"))?;
            }
            transaction.execute_batch(VIEWS)?;
            transaction.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [KEY, &known])?;
            Ok(())
        })
    }

    /// Reads the whole file and checks that SQLite's own structure is sound, which
    /// [`StoredRecord::record`](crate::StoredRecord::record) cannot see.
    ///
    /// # Errors
    /// If it is damaged; the text says where.
    pub fn check(&self) -> Result<(), StoreError> {
        let found: Result<String, _> =
            self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        match found.map_err(|error| self.fail(error))?.as_str() {
            "ok" => Ok(()),
            detail => Err(StoreError::Damaged {
                path: self.path.clone(),
                detail: detail.replace('\n', "; "),
            }),
        }
    }
}
