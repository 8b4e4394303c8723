//! Reading a store: matches and records one by one, however many there are.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

use quintain_core::{Objective, Scoring, did_you_mean};
use quintain_standings::MatchResult;
use rusqlite::{OptionalExtension, ToSql, params};
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::row::{Columns, StoredRecord, id_bytes, id_text};
use crate::store::Store;
use crate::tournament_id::TournamentId;

/// Which matches are wanted; all by default.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    /// Of this tournament.
    pub tournament: Option<TournamentId>,
    /// In which this player has a seat, by its canonical text.
    pub player: Option<String>,
    /// On this scenario, by its canonical text.
    pub scenario: Option<String>,
    /// Of this game.
    pub game: Option<String>,
    /// At most so many.
    pub limit: Option<u64>,
    /// So many fewer from the beginning; with a limit only.
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

/// One match, as results and standings see it. Read from the columns: quick, and
/// checked by `verify` only.
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
    /// It was cut off by a limit.
    pub truncated: bool,
    /// Turns played.
    pub turns: u32,
    /// When it was stored, in milliseconds since 1970.
    pub played_at: i64,
    /// How long it took.
    pub elapsed: Duration,
}

/// One row a seat: what notebooks want.
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
    /// The match was cut off by a limit.
    pub truncated: bool,
    /// Why this seat forfeited, if it did.
    pub fault: Option<&'a str>,
    /// Turns of the match.
    pub turns: u32,
    /// How long the match took, in microseconds.
    pub elapsed_us: u64,
}

impl MatchRow {
    /// The match as one row a seat.
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

/// A tournament as the store knows it.
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentInfo {
    /// Its number.
    pub id: TournamentId,
    /// Its name.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its format, in a word.
    pub format: String,
    /// Which scores are good.
    pub objective: Objective,
    /// How scores are compared.
    pub scoring: Scoring,
    /// Matches when complete.
    pub fixtures: u64,
    /// Matches in the store.
    pub played: u64,
    /// All that decides its fixtures, in JSON.
    pub definition: String,
    /// Its file, as it was read at the last run.
    pub file: String,
    /// When it was last run, in milliseconds since 1970.
    pub run_at: i64,
    /// The same as local time, `2015-08-07 12:00`.
    pub run_on: String,
    /// The tournament of the same name that was run since, if there is one: that one counts.
    pub superseded_by: Option<TournamentId>,
}

const COLUMNS: &str = "r.id, r.game, r.scenario, r.seed, r.seats, r.scores, r.ending, \
     r.fault_seat, r.fault, r.truncated, r.turns, r.played_at, r.elapsed_us";

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

fn elapsed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Duration> {
    Ok(Duration::from_micros(row.get::<_, i64>(12)?.max(0).cast_unsigned()))
}

/// Texts that come again and again, each read once.
struct Read<T> {
    known: HashMap<Box<str>, T>,
}

impl<T: for<'de> Deserialize<'de>> Read<T> {
    /// As many different texts are remembered.
    const MOST: usize = 10_000;

    fn new() -> Read<T> {
        Read { known: HashMap::new() }
    }

    fn get(&mut self, text: &str) -> serde_json::Result<&T> {
        if !self.known.contains_key(text) {
            if self.known.len() >= Self::MOST {
                self.known.clear();
            }
            self.known.insert(text.into(), serde_json::from_str(text)?);
        }
        Ok(&self.known[text])
    }
}

impl Store {
    /// Calls `each` with the results that fit, in the order of arrival unless they are to be
    /// sorted: quicker than [`Store::matches`], which reads all columns. With each comes what digests
    /// the actions of its match; the record is read only if that is called.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn results<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(MatchResult<'_>, &dyn Fn() -> Option<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        const COLUMNS: &str = "r.scenario, r.seed, r.seats, r.scores, r.ending, r.fault_seat, \
             r.truncated, r.id, r.record, r.fault";
        let mut lineups: Read<Vec<String>> = Read::new();
        let mut scores: Read<Vec<f64>> = Read::new();
        self.rows(filter, COLUMNS, |row| {
            let fail = |error: rusqlite::Error| self.fail(error);
            let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            let broken = |column: &'static str, says: &str| StoreError::Column {
                id: row
                    .get_ref(7)
                    .ok()
                    .and_then(|id| id.as_blob().ok())
                    .map(id_text)
                    .unwrap_or_default(),
                column,
                says: says.to_owned(),
                truth: "otherwise".to_owned(),
            };
            let seats = text(2).map_err(fail)?;
            let players = lineups.get(seats).map_err(|_| broken("seats", seats))?;
            let players: Vec<&str> = players.iter().map(String::as_str).collect();
            let scored = text(3).map_err(fail)?;
            let record: i64 = row.get(8).map_err(fail)?;
            let result = MatchResult {
                scenario: text(0).map_err(fail)?,
                seed: row.get::<_, i64>(1).map_err(fail)?.cast_unsigned(),
                players: &players,
                scores: scores.get(scored).map_err(|_| broken("scores", scored))?,
                ending: text(4).map_err(fail)?,
                fault: match row.get::<_, Option<i64>>(5).map_err(fail)? {
                    Some(seat) => Some((seat as usize, fault_kind(text(9).unwrap_or_default()))),
                    None => None,
                },
                truncated: row.get(6).map_err(fail)?,
            };
            each(result, &|| self.course(record))
        })
    }

    /// A digest of the actions of a match, from its record, unchecked; none if it cannot be read.
    fn course(&self, record: i64) -> Option<u64> {
        #[derive(Deserialize)]
        struct Course {
            actions: String,
        }
        let sql = "SELECT json FROM records WHERE record = ?";
        let mut query = self.connection.prepare_cached(sql).ok()?;
        let json: String = query.query_row([record], |row| row.get(0)).ok()?;
        let course: Course = serde_json::from_str(&json).ok()?;
        let mut hasher = DefaultHasher::new();
        course.actions.hash(&mut hasher);
        Some(hasher.finish())
    }

    /// Calls `each` with the scenario, seed, players, scores and metrics of the matches that fit. The
    /// metrics are taken out of the records, unchecked.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn outcomes<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut((&str, u64), &[String], &[f64], &BTreeMap<String, f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        const COLUMNS: &str = "r.seats, r.scores, coalesce(r.json ->> '$.outcome.metrics', '{}'), \
             r.scenario, r.seed";
        let mut lineups: Read<Vec<String>> = Read::new();
        let mut scores: Read<Vec<f64>> = Read::new();
        self.rows(filter, COLUMNS, |row| {
            let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            let read = |at: usize| text(at).map_err(|error| self.fail(error));
            let broken = |column: &'static str, says: &str| StoreError::Column {
                id: "of an outcome".to_owned(),
                column,
                says: says.to_owned(),
                truth: "otherwise".to_owned(),
            };
            let (seats, scored, metrics, scenario) = (read(0)?, read(1)?, read(2)?, read(3)?);
            let seed: i64 = row.get(4).map_err(|error| self.fail(error))?;
            let players = lineups.get(seats).map_err(|_| broken("seats", seats))?;
            let scores = scores.get(scored).map_err(|_| broken("scores", scored))?;
            let metrics = serde_json::from_str(metrics).map_err(|_| broken("json", metrics))?;
            each((scenario, seed.cast_unsigned()), players, scores, &metrics)
        })
    }

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

    /// Calls `each` with every match that fits, one by one.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn matches<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&MatchRow) -> Result<(), E>,
    ) -> Result<(), E> {
        // Line-ups are few: each is read once.
        let mut lineups: HashMap<String, Rc<[String]>> = HashMap::new();
        self.rows(filter, COLUMNS, |row| {
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
                elapsed: elapsed(row).map_err(|error| self.fail(error))?,
                id,
            })
        })
    }

    /// Calls `each` with every record that fits, unchecked (see [`StoredRecord::record`]), one
    /// by one.
    ///
    /// # Errors
    /// If the store cannot be read, or the first error of `each`.
    pub fn stored<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&StoredRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        self.rows(filter, &format!("{COLUMNS}, r.json"), |row| {
            each(&read_stored(row).map_err(|error| self.fail(error))?)
        })
    }

    fn rows<E: From<StoreError>>(
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

    /// The record with this id, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<StoredRecord>, StoreError> {
        let sql = format!("SELECT {COLUMNS}, r.json FROM records AS r WHERE r.id = ?1");
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_row([id_bytes(id)], read_stored).optional()
        };
        read().map_err(|error| self.fail(error))
    }

    /// The one record whose id begins with `prefix`.
    ///
    /// # Errors
    /// If there is none or more than one; the text names what is near.
    pub fn get(&self, prefix: &str) -> Result<StoredRecord, StoreError> {
        let wanted = prefix.trim().to_lowercase();
        let digits = wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
        if wanted.is_empty() || wanted.len() > 32 || !digits {
            return Err(StoreError::UnknownRecord(format!(
                "“{prefix}” is no record id: ids have up to 32 digits, 0–9 and a–f"
            )));
        }
        let bound = |fill: char| {
            let padded: String = wanted.chars().chain(std::iter::repeat(fill)).take(32).collect();
            id_bytes(&padded)
        };
        let sql = format!(
            "SELECT {COLUMNS}, r.json FROM records AS r WHERE r.id BETWEEN ?1 AND ?2 \
             ORDER BY r.id LIMIT 3"
        );
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![bound('0'), bound('f')], read_stored)?;
            rows.collect::<Result<Vec<StoredRecord>, rusqlite::Error>>()
        };
        let mut found = read().map_err(|error| self.fail(error))?;
        match found.len() {
            0 => Err(self.unknown(&wanted, bound('0'))?),
            1 => Ok(found.remove(0)),
            _ => Err(StoreError::AmbiguousRecord {
                prefix: wanted,
                ids: found.into_iter().map(|stored| stored.id).collect(),
            }),
        }
    }

    /// The error of an id that nothing begins with.
    fn unknown(&self, wanted: &str, from: [u8; 16]) -> Result<StoreError, StoreError> {
        let sql = "SELECT id FROM (SELECT id FROM records WHERE id > ?1 ORDER BY id LIMIT 1)
             UNION ALL
             SELECT id FROM (SELECT id FROM records WHERE id < ?1 ORDER BY id DESC LIMIT 1)";
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let ids = statement.query_map([from], |row| row.get::<_, Vec<u8>>(0))?;
            ids.collect::<Result<Vec<_>, _>>()
        };
        let ids = read().map_err(|error| self.fail(error))?;
        let common =
            |id: &String| id.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = ids.iter().map(|id| id_text(id)).max_by_key(common);
        Ok(StoreError::UnknownRecord(match nearest {
            Some(id) => format!("no record begins with {wanted}; the nearest is {id}"),
            None => format!("no record begins with {wanted}: the store has no records"),
        }))
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

    /// All tournaments, the one that was run last first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT tournament, name, game, format, goal, contest, fixtures, file, run_at,
                    (SELECT count(*) FROM tournament_records AS l
                     WHERE l.tournament = t.tournament), definition,
                    coalesce(strftime('%Y-%m-%d %H:%M', run_at / 1000, 'unixepoch', 'localtime'),
                             '')
                 FROM tournaments AS t ORDER BY run_at DESC, tournament DESC",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(TournamentInfo {
                    id: TournamentId(row.get(0)?),
                    name: row.get(1)?,
                    game: row.get(2)?,
                    format: row.get(3)?,
                    objective: word(row, 4)?,
                    scoring: word(row, 5)?,
                    fixtures: row.get::<_, i64>(6)?.cast_unsigned(),
                    definition: row.get(10)?,
                    file: row.get(7)?,
                    run_at: row.get(8)?,
                    played: row.get::<_, i64>(9)?.cast_unsigned(),
                    run_on: row.get(11)?,
                    superseded_by: None,
                })
            })?;
            rows.collect::<Result<Vec<_>, rusqlite::Error>>()
        };
        let mut all: Vec<TournamentInfo> = read().map_err(|error| self.fail(error))?;
        for place in 1..all.len() {
            let (later, rest) = all.split_at_mut(place);
            let newest = later.iter().find(|later| later.name == rest[0].name);
            rest[0].superseded_by = newest.map(|newest| newest.id);
        }
        Ok(all)
    }

    /// The tournaments that a record counts for.
    ///
    /// # Errors
    /// If the store cannot be read.
    ///
    /// # Panics
    /// If `id` is not a whole id.
    pub fn tournaments_of(&self, id: &str) -> Result<Vec<TournamentInfo>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT t.tournament FROM tournaments AS t WHERE EXISTS
                    (SELECT 1 FROM tournament_records AS l WHERE l.tournament = t.tournament
                     AND l.record = (SELECT record FROM records WHERE id = ?1))",
            )?;
            let numbers = statement.query_map([id_bytes(id)], |row| row.get(0))?;
            numbers.collect::<Result<Vec<i64>, rusqlite::Error>>()
        };
        let numbers = read().map_err(|error| self.fail(error))?;
        let mut all = self.tournaments()?;
        all.retain(|known| numbers.contains(&known.id.0));
        Ok(all)
    }

    /// The tournament of this number.
    ///
    /// # Errors
    /// If there is none; the text says what there is.
    pub fn tournament_by_number(&self, number: i64) -> Result<TournamentInfo, StoreError> {
        let mut all = self.tournaments()?;
        match all.iter().position(|known| known.id.0 == number) {
            Some(place) => Ok(all.swap_remove(place)),
            None => Err(StoreError::UnknownTournament(format!(
                "{}: there is no tournament {number} among its {}",
                self.path.display(),
                all.len()
            ))),
        }
    }

    /// The tournament of this name that was run last; without a name, the last of all.
    ///
    /// # Errors
    /// If there is none; the text suggests one.
    pub fn tournament(&self, name: Option<&str>) -> Result<TournamentInfo, StoreError> {
        let all = self.tournaments()?;
        let found = all.iter().find(|known| name.is_none_or(|name| known.name == name));
        found.cloned().ok_or_else(|| {
            let mut names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            StoreError::UnknownTournament(match name {
                Some(name) => did_you_mean("tournament", name, names),
                None => format!("{}: the store has no tournaments yet", self.path.display()),
            })
        })
    }
}

/// The kind of a fault, with which its text begins.
fn fault_kind(fault: &str) -> &str {
    fault.split(':').next().unwrap_or_default()
}

fn read_stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredRecord> {
    Ok(StoredRecord {
        id: id(row)?,
        columns: columns(row)?,
        played_at: row.get(11)?,
        elapsed: elapsed(row)?,
        json: row.get(13)?,
    })
}

/// A word that serde knows.
fn word<'a, T: Deserialize<'a>>(row: &'a rusqlite::Row<'_>, index: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    let reader: StrDeserializer<'a, WordError> = text.into_deserializer();
    T::deserialize(reader).map_err(|error| {
        let kind = rusqlite::types::Type::Text;
        rusqlite::Error::FromSqlConversionFailure(index, kind, Box::new(error))
    })
}
