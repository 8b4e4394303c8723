//! What a store ought to hold: the number of its records and the sum of their ids, of all and of
//! each tournament, noted with every writing. A record that was deleted from outside is missed.
//! Stores of before notes were taken have none until they are next written.

use quintain_core::digest;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Value;

use crate::error::StoreError;
use crate::row::id_bytes;
use crate::store::{Store, TournamentId};

/// The key of the note on all records in the table `meta`.
const ALL: &str = "tally";

/// A number of records, and the sum of their ids: the same for the same records in any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    count: u64,
    sum: u128,
}

impl Tally {
    pub(crate) fn add(&mut self, id: &[u8; 16]) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(*id));
    }

    fn and(self, other: Tally) -> Tally {
        Tally { count: self.count + other.count, sum: self.sum.wrapping_add(other.sum) }
    }

    fn without(self, other: Tally) -> Tally {
        let count = self.count.saturating_sub(other.count);
        Tally { count, sum: self.sum.wrapping_sub(other.sum) }
    }

    fn text(self) -> String {
        format!("{} {:032x}", self.count, self.sum)
    }

    fn read(text: &str) -> Option<Tally> {
        let (count, sum) = text.split_once(' ')?;
        Some(Tally { count: count.parse().ok()?, sum: u128::from_str_radix(sum, 16).ok()? })
    }
}

fn key(tournament: TournamentId) -> String {
    format!("{ALL} of tournament {}", tournament.0)
}

/// What is there now: of all records, or of those that count for a tournament.
fn found(
    connection: &rusqlite::Connection,
    tournament: Option<TournamentId>,
) -> rusqlite::Result<Tally> {
    let sql = match tournament {
        None => "SELECT id FROM records WHERE ?1 IS NULL",
        Some(_) => {
            "SELECT r.id FROM tournament_records AS l JOIN records AS r ON r.record = l.record
             WHERE l.tournament = ?1"
        }
    };
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([tournament.map(|TournamentId(number)| number)])?;
    let mut tally = Tally::default();
    while let Some(row) = rows.next()? {
        // An id of another length is no id; the record that bears it is refused when it is read.
        let id = row.get_ref(0)?.as_blob().ok().and_then(|id| id.try_into().ok());
        tally.add(&id.unwrap_or_default());
    }
    Ok(tally)
}

fn noted(connection: &rusqlite::Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let mut find = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    find.query_row([key], |row| row.get(0)).optional()
}

fn note(transaction: &Transaction<'_>, key: &str, tally: Tally) -> rusqlite::Result<()> {
    let sql = "INSERT INTO meta VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    transaction.prepare_cached(sql)?.execute(params![key, tally.text()]).map(drop)
}

/// To be called before records are written: notes what is there if that was never done.
pub(crate) fn begin(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if noted(transaction, ALL)?.is_some() {
        return Ok(());
    }
    note(transaction, ALL, found(transaction, None)?)?;
    let mut statement = transaction.prepare("SELECT tournament FROM tournaments")?;
    let tournaments = statement.query_map([], |row| row.get(0).map(TournamentId))?;
    for tournament in tournaments {
        let tournament = tournament?;
        note(transaction, &key(tournament), found(transaction, Some(tournament))?)?;
    }
    Ok(())
}

/// To be called after records were written, with what is new of all and of a tournament.
pub(crate) fn end(
    transaction: &Transaction<'_>,
    new: Tally,
    counted: Option<(TournamentId, Tally)>,
) -> rusqlite::Result<()> {
    let all = counted.map(|(tournament, tally)| (key(tournament), tally));
    for (key, tally) in all.into_iter().chain([(ALL.to_owned(), new)]) {
        if tally.count == 0 {
            continue;
        }
        // A note that cannot be read stays, so that it is found out.
        match noted(transaction, &key)? {
            None => note(transaction, &key, tally)?,
            Some(text) => {
                if let Some(before) = Tally::read(&text) {
                    note(transaction, &key, before.and(tally))?;
                }
            }
        }
    }
    Ok(())
}

/// To be called after records and tournaments were taken out.
pub(crate) fn remove(
    transaction: &Transaction<'_>,
    gone: Tally,
    tournaments: &[TournamentId],
) -> rusqlite::Result<()> {
    // A note that cannot be read stays, so that it is found out.
    if let Some(before) = noted(transaction, ALL)?.as_deref().and_then(Tally::read) {
        note(transaction, ALL, before.without(gone))?;
    }
    let mut forget = transaction.prepare("DELETE FROM meta WHERE key = ?1")?;
    tournaments.iter().try_for_each(|number| forget.execute([key(*number)]).map(drop))
}

impl Store {
    /// How many records count for a tournament, as it is noted: known at once, however many they
    /// are. Zero where nothing was noted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn noted(&self, tournament: TournamentId) -> Result<u64, StoreError> {
        let text = noted(&self.connection, &key(tournament)).map_err(|error| self.fail(error))?;
        Ok(text.and_then(|text| Tally::read(&text)).map_or(0, |tally| tally.count))
    }

    /// What is wrong with the store as a whole, a line each: records that were noted and are
    /// gone, and tournaments that are not what they were entered as. A store of before notes were
    /// taken misses nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn losses(&self) -> Result<Vec<String>, StoreError> {
        // All of it at one moment: others may be writing.
        let transaction = self.connection.unchecked_transaction();
        let _transaction = transaction.map_err(|error| self.fail(error))?;
        let compare = |what: &str, key: &str, tournament| {
            let read = || Ok((noted(&self.connection, key)?, found(&self.connection, tournament)?));
            let (text, found) = read().map_err(|error| self.fail(error))?;
            let tally = text.as_deref().map(Tally::read);
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
                Err(found) if has_notes && found != Tally::default() => {
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
