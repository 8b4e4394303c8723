//! Reading a store: matches and records one by one, however many there are.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use rusqlite::{OptionalExtension, ToSql};
use serde::Serialize;

use crate::error::StoreError;
use crate::row::{CheckedColumns, Columns, StoredRecord, id_text};
use crate::store::Store;
use crate::tally::RecordSum;
use crate::tournament_id::TournamentId;

/// Selects matches; all by default.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    /// Only those of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only those in which this player has a seat, by its canonical text.
    pub player: Option<String>,
    /// Only those on this scenario, by its canonical text.
    pub scenario: Option<String>,
    /// Only those of this game.
    pub game: Option<String>,
    /// At most this many.
    pub limit: Option<u64>,
    /// How many to skip at the beginning; only with a limit.
    pub offset: u64,
    /// In an order that depends on the matches alone (game, scenario, seed, seats, id),
    /// instead of the order of arrival, which is quicker.
    pub sorted: bool,
}

impl Filter {
    /// All matches of a tournament.
    pub fn tournament(id: TournamentId) -> Filter {
        Filter { tournament: Some(id), ..Filter::default() }
    }

    /// The tournament, if this selects exactly its records.
    fn is_whole_tournament(&self) -> Option<TournamentId> {
        let all = Filter { tournament: self.tournament, sorted: self.sorted, ..Filter::default() };
        self.tournament.filter(|_| *self == all)
    }

    fn sql(&self, columns: &str) -> (String, Vec<Box<dyn ToSql>>) {
        let mut sql = format!("SELECT {columns} FROM ");
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut conditions = Vec::new();
        match self.tournament {
            Some(TournamentId(tournament)) => {
                sql.push_str(
                    "tournament_records AS l CROSS JOIN records AS r ON r.record = l.record",
                );
                conditions.push("l.tournament = ?");
                values.push(Box::new(tournament));
            }
            None => sql.push_str("records AS r"),
        }
        let texts = [
            ("EXISTS (SELECT 1 FROM json_each(r.seats) WHERE value = ?)", &self.player),
            ("r.scenario = ?", &self.scenario),
            ("r.game = ?", &self.game),
        ];
        for (condition, text) in texts {
            if let Some(text) = text {
                conditions.push(condition);
                values.push(Box::new(text.clone()));
            }
        }
        if !conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&conditions.join(" AND "));
        }
        sql.push_str(match (self.sorted, self.tournament) {
            (true, _) => " ORDER BY r.game, r.scenario, r.seed, r.seats, r.id",
            (false, Some(_)) => " ORDER BY l.record",
            (false, None) => " ORDER BY r.record",
        });
        if let Some(limit) = self.limit {
            sql.push_str(" LIMIT ? OFFSET ?");
            values.push(Box::new(limit as i64));
            values.push(Box::new(self.offset as i64));
        }
        (sql, values)
    }
}

/// One match, as results and standings need it. Read from the columns, which is quick, and compared
/// with their checksum.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct MatchRow {
    /// The record's id.
    pub id: String,
    /// The game.
    pub game: String,
    /// The scenario.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// The player of each seat.
    pub players: Rc<[String]>,
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// Why it ended.
    pub ending: String,
    /// The seat that forfeited, and why.
    pub fault: Option<(usize, String)>,
    /// Whether the match was cut off by a limit.
    pub truncated: bool,
    /// Turns played.
    pub turns: u32,
    /// When it was stored, in milliseconds since 1970.
    pub played_at: i64,
    /// How long it took.
    pub elapsed: Duration,
}

/// One row per seat, the form that notebooks want.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SeatRow<'a> {
    /// The record's id.
    pub id: &'a str,
    /// The game.
    pub game: &'a str,
    /// The scenario.
    pub scenario: &'a str,
    /// The match's seed.
    pub seed: u64,
    /// The seat, counted from 0.
    pub seat: usize,
    /// Who sat there.
    pub player: &'a str,
    /// Its score.
    pub score: f64,
    /// Why the match ended.
    pub ending: &'a str,
    /// Whether the match was cut off by a limit.
    pub truncated: bool,
    /// Why this seat forfeited, if it did.
    pub fault: Option<&'a str>,
    /// Turns of the match.
    pub turns: u32,
    /// How long the match took, in microseconds.
    pub elapsed_us: u64,
}

impl MatchRow {
    /// The match as one row per seat.
    pub fn seats(&self) -> impl Iterator<Item = SeatRow<'_>> {
        self.players.iter().zip(&self.scores).enumerate().map(|(seat, (player, &score))| SeatRow {
            id: &self.id,
            game: &self.game,
            scenario: &self.scenario,
            seed: self.seed,
            seat,
            player,
            score,
            ending: &self.ending,
            truncated: self.truncated,
            fault: self.fault.as_ref().filter(|(at, _)| *at == seat).map(|(_, why)| why.as_str()),
            turns: self.turns,
            elapsed_us: self.elapsed.as_micros() as u64,
        })
    }
}

pub(crate) const COLUMNS: &str = "r.id, r.game, r.scenario, r.seed, r.seats, r.scores, r.ending, \
     r.fault_seat, r.fault, r.truncated, r.turns, r.played_at, r.elapsed_us";

/// What a row is checked by: its number, what its checksum is computed from, and the checksum.
const CHECKED: &str = "r.record, r.id, r.game, r.scenario, r.seats, r.scores, r.ending, r.fault, \
     r.fault_seat, r.seed, r.turns, r.truncated";
const CHECKS: usize = 13;

/// Returns the id of a row, and whether its checksum, which stands `first` columns from the left
/// with what it is computed from, is right.
fn is_as_written(
    row: &rusqlite::Row<'_>,
    first: usize,
    room: &mut Vec<u8>,
) -> rusqlite::Result<([u8; 16], bool)> {
    let text = |at: usize| row.get_ref(first + at)?.as_str().map_err(rusqlite::Error::from);
    let checked = CheckedColumns {
        id: row.get_ref(first + 1)?.as_blob()?,
        texts: [text(2)?, text(3)?, text(4)?, text(5)?, text(6)?],
        fault: row.get_ref(first + 7)?.as_str_or_null()?,
        fault_seat: row.get(first + 8)?,
        numbers: [row.get(first + 9)?, row.get(first + 10)?, row.get(first + 11)?],
    };
    let checksum: Option<i64> = row.get(first + 12)?;
    let id = checked.id.try_into().unwrap_or_default();
    Ok((id, checksum == Some(checked.checksum(room))))
}

fn columns(row: &rusqlite::Row<'_>) -> rusqlite::Result<Columns> {
    Ok(Columns {
        game: row.get(1)?,
        scenario: row.get(2)?,
        seed: row.get(3)?,
        seats: row.get(4)?,
        scores: row.get(5)?,
        ending: row.get(6)?,
        fault_seat: row.get(7)?,
        fault: row.get(8)?,
        truncated: row.get(9)?,
        turns: row.get(10)?,
    })
}

fn id(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    Ok(id_text(row.get_ref(0)?.as_blob()?))
}

fn read_elapsed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Duration> {
    Ok(Duration::from_micros(row.get::<_, i64>(12)?.max(0).cast_unsigned()))
}

impl Store {
    /// The number of records.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn records(&self) -> Result<u64, StoreError> {
        self.count("SELECT count(*) FROM records", &[])
    }

    /// Whether there are records at all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn has_records(&self) -> Result<bool, StoreError> {
        Ok(self.count("SELECT EXISTS (SELECT 1 FROM records)", &[])? == 1)
    }

    /// The id of the record that came last. If `player` is given, only records count in which it or
    /// a version of it (`PLAYER@HASH`) has a seat.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn newest(&self, player: Option<&str>) -> Result<Option<String>, StoreError> {
        let sql = "SELECT r.id FROM records AS r WHERE ?1 IS NULL OR EXISTS (
                       SELECT 1 FROM json_each(r.seats)
                       WHERE value = ?1 OR substr(value, 1, length(?1) + 1) = ?1 || '@'
                   ) ORDER BY r.record DESC LIMIT 1";
        let found = self.connection.query_row(sql, [player], id).optional();
        found.map_err(|error| self.fail(error))
    }

    /// The id of a match of a tournament that this player lost by a fault.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_fault(
        &self,
        tournament: TournamentId,
        player: &str,
    ) -> Result<Option<String>, StoreError> {
        let sql = "SELECT r.id FROM tournament_records AS l CROSS JOIN records AS r ON r.record = \
                   l.record
                   WHERE l.tournament = ?1 AND r.fault_seat IS NOT NULL
                       AND json_extract(r.seats, '$[' || r.fault_seat || ']') = ?2
                   ORDER BY l.record LIMIT 1";
        let found =
            self.connection.query_row(sql, rusqlite::params![tournament.0, player], id).optional();
        found.map_err(|error| self.fail(error))
    }

    /// The number of records that count for a tournament.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn count_played(&self, tournament: TournamentId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM tournament_records WHERE tournament = ?1";
        self.count(sql, &[&tournament.0])
    }

    /// A number that changes whenever another process or connection has written.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn pulse(&self) -> Result<u64, StoreError> {
        self.count("PRAGMA data_version", &[])
    }

    fn count(&self, sql: &str, values: &[&dyn ToSql]) -> Result<u64, StoreError> {
        let count = self.connection.query_row(sql, values, |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(|error| self.fail(error))
    }

    /// Calls `each` with every match that the filter selects, one by one.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn matches<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&MatchRow) -> Result<(), E>,
    ) -> Result<(), E> {
        // There are few line-ups, so each is read once.
        let mut lineups: HashMap<String, Rc<[String]>> = HashMap::new();
        self.checked_rows(filter, COLUMNS, |row| {
            let columns = columns(row).map_err(|error| self.fail(error))?;
            let id = id(row).map_err(|error| self.fail(error))?;
            let broken = |column: &'static str, says: &str| StoreError::Column {
                id: id.clone(),
                column,
                says: says.to_owned(),
                truth: "otherwise".to_owned(),
            };
            let players = match lineups.get(&columns.seats) {
                Some(players) => Rc::clone(players),
                None => {
                    let players = serde_json::from_str::<Vec<String>>(&columns.seats)
                        .map_err(|_| broken("seats", &columns.seats))?;
                    let players: Rc<[String]> = players.into();
                    lineups.insert(columns.seats, Rc::clone(&players));
                    players
                }
            };
            let scores = serde_json::from_str(&columns.scores)
                .map_err(|_| broken("scores", &columns.scores))?;
            each(&MatchRow {
                players,
                scores,
                game: columns.game,
                scenario: columns.scenario,
                seed: columns.seed.cast_unsigned(),
                ending: columns.ending,
                fault: columns
                    .fault_seat
                    .map(|seat| (seat as usize, columns.fault.unwrap_or_default())),
                truncated: columns.truncated,
                turns: columns.turns as u32,
                played_at: row.get(11).map_err(|error| self.fail(error))?,
                elapsed: read_elapsed(row).map_err(|error| self.fail(error))?,
                id,
            })
        })
    }

    /// Calls `each` with every record that the filter selects, unchecked (see
    /// [`StoredRecord::record`]), one by one.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn for_each_record<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&StoredRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        self.rows(filter, &format!("{COLUMNS}, r.json"), |row| {
            let stored = read_stored(row).map_err(|error| self.fail(error))?;
            self.load_file(&stored.columns.scenario)?;
            each(&stored)
        })
    }

    /// Like [`rows`](Store::rows), for what is read from columns alone: refuses a row whose columns
    /// are not as they were written. If the filter selects exactly the records of a tournament, the
    /// tournament is checked too, after the last row.
    pub(crate) fn checked_rows<E: From<StoreError>>(
        &self,
        filter: &Filter,
        columns: &str,
        mut each: impl FnMut(&rusqlite::Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let whole = filter.is_whole_tournament();
        let _snapshot = if whole.is_some() { self.snapshot()? } else { None };
        let checksum = if self.has_checksums()? { "r.checksum" } else { "NULL" };
        let mut room = Vec::new();
        let mut found = RecordSum::default();
        let mut first = None;
        self.rows(filter, &format!("{columns}, {CHECKED}, {checksum}"), |row| {
            let first = *first.get_or_insert_with(|| row.as_ref().column_count() - CHECKS);
            let (id, as_written) = is_as_written(row, first, &mut room).unwrap_or_default();
            if !as_written {
                let record = row.get(first).map_err(|error| self.fail(error))?;
                self.check_record(record)?;
            }
            found.add(&id);
            each(row)
        })?;
        match whole {
            Some(tournament) => Ok(self.check_tournament(tournament, found)?),
            None => Ok(()),
        }
    }

    /// Compares a record with its columns, each with the other.
    fn check_record(&self, record: i64) -> Result<(), StoreError> {
        let sql = format!("SELECT {COLUMNS}, r.json FROM records AS r WHERE r.record = ?1");
        let read = || self.connection.prepare_cached(&sql)?.query_row([record], read_stored);
        let stored = read().map_err(|error| match error {
            rusqlite::Error::SqliteFailure(..) => self.fail(error),
            // A column does not hold what it should, or no text.
            error => StoreError::Damaged {
                path: self.path.clone(),
                detail: format!("record number {record}: {error}"),
            },
        });
        stored?.record().map(drop)
    }

    pub(crate) fn rows<E: From<StoreError>>(
        &self,
        filter: &Filter,
        columns: &str,
        mut each: impl FnMut(&rusqlite::Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (sql, values) = filter.sql(columns);
        let fail = |error| E::from(self.fail(error));
        let mut statement = self.connection.prepare_cached(&sql).map_err(fail)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values.iter())).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            each(row)?;
        }
        Ok(())
    }

    /// Every player that has a seat in some record, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn players(&self) -> Result<Vec<String>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT DISTINCT s.value FROM (SELECT DISTINCT seats FROM records) AS r
                 JOIN json_each(r.seats) AS s ORDER BY 1",
            )?;
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect::<Result<Vec<String>, rusqlite::Error>>()
        };
        read().map_err(|error| self.fail(error))
    }
}

pub(crate) fn read_stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredRecord> {
    Ok(StoredRecord {
        id: id(row)?,
        columns: columns(row)?,
        played_at: row.get(11)?,
        elapsed: read_elapsed(row)?,
        json: row.get(13)?,
    })
}
