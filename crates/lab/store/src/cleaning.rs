//! Taking tournaments out of a store: deleting them, or moving them into another store.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::error::StoreError;
use crate::file_table;
use crate::log_table;
use crate::read::Filter;
use crate::row::{RecordRow, StoredRecord, id_bytes};
use crate::store::Store;
use crate::tally::{self, RecordSum};
use crate::tournament_id::{TournamentId, note_last};

/// What was taken out of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Removal {
    /// Tournaments.
    pub tournaments: u64,
    /// Records, which counted for none of the other tournaments.
    pub records: u64,
}

/// Records of a tournament that count for no tournament outside `leaving`.
const ONLY_HERE: &str = "SELECT r.record, r.id FROM records AS r
    WHERE EXISTS (SELECT 1 FROM tournament_records AS l
                  WHERE l.record = r.record AND l.tournament IN leaving)
    AND NOT EXISTS (SELECT 1 FROM tournament_records AS l
                    WHERE l.record = r.record AND l.tournament NOT IN leaving)";

impl Store {
    /// What [`Store::remove`] would take out.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn count_removal(&mut self, tournaments: &[TournamentId]) -> Result<Removal, StoreError> {
        self.write(|transaction| {
            name_leaving(transaction, tournaments)?;
            let count = |sql: &str| {
                transaction.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
            };
            let tournaments =
                count("SELECT count(*) FROM tournaments WHERE tournament IN leaving")?;
            let records = count(&format!("SELECT count(*) FROM ({ONLY_HERE})"))?;
            transaction.execute_batch("DROP TABLE leaving")?;
            Ok(Removal { tournaments, records })
        })
    }

    /// Deletes tournaments, and the records that count for no other tournament. Matches that were
    /// stored without a tournament stay. The space is given back to the system.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was deleted.
    pub fn remove(&mut self, tournaments: &[TournamentId]) -> Result<Removal, StoreError> {
        let removal = self.write(|transaction| {
            tally::begin(transaction)?;
            name_leaving(transaction, tournaments)?;
            transaction.execute_batch(&format!(
                "CREATE TEMP TABLE unused AS {ONLY_HERE};
                 DELETE FROM tournament_records WHERE tournament IN leaving;"
            ))?;
            let mut gone = RecordSum::default();
            let mut statement = transaction.prepare("SELECT id FROM unused")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                gone.add(&row.get(0)?);
            }
            drop(rows);
            drop(statement);
            let records = transaction
                .execute("DELETE FROM records WHERE record IN (SELECT record FROM unused)", [])?;
            log_table::clear(transaction)?;
            file_table::clear(transaction)?;
            note_last(transaction)?;
            let mut removed = 0;
            for tournament in tournaments {
                removed += transaction.execute(
                    "DELETE FROM tournaments WHERE tournament = ?1",
                    params![tournament.0],
                )?;
            }
            tally::remove(transaction, gone, tournaments)?;
            transaction.execute_batch("DROP TABLE leaving; DROP TABLE unused")?;
            Ok(Removal { tournaments: removed as u64, records: records as u64 })
        })?;
        self.connection.execute_batch("VACUUM").map_err(|error| self.fail(error))?;
        Ok(removal)
    }

    /// Deletes single records, whichever tournaments they count for, and returns those that
    /// existed. Their fixtures are missing again. The file keeps its size.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was deleted.
    pub fn retract(&mut self, ids: &[String]) -> Result<Vec<StoredRecord>, StoreError> {
        let mut found = Vec::new();
        for id in ids {
            found.extend(self.find(id)?);
        }
        self.write(|transaction| {
            tally::begin(transaction)?;
            let mut gone = RecordSum::default();
            let mut counted: BTreeMap<i64, RecordSum> = BTreeMap::new();
            let mut links = transaction.prepare_cached(
                "DELETE FROM tournament_records
                 WHERE record = (SELECT record FROM records WHERE id = ?1) RETURNING tournament",
            )?;
            let mut delete = transaction.prepare_cached("DELETE FROM records WHERE id = ?1")?;
            for stored in &found {
                let id = id_bytes(&stored.id);
                let tournaments = links.query_map([id], |row| row.get::<_, i64>(0))?;
                for tournament in tournaments {
                    counted.entry(tournament?).or_default().add(&id);
                }
                if delete.execute([id])? == 1 {
                    gone.add(&id);
                }
            }
            let counted: Vec<(TournamentId, RecordSum)> =
                counted.into_iter().map(|(number, tally)| (TournamentId(number), tally)).collect();
            log_table::clear(transaction)?;
            tally::take_out(transaction, gone, &counted)?;
            Ok(())
        })?;
        Ok(found)
    }

    /// Moves tournaments with their records into another store. Records that also count for other
    /// tournaments here stay here as well.
    ///
    /// # Errors
    /// If a store cannot be read or written, or a record cannot be trusted or contradicts one in
    /// the other store; then nothing was deleted here.
    pub fn archive(
        &mut self,
        tournaments: &[TournamentId],
        archive: &mut Store,
    ) -> Result<Removal, StoreError> {
        for tournament in tournaments {
            archive.copy_tournament(self, *tournament)?;
        }
        self.remove(tournaments)
    }

    fn copy_tournament(
        &mut self,
        other: &Store,
        tournament: TournamentId,
    ) -> Result<(), StoreError> {
        let mut rows = Vec::new();
        let mut write = |rows: &mut Vec<RecordRow>| {
            let inserted = self.insert(None, rows)?;
            rows.clear();
            match inserted.conflicts.into_iter().next() {
                None => Ok(()),
                Some(id) => Err(StoreError::Contradicted { path: self.path.clone(), id }),
            }
        };
        other.for_each_record(&Filter::tournament(tournament), |stored| {
            let record = stored.record()?;
            rows.push(RecordRow::again(stored, &record));
            if rows.len() >= crate::merge::BATCH { write(&mut rows) } else { Ok(()) }
        })?;
        write(&mut rows)?;
        self.take_in_logs(other)?;
        self.take_in_files(other)?;
        let ours = self.enter_as_in(other, tournament)?;
        self.link_as_in(other, tournament, ours)
    }
}

/// Makes a table of the tournaments that are taken out, for queries to use.
fn name_leaving(
    transaction: &rusqlite::Transaction<'_>,
    tournaments: &[TournamentId],
) -> rusqlite::Result<()> {
    transaction.execute_batch("CREATE TEMP TABLE leaving (tournament INTEGER PRIMARY KEY)")?;
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO leaving VALUES (?1)")?;
    tournaments.iter().try_for_each(|tournament| insert.execute([tournament.0]).map(drop))
}
