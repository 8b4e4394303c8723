//! What standings and comparisons read of matches: few columns, quickly.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use quintain_core::Record;
use quintain_standings::MatchResult;
use serde::Deserialize;

use crate::error::StoreError;
use crate::read::Filter;
use crate::row::id_text;
use crate::store::Store;

/// Texts that occur again and again, each parsed once.
struct Memo<T> {
    known: HashMap<Box<str>, T>,
}

impl<T: for<'de> Deserialize<'de>> Memo<T> {
    /// The most different texts that are remembered.
    const MAX_TEXTS: usize = 10_000;

    fn new() -> Memo<T> {
        Memo { known: HashMap::new() }
    }

    fn get(&mut self, text: &str) -> serde_json::Result<&T> {
        if !self.known.contains_key(text) {
            if self.known.len() >= Self::MAX_TEXTS {
                self.known.clear();
            }
            self.known.insert(text.into(), serde_json::from_str(text)?);
        }
        Ok(&self.known[text])
    }
}

impl Store {
    /// Calls `each` with the results that the filter selects, in order of arrival unless they are
    /// to be sorted. This is quicker than [`Store::matches`], which reads all columns. Each result
    /// comes with a function that digests the actions of its match; the record is read only if that
    /// is called.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn results<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(MatchResult<'_>, &dyn Fn() -> Option<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        const COLUMNS: &str = "r.scenario, r.seed, r.seats, r.scores, r.ending, r.fault_seat, \
             r.truncated, r.id, r.record, r.fault";
        let mut lineups: Memo<Vec<String>> = Memo::new();
        let mut scores: Memo<Vec<f64>> = Memo::new();
        self.checked_rows(filter, COLUMNS, |row| {
            let fail = |error: rusqlite::Error| self.fail(error);
            let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            let broken = |column: &'static str, says: &str| StoreError::Column {
                id: row
                    .get_ref(7)
                    .ok()
                    .and_then(|id| id.as_blob().ok())
                    .map(id_text)
                    .unwrap_or_default(),
                column,
                says: says.to_owned(),
                truth: "otherwise".to_owned(),
            };
            let seats = text(2).map_err(fail)?;
            let players = lineups.get(seats).map_err(|_| broken("seats", seats))?;
            let players: Vec<&str> = players.iter().map(String::as_str).collect();
            let scored = text(3).map_err(fail)?;
            let record: i64 = row.get(8).map_err(fail)?;
            let result = MatchResult {
                scenario: text(0).map_err(fail)?,
                seed: row.get::<_, i64>(1).map_err(fail)?.cast_unsigned(),
                players: &players,
                scores: scores.get(scored).map_err(|_| broken("scores", scored))?,
                ending: text(4).map_err(fail)?,
                fault: match row.get::<_, Option<i64>>(5).map_err(fail)? {
                    Some(seat) => Some((seat as usize, fault_kind(text(9).unwrap_or_default()))),
                    None => None,
                },
                truncated: row.get(6).map_err(fail)?,
            };
            let altered = Cell::new(None);
            each(result, &|| match self.digest_actions(record) {
                Ok(digest) => Some(digest),
                Err(error) => {
                    altered.set(Some(error));
                    None
                }
            })?;
            altered.take().map_or(Ok(()), |error| Err(error.into()))
        })
    }

    /// A digest of the actions of a match.
    ///
    /// # Errors
    /// If the record was altered.
    fn digest_actions(&self, record: i64) -> Result<u64, StoreError> {
        let sql = "SELECT json FROM records WHERE record = ?";
        let read = || -> rusqlite::Result<String> {
            self.connection.prepare_cached(sql)?.query_row([record], |row| row.get(0))
        };
        let json = read().map_err(|error| self.fail(error))?;
        let played = Record::from_json(&json)?;
        let mut hasher = DefaultHasher::new();
        played.actions.hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// Calls `each` with the scenario, seed, players, scores and metrics of the matches that the
    /// filter selects. The metrics are read from the records.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn outcomes<E, F>(&self, filter: &Filter, mut each: F) -> Result<(), E>
    where
        E: From<StoreError>,
        F: FnMut((&str, u64), &[String], &[f64], &BTreeMap<String, f64>) -> Result<(), E>,
    {
        const COLUMNS: &str = "r.seats, r.scores, r.json, r.scenario, r.seed";
        let mut lineups: Memo<Vec<String>> = Memo::new();
        let mut scores: Memo<Vec<f64>> = Memo::new();
        self.checked_rows(filter, COLUMNS, |row| {
            let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            let read = |at: usize| text(at).map_err(|error| self.fail(error));
            let broken = |column: &'static str, says: &str| StoreError::Column {
                id: "of an outcome".to_owned(),
                column,
                says: says.to_owned(),
                truth: "otherwise".to_owned(),
            };
            let (seats, scored, json, scenario) = (read(0)?, read(1)?, read(2)?, read(3)?);
            let seed: i64 = row.get(4).map_err(|error| self.fail(error))?;
            let players = lineups.get(seats).map_err(|_| broken("seats", seats))?;
            let scores = scores.get(scored).map_err(|_| broken("scores", scored))?;
            let record = Record::from_json(json).map_err(StoreError::from)?;
            let metrics = &record.outcome.metrics;
            each((scenario, seed.cast_unsigned()), players, scores, metrics)
        })
    }
}

/// The kind of a fault, with which its text begins.
fn fault_kind(fault: &str) -> &str {
    fault.split(':').next().unwrap_or_default()
}
