//! What is missing in a store, according to the notes that [`crate::tally`] keeps.

use quintain_core::digest;
use serde_json::Value;

use crate::error::StoreError;
use crate::row::id_bytes;
use crate::store::Store;
use crate::tally::{ALL, RecordSum, count_records, key, read_note};
use crate::tournament_id::TournamentId;
use crate::tournaments::TournamentInfo;

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
        let _snapshot = self.snapshot()?;
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
            lines.extend(self.changes_of_entry(&tournament)?);
        }
        Ok(lines)
    }

    /// What is wrong with a tournament's entry, a line each: it is not as it was entered.
    fn changes_of_entry(&self, tournament: &TournamentInfo) -> Result<Vec<String>, StoreError> {
        let what = format!("tournament {}", tournament.name);
        let sql = "SELECT hash FROM tournaments WHERE tournament = ?1";
        let hash = self.connection.query_row(sql, [tournament.id.0], |row| row.get(0));
        let hash: Vec<u8> = hash.map_err(|error| self.fail(error))?;
        if hash != id_bytes(&digest(tournament.definition.as_bytes())) {
            return Ok(vec![format!("{what}: its definition was changed after it was entered")]);
        }
        let definition: Value = serde_json::from_str(&tournament.definition).unwrap_or_default();
        let columns = [
            ("name", &tournament.name),
            ("game", &tournament.game),
            ("format", &tournament.format),
        ];
        let differing = columns.into_iter().filter_map(|(column, says)| {
            let truth = definition[column].as_str().filter(|truth| truth != says)?;
            Some(format!("{what}: its {column} is {truth}, but it says {says}"))
        });
        Ok(differing.collect())
    }

    /// Refuses a tournament whose entry is not as it was entered, or for which other records count
    /// than those that were noted; `found` are those that were read, in one
    /// [snapshot](Store::snapshot) with this.
    pub(crate) fn check_tournament(
        &self,
        tournament: TournamentId,
        found: RecordSum,
    ) -> Result<(), StoreError> {
        let refuse = |detail: String| StoreError::Altered { path: self.path.clone(), detail };
        let info = self.tournament_by_number(tournament.0)?;
        if let Some(change) = self.changes_of_entry(&info)?.into_iter().next() {
            return Err(refuse(change));
        }
        let note =
            read_note(&self.connection, &key(tournament)).map_err(|error| self.fail(error))?;
        match note.as_deref().map(RecordSum::read) {
            Some(noted) if noted != Some(found) => Err(refuse(format!(
                "tournament {}: other matches count for it than those that were written",
                info.name
            ))),
            _ => Ok(()),
        }
    }
}
