//! Opening a store: creating a new one, and saying what is wrong with a file that is not one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quintain_core::digest;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;
use crate::store::{Store, now_ms};

/// “Qunt”, the id that marks an SQLite file as belonging to this application.
const APPLICATION: i64 = 0x5175_6E74;
/// The schema's version.
const SCHEMA: i64 = 1;
/// How long to wait for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait before trying again what SQLite does not wait for itself.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// The most bytes of a value in a row: more than any record or file of a scenario takes.
const VALUE_LIMIT: i32 = 256 << 20;
/// What may lie at a path and beside it when SQLite opens it.
const OWN_FILES: [&str; 4] = ["", "-wal", "-shm", "-journal"];
/// The tables that are read and written here.
const TABLES: &str = "'meta', 'tournaments', 'records', 'tournament_records', 'kept', 'logs', \
                      'files', 'tests', 'test_series', 'test_series_versions', \
                      'test_runners', 'player_names'";

/// Makes SQLite run nothing that the file brings along: a stranger may have put views, triggers and
/// conditions into it, which compute for ever or change what is written.
///
/// # Errors
/// What SQLite says.
pub fn run_nothing_of(connection: &Connection) -> rusqlite::Result<()> {
    for (option, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    ] {
        connection.set_db_config(option, is_on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_LIMIT)?;
    connection.pragma_update(None, "ignore_check_constraints", true)
}

/// Says what of the tables computes, if anything does.
fn find_computed(connection: &Connection) -> rusqlite::Result<Option<&'static str>> {
    let checks = [
        (
            "a table of it is a view",
            format!(
                "SELECT 1 FROM sqlite_schema WHERE name IN ({TABLES})
                 AND (type <> 'table' OR sql LIKE 'create virtual%')"
            ),
        ),
        (
            "a column of it is computed",
            format!(
                "SELECT 1 FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
                 WHERE t.name IN ({TABLES}) AND t.type = 'table' AND c.hidden <> 0"
            ),
        ),
        (
            "a default of it is computed",
            format!(
                "SELECT 1 FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
                 WHERE t.name IN ({TABLES}) AND t.type = 'table' AND c.dflt_value LIKE '%(%'"
            ),
        ),
        (
            "an index of it is computed",
            format!(
                "SELECT 1 FROM sqlite_schema AS t, pragma_index_list(t.name) AS i,
                     pragma_index_xinfo(i.name) AS c
                 WHERE t.name IN ({TABLES}) AND t.type = 'table' AND (i.partial OR c.cid = -2)"
            ),
        ),
    ];
    for (what, sql) in checks {
        if connection.prepare(&sql)?.exists([])? {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// Refuses a path where SQLite would wait for ever, or write where a link leads to.
fn check_files(path: &Path) -> Result<(), StoreError> {
    // The store itself may be a link; then its other files lie beside the place that it leads to.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for ending in OWN_FILES {
        let mut name = place.as_os_str().to_owned();
        name.push(ending);
        let Ok(found) = std::fs::symlink_metadata(&name) else { continue };
        if !found.is_file() && !found.is_dir() {
            let what = "it, or a file of its name with -wal, -shm or -journal, is a pipe, a link \
                        or a device";
            return Err(StoreError::NotAStore { path: path.to_owned(), what });
        }
    }
    Ok(())
}

/// Opens a file with SQLite, whose functions for Windows take a path of more than 260 letters only
/// in the form that has no such limit.
#[cfg(windows)]
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    /// From this length on, with room for the endings of SQLite's other files.
    const LONG: usize = 240;
    let is_address = path.to_string_lossy().starts_with("file:");
    let whole = std::path::absolute(path).ok().filter(|_| !is_address);
    match whole.as_deref().and_then(Path::to_str) {
        Some(whole) if whole.len() > LONG => {
            let path = without_limit(whole);
            Connection::open_with_flags_and_vfs(path, flags, c"win32-longpath")
        }
        _ => Connection::open_with_flags(path, flags),
    }
}

/// The form of an absolute path of Windows for which it knows no limit.
#[cfg(any(windows, test))]
fn without_limit(path: &str) -> String {
    const FORM: &str = r"\\?\";
    match path.strip_prefix(r"\\") {
        _ if path.starts_with(FORM) => path.to_owned(),
        Some(share) => format!("{FORM}UNC\\{share}"),
        None => format!("{FORM}{path}"),
    }
}

/// Opens a file with SQLite.
#[cfg(not(windows))]
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, flags)
}

fn has_checksums(connection: &Connection) -> rusqlite::Result<bool> {
    let find = "SELECT 1 FROM pragma_table_info('records') WHERE name = 'checksum'";
    connection.prepare_cached(find)?.exists([])
}

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
        check_files(path)?;
        let connection = connect(path, flags).map_err(fail)?;
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
        check_files(path)?;
        // Only a connection that may write removes the two files through which SQLite's processes
        // agree when it is closed. Where the file is read-only, SQLite opens it read-only anyway.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let open = |name: &Path| {
            let connection = connect(name, flags)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            run_nothing_of(&connection)?;
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
            // Another process is creating it, or has ended before it could.
            None => Ok(Store { path: store.path, ..Store::in_memory()? }),
        }
    }

    /// Whether the file had nothing in it yet when it was opened. Such a store stays empty: what is
    /// written to the file later is seen by those who open it again.
    pub fn is_placeholder(&self) -> bool {
        self.connection.path().is_none_or(str::is_empty)
    }

    fn not_a_store(&self) -> StoreError {
        let what = "an SQLite database of another program";
        StoreError::NotAStore { path: self.path.clone(), what }
    }

    fn prepare(mut store: Store) -> Result<Store, StoreError> {
        let set = store.connection.busy_timeout(BUSY_TIMEOUT);
        set.and_then(|()| run_nothing_of(&store.connection)).map_err(|error| store.fail(error))?;
        // Before anything is set: the file may be another program's.
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
            store.set(name, value)?;
        }
        if schema.is_none() {
            store.create()?;
        }
        store.add_checksums()?;
        store.renew_views()?;
        store.connection.set_prepared_statement_cache_capacity(32);
        Ok(store)
    }

    /// Sets a pragma. SQLite refuses to wait for a lock in some of them, so this does.
    fn set(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let begun = Instant::now();
        loop {
            let set = self.connection.pragma_update_and_check(None, name, value, |_| Ok(()));
            match set {
                Ok(()) | Err(rusqlite::Error::QueryReturnedNoRows) => return Ok(()),
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && begun.elapsed() < BUSY_TIMEOUT =>
                {
                    std::thread::sleep(BUSY_PAUSE);
                }
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    /// Begins to read: until the returned value is dropped, all that is read is of one moment,
    /// whatever other processes write. Within such a transaction, returns nothing.
    pub(crate) fn snapshot(&self) -> Result<Option<rusqlite::Transaction<'_>>, StoreError> {
        if !self.connection.is_autocommit() {
            return Ok(None);
        }
        let begun = self.connection.unchecked_transaction();
        begun.map(Some).map_err(|error| self.fail(error))
    }

    /// The schema's version; `None` if the file is still empty.
    fn schema(&self) -> Result<Option<i64>, StoreError> {
        let _snapshot = self.snapshot()?;
        let number = |sql| {
            let found = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            found.map_err(|error| self.fail(error))
        };
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        match (application, version) {
            (APPLICATION, 1..=SCHEMA) => {
                let computed = find_computed(&self.connection).map_err(|error| self.fail(error))?;
                match computed {
                    None => Ok(Some(version)),
                    Some(what) => Err(StoreError::NotAStore { path: self.path.clone(), what }),
                }
            }
            (APPLICATION, found) => {
                Err(StoreError::Newer { path: self.path.clone(), found, known: SCHEMA })
            }
            _ if number("SELECT count(*) FROM sqlite_schema")? == 0 => Ok(None),
            _ => Err(self.not_a_store()),
        }
    }

    fn create(&mut self) -> Result<(), StoreError> {
        self.write(|transaction| {
            // Another process may have been quicker: `create` holds the lock, `schema` did not.
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

    /// Adds the column of checksums to a store of an older version. Its records have none.
    fn add_checksums(&mut self) -> Result<(), StoreError> {
        if self.has_checksums()? {
            return Ok(());
        }
        self.write(|transaction| {
            if !has_checksums(transaction)? {
                transaction.execute_batch("ALTER TABLE records ADD COLUMN checksum INTEGER")?;
            }
            Ok(())
        })
    }

    /// Whether the store has the column of checksums, which older versions do not make.
    pub(crate) fn has_checksums(&self) -> Result<bool, StoreError> {
        has_checksums(&self.connection).map_err(|error| self.fail(error))
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
        self.ask_whether_sound("PRAGMA integrity_check(1)")
    }

    /// Does the same without comparing indexes with their tables, in a tenth of the time. A
    /// stranger's file of some kilobytes may name the same page over and over, so that reading it
    /// would never end.
    ///
    /// # Errors
    /// If it is damaged; the text says where.
    pub fn check_quickly(&self) -> Result<(), StoreError> {
        self.ask_whether_sound("PRAGMA quick_check(1)")
    }

    fn ask_whether_sound(&self, question: &str) -> Result<(), StoreError> {
        let found: Result<String, _> = self.connection.query_row(question, [], |row| row.get(0));
        match found.map_err(|error| self.fail(error))?.as_str() {
            "ok" => Ok(()),
            detail => Err(StoreError::Damaged {
                path: self.path.clone(),
                detail: detail.replace('\n', "; "),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_have_a_form_without_a_limit() {
        for (path, expected) in [
            (r"C:\class\cup.sqlite", r"\\?\C:\class\cup.sqlite"),
            (r"\\server\class\cup.sqlite", r"\\?\UNC\server\class\cup.sqlite"),
            (r"\\?\C:\cup.sqlite", r"\\?\C:\cup.sqlite"),
        ] {
            assert_eq!(without_limit(path), expected);
        }
    }

    #[test]
    fn no_table_that_is_read_is_computed() {
        for table in ["kept", "logs", "files", "tests", "meta"] {
            let store = Store::in_memory().unwrap();
            // A few bytes that are a large text each time they are read.
            let computed = format!(
                "DROP TABLE IF EXISTS {table};
                 CREATE TABLE {table} (a, b GENERATED ALWAYS AS (printf('%.*c', 200000000, 'x')))"
            );
            store.connection.execute_batch(&computed).unwrap();
            let refused = store.schema().unwrap_err().to_string();
            assert!(refused.contains("a column of it is computed"), "{table}: {refused}");
        }
        let store = Store::in_memory().unwrap();
        let default = "DROP TABLE IF EXISTS logs;
             CREATE TABLE logs (a, b DEFAULT (randomblob(60000000)))";
        store.connection.execute_batch(default).unwrap();
        let refused = store.schema().unwrap_err().to_string();
        assert!(refused.contains("a default of it is computed"), "{refused}");
    }
}
