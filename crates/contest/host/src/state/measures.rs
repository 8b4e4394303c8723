//! The measures of versions over time, on each ladder.

use std::collections::HashMap;

use rusqlite::params;

use super::{State, now};
use crate::error::HostError;

/// A version's measure on a ladder, with its interval and its rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct VersionMeasure {
    pub(crate) version: i64,
    pub(crate) rank: u64,
    pub(crate) measure: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

/// The rank and the measure of a participant at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MeasureThen {
    /// Seconds since 1970.
    pub(crate) at: i64,
    pub(crate) participant: i64,
    pub(crate) rank: u64,
    pub(crate) measure: f64,
}

impl State {
    /// Notes the measures of versions after `played` matches of a ladder.
    pub(crate) fn record_measures(
        &mut self,
        ladder: i64,
        played: usize,
        measures: &[VersionMeasure],
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT OR IGNORE INTO measures (ladder, version, played, measure, low, high, at,
                                                 rank)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let at = now();
            for VersionMeasure { version, rank, measure, interval } in measures {
                let (low, high) = interval.unzip();
                let rank = *rank as i64;
                let played = played as i64;
                insert.execute(params![ladder, version, played, measure, low, high, at, rank])?;
            }
            Ok(())
        })
    }

    /// Returns the measures of a participant's versions on a ladder over time: by version number,
    /// the number of matches of the ladder and the measure.
    pub(crate) fn measures_of(
        &self,
        ladder: i64,
        participant: i64,
    ) -> Result<HashMap<i64, Vec<(f64, f64)>>, HostError> {
        let sql = "SELECT v.number, h.played, h.measure FROM versions AS v
                   JOIN measures AS h ON h.version = v.id
                   WHERE h.ladder = ?1 AND v.participant = ?2 ORDER BY h.played";
        let rows = self.all(sql, [ladder, participant], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)? as f64, row.get::<_, f64>(2)?))
        })?;
        let mut measures: HashMap<i64, Vec<(f64, f64)>> = HashMap::new();
        for (number, played, measure) in rows {
            measures.entry(number).or_default().push((played, measure));
        }
        Ok(measures)
    }

    /// Returns the times since a moment at which measures of a ladder were noted, in order.
    pub(crate) fn measure_times(&self, ladder: i64, since: i64) -> Result<Vec<i64>, HostError> {
        // From one time to the next by the index: each is that of many measures.
        let sql = "WITH RECURSIVE times (at) AS (
                       SELECT min(at) FROM measures WHERE ladder = ?1 AND at >= ?2
                       UNION ALL
                       SELECT (SELECT min(m.at) FROM measures AS m
                               WHERE m.ladder = ?1 AND m.at > times.at)
                       FROM times WHERE times.at IS NOT NULL
                   ) SELECT at FROM times WHERE at IS NOT NULL";
        self.all(sql, [ladder, since], |row| row.get(0))
    }

    /// Returns the measures of all participants on a ladder at these times.
    pub(crate) fn measures_at(
        &self,
        ladder: i64,
        times: &[i64],
    ) -> Result<Vec<MeasureThen>, HostError> {
        let sql = "SELECT m.at, v.participant, m.rank, m.measure FROM measures AS m
                   JOIN versions AS v ON v.id = m.version
                   WHERE m.ladder = ?1 AND m.at = ?2 ORDER BY m.played";
        let mut measures = Vec::new();
        for at in times {
            measures.extend(self.all(sql, [ladder, *at], |row| {
                let rank = row.get::<_, i64>(2)?.unsigned_abs();
                let (at, participant, measure) = (row.get(0)?, row.get(1)?, row.get(3)?);
                Ok(MeasureThen { at, participant, rank, measure })
            })?);
        }
        Ok(measures)
    }
}
