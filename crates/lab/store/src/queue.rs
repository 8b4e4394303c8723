//! The queue of tests: questions that wait to be answered by a comparison, those being answered,
//! and the answers. A process that answers one holds a lock, as those that play tournaments do, so
//! a test whose process was killed is there for the next one. The table is created when the first
//! test is proposed; a store without it is just as valid.

use std::collections::BTreeMap;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::running::{self, RunLock};
use crate::store::{Store, WriteError, now_ms};
use crate::test_runners::TestRunner;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS tests (
    test        INTEGER PRIMARY KEY,
    state       TEXT NOT NULL,
    priority    INTEGER NOT NULL,
    who         TEXT NOT NULL,
    what        TEXT NOT NULL,
    question    TEXT NOT NULL,
    report      TEXT NOT NULL,
    proposed_at INTEGER NOT NULL,
    changed_at  INTEGER NOT NULL
) STRICT";
const COLUMNS: &str = "test, state, priority, who, what, question, report, proposed_at, changed_at,
     coalesce(strftime('%Y-%m-%d %H:%M', changed_at / 1000, 'unixepoch', 'localtime'), '')";

/// How far a test is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TestState {
    /// Nobody has begun to answer it.
    Proposed,
    /// It is being answered, or was when its process ended.
    Running,
    /// It has its answer, which may be that nothing can be told.
    Decided,
    /// Somebody has stopped it.
    Stopped,
}

impl TestState {
    const ALL: [TestState; 4] =
        [TestState::Proposed, TestState::Running, TestState::Decided, TestState::Stopped];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TestState::Proposed => "proposed",
            TestState::Running => "running",
            TestState::Decided => "decided",
            TestState::Stopped => "stopped",
        }
    }
}

impl FromSql for TestState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<TestState> {
        let name = value.as_str()?;
        let found = TestState::ALL.into_iter().find(|state| state.name() == name);
        found.ok_or(FromSqlError::InvalidType)
    }
}

/// A test to be added to the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTest {
    /// Tests of higher priority are answered first.
    pub priority: i64,
    /// Who proposes it.
    pub who: String,
    /// What is asked, in words.
    pub what: String,
    /// The same for the program that answers it.
    pub question: String,
}

impl NewTest {
    /// Adds it to the queue; returns its number.
    pub(crate) fn propose(&self, transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
        let report = serde_json::to_string(&TestReport::default()).expect("reports have JSON");
        transaction.execute_batch(CREATE)?;
        transaction.execute(
            "INSERT INTO tests VALUES (NULL, 'proposed', ?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            params![self.priority, self.who, self.what, self.question, report, now_ms()],
        )?;
        Ok(transaction.last_insert_rowid())
    }
}

/// How far the answer of a test is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestReport {
    /// The player that the test is about, and what it is compared with.
    pub players: [String; 2],
    /// Matches counted.
    pub matches: u64,
    /// The most matches that may be counted.
    pub most_matches: u64,
    /// Matches played each minute, by the process that answers it.
    pub per_minute: f64,
    /// Where they are played.
    pub place: String,
    /// The natural logarithm of the evidence that the player is better, and that it is worse, after
    /// so many matches.
    pub course: Vec<(u64, f64, f64)>,
    /// What the evidence must reach for a verdict.
    pub decisive: f64,
    /// The verdict, in a word.
    pub verdict: Option<String>,
    /// The answer, in sentences.
    pub answer: Vec<String>,
    /// The faults of the player and of the other: crashes, lost on time.
    pub faults: [BTreeMap<String, u64>; 2],
    /// By how much the player is better, once that was judged.
    pub lead: Option<Lead>,
    /// What is remarkable about players and workers: programs that do not start, workers that were
    /// put aside.
    pub notes: Vec<String>,
    /// How many matches each machine has played, where workers play.
    pub played_by: BTreeMap<String, u64>,
    /// The player's pairs of games by their results: LL, LD, WL, DD, WD, WW.
    pub pairs: Option<[u64; 6]>,
    /// Matches that the player has lost by a fault, a few of them.
    pub faulty: Vec<FaultyMatch>,
}

/// A match that a player has lost by a fault.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultyMatch {
    /// The beginning of the match's id.
    pub id: String,
    /// What went wrong.
    pub fault: String,
    /// The last lines that the program wrote to its standard error.
    pub last_lines: Vec<String>,
}

/// By how much a player is better than another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lead {
    /// The lead to expect in the long run.
    pub value: f64,
    /// The ends of its interval; `None` if it has no end there.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// What it is measured in: `Elo`.
    pub unit: String,
}

/// A test in the queue.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct QueuedTest {
    /// Its number.
    pub number: i64,
    /// How far it is.
    pub state: TestState,
    /// Whether a process answers it now.
    pub is_held: bool,
    /// Tests of higher priority are answered first.
    pub priority: i64,
    /// Who has proposed it.
    pub who: String,
    /// What is asked, in words.
    pub what: String,
    /// The same for the program that answers it.
    #[serde(skip)]
    pub question: String,
    /// Why nobody can play it, if that is so.
    pub obstacle: Option<String>,
    /// The answer, as far as it is.
    pub report: TestReport,
    /// When it was proposed, in milliseconds since 1970.
    pub proposed_at: i64,
    /// When its state or its report changed last.
    pub changed_at: i64,
    /// The same as local time: `2015-08-07 12:00`.
    pub changed_on: String,
}

impl QueuedTest {
    /// How far it is, in a word: a test whose process has ended is interrupted, and one that waits
    /// after it was begun is paused.
    pub fn status(&self) -> &'static str {
        match self.state {
            TestState::Running if !self.is_held => "interrupted",
            // One of higher priority came, or it cannot be played where it was begun.
            TestState::Proposed if self.report.matches > 0 => "paused",
            state => state.name(),
        }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<QueuedTest> {
        let report: String = row.get(6)?;
        Ok(QueuedTest {
            number: row.get(0)?,
            state: row.get(1)?,
            is_held: false,
            obstacle: None,
            priority: row.get(2)?,
            who: row.get(3)?,
            what: row.get(4)?,
            question: row.get(5)?,
            report: serde_json::from_str(&report).unwrap_or_default(),
            proposed_at: row.get(7)?,
            changed_at: row.get(8)?,
            changed_on: row.get(9)?,
        })
    }
}

/// The key of the lock that whoever answers a test holds.
fn lock_key(number: i64) -> String {
    format!("test-{number}")
}

impl Store {
    /// Adds a test to the queue; returns its number.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn propose_test(&mut self, test: &NewTest) -> Result<i64, StoreError> {
        self.write(|transaction| Ok(test.propose(transaction)?))
    }

    /// All tests: those to be answered in the order in which they will be, then those that are
    /// over, the latest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn queued_tests(&self) -> Result<Vec<QueuedTest>, StoreError> {
        let fail = |error| self.fail(error);
        if !self.has_tests()? {
            return Ok(Vec::new());
        }
        let mut statement = self
            .connection
            .prepare(&format!(
                "SELECT {COLUMNS} FROM tests ORDER BY
                     CASE state WHEN 'running' THEN 0 WHEN 'proposed' THEN 1 ELSE 2 END,
                     CASE WHEN state IN ('running', 'proposed') THEN -priority ELSE -changed_at END,
                     CASE WHEN state IN ('running', 'proposed') THEN test ELSE -test END"
            ))
            .map_err(fail)?;
        let rows = statement.query_map([], QueuedTest::read);
        let mut tests: Vec<QueuedTest> = rows.and_then(Iterator::collect).map_err(fail)?;
        let runners = self.test_runners()?;
        for test in &mut tests {
            self.look_for_holder(test, &runners);
        }
        Ok(tests)
    }

    /// The test of this number.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn queued_test(&self, number: i64) -> Result<QueuedTest, StoreError> {
        let unknown = || {
            let path = self.path.display();
            StoreError::UnknownTest(format!("{path}: there is no test {number} in its queue"))
        };
        if !self.has_tests()? {
            return Err(unknown());
        }
        let find = format!("SELECT {COLUMNS} FROM tests WHERE test = ?1");
        let found = self.connection.query_row(&find, [number], QueuedTest::read).optional();
        let mut test = found.map_err(|error| self.fail(error))?.ok_or_else(unknown)?;
        self.look_for_holder(&mut test, &self.test_runners()?);
        Ok(test)
    }

    /// Notes who answers a test, and what keeps all from it who could.
    fn look_for_holder(&self, test: &mut QueuedTest, runners: &[TestRunner]) {
        test.is_held = test.state == TestState::Running
            && running::is_held(&self.path, &lock_key(test.number));
        if matches!(test.state, TestState::Proposed | TestState::Running) {
            let obstacles = runners.iter().map(|runner| runner.obstacles.get(&test.number));
            let obstacles = obstacles.collect::<Option<Vec<_>>>().unwrap_or_default();
            test.obstacle = obstacles.first().map(|obstacle| (*obstacle).clone());
        }
    }

    /// Takes the next test to be answered, which nobody else takes until the lock is dropped: one
    /// whose process has ended, otherwise that of the highest priority; one that nobody can play
    /// only if there is no other. Those of `except` are left alone.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn take_test(
        &mut self,
        except: &[i64],
    ) -> Result<Option<(QueuedTest, RunLock)>, StoreError> {
        let (stuck, others): (Vec<_>, Vec<_>) =
            self.queued_tests()?.into_iter().partition(|test| test.obstacle.is_some());
        for test in others.into_iter().chain(stuck) {
            let is_open = matches!(test.state, TestState::Proposed | TestState::Running);
            if !is_open || test.is_held || except.contains(&test.number) {
                continue;
            }
            let lock = match self.hold_matches(&lock_key(test.number), "this test") {
                Ok(lock) => lock,
                Err(StoreError::Running { .. }) => continue,
                Err(error) => return Err(error),
            };
            // Another process may have answered or stopped it meanwhile.
            let (begin, number) = ([TestState::Proposed, TestState::Running], test.number);
            if self.change_test(number, &begin, TestState::Running)? {
                return Ok(Some((self.queued_test(number)?, lock)));
            }
        }
        Ok(None)
    }

    /// Keeps how far the answer of a test is.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn report_test(&mut self, number: i64, report: &TestReport) -> Result<(), StoreError> {
        let report = serde_json::to_string(report).expect("reports have JSON");
        self.write(|transaction| {
            transaction.execute(
                "UPDATE tests SET report = ?2, changed_at = ?3 WHERE test = ?1",
                params![number, report, now_ms()],
            )?;
            Ok(())
        })
    }

    /// Moves a test to another state, if it is in one of these; returns whether it was.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn change_test(
        &mut self,
        number: i64,
        from: &[TestState],
        to: TestState,
    ) -> Result<bool, StoreError> {
        if !self.has_tests()? {
            return Ok(false);
        }
        self.write(|transaction| {
            let find = "SELECT state FROM tests WHERE test = ?1";
            let state = transaction.query_row(find, [number], |row| row.get::<_, TestState>(0));
            if !state.optional()?.is_some_and(|state| from.contains(&state)) {
                return Ok(false);
            }
            transaction.execute(
                "UPDATE tests SET state = ?2, changed_at = ?3 WHERE test = ?1",
                params![number, to.name(), now_ms()],
            )?;
            Ok::<_, WriteError>(true)
        })
    }

    fn has_tests(&self) -> Result<bool, StoreError> {
        self.has_table("tests")
    }

    /// Whether there is a table of this name: some are created when they are first needed.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool, StoreError> {
        let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let found = self.connection.prepare_cached(table);
        let found = found.and_then(|mut table| table.exists([name]));
        found.map_err(|error| self.fail(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn propose(store: &mut Store, priority: i64) -> i64 {
        let (who, what) = ("ann".to_owned(), "a or b".to_owned());
        store.propose_test(&NewTest { priority, who, what, question: "{}".to_owned() }).unwrap()
    }

    #[test]
    fn tests_are_taken_by_priority_and_each_by_one_process() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.sqlite");
        let [mut one, mut other] = [(); 2].map(|()| Store::open(&path).unwrap());
        assert!(one.take_test(&[]).unwrap().is_none() && one.queued_tests().unwrap().is_empty());
        let [low, high, later] = [0, 5, 5].map(|priority| propose(&mut one, priority));
        let order = |store: &Store| -> Vec<i64> {
            store.queued_tests().unwrap().iter().map(|test| test.number).collect()
        };
        assert_eq!(order(&one), [high, later, low]);
        let (first, lock) = one.take_test(&[]).unwrap().unwrap();
        assert_eq!((first.number, first.status()), (high, "running"));
        let (second, _other_lock) = other.take_test(&[]).unwrap().unwrap();
        assert_eq!(second.number, later);

        // The first process is killed: the next one goes on with its test, before all that wait.
        drop(lock);
        assert_eq!(other.queued_test(high).unwrap().status(), "interrupted");
        let (again, _lock) = other.take_test(&[]).unwrap().unwrap();
        assert_eq!(again.number, high);
        let decided = other.change_test(high, &[TestState::Running], TestState::Decided).unwrap();
        assert!(decided);
        assert_eq!(order(&one), [later, low, high]);
    }

    #[test]
    fn a_test_that_is_over_is_not_begun_or_stopped_again() {
        let mut store = Store::in_memory().unwrap();
        let number = propose(&mut store, 0);
        let open = [TestState::Proposed, TestState::Running];
        assert!(store.change_test(number, &open, TestState::Stopped).unwrap());
        assert!(!store.change_test(number, &open, TestState::Running).unwrap());
        assert!(store.take_test(&[]).unwrap().is_none());
        let other = propose(&mut store, 0);
        assert!(store.take_test(&[other]).unwrap().is_none());
        assert_eq!(store.take_test(&[number]).unwrap().unwrap().0.number, other);
        assert_eq!(store.queued_test(number).unwrap().state, TestState::Stopped);
        assert!(store.queued_test(number + 2).is_err());
        assert!(!store.change_test(number + 2, &open, TestState::Stopped).unwrap());
    }

    #[test]
    fn a_report_is_read_back_and_one_of_another_version_is_empty() {
        let mut store = Store::in_memory().unwrap();
        let number = propose(&mut store, 0);
        let report = TestReport {
            matches: 20,
            course: vec![(10, 0.5, -0.25), (20, 1.5, -0.75)],
            answer: vec!["a is better than b".to_owned()],
            faults: [BTreeMap::from([("time".to_owned(), 2)]), BTreeMap::new()],
            ..TestReport::default()
        };
        store.report_test(number, &report).unwrap();
        assert_eq!(store.queued_test(number).unwrap().report, report);
        store.connection.execute("UPDATE tests SET report = '[]'", []).unwrap();
        assert_eq!(store.queued_test(number).unwrap().report, TestReport::default());
    }
}
