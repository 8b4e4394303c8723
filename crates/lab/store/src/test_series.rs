//! Series of tests: the versions of a program, each with the tests that compare it with the version
//! before it and with an anchor. The tests are in the queue like all others; these tables say which
//! version each is about. They are created with the first series; a store without them is just as
//! valid.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::error::StoreError;
use crate::queue::{NewTest, QueuedTest};
use crate::store::{Store, now_ms};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS test_series (
    series   INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    what     TEXT NOT NULL,
    question TEXT NOT NULL,
    added_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS test_series_versions (
    series   INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    revision TEXT NOT NULL,
    short    TEXT NOT NULL,
    day      TEXT NOT NULL,
    title    TEXT NOT NULL,
    commits  INTEGER NOT NULL,
    player   TEXT,
    remark   TEXT,
    step     INTEGER,
    anchored INTEGER,
    PRIMARY KEY (series, place)
) STRICT";

/// A series that is created or continued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewSeries {
    /// Its name.
    pub name: String,
    /// What is asked of each version, in words.
    pub what: String,
    /// The same for the program that continues it.
    pub question: String,
}

/// What is known of a version, besides its tests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VersionInfo {
    /// The commit.
    pub revision: String,
    /// The beginning of its hash.
    pub short: String,
    /// When it was written: `2015-08-07`.
    pub day: String,
    /// The first line of its message.
    pub title: String,
    /// How many commits came since the version that it is tested against.
    pub commits: u64,
    /// The player that it is; `None` if it cannot play.
    pub player: Option<String>,
    /// Why it has no tests, if it has none.
    pub remark: Option<String>,
}

/// A version that is added to a series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewVersion {
    /// What it is.
    pub info: VersionInfo,
    /// Whether it is worse than the version before it.
    pub step: Option<NewTest>,
    /// How it compares with the anchor.
    pub anchored: Option<NewTest>,
}

/// A version in a series.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SeriesVersion {
    /// What it is.
    #[serde(flatten)]
    pub info: VersionInfo,
    /// The test against the version before it.
    pub step: Option<QueuedTest>,
    /// The test against the anchor.
    pub anchored: Option<QueuedTest>,
}

/// A series of tests.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct TestSeries {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// What is asked of each version, in words.
    pub what: String,
    /// The same for the program that continues it.
    #[serde(skip)]
    pub question: String,
    /// The versions, the oldest first.
    pub versions: Vec<SeriesVersion>,
}

impl TestSeries {
    /// All its tests.
    pub fn tests(&self) -> impl Iterator<Item = &QueuedTest> {
        self.versions.iter().flat_map(|version| version.step.iter().chain(&version.anchored))
    }
}

impl Store {
    /// Adds versions to a series, which is created if there is none of this name, and their tests
    /// to the queue. Returns whether it had as many versions as it was `known` to have; otherwise
    /// nothing is added.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn extend_series(
        &mut self,
        series: &NewSeries,
        known: usize,
        versions: &[NewVersion],
    ) -> Result<bool, StoreError> {
        self.write(|transaction| {
            transaction.execute_batch(CREATE)?;
            transaction.execute(
                "INSERT INTO test_series VALUES (NULL, ?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                params![series.name, series.what, series.question, now_ms()],
            )?;
            let find = "SELECT series FROM test_series WHERE name = ?1";
            let number: i64 = transaction.query_row(find, [&series.name], |row| row.get(0))?;
            let count = "SELECT count(*) FROM test_series_versions WHERE series = ?1";
            let count: i64 = transaction.query_row(count, [number], |row| row.get(0))?;
            if count != known as i64 {
                return Ok(false);
            }
            for (place, NewVersion { info, step, anchored }) in (known..).zip(versions) {
                let propose = |test: &Option<NewTest>| {
                    test.as_ref().map(|test| test.propose(transaction)).transpose()
                };
                let (step, anchored) = (propose(step)?, propose(anchored)?);
                transaction.execute(
                    "INSERT INTO test_series_versions
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    params![
                        number,
                        place as i64,
                        info.revision,
                        info.short,
                        info.day,
                        info.title,
                        info.commits as i64,
                        info.player,
                        info.remark,
                        step,
                        anchored,
                    ],
                )?;
            }
            Ok(true)
        })
    }

    /// All series of tests, in the order of their names.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn all_test_series(&self) -> Result<Vec<TestSeries>, StoreError> {
        let fail = |error| self.fail(error);
        if !self.has_table("test_series")? {
            return Ok(Vec::new());
        }
        let mut statement = self
            .connection
            .prepare("SELECT series, name, what, question FROM test_series ORDER BY name")
            .map_err(fail)?;
        let rows = statement.query_map([], |row| {
            let versions = Vec::new();
            let (number, name) = (row.get(0)?, row.get(1)?);
            Ok(TestSeries { number, name, what: row.get(2)?, question: row.get(3)?, versions })
        });
        let mut all: Vec<TestSeries> = rows.and_then(Iterator::collect).map_err(fail)?;
        for series in &mut all {
            series.versions = self.versions_of_series(series.number)?;
        }
        Ok(all)
    }

    /// The series of tests with this number.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn test_series(&self, number: i64) -> Result<TestSeries, StoreError> {
        let mut all = self.all_test_series()?.into_iter();
        all.find(|series| series.number == number).ok_or_else(|| {
            let path = self.path.display();
            StoreError::UnknownTest(format!("{path}: there is no series {number} of tests"))
        })
    }

    fn versions_of_series(&self, series: i64) -> Result<Vec<SeriesVersion>, StoreError> {
        let fail = |error| self.fail(error);
        let mut statement = self
            .connection
            .prepare(
                "SELECT revision, short, day, title, commits, player, remark, step, anchored
                 FROM test_series_versions WHERE series = ?1 ORDER BY place",
            )
            .map_err(fail)?;
        let rows = statement.query_map([series], |row| {
            let info = VersionInfo {
                revision: row.get(0)?,
                short: row.get(1)?,
                day: row.get(2)?,
                title: row.get(3)?,
                commits: row.get::<_, i64>(4)?.unsigned_abs(),
                player: row.get(5)?,
                remark: row.get(6)?,
            };
            Ok((info, row.get::<_, Option<i64>>(7)?, row.get::<_, Option<i64>>(8)?))
        });
        let rows: Vec<_> = rows.and_then(Iterator::collect).map_err(fail)?;
        let find = |number: Option<i64>| number.map(|number| self.queued_test(number)).transpose();
        rows.into_iter()
            .map(|(info, step, anchored)| {
                Ok(SeriesVersion { info, step: find(step)?, anchored: find(anchored)? })
            })
            .collect()
    }

    /// Puts another test in the place of one, in all series.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn replace_in_series(&mut self, test: i64, by: i64) -> Result<(), StoreError> {
        if !self.has_table("test_series_versions")? {
            return Ok(());
        }
        self.write(|transaction| {
            for column in ["step", "anchored"] {
                let change =
                    format!("UPDATE test_series_versions SET {column} = ?2 WHERE {column} = ?1");
                transaction.execute(&change, [test, by])?;
            }
            Ok(())
        })
    }

    /// Forgets a series; returns whether there was one of this name. Its tests stay in the queue.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_series(&mut self, name: &str) -> Result<bool, StoreError> {
        if !self.has_table("test_series")? {
            return Ok(false);
        }
        self.write(|transaction| {
            let remove = "DELETE FROM test_series WHERE name = ?1 RETURNING series";
            let number = transaction.query_row(remove, [name], |row| row.get::<_, i64>(0));
            let Some(number) = number.optional()? else { return Ok(false) };
            let remove = "DELETE FROM test_series_versions WHERE series = ?1";
            transaction.execute(remove, [number])?;
            Ok(true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(short: &str) -> NewVersion {
        let test = |what: &str| {
            let (who, question) = ("ann".to_owned(), "{}".to_owned());
            Some(NewTest { priority: 0, who, what: what.to_owned(), question })
        };
        let info = VersionInfo {
            revision: short.repeat(5),
            short: short.to_owned(),
            day: "2015-08-07".to_owned(),
            title: "faster".to_owned(),
            commits: 1,
            player: Some(format!("bot:mine@{short}")),
            remark: None,
        };
        NewVersion { info, step: test("step"), anchored: test("anchored") }
    }

    #[test]
    fn a_series_is_continued_by_one_process_at_a_time() {
        let mut store = Store::in_memory().unwrap();
        assert!(store.all_test_series().unwrap().is_empty());
        let mine = NewSeries {
            name: "mine".to_owned(),
            what: "each version".to_owned(),
            question: "{}".to_owned(),
        };
        let base = NewVersion { step: None, anchored: None, ..version("a") };
        assert!(store.extend_series(&mine, 0, &[base, version("b")]).unwrap());
        assert!(!store.extend_series(&mine, 0, &[version("c")]).unwrap(), "known too late");
        assert!(store.extend_series(&mine, 2, &[version("c")]).unwrap());
        let all = store.all_test_series().unwrap();
        let shorts: Vec<&str> =
            all[0].versions.iter().map(|version| version.info.short.as_str()).collect();
        assert_eq!((all.len(), shorts), (1, vec!["a", "b", "c"]));
        let numbers: Vec<i64> = all[0].tests().map(|test| test.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4], "in the order in which they are answered");
        assert_eq!(store.queued_tests().unwrap().len(), 4);
        assert_eq!(store.test_series(all[0].number).unwrap(), all[0]);
        store.replace_in_series(2, 4).unwrap();
        let numbers: Vec<i64> =
            store.all_test_series().unwrap()[0].tests().map(|test| test.number).collect();
        assert_eq!(numbers, [1, 4, 3, 4]);
        assert!(store.test_series(7).is_err());

        assert!(store.forget_series("mine").unwrap() && !store.forget_series("mine").unwrap());
        assert!(store.all_test_series().unwrap().is_empty());
        assert_eq!(store.queued_tests().unwrap().len(), 4);
    }
}
