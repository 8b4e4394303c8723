//! A match as it is kept: what was to be played ([`Fixture`]) and what happened ([`Record`]). A
//! record replays bit for bit, and its digest reveals any change.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::action_error::ActionError;
use crate::budget::Budget;
use crate::digest::digest;
use crate::log::{LogEntry, read_entries};
use crate::outcome::{FaultKind, Note, Outcome, SeatFault};
use crate::seat::Seat;

/// The version of the record format.
pub const FORMAT: u32 = 1;

/// The newest [`Fixture::form`].
pub const FIXTURE_FORM: u32 = 1;

/// One match to be played. Its id is the hash of its content, so a result can be lost or delivered
/// twice and still count once.
///
/// Ids must outlive the code: a field that is added later is left out of the JSON form while it has
/// its default, so that fixtures without it keep their ids. [`FIXTURE_FORM`] is raised only if the
/// same fields come to mean something else; that changes every id made from then on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fixture {
    /// The version of the form that is hashed. The first one is not written.
    #[serde(default = "first_form", skip_serializing_if = "is_first_form")]
    pub form: u32,
    /// The game's name.
    pub game: String,
    /// The scenario, in its canonical text.
    pub scenario: String,
    /// The seed of all chance.
    pub seed: u64,
    /// The player of each seat, in canonical text.
    pub seats: Vec<String>,
    /// What each player may think.
    #[serde(default)]
    pub budget: Budget,
    /// The versions of the rules and players: a changed player or rule makes a different fixture.
    pub versions: Versions,
}

fn first_form() -> u32 {
    1
}

fn is_first_form(form: &u32) -> bool {
    *form == first_form()
}

/// The versions of rules and players that a fixture names.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Versions {
    /// Version of the rules.
    pub game: u32,
    /// Version of the player at each seat.
    pub players: Vec<u32>,
}

impl Fixture {
    /// The id: 32 hexadecimal digits, the first half of the BLAKE3 hash of the content.
    pub fn id(&self) -> String {
        // One allocation large enough for nearly all fixtures: a short match costs little more than
        // its id.
        let mut content = Vec::with_capacity(512);
        serde_json::to_writer(&mut content, self).expect("a fixture has a JSON form");
        digest(&content)
    }
}

/// One match as it was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`] when it was written.
    pub format: u32,
    /// The fixture's id.
    pub id: String,
    /// What was to be played.
    pub fixture: Fixture,
    /// Every action in its text notation, separated by spaces: turn by turn, seat by seat.
    pub actions: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What players noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The logs of programs. They are kept next to the record: the digest does not contain them.
    #[serde(skip)]
    pub log: Vec<LogEntry>,
}

/// A log on a line of its own below a record, with that record's id, as older files have it.
#[derive(Deserialize)]
struct LogLine {
    log_of: String,
    log: Vec<Value>,
}

/// The reason why a record cannot be read or trusted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Not JSON of the right shape.
    #[error("not a record: {0}")]
    Unreadable(String),
    /// Written by another version.
    #[error("record format {found}, but this version reads format {FORMAT}")]
    Format {
        /// What the record says.
        found: u64,
    },
    /// Changed after it was written.
    #[error("record {id} was changed after it was written: its digest does not match")]
    Digest {
        /// The record's id.
        id: String,
    },
    /// The id is not that of the fixture.
    #[error("record {id} does not belong to its fixture, whose id is {fixture}")]
    Id {
        /// The id in the record.
        id: String,
        /// The id of the fixture in it.
        fixture: String,
    },
    /// The catalog cannot build the match.
    #[error("record {id}: {problem}")]
    Unplayable {
        /// The record's id.
        id: String,
        /// What is unknown.
        problem: String,
    },
    /// The rules refuse an action.
    #[error("record {id}, turn {turn}, seat {seat}: {problem}")]
    Action {
        /// The record's id.
        id: String,
        /// The turn, from 0.
        turn: u32,
        /// The seat.
        seat: usize,
        /// Why it cannot be taken.
        problem: ActionError,
    },
    /// The actions stop before the end, or go on after it.
    #[error("record {id}: {problem}")]
    Length {
        /// The record's id.
        id: String,
        /// Too few or too many.
        problem: String,
    },
    /// A built-in player cannot fail in this way.
    #[error("record {id}: {problem}")]
    Fault {
        /// The record's id.
        id: String,
        /// Who cannot, and why.
        problem: String,
    },
    /// The players decide differently than recorded.
    #[error("record {id}: its players decide differently when they are asked again: {problem}")]
    Decisions {
        /// The record's id.
        id: String,
        /// The first difference.
        problem: String,
    },
    /// The outcome differs from the recorded one.
    #[error("record {id} ends differently when replayed: recorded {recorded}, replayed {replayed}")]
    Outcome {
        /// The record's id.
        id: String,
        /// What the record says.
        recorded: String,
        /// What the rules say.
        replayed: String,
    },
}

impl Record {
    /// Checks that whoever failed can fail in that way. A built-in player is no process, and its
    /// time is up only where that of a match is limited: it keeps to all other budgets itself.
    pub(crate) fn check_fault(&self) -> Result<(), RecordError> {
        let Some(SeatFault { seat, fault }) = &self.outcome.fault else { return Ok(()) };
        let player = self.fixture.seats.get(seat.index()).map_or("", String::as_str);
        let budget = &self.fixture.budget;
        let why = match fault.kind {
            // Other people, programs and modules.
            _ if player.split('?').next().is_some_and(|name| name.contains(':')) => return Ok(()),
            FaultKind::Illegal | FaultKind::Panic => return Ok(()),
            FaultKind::Timeout if budget.per_match.is_some() => return Ok(()),
            FaultKind::Timeout => "the budget does not limit the time of a match",
            _ => "it is a built-in player, and no program",
        };
        let problem = format!("{player} cannot fail by {}: {why}", fault.kind);
        Err(RecordError::Fault { id: self.id.clone(), problem })
    }

    /// The JSON form: one line, with the digest last.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a record has a JSON form");
        let own = digest(text.as_bytes());
        text.truncate(text.len() - 1);
        text.push_str(",\"digest\":\"");
        text.push_str(&own);
        text.push_str("\"}");
        text
    }

    /// The JSON form for a file: one line, with the logs of programs after the digest, if there are
    /// any.
    pub fn to_json_with_log(&self) -> String {
        let mut text = self.to_json();
        if !self.log.is_empty() {
            text.truncate(text.len() - 1);
            text.push_str(",\"log\":");
            text.push_str(&serde_json::to_string(&self.log).expect("logs have a JSON form"));
            text.push('}');
        }
        text
    }

    /// The text of every action, turn by turn, seat by seat.
    pub fn action_texts(&self) -> impl Iterator<Item = &str> {
        self.actions.split_ascii_whitespace()
    }

    /// The error for an action that the rules refuse from a seat on a turn.
    pub fn refused(&self, turn: u32, seat: Seat, problem: ActionError) -> RecordError {
        RecordError::Action { id: self.id.clone(), turn, seat: seat.index(), problem }
    }

    /// The first difference from another record of the same match, if there is one.
    pub(crate) fn difference(&self, other: &Record) -> Option<String> {
        let ours: Vec<&str> = self.action_texts().collect();
        let theirs: Vec<&str> = other.action_texts().collect();
        let at = ours.iter().zip(&theirs).position(|(our, their)| our != their);
        if let Some(at) = at {
            let (our, their) = (&ours[at], &theirs[at]);
            return Some(format!("action {at} is {their}, but {our} is recorded"));
        }
        if ours.len() != theirs.len() {
            let (our, their) = (ours.len(), theirs.len());
            return Some(format!("{their} actions, but {our} are recorded"));
        }
        let json = |outcome: &Outcome| serde_json::to_string(outcome).expect("outcomes have JSON");
        if self.outcome != other.outcome {
            let (our, their) = (json(&self.outcome), json(&other.outcome));
            return Some(format!("the outcome is {their}, but {our} is recorded"));
        }
        (self.notes != other.notes).then(|| "their notes differ".to_owned())
    }

    /// Reads the log from a line below the record, as older files have it. Returns false if the
    /// line is not a log of this record.
    pub fn read_log_line(&mut self, text: &str) -> bool {
        match serde_json::from_str::<LogLine>(text) {
            Ok(line) if line.log_of == self.id => {
                self.log = read_entries(line.log);
                true
            }
            _ => false,
        }
    }

    /// Reads the JSON form, however it is laid out, and checks its format, digest and id. Also
    /// reads the log, if there is one in it or on a line of its own below it.
    ///
    /// # Errors
    /// [`RecordError`] `Unreadable`, `Format`, `Digest` or `Id`.
    pub fn from_json(text: &str) -> Result<Record, RecordError> {
        #[derive(Deserialize)]
        struct Envelope {
            format: u64,
            #[serde(default)]
            digest: String,
            #[serde(default)]
            log: Vec<Value>,
        }
        if let Some((first, below)) = text.trim_end().split_once('\n')
            && serde_json::from_str::<LogLine>(below).is_ok()
        {
            let mut record = Record::from_json(first)?;
            record.read_log_line(below);
            return Ok(record);
        }
        let unreadable = |error: serde_json::Error| RecordError::Unreadable(error.to_string());
        let envelope: Envelope = serde_json::from_str(text).map_err(unreadable)?;
        if envelope.format != u64::from(FORMAT) {
            return Err(RecordError::Format { found: envelope.format });
        }
        let mut record: Record = serde_json::from_str(text).map_err(unreadable)?;
        let own = record.to_json();
        // Another program may have laid out the same content differently.
        if own != text.trim_end() && !has_same_content(&own, &envelope.digest, text) {
            return Err(RecordError::Digest { id: record.id });
        }
        record.log = read_entries(envelope.log);
        let fixture = record.fixture.id();
        if fixture != record.id {
            return Err(RecordError::Id { id: record.id, fixture });
        }
        Ok(record)
    }
}

/// Whether a text has the content of a record in its canonical form, and nothing besides but a log.
fn has_same_content(canonical: &str, digest: &str, text: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let (Some(own), Some(mut given)) = (parse(canonical), parse(text)) else { return false };
    given.remove("log");
    own.get("digest").and_then(Value::as_str) == Some(digest)
        && is_same(&Value::Object(own), &Value::Object(given))
}

/// Whether two values are the same, where 1 and 1.0 are.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value)| other.get(name).is_some_and(|given| is_same(value, given));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::LogContent;

    fn record() -> Record {
        let fixture: Fixture = serde_json::from_str(OLD).unwrap();
        let outcome = Outcome {
            scores: vec![1.0, 0.5],
            ending: "over".to_owned(),
            truncated: false,
            fault: None,
            metrics: Default::default(),
        };
        let text = LogContent::Stderr("thinking".to_owned());
        let log = vec![LogEntry { turn: 2, seat: Seat::new(1), content: text }];
        let (actions, notes) = ("1 2 3".to_owned(), Vec::new());
        Record { format: FORMAT, id: fixture.id(), fixture, actions, outcome, notes, log }
    }

    #[test]
    fn a_record_with_a_log_is_one_value_and_reads_back_however_it_is_laid_out() {
        let record = record();
        let text = record.to_json_with_log();
        assert_eq!(Record::from_json(&text), Ok(record.clone()));
        let value: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(Record::from_json(&pretty), Ok(record.clone()));
        // Some programs write whole numbers without a point.
        assert_eq!(Record::from_json(&pretty.replace("1.0", "1")), Ok(record.clone()));
        let (id, log) = (&record.id, &value["log"]);
        let below = format!("{}\n{{\"log_of\":\"{id}\",\"log\":{log}}}\n", record.to_json());
        assert_eq!(Record::from_json(&below), Ok(record));
    }

    #[test]
    fn changed_content_shows_however_it_is_laid_out() {
        let text = record().to_json_with_log();
        for (from, to) in
            [("1 2 3", "1 2 4"), ("0.5", "0.25"), ("\"format\"", "\"new\":1,\"format\"")]
        {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            let read = Record::from_json(&changed);
            assert!(matches!(read, Err(RecordError::Digest { .. })), "{from}: {read:?}");
        }
    }

    /// A fixture written before the form had a version, and its id.
    const OLD: &str = concat!(
        r#"{"game":"nim","scenario":"heap","seed":7,"seats":["perfect","random"],"#,
        r#""budget":"nodes=2000","versions":{"game":3,"players":[2,1]}}"#
    );
    const OLD_ID: &str = "fcb2d326d411fa264a652b53dfa67344";

    #[test]
    fn old_fixtures_keep_their_text_and_id() {
        let fixture: Fixture = serde_json::from_str(OLD).unwrap();
        assert_eq!(fixture.form, 1);
        assert_eq!(serde_json::to_string(&fixture).unwrap(), OLD);
        assert_eq!(fixture.id(), OLD_ID);
        let newer = Fixture { form: 2, ..fixture };
        assert_ne!(newer.id(), OLD_ID);
    }

    #[test]
    fn new_fields_with_defaults_keep_old_ids() {
        /// A possible later version of [`Fixture`].
        #[derive(Serialize, Deserialize)]
        struct Later {
            #[serde(flatten)]
            known: Fixture,
            #[serde(default, skip_serializing_if = "String::is_empty")]
            clock: String,
        }
        let later: Later = serde_json::from_str(OLD).unwrap();
        assert_eq!(digest(&serde_json::to_vec(&later).unwrap()), OLD_ID);
        let other = Later { clock: "wasm".to_owned(), ..later };
        assert_ne!(digest(&serde_json::to_vec(&other).unwrap()), OLD_ID);
    }
}
