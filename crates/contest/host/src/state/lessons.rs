//! Sets of published lessons.

use quintain_lessons::Lesson;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{State, audit, now};
use crate::error::HostError;

/// A lesson as it was published.
#[derive(Serialize, Deserialize)]
pub(crate) struct PublishedLesson {
    pub(crate) lesson: Lesson,
    /// The position, as SVG.
    pub(crate) picture: String,
}

/// A published set.
pub(crate) struct LessonSet {
    pub(crate) number: i64,
    /// When it was published, in seconds since 1970.
    pub(crate) at: i64,
    pub(crate) lessons: Vec<PublishedLesson>,
}

impl State {
    /// Publishes lessons; returns the number of the set.
    pub(crate) fn publish_lessons(
        &mut self,
        by: &str,
        lessons: &[PublishedLesson],
    ) -> Result<i64, HostError> {
        let text = serde_json::to_string(lessons).expect("lessons have a JSON form");
        self.write(|transaction| {
            let sql = "INSERT INTO lesson_sets (at, lessons) VALUES (?1, ?2) RETURNING number";
            let number = transaction.query_row(sql, params![now(), text], |row| row.get(0))?;
            let what = format!("published lesson set {number}, lessons in it: {}", lessons.len());
            audit(transaction, by, &what)?;
            Ok(number)
        })
    }

    /// Withdraws a set; returns whether there was one of that number.
    pub(crate) fn withdraw_lessons(&mut self, by: &str, number: i64) -> Result<bool, HostError> {
        self.write(|transaction| {
            let sql = "DELETE FROM lesson_sets WHERE number = ?1";
            let is_known = transaction.execute(sql, [number])? > 0;
            if is_known {
                audit(transaction, by, &format!("withdrew lesson set {number}"))?;
            }
            Ok(is_known)
        })
    }

    /// Returns the numbers of the published sets, the latest first.
    pub(crate) fn list_lesson_sets(&self) -> Result<Vec<i64>, HostError> {
        let sql = "SELECT number FROM lesson_sets ORDER BY number DESC";
        self.all(sql, [], |row| row.get(0))
    }

    /// Returns a published set.
    pub(crate) fn lesson_set(&self, number: i64) -> Result<Option<LessonSet>, HostError> {
        let sql = "SELECT at, lessons FROM lesson_sets WHERE number = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?));
        let Some((at, text)) = statement.query_row([number], read).optional()? else {
            return Ok(None);
        };
        let lessons = serde_json::from_str(&text).map_err(|error| {
            HostError::Usage(format!(
                "lesson set {number} cannot be read: {error}; withdraw it and publish it again"
            ))
        })?;
        Ok(Some(LessonSet { number, at, lessons }))
    }

    /// Returns the latest published set.
    pub(crate) fn latest_lesson_set(&self) -> Result<Option<LessonSet>, HostError> {
        let numbers = self.list_lesson_sets()?;
        Ok(numbers.first().map(|number| self.lesson_set(*number)).transpose()?.flatten())
    }

    /// Returns whether a seed belongs to a match whose record is secret.
    pub(crate) fn is_secret_seed(&self, seed: u64) -> Result<bool, HostError> {
        let sql = "SELECT count(*) FROM matches WHERE hidden AND seed = ?1";
        Ok(self.one(sql, [seed as i64])? > 0)
    }
}
