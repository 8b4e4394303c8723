//! The contest's state: who takes part, what they handed in, which matches were chosen and how they
//! ended. The one file that knows the database, SQLite: every change is one transaction that is on
//! the disk before the call returns, so what was answered survives a kill and a loss of power. What
//! is done is written down in `audit`; nothing is deleted but sessions.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::error::HostError;
use crate::token;

/// The file's name in the contest's folder.
pub(crate) const FILE: &str = "host.sqlite";
/// The statements that lead from one version of the schema to the next; `user_version` counts them.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];
/// How long a session lasts.
const SESSION: i64 = 14 * 24 * 3600;
/// Sessions of one participant; the oldest ends when there is one more.
const SESSIONS: i64 = 8;
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest log of a validation that is kept.
const LONGEST_LOG: usize = 64 << 10;

/// The contest's database.
pub(crate) struct State {
    connection: Connection,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Participant {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) is_organiser: bool,
    /// Plays for the house: a player of the game's own roster.
    pub(crate) is_house: bool,
    pub(crate) is_banned: bool,
    /// The version that is on the ladder.
    pub(crate) active: Option<i64>,
}

/// Where a version is on its way to the ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    Waiting,
    Checking,
    Passed,
    Failed,
}

impl Stage {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting",
            Stage::Checking => "checking",
            Stage::Passed => "passed",
            Stage::Failed => "failed",
        }
    }

    fn of(word: &str) -> Stage {
        let all = [Stage::Waiting, Stage::Checking, Stage::Passed];
        all.into_iter().find(|stage| stage.word() == word).unwrap_or(Stage::Failed)
    }
}

/// Something that was handed in.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) id: i64,
    pub(crate) participant: i64,
    /// Whose it is.
    pub(crate) name: String,
    /// Counted for each participant, from 1.
    pub(crate) number: i64,
    /// The digest of its files.
    pub(crate) digest: String,
    pub(crate) stage: Stage,
    /// What came of the validation.
    pub(crate) log: String,
    /// Seconds since 1970.
    pub(crate) at: i64,
}

impl Version {
    /// Its name as a player, `bot:` left out: a participant's name has no dot.
    pub(crate) fn player(&self) -> String {
        format!("{}.{}", self.name, self.number)
    }
}

/// A match that was chosen: played if it has scores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairing {
    pub(crate) id: i64,
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    /// The version at each seat.
    pub(crate) seats: Vec<i64>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) pairing: Pairing,
    /// The id of its record in the store.
    pub(crate) record: String,
    pub(crate) scores: Vec<f64>,
    /// The seat that was taken out, and why.
    pub(crate) fault: Option<(usize, String)>,
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64)
}

const PARTICIPANT: &str = "SELECT id, name, is_organiser, is_house, is_banned, active
                           FROM participants";
const VERSION: &str = "SELECT v.id, v.participant, p.name, v.number, v.digest, v.stage, v.log, v.at
                       FROM versions AS v JOIN participants AS p ON p.id = v.participant";
const MATCH: &str =
    "SELECT id, scenario, seed, seats, record, scores, fault_seat, fault FROM matches";

fn participant(row: &Row<'_>) -> rusqlite::Result<Participant> {
    Ok(Participant {
        id: row.get(0)?,
        name: row.get(1)?,
        is_organiser: row.get(2)?,
        is_house: row.get(3)?,
        is_banned: row.get(4)?,
        active: row.get(5)?,
    })
}

fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    Ok(Version {
        id: row.get(0)?,
        participant: row.get(1)?,
        name: row.get(2)?,
        number: row.get(3)?,
        digest: row.get(4)?,
        stage: Stage::of(&row.get::<_, String>(5)?),
        log: row.get(6)?,
        at: row.get(7)?,
    })
}

fn pairing(row: &Row<'_>) -> rusqlite::Result<Pairing> {
    let seats: String = row.get(3)?;
    let seats = seats.split(' ').filter_map(|seat| seat.parse().ok()).collect();
    Ok(Pairing {
        id: row.get(0)?,
        scenario: row.get(1)?,
        seed: row.get::<_, i64>(2)?.cast_unsigned(),
        seats,
    })
}

fn played(row: &Row<'_>) -> rusqlite::Result<Played> {
    let scores: String = row.get(5)?;
    let seat: Option<i64> = row.get(6)?;
    let fault: Option<String> = row.get(7)?;
    Ok(Played {
        pairing: pairing(row)?,
        record: row.get(4)?,
        scores: scores.split(' ').filter_map(|score| score.parse().ok()).collect(),
        fault: seat.zip(fault).map(|(seat, fault)| (seat as usize, fault)),
    })
}

fn joined<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl State {
    /// Opens the database of a contest; makes it if there is none.
    pub(crate) fn open(folder: &Path) -> Result<State, HostError> {
        let connection = Connection::open(folder.join(FILE))?;
        connection.busy_timeout(PATIENCE)?;
        for (name, value) in [("journal_mode", "WAL"), ("synchronous", "FULL")] {
            connection.pragma_update_and_check(None, name, value, |_| Ok(())).or_else(|error| {
                match error {
                    rusqlite::Error::QueryReturnedNoRows => Ok(()),
                    error => Err(error),
                }
            })?;
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        let mut state = State { connection };
        let known = MIGRATIONS.len() as i64;
        state.write(|transaction| {
            let found =
                transaction.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))?;
            for migration in MIGRATIONS.iter().skip(found as usize) {
                transaction.execute_batch(migration)?;
            }
            transaction.pragma_update(None, "user_version", known.max(found))
        })?;
        let found = state.one("PRAGMA user_version", [])?;
        if found > known { Err(HostError::Newer { found, known }) } else { Ok(state) }
    }

    fn write<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HostError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let written = write(&transaction)?;
        transaction.commit()?;
        Ok(written)
    }

    fn one(&self, sql: &str, values: impl rusqlite::Params) -> Result<i64, HostError> {
        Ok(self.connection.query_row(sql, values, |row| row.get(0))?)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, HostError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Enters somebody with a token, or gives them a new one: then the old one and all sessions end.
    pub(crate) fn invite(
        &mut self,
        name: &str,
        digest: &str,
        is_organiser: bool,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO participants (name, token, is_organiser) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET token = ?2",
                params![name, digest, is_organiser],
            )?;
            transaction.execute(
                "DELETE FROM sessions
                 WHERE participant = (SELECT id FROM participants WHERE name = ?1)",
                [name],
            )?;
            audit(transaction, "host", &format!("a token for {name}"))
        })
    }

    /// Has exactly these players of the game's own on the ladder.
    pub(crate) fn set_house(&mut self, players: &[String]) -> Result<(), HostError> {
        self.write(|transaction| {
            transaction.execute("UPDATE participants SET active = NULL WHERE is_house", [])?;
            for player in players {
                transaction.execute(
                    "INSERT INTO participants (name, is_house) VALUES (?1, TRUE)
                     ON CONFLICT (name) DO NOTHING",
                    [player],
                )?;
                transaction.execute(
                    "INSERT INTO versions (participant, number, digest, stage, at)
                     SELECT id, 1, '', 'passed', ?2 FROM participants WHERE name = ?1 AND is_house
                     ON CONFLICT DO NOTHING",
                    params![player, now()],
                )?;
                transaction.execute(
                    "UPDATE participants SET active =
                     (SELECT v.id FROM versions AS v WHERE v.participant = participants.id)
                     WHERE name = ?1 AND is_house",
                    [player],
                )?;
            }
            Ok(())
        })
    }

    pub(crate) fn participants(&self) -> Result<Vec<Participant>, HostError> {
        self.all(&format!("{PARTICIPANT} ORDER BY name"), [], participant)
    }

    pub(crate) fn participant_named(&self, name: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!("{PARTICIPANT} WHERE name = ?1");
        Ok(self.connection.query_row(&sql, [name], participant).optional()?)
    }

    /// Who has this token, unless they are banned.
    pub(crate) fn holder(&self, token: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!("{PARTICIPANT} WHERE token = ?1 AND NOT is_banned");
        let digest = token::digest_of(token);
        Ok(self.connection.query_row(&sql, [digest], participant).optional()?)
    }

    /// Whose session this is, unless it is over or they are banned.
    pub(crate) fn signed_in(&self, session: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE NOT is_banned AND id =
             (SELECT participant FROM sessions WHERE digest = ?1 AND until > ?2)"
        );
        let values = params![token::digest_of(session), now()];
        Ok(self.connection.query_row(&sql, values, participant).optional()?)
    }

    /// Begins a session; the value of its cookie.
    pub(crate) fn sign_in(&mut self, participant: i64) -> Result<String, HostError> {
        let session = token::new_token()?;
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO sessions (digest, participant, until) VALUES (?1, ?2, ?3)",
                params![token::digest_of(&session), participant, now() + SESSION],
            )?;
            transaction.execute(
                "DELETE FROM sessions WHERE until <= ?1 OR rowid IN
                 (SELECT rowid FROM sessions WHERE participant = ?2
                  ORDER BY rowid DESC LIMIT -1 OFFSET ?3)",
                params![now(), participant, SESSIONS],
            )
        })?;
        Ok(session)
    }

    pub(crate) fn sign_out(&mut self, session: &str) -> Result<(), HostError> {
        let digest = token::digest_of(session);
        self.write(|transaction| {
            transaction.execute("DELETE FROM sessions WHERE digest = ?1", [digest]).map(|_| ())
        })
    }

    /// Shuts somebody out, or lets them in again. Nothing of theirs is deleted.
    pub(crate) fn ban(&mut self, by: &str, name: &str, is_banned: bool) -> Result<bool, HostError> {
        self.write(|transaction| {
            let changed = transaction.execute(
                "UPDATE participants SET is_banned = ?2
                 WHERE name = ?1 AND NOT is_organiser AND NOT is_house",
                params![name, is_banned],
            )?;
            transaction.execute(
                "DELETE FROM sessions WHERE participant IN
                 (SELECT id FROM participants WHERE is_banned)",
                [],
            )?;
            if changed == 1 {
                let what = if is_banned { "banned" } else { "let in again:" };
                audit(transaction, by, &format!("{what} {name}"))?;
            }
            Ok(changed == 1)
        })
    }

    pub(crate) fn is_paused(&self) -> Result<bool, HostError> {
        Ok(self.one("SELECT count(*) FROM settings WHERE key = 'paused' AND value = '1'", [])? == 1)
    }

    pub(crate) fn pause(&mut self, by: &str, is_paused: bool) -> Result<(), HostError> {
        self.write(|transaction| {
            let value = if is_paused { "1" } else { "0" };
            transaction
                .execute("INSERT OR REPLACE INTO settings VALUES ('paused', ?1)", [value])?;
            audit(transaction, by, if is_paused { "paused" } else { "resumed" })
        })
    }

    /// Versions that somebody handed in since a moment, of all stages.
    pub(crate) fn handed_in(&self, participant: i64, since: i64) -> Result<u64, HostError> {
        let sql = "SELECT count(*) FROM versions WHERE participant = ?1 AND at >= ?2";
        Ok(self.one(sql, params![participant, since])? as u64)
    }

    pub(crate) fn count_participants(&self) -> Result<u64, HostError> {
        Ok(self.one("SELECT count(*) FROM participants", [])? as u64)
    }

    /// Enters a version whose files are on the disk. Files that the same participant handed in
    /// before are that version again, whose number is returned with whether it is new.
    pub(crate) fn hand_in(
        &mut self,
        participant: i64,
        digest: &str,
    ) -> Result<(i64, bool), HostError> {
        self.write(|transaction| {
            let known = transaction
                .query_row(
                    "SELECT number FROM versions WHERE participant = ?1 AND digest = ?2",
                    params![participant, digest],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(number) = known {
                return Ok((number, false));
            }
            let number = transaction.query_row(
                "INSERT INTO versions (participant, number, digest, stage, at)
                 VALUES (?1, 1 + (SELECT count(*) FROM versions WHERE participant = ?1),
                         ?2, 'waiting', ?3)
                 RETURNING number",
                params![participant, digest, now()],
                |row| row.get(0),
            )?;
            audit(
                transaction,
                &format!("participant {participant}"),
                &format!("version {number}"),
            )?;
            Ok((number, true))
        })
    }

    /// The versions of a participant, the latest first.
    pub(crate) fn versions_of(&self, participant: i64) -> Result<Vec<Version>, HostError> {
        let sql = format!("{VERSION} WHERE v.participant = ?1 ORDER BY v.number DESC");
        self.all(&sql, [participant], version)
    }

    pub(crate) fn version(&self, id: i64) -> Result<Option<Version>, HostError> {
        let sql = format!("{VERSION} WHERE v.id = ?1");
        Ok(self.connection.query_row(&sql, [id], version).optional()?)
    }

    /// Those on the ladder: the active version of everybody who is not banned.
    pub(crate) fn active(&self) -> Result<Vec<Version>, HostError> {
        self.all(&format!("{VERSION} WHERE v.id = p.active AND NOT p.is_banned"), [], version)
    }

    /// Puts a version that has passed on the ladder in place of another.
    pub(crate) fn activate(&mut self, participant: i64, number: i64) -> Result<bool, HostError> {
        self.write(|transaction| {
            let changed = transaction.execute(
                "UPDATE participants SET active = v.id FROM versions AS v
                 WHERE participants.id = ?1 AND v.participant = ?1 AND v.number = ?2
                 AND v.stage = 'passed'",
                params![participant, number],
            )?;
            if changed == 1 {
                let by = format!("participant {participant}");
                audit(transaction, &by, &format!("activated version {number}"))?;
            }
            Ok(changed == 1)
        })
    }

    /// Takes the version that has waited longest to be checked.
    pub(crate) fn next_to_check(&mut self) -> Result<Option<Version>, HostError> {
        let sql = format!(
            "{VERSION} WHERE v.stage = 'waiting' AND NOT p.is_banned
             ORDER BY (SELECT count(*) FROM versions AS c
                       WHERE c.participant = v.participant AND c.stage = 'checking'), v.id LIMIT 1"
        );
        self.write(|transaction| {
            let found = transaction.query_row(&sql, [], version).optional()?;
            if let Some(found) = &found {
                let sql = "UPDATE versions SET stage = 'checking' WHERE id = ?1";
                transaction.execute(sql, [found.id])?;
            }
            Ok(found)
        })
    }

    /// What came of a check. One that has passed is activated, unless a later one is already.
    pub(crate) fn checked(
        &mut self,
        version: &Version,
        passed: bool,
        log: &str,
    ) -> Result<(), HostError> {
        let end = (0..=log.len().min(LONGEST_LOG)).rev().find(|at| log.is_char_boundary(*at));
        let log = &log[..end.unwrap_or(0)];
        let stage = if passed { Stage::Passed } else { Stage::Failed };
        self.write(|transaction| {
            transaction.execute(
                "UPDATE versions SET stage = ?2, log = ?3 WHERE id = ?1",
                params![version.id, stage.word(), log],
            )?;
            if passed {
                transaction.execute(
                    "UPDATE participants SET active = ?2
                     WHERE id = ?1 AND coalesce(active, 0) < ?2",
                    params![version.participant, version.id],
                )?;
            }
            Ok(())
        })
    }

    /// What was under way when the host ended: checks begin anew. Matches are played again, unless
    /// their records turn out to be in the store.
    pub(crate) fn recover(&mut self) -> Result<Vec<Pairing>, HostError> {
        self.write(|transaction| {
            let sql = "UPDATE versions SET stage = 'waiting' WHERE stage = 'checking'";
            transaction.execute(sql, []).map(|_| ())
        })?;
        self.all(&format!("{MATCH} WHERE record IS NULL ORDER BY id"), [], pairing)
    }

    /// Enters a match that is to be played.
    pub(crate) fn plan(
        &mut self,
        scenario: &str,
        seed: u64,
        seats: &[i64],
    ) -> Result<Pairing, HostError> {
        let id = self.write(|transaction| {
            transaction.query_row(
                "INSERT INTO matches (scenario, seed, seats) VALUES (?1, ?2, ?3) RETURNING id",
                params![scenario, seed.cast_signed(), joined(seats)],
                |row| row.get(0),
            )
        })?;
        Ok(Pairing { id, scenario: scenario.to_owned(), seed, seats: seats.to_vec() })
    }

    /// The number of matches ever planned.
    pub(crate) fn planned(&self) -> Result<u64, HostError> {
        Ok(self.one("SELECT coalesce(max(id), 0) FROM matches", [])? as u64)
    }

    /// Enters how a match ended; it counts once, however often it is entered.
    pub(crate) fn finish(&mut self, played: &Played) -> Result<(), HostError> {
        let (seat, fault) = match &played.fault {
            Some((seat, fault)) => (Some(*seat as i64), Some(fault)),
            None => (None, None),
        };
        self.write(|transaction| {
            transaction.execute(
                "UPDATE matches SET record = ?2, scores = ?3, fault_seat = ?4, fault = ?5, at = ?6
                 WHERE id = ?1 AND record IS NULL",
                params![
                    played.pairing.id,
                    played.record,
                    joined(&played.scores),
                    seat,
                    fault,
                    now()
                ],
            )?;
            Ok(())
        })
    }

    /// A match that cannot be played, since a version or a scenario is gone.
    pub(crate) fn give_up(&mut self, pairing: &Pairing, why: &str) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "DELETE FROM matches WHERE id = ?1 AND record IS NULL";
            transaction.execute(sql, [pairing.id])?;
            audit(transaction, "host", &format!("match {} cannot be played: {why}", pairing.id))
        })
    }

    /// Matches that have been played, in the order in which they were planned.
    pub(crate) fn played(&self) -> Result<Vec<Played>, HostError> {
        self.all(&format!("{MATCH} WHERE record IS NOT NULL ORDER BY id"), [], played)
    }

    /// The latest matches of a participant's versions, the latest first.
    pub(crate) fn latest_of(&self, participant: i64, most: u32) -> Result<Vec<Played>, HostError> {
        let sql = format!(
            "{MATCH} WHERE record IS NOT NULL AND EXISTS
             (SELECT 1 FROM versions AS v WHERE v.participant = ?1
              AND ' ' || seats || ' ' LIKE '% ' || v.id || ' %')
             ORDER BY id DESC LIMIT ?2"
        );
        self.all(&sql, params![participant, most], played)
    }

    /// What was done lately, the latest first: when, by whom, what.
    pub(crate) fn audit(&self, most: u32) -> Result<Vec<(i64, String, String)>, HostError> {
        let sql = "SELECT at, who, what FROM audit ORDER BY rowid DESC LIMIT ?1";
        self.all(sql, [most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }
}

fn audit(transaction: &Transaction<'_>, who: &str, what: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO audit (at, who, what) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![now(), who, what]).map(|_| ())
}
