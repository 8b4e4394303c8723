//! Merging stores. Fixtures are known by the hash of their content, so the union of two stores is a
//! union of ids. What is not as simple is reported and not decided here: records that contradict
//! each other, and records that cannot be trusted.

use rusqlite::params;

use crate::error::StoreError;
use crate::read::Filter;
use crate::row::{RecordRow, StoredRecord};
use crate::store::{LINK, Store, WriteError};
use crate::tally::{self, RecordSum};
use crate::tournament_id::{TournamentId, number_like};

/// Records written in one transaction.
pub(crate) const BATCH: usize = 4096;
/// Or at most this many bytes of them.
const BATCH_BYTES: usize = 16 << 20;

/// The result of merging one store into another.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct MergeReport {
    /// Records that are new.
    pub new: u64,
    /// Records that were there already.
    pub known: u64,
    /// Of those, records whose content differs from the one kept, as time budgets allow.
    pub differing: u64,
    /// Records that contradict the one kept, although the same fixture must give the same record.
    pub conflicts: Vec<Conflict>,
    /// Records that were altered after they were written, a line each; left out.
    pub untrusted: Vec<String>,
    /// Best known solutions (`solve --keep`) that are new or better.
    pub solutions: u64,
}

/// Two records of one fixture.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Conflict {
    /// Its id.
    pub id: String,
    /// What was played: game, scenario, seed, players.
    pub fixture: String,
    /// How the record that is kept ends.
    pub kept: String,
    /// How the other ends.
    pub other: String,
}

impl Store {
    /// Copies everything in another store. What is already here stays as it is.
    ///
    /// # Errors
    /// If a store cannot be read or written. What was copied by then stays; calling again does the
    /// rest.
    pub fn merge(&mut self, other: &Store) -> Result<MergeReport, StoreError> {
        // Others may be writing to it.
        let _snapshot = other.snapshot()?;
        let mut merged = MergeReport::default();
        let mut rows = Vec::new();
        let mut bytes = 0;
        other.for_each_record(&Filter::default(), |stored| {
            match stored.record() {
                Ok(record) => rows.push(RecordRow::again(stored, &record)),
                Err(error) => merged.untrusted.push(error.to_string()),
            }
            bytes += stored.json.len();
            if rows.len() >= BATCH || bytes >= BATCH_BYTES {
                self.take_in(&rows, other, &mut merged)?;
                rows.clear();
                bytes = 0;
            }
            Ok::<(), StoreError>(())
        })?;
        self.take_in(&rows, other, &mut merged)?;
        self.take_in_logs(other)?;
        self.take_in_files(other)?;
        for tournament in other.tournaments()? {
            let ours = self.enter_as_in(other, tournament.id)?;
            self.link_as_in(other, tournament.id, ours)?;
        }
        for (game, instance, gain, solution) in other.list_solutions()? {
            // Nothing could ever replace an infinite one.
            if !gain.is_finite() {
                merged.untrusted.push(format!("the solution of {game} {instance} gains {gain}"));
                continue;
            }
            let before = self.keep(&game, &instance, gain, &solution)?;
            merged.solutions += u64::from(before.is_none_or(|before| gain > before));
        }
        Ok(merged)
    }

    fn take_in(
        &mut self,
        rows: &[RecordRow],
        other: &Store,
        merged: &mut MergeReport,
    ) -> Result<(), StoreError> {
        let inserted = self.insert(None, rows)?;
        merged.new += inserted.new;
        merged.known += inserted.known;
        merged.differing += inserted.differing;
        for id in inserted.conflicts {
            let (kept, other) = (self.get(&id)?, other.get(&id)?);
            merged.conflicts.push(Conflict {
                fixture: fixture(&other),
                kept: ending(&kept),
                other: ending(&other),
                id,
            });
        }
        Ok(())
    }

    /// The number here for a tournament of another store: its number there, if no tournament here
    /// has ever had it.
    pub(crate) fn enter_as_in(
        &mut self,
        other: &Store,
        tournament: TournamentId,
    ) -> Result<TournamentId, StoreError> {
        let columns = "hash, name, game, format, goal, contest, fixtures, definition, file, run_at";
        let read = format!("SELECT {columns} FROM tournaments WHERE tournament = ?1");
        let values = other.connection.query_row(&read, [tournament.0], |row| {
            (0..10).map(|index| row.get(index)).collect::<Result<Vec<rusqlite::types::Value>, _>>()
        });
        let values = values.map_err(|error| other.fail(error))?;
        let write = format!(
            "INSERT INTO tournaments (tournament, {columns})
             VALUES ({}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (hash) DO UPDATE SET run_at = max(run_at, excluded.run_at)
             RETURNING tournament",
            number_like(tournament)
        );
        let entered =
            self.connection.query_row(&write, rusqlite::params_from_iter(values), |row| row.get(0));
        entered.map(TournamentId).map_err(|error| self.fail(error))
    }

    /// Counts the records that count for `theirs` there for `ours` here.
    pub(crate) fn link_as_in(
        &mut self,
        other: &Store,
        theirs: TournamentId,
        ours: TournamentId,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            tally::begin(transaction)?;
            let mut counted = RecordSum::default();
            let find = "SELECT record FROM records WHERE id = ?1";
            let mut find = transaction.prepare_cached(find)?;
            let mut link = transaction.prepare_cached(LINK)?;
            // Only ids are read, so that one record that was altered does not stop the others.
            other.rows(&Filter::tournament(theirs), "r.id", |row| {
                let id = row.get_ref(0).map(|id| id.as_blob().unwrap_or_default().try_into());
                let Ok(Ok(id)) = id else { return Ok(()) };
                let id: [u8; 16] = id;
                let mut found = find.query([id])?;
                // Records that could not be trusted are not here.
                if let Some(found) = found.next()? {
                    let record: i64 = found.get(0)?;
                    if link.execute(params![ours.0, record])? == 1 {
                        counted.add(&id);
                    }
                }
                Ok::<(), WriteError>(())
            })?;
            Ok(tally::end(transaction, RecordSum::default(), Some((ours, counted)))?)
        })
    }
}

fn fixture(stored: &StoredRecord) -> String {
    let columns = &stored.columns;
    let seed = columns.seed.cast_unsigned();
    let seats: Vec<String> = serde_json::from_str(&columns.seats).unwrap_or_default();
    format!("{}:{}, seed {seed}, {}", columns.game, columns.scenario, seats.join(", "))
}

fn ending(stored: &StoredRecord) -> String {
    let columns = &stored.columns;
    format!("{} after {} turns ({})", columns.scores, columns.turns, columns.ending)
}
