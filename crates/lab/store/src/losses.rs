//! What is missing in a store, according to the notes that [`crate::tally`] keeps.

use quintain_core::digest;
use serde_json::Value;

use crate::error::StoreError;
use crate::row::id_bytes;
use crate::store::Store;
use crate::tally::{ALL, RecordSum, count_records, key, read_note};
use crate::tournament_id::TournamentId;

impl Store {
    /// The noted number of records that count for a tournament, which takes no counting however
    /// many there are. Zero if nothing was noted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn count_noted(&self, tournament: TournamentId) -> Result<u64, StoreError> {
        let text =
            read_note(&self.connection, &key(tournament)).map_err(|error| self.fail(error))?;
        Ok(text.and_then(|text| RecordSum::read(&text)).map_or(0, |tally| tally.count))
    }

    /// What is wrong with the store as a whole, a line each: records that were noted and are gone,
    /// and tournaments that are not as they were entered. A store from before notes were kept
    /// misses nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn losses(&self) -> Result<Vec<String>, StoreError> {
        // Read everything in one transaction: others may be writing.
        let transaction = self.connection.unchecked_transaction();
        let _transaction = transaction.map_err(|error| self.fail(error))?;
        let compare = |what: &str, key: &str, tournament| {
            let read = || {
                Ok((
                    read_note(&self.connection, key)?,
                    count_records(&self.connection, tournament)?,
                ))
            };
            let (text, found) = read().map_err(|error| self.fail(error))?;
            let tally = text.as_deref().map(RecordSum::read);
            Ok::<_, StoreError>(match tally {
                None => Err(found),
                Some(Some(tally)) if tally == found => Ok(None),
                Some(Some(tally)) if tally.count > found.count => Ok(Some(format!(
                    "{what}: {} of {} records are missing",
                    tally.count - found.count,
                    tally.count
                ))),
                Some(_) => Ok(Some(format!("{what}: other records than those that were written"))),
            })
        };
        let mut lines = Vec::new();
        let all = compare("the store", ALL, None)?;
        let has_notes = all.is_ok();
        lines.extend(all.unwrap_or_default());
        for tournament in self.tournaments()? {
            let what = format!("tournament {}", tournament.name);
            match compare(&what, &key(tournament.id), Some(tournament.id))? {
                Ok(problem) => lines.extend(problem),
                Err(found) if has_notes && found != RecordSum::default() => {
                    lines.push(format!("{what}: the note of how many records count is gone"));
                }
                Err(_) => {}
            }
            let sql = "SELECT hash FROM tournaments WHERE tournament = ?1";
            let hash = self.connection.query_row(sql, [tournament.id.0], |row| row.get(0));
            let hash: Vec<u8> = hash.map_err(|error| self.fail(error))?;
            let definition: Value =
                serde_json::from_str(&tournament.definition).unwrap_or_default();
            if hash != id_bytes(&digest(tournament.definition.as_bytes())) {
                lines.push(format!("{what}: its definition was changed after it was entered"));
            } else {
                for (column, says) in [
                    ("name", &tournament.name),
                    ("game", &tournament.game),
                    ("format", &tournament.format),
                ] {
                    if let Some(truth) = definition[column].as_str()
                        && truth != says
                    {
                        lines.push(format!("{what}: its {column} is {truth}, but it says {says}"));
                    }
                }
            }
        }
        Ok(lines)
    }
}
