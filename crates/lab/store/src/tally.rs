//! What a store should hold: the number of its records and the sum of their ids, in all and for
//! each tournament, noted with every write. So a record that was deleted from outside is missed.
//! Stores from before notes were kept have none until they are next written.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::tournament_id::TournamentId;

/// The key, in the table `meta`, of the note on all records.
pub(crate) const ALL: &str = "tally";

/// A number of records, and the sum of their ids: the same for the same records in any order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RecordSum {
    pub(crate) count: u64,
    sum: u128,
}

impl RecordSum {
    pub(crate) fn add(&mut self, id: &[u8; 16]) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(*id));
    }

    fn and(self, other: RecordSum) -> RecordSum {
        RecordSum { count: self.count + other.count, sum: self.sum.wrapping_add(other.sum) }
    }

    fn subtract(self, other: RecordSum) -> RecordSum {
        let count = self.count.saturating_sub(other.count);
        RecordSum { count, sum: self.sum.wrapping_sub(other.sum) }
    }

    fn text(self) -> String {
        format!("{} {:032x}", self.count, self.sum)
    }

    pub(crate) fn read(text: &str) -> Option<RecordSum> {
        let (count, sum) = text.split_once(' ')?;
        Some(RecordSum { count: count.parse().ok()?, sum: u128::from_str_radix(sum, 16).ok()? })
    }
}

pub(crate) fn key(tournament: TournamentId) -> String {
    format!("{ALL} of tournament {}", tournament.0)
}

/// Counts the records now stored: all, or those that count for a tournament.
pub(crate) fn count_records(
    connection: &rusqlite::Connection,
    tournament: Option<TournamentId>,
) -> rusqlite::Result<RecordSum> {
    let sql = match tournament {
        None => "SELECT id FROM records WHERE ?1 IS NULL",
        Some(_) => {
            "SELECT r.id FROM tournament_records AS l JOIN records AS r ON r.record = l.record
             WHERE l.tournament = ?1"
        }
    };
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([tournament.map(|TournamentId(number)| number)])?;
    let mut tally = RecordSum::default();
    while let Some(row) = rows.next()? {
        // An id of another length is not an id; a record that has it is refused when it is read.
        let id = row.get_ref(0)?.as_blob().ok().and_then(|id| id.try_into().ok());
        tally.add(&id.unwrap_or_default());
    }
    Ok(tally)
}

pub(crate) fn read_note(
    connection: &rusqlite::Connection,
    key: &str,
) -> rusqlite::Result<Option<String>> {
    let mut find = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    find.query_row([key], |row| row.get(0)).optional()
}

fn note(transaction: &Transaction<'_>, key: &str, tally: RecordSum) -> rusqlite::Result<()> {
    let sql = "INSERT INTO meta VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    transaction.prepare_cached(sql)?.execute(params![key, tally.text()]).map(drop)
}

/// To be called before records are written: notes the present records if that was never done.
pub(crate) fn begin(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if read_note(transaction, ALL)?.is_some() {
        return Ok(());
    }
    note(transaction, ALL, count_records(transaction, None)?)?;
    let mut statement = transaction.prepare("SELECT tournament FROM tournaments")?;
    let tournaments = statement.query_map([], |row| row.get(0).map(TournamentId))?;
    for tournament in tournaments {
        let tournament = tournament?;
        note(transaction, &key(tournament), count_records(transaction, Some(tournament))?)?;
    }
    Ok(())
}

/// To be called after records were written, with the new ones in all and for a tournament.
pub(crate) fn end(
    transaction: &Transaction<'_>,
    new: RecordSum,
    counted: Option<(TournamentId, RecordSum)>,
) -> rusqlite::Result<()> {
    let all = counted.map(|(tournament, tally)| (key(tournament), tally));
    for (key, tally) in all.into_iter().chain([(ALL.to_owned(), new)]) {
        if tally.count == 0 {
            continue;
        }
        // A note that cannot be read stays, so that it is discovered.
        match read_note(transaction, &key)? {
            None => note(transaction, &key, tally)?,
            Some(text) => {
                if let Some(before) = RecordSum::read(&text) {
                    note(transaction, &key, before.and(tally))?;
                }
            }
        }
    }
    Ok(())
}

/// To be called after single records were taken out, with those of each tournament.
pub(crate) fn take_out(
    transaction: &Transaction<'_>,
    gone: RecordSum,
    counted: &[(TournamentId, RecordSum)],
) -> rusqlite::Result<()> {
    let of_each = counted.iter().map(|(tournament, tally)| (key(*tournament), *tally));
    for (key, tally) in of_each.chain([(ALL.to_owned(), gone)]) {
        // A note that cannot be read stays, so that it is discovered.
        if let Some(before) = read_note(transaction, &key)?.as_deref().and_then(RecordSum::read) {
            note(transaction, &key, before.subtract(tally))?;
        }
    }
    Ok(())
}

/// To be called after records and tournaments were taken out.
pub(crate) fn remove(
    transaction: &Transaction<'_>,
    gone: RecordSum,
    tournaments: &[TournamentId],
) -> rusqlite::Result<()> {
    // A note that cannot be read stays, so that it is discovered.
    if let Some(before) = read_note(transaction, ALL)?.as_deref().and_then(RecordSum::read) {
        note(transaction, ALL, before.subtract(gone))?;
    }
    let mut delete = transaction.prepare("DELETE FROM meta WHERE key = ?1")?;
    tournaments.iter().try_for_each(|number| delete.execute([key(*number)]).map(drop))
}
