//! Which records are kept: if host.toml has a rule, those of each version's latest matches and
//! those of the final. Results stay for ever; only what can be watched and verified is deleted.

use std::collections::HashMap;

use rusqlite::params;

use super::State;
use crate::error::HostError;

/// Number of records deleted at once, while others wait for the database.
const AT_ONCE: usize = 500;

impl State {
    /// Chooses the records to delete: those of matches that are not among the latest `most` of any
    /// of their versions. They are marked before they are deleted, and records that were marked
    /// when the host ended are included.
    pub(crate) fn choose_leaving(&mut self, most: u64) -> Result<Vec<String>, HostError> {
        let sql = "SELECT id, coalesce((SELECT match FROM seats WHERE version = versions.id
                                        ORDER BY match DESC LIMIT 1 OFFSET ?1), 0) FROM versions";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows =
            self.all(sql, [most], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        // For each version, the latest match whose record it no longer needs.
        let last: HashMap<i64, i64> = rows.into_iter().collect();
        let latest = last.values().copied().max().unwrap_or(0);
        let sql = "SELECT id, seats FROM matches WHERE kept = 1 AND record IS NOT NULL
                   AND kind <> 'final' AND id <= ?1 ORDER BY id";
        let kept =
            self.all(sql, [latest], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let is_past = |(id, seats): &(i64, String)| {
            let mut seats = seats.split(' ').filter_map(|seat| seat.parse::<i64>().ok());
            seats.all(|version| last.get(&version).is_some_and(|last| id <= last))
        };
        let leaving = kept.iter().filter(|row| is_past(row)).take(AT_ONCE);
        self.write(|transaction| {
            let mut mark =
                transaction.prepare_cached("UPDATE matches SET kept = 2 WHERE id = ?1")?;
            for (id, _) in leaving {
                mark.execute([id])?;
            }
            Ok(())
        })?;
        self.all("SELECT record FROM matches WHERE kept = 2", [], |row| row.get(0))
    }

    /// Marks these records as gone.
    pub(crate) fn mark_gone(&mut self, records: &[String]) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "UPDATE matches SET kept = 0 WHERE kept = 2 AND record = ?1";
            let mut mark = transaction.prepare_cached(sql)?;
            for record in records {
                mark.execute(params![record])?;
            }
            Ok(())
        })
    }
}
