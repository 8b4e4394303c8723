//! The processes that answer the queue of tests, each with what keeps it from playing them. A
//! process holds a lock while it is there, so one that was killed is not taken for one that waits.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::running::{self, RunLock};
use crate::store::Store;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS test_runners (
    runner INTEGER PRIMARY KEY,
    report TEXT NOT NULL
) STRICT";

/// What a process that answers the queue says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestRunner {
    /// The server whose workers play, as it is shown; `None` if the process plays itself.
    pub server: Option<String>,
    /// How other machines reach that server, if they do.
    pub address: Option<String>,
    /// Why nobody can play tests, by their numbers.
    pub obstacles: BTreeMap<i64, String>,
}

/// The place of a process among those that answer the queue, until it is dropped.
#[derive(Debug)]
pub struct RunnerPlace {
    number: i64,
    _lock: RunLock,
}

fn lock_key(number: i64) -> String {
    format!("tests-{number}")
}

impl Store {
    /// Enters this process among those that answer the queue.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn enter_runner(&mut self, report: &TestRunner) -> Result<RunnerPlace, StoreError> {
        loop {
            let text = serde_json::to_string(report).expect("reports have JSON");
            let path = self.path.clone();
            let number = self.write(|transaction| {
                transaction.execute_batch(CREATE)?;
                let mut listed = transaction.prepare("SELECT runner FROM test_runners")?;
                let listed = listed.query_map([], |row| row.get::<_, i64>(0))?;
                for number in listed.collect::<Result<Vec<_>, _>>()? {
                    if !running::is_held(&path, &lock_key(number)) {
                        let remove = "DELETE FROM test_runners WHERE runner = ?1";
                        transaction.execute(remove, [number])?;
                    }
                }
                transaction
                    .execute("INSERT INTO test_runners VALUES (NULL, ?1)", [text.clone()])?;
                Ok::<_, crate::store::WriteError>(transaction.last_insert_rowid())
            })?;
            // Another process may have removed the row before it was held, and taken its number.
            match self.hold_matches(&lock_key(number), "this queue") {
                Ok(lock) => return Ok(RunnerPlace { number, _lock: lock }),
                Err(StoreError::Running { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps what a process says of itself.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn report_runner(
        &mut self,
        place: &RunnerPlace,
        report: &TestRunner,
    ) -> Result<(), StoreError> {
        let text = serde_json::to_string(report).expect("reports have JSON");
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO test_runners VALUES (?1, ?2)",
                params![place.number, text],
            )?;
            Ok(())
        })
    }

    /// The processes that answer the queue now.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn test_runners(&self) -> Result<Vec<TestRunner>, StoreError> {
        if !self.has_table("test_runners")? {
            return Ok(Vec::new());
        }
        let read = || {
            let mut statement =
                self.connection.prepare_cached("SELECT runner, report FROM test_runners")?;
            let rows = statement
                .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|error| self.fail(error))?;
        let there = rows.iter().filter(|row| running::is_held(&self.path, &lock_key(row.0)));
        Ok(there.map(|(_, report)| serde_json::from_str(report).unwrap_or_default()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{NewTest, TestState};

    #[test]
    fn a_test_has_an_obstacle_while_nobody_who_is_there_can_play_it() {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
        let (who, what) = ("ann".to_owned(), "a or b".to_owned());
        let test = NewTest { priority: 0, who, what, question: "{}".to_owned() };
        let number = store.propose_test(&test).unwrap();
        let obstacle = |store: &Store| store.queued_test(number).unwrap().obstacle;
        assert_eq!(obstacle(&store), None);
        let why = "no worker is connected".to_owned();
        let stuck =
            TestRunner { obstacles: [(number, why.clone())].into(), ..TestRunner::default() };
        let first = store.enter_runner(&stuck).unwrap();
        assert_eq!(obstacle(&store), Some(why.clone()));
        assert_eq!(store.queued_tests().unwrap()[0].obstacle, Some(why));
        let second = store.enter_runner(&TestRunner::default()).unwrap();
        assert_eq!(obstacle(&store), None, "the other one plays it");
        drop(second);
        let open = [TestState::Proposed];
        assert!(store.change_test(number, &open, TestState::Stopped).unwrap());
        assert_eq!(obstacle(&store), None, "it is over");
        drop(first);
    }

    #[test]
    fn only_processes_that_are_there_are_listed_with_what_they_said_last() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.sqlite");
        let [mut one, mut other] = [(); 2].map(|()| Store::open(&path).unwrap());
        assert_eq!(one.test_runners().unwrap(), []);
        let at =
            |server: &str| TestRunner { server: Some(server.to_owned()), ..TestRunner::default() };
        let first = one.enter_runner(&at("a")).unwrap();
        let second = other.enter_runner(&at("b")).unwrap();
        assert_eq!(one.test_runners().unwrap(), [at("a"), at("b")]);
        let stuck = TestRunner { obstacles: [(3, "no worker".to_owned())].into(), ..at("b") };
        other.report_runner(&second, &stuck).unwrap();
        drop(first);
        assert_eq!(one.test_runners().unwrap(), std::slice::from_ref(&stuck));
        // The row of one that was killed makes room.
        let third = one.enter_runner(&at("c")).unwrap();
        assert_eq!(other.test_runners().unwrap().len(), 2);
        let rows = "SELECT count(*) FROM test_runners";
        let rows: i64 = one.connection.query_row(rows, [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2);
        drop((second, third));
        assert_eq!(other.test_runners().unwrap(), []);
    }
}
