//! A record as a row of the store: the record's text, and beside it the columns that queries use.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quintain_core::{Record, RecordError, digest, write_log};

use crate::error::StoreError;

/// A record ready to be stored.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordRow {
    pub(crate) id: [u8; 16],
    pub(crate) columns: Columns,
    pub(crate) played_at: i64,
    pub(crate) elapsed_us: i64,
    pub(crate) json: String,
    /// What programs said, in JSON.
    pub(crate) log: Option<String>,
    /// Whether the same fixture must give the same record again.
    pub(crate) reproducible: bool,
}

/// The columns that queries use, as they stand in the table.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Columns {
    pub(crate) game: String,
    pub(crate) scenario: String,
    pub(crate) seed: i64,
    pub(crate) seats: String,
    pub(crate) scores: String,
    pub(crate) ending: String,
    pub(crate) fault_seat: Option<i64>,
    pub(crate) fault: Option<String>,
    pub(crate) truncated: bool,
    pub(crate) turns: i64,
}

impl Columns {
    fn of(record: &Record) -> Columns {
        let (fixture, outcome) = (&record.fixture, &record.outcome);
        let json = |value: Result<String, _>| value.expect("lists of texts and numbers have JSON");
        Columns {
            game: fixture.game.clone(),
            scenario: fixture.scenario.clone(),
            // SQLite has no unsigned numbers: seeds from 2^63 on come out negative.
            seed: fixture.seed.cast_signed(),
            seats: json(serde_json::to_string(&fixture.seats)),
            scores: json(serde_json::to_string(&outcome.scores)),
            ending: outcome.ending.clone(),
            fault_seat: outcome.fault.as_ref().map(|fault| fault.seat.index() as i64),
            fault: outcome.fault.as_ref().map(|fault| fault.fault.to_string()),
            truncated: outcome.truncated,
            turns: outcome.metrics.get("turns").map_or(0, |turns| *turns as i64),
        }
    }

    /// The checksum of the row with this id.
    pub(crate) fn checksum(&self, id: &[u8]) -> i64 {
        let columns = CheckedColumns {
            id,
            texts: [&self.game, &self.scenario, &self.seats, &self.scores, &self.ending],
            fault: self.fault.as_deref(),
            fault_seat: self.fault_seat,
            numbers: [self.seed, self.turns, i64::from(self.truncated)],
        };
        columns.checksum(&mut Vec::new())
    }

    /// The first column in which the two differ, with both values.
    fn difference(&self, other: &Columns) -> Option<(&'static str, String, String)> {
        let texts = |columns: &Columns| {
            [
                ("game", columns.game.clone()),
                ("scenario", columns.scenario.clone()),
                ("seed", columns.seed.to_string()),
                ("seats", columns.seats.clone()),
                ("scores", columns.scores.clone()),
                ("ending", columns.ending.clone()),
                ("fault_seat", columns.fault_seat.map_or("none".to_owned(), |s| s.to_string())),
                ("fault", columns.fault.clone().unwrap_or("none".to_owned())),
                ("truncated", columns.truncated.to_string()),
                ("turns", columns.turns.to_string()),
            ]
        };
        let both = texts(self).into_iter().zip(texts(other));
        both.into_iter().find(|(a, b)| a != b).map(|(a, b)| (a.0, a.1, b.1))
    }
}

/// What the checksum of a row is computed from: its id and the columns that repeat the record.
pub(crate) struct CheckedColumns<'a> {
    pub(crate) id: &'a [u8],
    /// Game, scenario, seats, scores, ending.
    pub(crate) texts: [&'a str; 5],
    pub(crate) fault: Option<&'a str>,
    pub(crate) fault_seat: Option<i64>,
    /// Seed, turns, and 1 if the match was cut off.
    pub(crate) numbers: [i64; 3],
}

impl CheckedColumns<'_> {
    /// The checksum; `bytes` is only room to work in.
    pub(crate) fn checksum(&self, bytes: &mut Vec<u8>) -> i64 {
        bytes.clear();
        bytes.extend_from_slice(self.id);
        for text in self.texts.iter().copied().chain(self.fault) {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        let fault_seat = self.fault_seat.map_or(-1, |seat| seat);
        for number in self.numbers.into_iter().chain([fault_seat]) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let digest = digest(bytes);
        u64::from_str_radix(&digest[..16], 16).expect("digests are hexadecimal").cast_signed()
    }
}

impl RecordRow {
    /// The row of a match that has just been played and took this long.
    pub fn new(record: &Record, elapsed: Duration) -> RecordRow {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        RecordRow {
            id: id_bytes(&record.id),
            columns: Columns::of(record),
            played_at: now.as_millis() as i64,
            elapsed_us: elapsed.as_micros() as i64,
            json: record.to_json(),
            log: (!record.log.is_empty()).then(|| write_log(&record.log)),
            reproducible: record.fixture.budget.is_reproducible(),
        }
    }

    /// The row of a record that comes from another store.
    pub(crate) fn again(stored: &StoredRecord, record: &Record) -> RecordRow {
        RecordRow {
            id: id_bytes(&stored.id),
            columns: stored.columns.clone(),
            played_at: stored.played_at,
            elapsed_us: stored.elapsed.as_micros() as i64,
            json: stored.json.clone(),
            // Logs are copied separately.
            log: None,
            reproducible: record.fixture.budget.is_reproducible(),
        }
    }

    /// The approximate number of bytes that the row takes.
    pub fn size(&self) -> usize {
        let log = self.log.as_ref().map_or(0, String::len);
        self.json.len() + log + self.columns.seats.len() + self.columns.scores.len()
    }
}

/// A record as stored, not yet trusted.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRecord {
    /// Its id.
    pub id: String,
    /// Its text, exactly as stored.
    pub json: String,
    /// When it was stored, in milliseconds since 1970.
    pub played_at: i64,
    /// How long the match took.
    pub elapsed: Duration,
    pub(crate) columns: Columns,
}

impl StoredRecord {
    /// The record, if not a byte of it was altered: neither of its text nor of the columns that
    /// repeat it.
    ///
    /// # Errors
    /// If anything was altered; the error says what.
    pub fn record(&self) -> Result<Record, StoreError> {
        let record = Record::from_json(&self.json).map_err(|error| match error {
            // Such a text does not even reveal its id.
            RecordError::Unreadable(problem) => {
                RecordError::Unreadable(format!("{problem}; it is stored as {}", self.id))
            }
            error => error,
        })?;
        if record.id != self.id {
            let (id, fixture) = (self.id.clone(), record.id);
            return Err(RecordError::Id { id, fixture }.into());
        }
        match self.columns.difference(&Columns::of(&record)) {
            None => Ok(record),
            Some((column, says, truth)) => {
                Err(StoreError::Column { id: record.id, column, says, truth })
            }
        }
    }
}

/// Whether two records say the same apart from notes: what a fixture must give every time.
pub(crate) fn same_match(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<Record>(text).ok();
    match (read(one), read(other)) {
        (Some(one), Some(other)) => {
            (one.fixture, one.actions, one.outcome) == (other.fixture, other.actions, other.outcome)
        }
        _ => false,
    }
}

/// The 16 bytes of an id in hexadecimal.
pub(crate) fn id_bytes(id: &str) -> [u8; 16] {
    u128::from_str_radix(id, 16).expect("ids are 32 hexadecimal digits").to_be_bytes()
}

/// The id of 16 bytes, in hexadecimal.
pub(crate) fn id_text(id: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    id.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
