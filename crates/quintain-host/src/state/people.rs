//! Who takes part: participants with their tokens and those of their repositories, sessions, those of
//! the house.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{State, audit, now};
use crate::error::HostError;
use crate::token::{self, NewToken};

/// How long a session lasts, in seconds.
const SESSION: i64 = 14 * 24 * 3600;
/// Sessions of one participant; the oldest ends when there is one more.
const SESSIONS: i64 = 8;

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Participant {
    pub(crate) id: i64,
    /// Letters, digits, `-` and `_`: it stands in records.
    pub(crate) name: String,
    /// How pages call them.
    pub(crate) called: String,
    pub(crate) is_organiser: bool,
    /// Plays for the house: a player of the game's own roster.
    pub(crate) is_house: bool,
    pub(crate) is_banned: bool,
    /// The version that is on the ladder.
    pub(crate) active: Option<i64>,
}

impl Participant {
    /// What they are in the contest.
    pub(crate) fn role(&self) -> &'static str {
        match () {
            () if self.is_organiser => "organiser",
            () if self.is_banned => "banned",
            () if self.active.is_some() => "on the ladder",
            () => NO_PROGRAM,
        }
    }
}

/// What somebody is who has no program on the ladder.
pub(crate) const NO_PROGRAM: &str = "no program yet";

/// What became of a ban.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BanResult {
    /// It is so from now on.
    Done,
    /// It was so already.
    Already,
    /// There is nobody of that name whom one could ban.
    Nobody,
}

const PARTICIPANT: &str = "SELECT id, name, is_organiser, is_house, is_banned, active,
                           coalesce(nullif(called, ''), name) FROM participants";

fn participant(row: &Row<'_>) -> rusqlite::Result<Participant> {
    Ok(Participant {
        id: row.get(0)?,
        name: row.get(1)?,
        is_organiser: row.get(2)?,
        is_house: row.get(3)?,
        is_banned: row.get(4)?,
        active: row.get(5)?,
        called: row.get(6)?,
    })
}

/// Enters somebody with a token, or gives them another in place of theirs.
fn give_token(
    transaction: &Transaction<'_>,
    (name, called): (&str, &str),
    token: &str,
    is_organiser: bool,
) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO participants (name, called, token, is_organiser)
         VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET token = ?3",
        params![name, called, token::digest_of(token), is_organiser],
    )?;
    for table in ["sessions", "submit_tokens"] {
        let sql = format!(
            "DELETE FROM {table}
             WHERE participant = (SELECT id FROM participants WHERE name = ?1)"
        );
        transaction.execute(&sql, [name])?;
    }
    audit(transaction, "host", &format!("a token for {name}"))
}

impl State {
    /// Enters everybody with their tokens, or gives them new ones: then the old ones, their repositories'
    /// and all sessions end. All of them are entered, or nobody is.
    pub(crate) fn invite(&mut self, invited: &[NewToken]) -> Result<(), HostError> {
        self.write(|transaction| {
            for NewToken { name, called, token, .. } in invited {
                let shown = if name == called { "" } else { called };
                give_token(transaction, (name, shown), token, false)?;
            }
            Ok(())
        })
    }

    /// Enters the organiser.
    pub(crate) fn enter_organiser(&mut self, name: &str, token: &str) -> Result<(), HostError> {
        self.write(|transaction| give_token(transaction, (name, ""), token, true))
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

    /// Somebody by their name, or by how they are called.
    pub(crate) fn find_participant(&self, name: &str) -> Result<Option<Participant>, HostError> {
        let sql =
            format!("{PARTICIPANT} WHERE name = ?1 OR called = ?1 ORDER BY name <> ?1 LIMIT 1");
        Ok(self.connection.query_row(&sql, [name], participant).optional()?)
    }

    /// Who has this token, unless they are banned.
    pub(crate) fn holder(&self, token: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!("{PARTICIPANT} WHERE token = ?1 AND NOT is_banned");
        let digest = token::digest_of(token);
        Ok(self.connection.query_row(&sql, [digest], participant).optional()?)
    }

    /// Whether this is the token of somebody who is banned.
    pub(crate) fn is_of_banned(&self, token: &str) -> Result<bool, HostError> {
        let sql = "SELECT count(*) FROM participants WHERE is_banned AND (token = ?1 OR id =
                   (SELECT participant FROM submit_tokens WHERE digest = ?1))";
        Ok(self.one(sql, [token::digest_of(token)])? > 0)
    }

    /// Who may hand in programs by this token: their own, or their repository's; unless they are banned.
    pub(crate) fn submitter(&self, token: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE NOT is_banned AND (token = ?1 OR id =
             (SELECT participant FROM submit_tokens WHERE digest = ?1))"
        );
        let digest = token::digest_of(token);
        Ok(self.connection.query_row(&sql, [digest], participant).optional()?)
    }

    /// Makes a token for somebody's repository, in place of one that there was.
    pub(crate) fn make_submit_token(&mut self, who: &Participant) -> Result<String, HostError> {
        let token = token::new_token()?;
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO submit_tokens (participant, digest) VALUES (?1, ?2)",
                params![who.id, token::digest_of(&token)],
            )?;
            audit(transaction, &format!("participant {}", who.id), "a token for a repository")
        })?;
        Ok(token)
    }

    /// Ends the token of somebody's repository, if there is one.
    pub(crate) fn end_submit_token(&mut self, who: &Participant) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "DELETE FROM submit_tokens WHERE participant = ?1";
            let by = format!("participant {}", who.id);
            match transaction.execute(sql, [who.id])? {
                0 => Ok(()),
                _ => audit(transaction, &by, "no token for a repository any more"),
            }
        })
    }

    pub(crate) fn has_submit_token(&self, participant: i64) -> Result<bool, HostError> {
        let sql = "SELECT count(*) FROM submit_tokens WHERE participant = ?1";
        Ok(self.one(sql, [participant])? > 0)
    }

    /// Whose session this is, unless it is over or they are banned.
    pub(crate) fn session_holder(&self, session: &str) -> Result<Option<Participant>, HostError> {
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
    pub(crate) fn ban(
        &mut self,
        by: &str,
        name: &str,
        is_banned: bool,
    ) -> Result<BanResult, HostError> {
        let found = self.find_participant(name)?;
        let Some(who) = found.filter(|who| !who.is_organiser && !who.is_house) else {
            return Ok(BanResult::Nobody);
        };
        self.write(|transaction| {
            let changed = transaction.execute(
                "UPDATE participants SET is_banned = ?2 WHERE id = ?1 AND is_banned <> ?2",
                params![who.id, is_banned],
            )?;
            transaction.execute(
                "DELETE FROM sessions WHERE participant IN
                 (SELECT id FROM participants WHERE is_banned)",
                [],
            )?;
            if changed == 0 {
                return Ok(BanResult::Already);
            }
            let what = if is_banned { "banned" } else { "let in again:" };
            audit(transaction, by, &format!("{what} {}", who.name))?;
            Ok(BanResult::Done)
        })
    }

    pub(crate) fn count_participants(&self) -> Result<u64, HostError> {
        Ok(self.one("SELECT count(*) FROM participants", [])? as u64)
    }
}
