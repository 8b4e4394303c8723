//! Which records are kept: where host.toml has a rule, those of the latest matches of each version, and
//! those of the final. Results stay for ever; it is only what can be watched and verified that goes.

use std::collections::HashMap;

use rusqlite::params;

use super::State;
use crate::error::HostError;

/// Records that are let go at once: others wait for the database meanwhile.
const AT_ONCE: usize = 500;

impl State {
    /// Chooses the records that go: of matches that are, for each of their versions, none of the latest
    /// `most`. They are written down before they go, and those that were chosen when the host ended are
    /// among them.
    pub(crate) fn choose_leaving(&mut self, most: u64) -> Result<Vec<String>, HostError> {
        let sql = "SELECT id, coalesce((SELECT match FROM seats WHERE version = versions.id
                                        ORDER BY match DESC LIMIT 1 OFFSET ?1), 0) FROM versions";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows =
            self.all(sql, [most], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        // The latest match of each version whose record it need not have any more.
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

    /// These records are gone.
    pub(crate) fn note_gone(&mut self, records: &[String]) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "UPDATE matches SET kept = 0 WHERE kept = 2 AND record = ?1";
            let mut note = transaction.prepare_cached(sql)?;
            for record in records {
                note.execute(params![record])?;
            }
            Ok(())
        })
    }
}
