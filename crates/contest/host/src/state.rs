//! The contest's state: who takes part ([`people`]), what they submitted ([`versions`]), which
//! matches were chosen and how they ended ([`matches`]), for which ladders ([`ladders`]), who used
//! how much of the machine ([`spent`]), which versions can be beaten by heart ([`exploits`]), and
//! what was published ([`lessons`]). Nothing else accesses the SQLite database.
//! Every change is a single transaction that is on the disk before the call returns (except for a
//! match that is only planned), so what was answered survives a kill and a power failure. Actions
//! are recorded in `audit`. Little is deleted: sessions, used tokens, matches that were planned and
//! not played, withdrawn lessons, and what programs said in all but their latest matches.

mod exploits;
mod ladders;
mod lessons;
mod matches;
mod measures;
mod messages;
mod people;
mod records;
mod spent;
mod teams;
mod versions;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior,
    params,
};

use crate::error::HostError;
use crate::token;

pub(crate) use exploits::{Exploited, FoundExploit, TriedStart};
pub(crate) use ladders::Sequence;
pub(crate) use lessons::{LessonSet, PublishedLesson};
pub use matches::MatchCounts;
pub(crate) use matches::{ChallengeLimits, GiveUpReason, Kind, Pairing, PlayedMatch, UndoneFinal};
pub(crate) use measures::{MeasureThen, VersionMeasure};
pub(crate) use people::{BanResult, Banned, NO_PROGRAM, NewCopy, Participant};
pub(crate) use spent::{CHALLENGE, CHECK, Quota};
pub use versions::VersionCounts;
pub(crate) use versions::{Progress, Stage, Version, VersionLimits};

/// The file's name in the contest's folder.
pub(crate) const FILE: &str = "host.sqlite";
/// The statements that migrate one version of the schema to the next; `user_version` counts them.
const MIGRATIONS: [&str; 13] = [
    include_str!("schema.sql"),
    include_str!("schema-2.sql"),
    include_str!("schema-3.sql"),
    include_str!("schema-4.sql"),
    include_str!("schema-5.sql"),
    include_str!("schema-6.sql"),
    include_str!("schema-7.sql"),
    include_str!("schema-8.sql"),
    include_str!("schema-9.sql"),
    include_str!("schema-10.sql"),
    include_str!("schema-11.sql"),
    include_str!("schema-12.sql"),
    include_str!("schema-13.sql"),
];
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait before trying again what SQLite does not wait for itself.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// The contest's database.
pub(crate) struct State {
    connection: Connection,
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64)
}

/// Converts a time from the database, in seconds since 1970.
pub(crate) fn time_of(at: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(at.unsigned_abs())
}

fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Sets a pragma. SQLite does not wait for a lock in some of them, so this does: several processes
/// may open a contest at once.
fn set_pragma(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, name, value, |_| Ok(())) {
            Ok(()) | Err(rusqlite::Error::QueryReturnedNoRows) => return Ok(()),
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(BUSY_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

impl State {
    /// Opens the database of a contest, and creates it if there is none.
    pub(crate) fn open(folder: &Path) -> Result<State, HostError> {
        let connection = open_database(&folder.join(FILE), OpenFlags::default())?;
        for (name, value) in [("journal_mode", "WAL"), ("synchronous", "FULL")] {
            set_pragma(&connection, name, value)?;
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        let mut state = State { connection };
        let known = MIGRATIONS.len() as i64;
        state.write(|transaction| {
            let found =
                transaction.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))?;
            for migration in MIGRATIONS.iter().skip(found as usize) {
                transaction.execute_batch(migration)?;
            }
            transaction.pragma_update(None, "user_version", known.max(found))
        })?;
        let found = state.one("PRAGMA user_version", [])?;
        if found > known { Err(HostError::Newer { found, known }) } else { Ok(state) }
    }

    fn write<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HostError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let written = write(&transaction)?;
        transaction.commit()?;
        Ok(written)
    }

    /// Like [`State::write`], but does not wait for the disk. A kill loses nothing; a power failure
    /// may lose this change and all later ones, unless one of them waited for the disk.
    fn write_soon<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HostError> {
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        let written = self.write(write);
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        written
    }

    fn one(&self, sql: &str, values: impl rusqlite::Params) -> Result<i64, HostError> {
        Ok(self.connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, HostError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns a setting that was made while the contest ran.
    pub(crate) fn setting(&self, key: &str) -> Result<Option<String>, HostError> {
        let mut statement =
            self.connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    /// Sets or removes a setting.
    pub(crate) fn set(
        &mut self,
        by: &str,
        key: &str,
        value: Option<&str>,
        what: &str,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            match value {
                Some(value) => transaction
                    .execute("INSERT OR REPLACE INTO settings VALUES (?1, ?2)", [key, value])?,
                None => transaction.execute("DELETE FROM settings WHERE key = ?1", [key])?,
            };
            audit(transaction, by, what)
        })
    }

    /// Sets what the host reports about itself, without an audit entry, as nobody did anything.
    pub(crate) fn set_quietly(&mut self, key: &str, value: &str) -> Result<(), HostError> {
        self.write_soon(|transaction| {
            let sql = "INSERT OR REPLACE INTO settings VALUES (?1, ?2)";
            transaction.execute(sql, [key, value]).map(|_| ())
        })
    }

    /// Logs an action that does not change the database.
    pub(crate) fn log_action(&mut self, by: &str, what: &str) -> Result<(), HostError> {
        self.write(|transaction| audit(transaction, by, what))
    }

    /// Returns a secret of this contest, which is made on first use.
    pub(crate) fn secret(&mut self, key: &str) -> Result<String, HostError> {
        let new = token::new_token()?;
        self.write(|transaction| {
            transaction.execute("INSERT OR IGNORE INTO settings VALUES (?1, ?2)", [key, &new])?;
            transaction
                .query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0))
        })
    }

    pub(crate) fn is_paused(&self) -> Result<bool, HostError> {
        Ok(self.setting("paused")?.as_deref() == Some("1"))
    }

    /// Pauses or resumes the matches; returns whether that changed anything.
    pub(crate) fn pause(&mut self, by: &str, is_paused: bool) -> Result<bool, HostError> {
        if self.is_paused()? == is_paused {
            return Ok(false);
        }
        let (value, what) = if is_paused { ("1", "paused") } else { ("0", "resumed") };
        self.set(by, "paused", Some(value), what)?;
        Ok(true)
    }

    /// Shows versions under names that reveal nothing, or under their authors' display names.
    pub(crate) fn hide_names(&mut self, is_hidden: bool) -> Result<(), HostError> {
        match (self.hides_names()?, is_hidden) {
            (false, true) => self.set("host", "hidden", Some("1"), "names are hidden"),
            (true, false) => self.set("host", "hidden", None, "names are shown"),
            _ => Ok(()),
        }
    }

    /// Returns whether versions are shown under names that reveal nothing.
    pub(crate) fn hides_names(&self) -> Result<bool, HostError> {
        Ok(self.setting("hidden")?.is_some())
    }

    /// Returns the latest actions, the latest first: when, by whom, what.
    pub(crate) fn audit(&self, most: u32) -> Result<Vec<(i64, String, String)>, HostError> {
        // The audit refers to participants by number.
        let sql = "SELECT at, coalesce((SELECT name FROM participants
                                        WHERE 'participant ' || id = who), who), what
                   FROM audit ORDER BY audit.rowid DESC LIMIT ?1";
        self.all(sql, [most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }
}

/// Copies a database in its current state into a new file, while others go on writing.
pub(crate) fn copy_database(from: &Path, to: &Path) -> Result<(), HostError> {
    let connection = open_database(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(())
}

/// Marks in a copy which records have since been deleted from its source.
pub(crate) fn mark_gone_since(copy: &Path, from: &Path) -> Result<(), HostError> {
    let connection = open_database(copy, OpenFlags::default())?;
    connection.execute("ATTACH ?1 AS source", [from.to_string_lossy()])?;
    let columns = "SELECT count(*) FROM pragma_table_info('matches', ?1) WHERE name = 'kept'";
    for schema in ["main", "source"] {
        // A database with an older schema keeps all records.
        if connection.query_row(columns, [schema], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(());
        }
    }
    let sql = "UPDATE main.matches SET kept = 0
               WHERE id IN (SELECT id FROM source.matches WHERE kept <> 1)";
    connection.execute(sql, [])?;
    Ok(())
}

/// Returns what is wrong with a database file, if anything is: it is damaged, or has what computes
/// or changes something by itself, as none of ours does.
pub(crate) fn damage(file: &Path) -> Result<Option<String>, HostError> {
    let connection = open_database(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let foreign = "SELECT type || ' ' || name FROM sqlite_schema
                   WHERE type = 'trigger'
                      OR type = 'view' AND name NOT IN ('runs', 'results', 'all_results')
                      OR sql LIKE 'create virtual%'
                   UNION SELECT 'computed column ' || c.name
                   FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
                   WHERE t.type = 'table' AND c.hidden <> 0";
    let foreign = connection.query_row(foreign, [], |row| row.get::<_, String>(0)).optional()?;
    if let Some(foreign) = foreign {
        return Ok(Some(format!("the {foreign} does not belong there")));
    }
    let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((answer != "ok").then_some(answer))
}

/// Opens a database, of which nothing runs: it may come from a backup that somebody has changed.
fn open_database(file: &Path, flags: OpenFlags) -> Result<Connection, HostError> {
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    quintain_store::run_nothing_of(&connection)?;
    Ok(connection)
}

/// Returns the beginning of a text, `most` bytes at most.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=text.len().min(most)).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Records an action in the audit.
fn audit(transaction: &Transaction<'_>, who: &str, what: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO audit (at, who, what) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![now(), who, what]).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the database of a contest as it was after so many migrations.
    fn make_older(folder: &Path, migrations: usize, content: &str) {
        let older = Connection::open(folder.join(FILE)).unwrap();
        MIGRATIONS[..migrations].iter().for_each(|sql| older.execute_batch(sql).unwrap());
        older.pragma_update(None, "user_version", migrations as i64).unwrap();
        older.execute_batch(content).unwrap();
    }

    #[test]
    fn the_participants_of_an_older_contest_are_in_no_team_and_their_measures_have_no_time() {
        let folder = tempfile::tempdir().unwrap();
        let content = "INSERT INTO participants (name, token) VALUES ('ada', 'a'), ('bob', 'b');
                       INSERT INTO versions (participant, number, digest, stage, at)
                       VALUES (1, 1, 'd', 'passed', 5);
                       INSERT INTO ladders (id, scenarios, begun) VALUES (1, 's', 0);
                       INSERT INTO measures VALUES (1, 1, 50, 12.5, NULL, NULL);";
        make_older(folder.path(), 8, content);
        let mut state = State::open(folder.path()).unwrap();
        let all = state.participants().unwrap();
        assert!(all.iter().all(|who| who.team.is_none() && !who.is_team), "{all:?}");
        assert_eq!(state.measures_of(1, 1).unwrap()[&1], [(50.0, 12.5)]);
        assert!(state.measure_times(1, 0).unwrap().is_empty());
        let later = VersionMeasure { version: 1, rank: 1, measure: 13.0, interval: None };
        state.record_measures(1, 60, &[later]).unwrap();
        let times = state.measure_times(1, 0).unwrap();
        assert_eq!(state.measures_at(1, &times).unwrap().len(), 1);
        assert!(state.messages_to(1).unwrap().is_empty());
    }

    #[test]
    fn a_final_that_was_undone_in_an_older_contest_is_known_from_its_audit() {
        let folder = tempfile::tempdir().unwrap();
        let content =
            "INSERT INTO audit VALUES (5, 'organiser', 'undid the final after 26 of 1440 \
                       matches; their seeds are known, so the next one has another secret'),
                       (6, 'organiser', 'paused');";
        make_older(folder.path(), 9, content);
        let undone = State::open(folder.path()).unwrap().undone_finals().unwrap();
        assert_eq!(undone, [UndoneFinal { at: 5, played: 26, planned: 1440, digest: None }]);
    }

    #[test]
    fn a_token_of_an_older_contest_is_its_participants_and_a_teams_ends_as_nobody_made_it() {
        let folder = tempfile::tempdir().unwrap();
        let [own, of_team] = ["own", "of-team"].map(token::digest_of);
        let content = format!(
            "INSERT INTO participants (name, is_team, team)
             VALUES ('Reds', TRUE, NULL), ('ada', FALSE, 1), ('bob', FALSE, NULL);
             INSERT INTO submit_tokens VALUES (1, '{of_team}'), (3, '{own}');"
        );
        make_older(folder.path(), 12, &content);
        let state = State::open(folder.path()).unwrap();
        let name = |token| state.submitter(token).unwrap().map(|who| who.name);
        assert_eq!(name("own").as_deref(), Some("bob"));
        assert_eq!(name("of-team"), None);
        let (_, by, what) = state.audit(1).unwrap().remove(0);
        assert!(by == "host" && what.contains("the team Reds any more"), "{what}");
    }

    #[test]
    fn the_matches_of_an_older_contest_are_those_of_its_ladder() {
        let folder = tempfile::tempdir().unwrap();
        let content = "INSERT INTO matches (scenario, seed, seats, record, scores, kind)
                       VALUES ('s', 1, '1 2', 'a', '1 0', 'ladder'),
                              ('s', 2, '2 1', 'b', '1 0', 'challenge');
                       INSERT INTO history VALUES (1, 5, 30.0, NULL, NULL);";
        make_older(folder.path(), 6, content);
        let mut state = State::open(folder.path()).unwrap();
        let scenarios = ["s".to_owned(), "t".to_owned()];
        let ladder = state.ladder_on(&scenarios).unwrap();
        let mut records = Vec::new();
        state.for_each_counted(ladder, |played| records.push(played.record)).unwrap();
        assert_eq!((ladder, records), (1, vec!["a".to_owned()]));
        assert_eq!(state.one("SELECT count(*) FROM measures WHERE ladder = 1", []).unwrap(), 1);
        // In whatever order they are named; other scenarios have another ladder.
        let turned = ["t".to_owned(), "s".to_owned()];
        assert_eq!(state.ladder_on(&turned).unwrap(), 1);
        assert_eq!(state.ladder_on(&scenarios[..1]).unwrap(), 2);
        assert_eq!(state.ladder_on(&scenarios).unwrap(), 1);
        assert_eq!(state.reset_ladder("organiser", 1).unwrap(), 1);
        assert_eq!(state.ladder_on(&scenarios).unwrap(), 3);
    }
}
