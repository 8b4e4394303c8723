//! Who takes part: participants with their tokens and their repositories' tokens, their sessions,
//! and the house players.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{State, audit, now};
use crate::class_list::CourseEntry;
use crate::error::HostError;
use crate::token::{self, NewToken};

/// How long a session lasts, in seconds.
const SESSION: i64 = 14 * 24 * 3600;
/// Maximum number of sessions of one participant; one more ends the oldest.
const SESSIONS: i64 = 8;

/// A participant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Participant {
    pub(crate) id: i64,
    /// The plain name in records: letters, digits, `-` and `_`.
    pub(crate) name: String,
    /// The display name.
    pub(crate) display_name: String,
    pub(crate) is_organiser: bool,
    /// Whether this is a house player, from the game's own roster.
    pub(crate) is_house: bool,
    pub(crate) is_banned: bool,
    /// The version on the ladder.
    pub(crate) active: Option<i64>,
    /// What the course knows of them.
    pub(crate) course: CourseEntry,
    /// Into whom they were merged.
    pub(crate) merged: Option<i64>,
    /// Whether it is a team, for which its members play.
    pub(crate) is_team: bool,
    /// The team for which they play.
    pub(crate) team: Option<i64>,
    /// For a team: the member who acts for it.
    pub(crate) member: Option<Member>,
    /// Until when they may submit after the deadline, in seconds since 1970.
    pub(crate) extended: Option<i64>,
}

/// The member of a team who acts for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) display_name: String,
}

impl Participant {
    /// Returns whether it is a hidden copy of somebody's program.
    pub(crate) fn is_copy(&self) -> bool {
        self.name.starts_with(COPY)
    }

    /// Returns whether they are a person who is graded: no house player, no team, nor the
    /// organiser, nor merged into somebody else.
    pub(crate) fn is_graded(&self) -> bool {
        !self.is_house && !self.is_organiser && !self.is_team && self.merged.is_none()
    }

    /// Returns the participant who plays for them: their team, or themselves.
    pub(crate) fn plays_as(&self) -> i64 {
        self.team.unwrap_or(self.id)
    }

    /// Returns the person: of a team, the member who acts for it.
    pub(crate) fn person(&self) -> i64 {
        self.member.as_ref().map_or(self.id, |member| member.id)
    }

    /// Returns the person's name on pages.
    pub(crate) fn person_name(&self) -> &str {
        self.member.as_ref().map_or(&self.display_name, |member| &member.display_name)
    }

    /// Returns how the audit refers to the person.
    pub(crate) fn actor(&self) -> String {
        format!("participant {}", self.person())
    }

    /// Returns their role in the contest.
    pub(crate) fn role(&self) -> &'static str {
        match () {
            () if self.is_organiser => "organiser",
            () if self.is_banned => "banned",
            () if self.merged.is_some() => "merged",
            () if self.team.is_some() => "in a team",
            () if self.active.is_some() => "on the ladder",
            () => NO_PROGRAM,
        }
    }
}

/// The role of a participant without a program on the ladder.
pub(crate) const NO_PROGRAM: &str = "no program yet";

/// The result of a ban.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BanResult {
    /// The ban was set or lifted.
    Done,
    /// Nothing had to be changed.
    Already,
    /// There is nobody of this name who can be banned.
    Nobody,
}

/// Who is banned, from the point of view of somebody who wants to take part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Banned {
    /// They themselves.
    Person,
    /// Their team, by the name that pages show.
    Team(String),
}

/// A hidden copy of a version that begins to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NewCopy {
    /// The version.
    pub(crate) of: i64,
    /// The digests of its files, and of what was built from them.
    pub(crate) digest: String,
    pub(crate) built: String,
}

/// How the names of hidden copies begin, and those of nobody who is invited.
const COPY: &str = "_copy-";

/// Somebody may have the name of those who are merged into them.
const STAYING_FIRST: &str = "ORDER BY merged IS NOT NULL, name <> ?1";

const PARTICIPANT: &str = "SELECT id, name, is_organiser, is_house, is_banned, active,
                           coalesce(nullif(called, ''), name), course, merged, is_team, team,
                           extended
                           FROM participants";

fn participant(row: &Row<'_>) -> rusqlite::Result<Participant> {
    Ok(Participant {
        id: row.get(0)?,
        name: row.get(1)?,
        is_organiser: row.get(2)?,
        is_house: row.get(3)?,
        is_banned: row.get(4)?,
        active: row.get(5)?,
        display_name: row.get(6)?,
        course: serde_json::from_str(&row.get::<_, String>(7)?).unwrap_or_default(),
        merged: row.get(8)?,
        is_team: row.get(9)?,
        team: row.get(10)?,
        member: None,
        extended: row.get(11)?,
    })
}

/// Enters a participant with a token, or replaces their token.
fn give_token(
    transaction: &Transaction<'_>,
    (name, display_name): (&str, &str),
    token: &str,
    is_organiser: bool,
) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO participants (name, called, token, is_organiser)
         VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET token = ?3",
        params![name, display_name, token::digest_of(token), is_organiser],
    )?;
    let who =
        transaction
            .query_row("SELECT id FROM participants WHERE name = ?1", [name], |row| row.get(0))?;
    transaction.execute("DELETE FROM sessions WHERE participant = ?1", [who])?;
    end_submit_tokens(transaction, who)?;
    audit(transaction, "host", &format!("a token for {name}"))
}

/// Revokes the tokens of a participant's repository, and of others that they made.
fn end_submit_tokens(transaction: &Transaction<'_>, who: i64) -> rusqlite::Result<usize> {
    transaction.execute("DELETE FROM submit_tokens WHERE ?1 IN (participant, maker)", [who])
}

fn set_course(
    transaction: &Transaction<'_>,
    name: &str,
    course: &CourseEntry,
) -> rusqlite::Result<()> {
    let text = serde_json::to_string(course).unwrap_or_default();
    let sql = "UPDATE participants SET course = ?2 WHERE name = ?1";
    transaction.execute(sql, [name, &text]).map(|_| ())
}

impl State {
    /// Enters participants with their tokens, or gives them new ones, which ends the old ones,
    /// their repositories' tokens and all their sessions. Either all of them are entered, or nobody
    /// is.
    pub(crate) fn invite(&mut self, invited: &[NewToken]) -> Result<(), HostError> {
        self.write(|transaction| {
            for NewToken { name, display_name, token, course, .. } in invited {
                let shown = if name == display_name { "" } else { display_name };
                give_token(transaction, (name, shown), token, false)?;
                if !course.is_empty() {
                    set_course(transaction, name, course)?;
                }
            }
            Ok(())
        })
    }

    /// Notes what the course knows of participants, by their names.
    pub(crate) fn set_courses(
        &mut self,
        of_names: &[(String, CourseEntry)],
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            of_names.iter().try_for_each(|(name, course)| set_course(transaction, name, course))
        })
    }

    /// Changes a participant's display name; the plain name, which records have, stays.
    pub(crate) fn rename(
        &mut self,
        by: &str,
        who: &Participant,
        display_name: &str,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql =
                "UPDATE participants SET called = coalesce(nullif(?2, name), '') WHERE id = ?1";
            transaction.execute(sql, params![who.id, display_name])?;
            audit(transaction, by, &format!("{} is called {display_name} now", who.name))
        })
    }

    /// Lets a participant submit until a moment, in seconds since 1970, or without one no longer
    /// than the others.
    pub(crate) fn extend(
        &mut self,
        by: &str,
        who: &Participant,
        until: Option<i64>,
        what: &str,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "UPDATE participants SET extended = ?2 WHERE id = ?1";
            transaction.execute(sql, params![who.id, until])?;
            audit(transaction, by, what)
        })
    }

    /// Removes a participant who has submitted nothing; returns whether that was so.
    pub(crate) fn remove(&mut self, by: &str, who: &Participant) -> Result<bool, HostError> {
        self.write(|transaction| {
            let sql = "SELECT count(*) FROM versions WHERE ?1 IN (participant, submitter)";
            let versions: i64 = transaction.query_row(sql, [who.id], |row| row.get(0))?;
            if versions > 0 || who.is_organiser {
                return Ok(false);
            }
            for table in ["sessions", "messages"] {
                let sql = format!("DELETE FROM {table} WHERE participant = ?1");
                transaction.execute(&sql, [who.id])?;
            }
            end_submit_tokens(transaction, who.id)?;
            for link in ["merged", "team"] {
                let sql = format!("UPDATE participants SET {link} = NULL WHERE {link} = ?1");
                transaction.execute(&sql, [who.id])?;
            }
            transaction.execute("DELETE FROM participants WHERE id = ?1", [who.id])?;
            audit(transaction, by, &format!("removed {}", who.name))?;
            Ok(true)
        })
    }

    /// Merges a participant into another one, who then also has their token, and what the course
    /// knows of them if nothing is known yet. What they submitted leaves the ladder.
    pub(crate) fn merge(
        &mut self,
        by: &str,
        who: &Participant,
        into: &Participant,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE participants SET merged = ?2, active = NULL, team = NULL
                 WHERE id = ?1 OR merged = ?1",
                [who.id, into.id],
            )?;
            let sql = "UPDATE participants SET team = ?2 WHERE team = ?1";
            transaction.execute(sql, [who.id, into.id])?;
            transaction.execute("DELETE FROM sessions WHERE participant = ?1", [who.id])?;
            if into.course.is_empty() && !who.course.is_empty() {
                set_course(transaction, &into.name, &who.course)?;
            }
            audit(transaction, by, &format!("merged {} into {}", who.name, into.name))
        })
    }

    /// Takes a merge back: the token is their own again. Sessions end that it may have begun as
    /// the other one, and tokens of repositories that it may have made, also for the other one's
    /// team; and the other one no longer has what only the merge said of them.
    pub(crate) fn undo_merge(
        &mut self,
        by: &str,
        who: &Participant,
        from: &Participant,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            transaction.execute("UPDATE participants SET merged = NULL WHERE id = ?1", [who.id])?;
            transaction.execute("DELETE FROM sessions WHERE participant = ?1", [from.id])?;
            end_submit_tokens(transaction, from.id)?;
            if from.course == who.course {
                set_course(transaction, &from.name, &CourseEntry::default())?;
            }
            let what = format!("{} is no longer merged into {}", who.name, from.name);
            audit(transaction, by, &what)
        })
    }

    /// Enters the organiser.
    pub(crate) fn enter_organiser(&mut self, name: &str, token: &str) -> Result<(), HostError> {
        self.write(|transaction| give_token(transaction, (name, ""), token, true))
    }

    /// Puts exactly these players of the game on the ladder as house players.
    pub(crate) fn set_house(&mut self, players: &[String]) -> Result<(), HostError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE participants SET active = NULL WHERE is_house
                 AND id NOT IN (SELECT participant FROM versions WHERE copy_of IS NOT NULL)",
                [],
            )?;
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

    /// Ends hidden copies, by their participants, and begins others.
    pub(crate) fn change_copies(
        &mut self,
        ending: &[i64],
        beginning: &[NewCopy],
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            for participant in ending {
                let sql = "UPDATE participants SET active = NULL WHERE id = ?1";
                transaction.execute(sql, [participant])?;
            }
            for NewCopy { of, digest, built } in beginning {
                // Each one is a player of its own, whose matches are its own.
                let who: i64 = transaction.query_row(
                    "INSERT INTO participants (name, called, is_house)
                     SELECT ?1 || (1 + count(*)), 'a hidden copy', TRUE
                     FROM versions WHERE copy_of IS NOT NULL RETURNING id",
                    [COPY],
                    |row| row.get(0),
                )?;
                transaction.execute(
                    "INSERT INTO versions (participant, number, digest, built, stage, at, copy_of)
                     VALUES (?1, 1, ?2, ?3, 'passed', ?4, ?5)",
                    params![who, digest, built, now(), of],
                )?;
                transaction.execute(
                    "UPDATE participants SET active = (SELECT id FROM versions
                                                       WHERE participant = ?1) WHERE id = ?1",
                    [who],
                )?;
            }
            Ok(())
        })
    }

    pub(crate) fn participants(&self) -> Result<Vec<Participant>, HostError> {
        self.all(&format!("{PARTICIPANT} ORDER BY name"), [], participant)
    }

    /// Returns a participant by number.
    pub(crate) fn participant(&self, id: i64) -> Result<Option<Participant>, HostError> {
        let sql = format!("{PARTICIPANT} WHERE id = ?1");
        Ok(self.connection.query_row(&sql, [id], participant).optional()?)
    }

    /// Finds a participant by name or by display name.
    pub(crate) fn find_participant(&self, name: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!("{PARTICIPANT} WHERE name = ?1 OR called = ?1 {STAYING_FIRST} LIMIT 1");
        Ok(self.connection.query_row(&sql, [name], participant).optional()?)
    }

    /// Returns the participant who signs in elsewhere as this: by login name, e-mail address or
    /// number, or else by name, if a class list says nothing of them. The organiser and anything
    /// that fits two people are left out.
    pub(crate) fn find_by_login(&self, login: &str) -> Result<Option<Participant>, HostError> {
        let mut all = self.participants()?;
        all.retain(Participant::is_graded);
        let is_it = |who: &Participant| {
            let course = &who.course;
            let known = [&course.login, &course.mail, &course.number];
            let is_named = course.is_empty() && who.name.eq_ignore_ascii_case(login);
            is_named || known.iter().any(|known| known.eq_ignore_ascii_case(login))
        };
        let mut found = all.into_iter().filter(is_it);
        let first = found.next();
        Ok(first.filter(|_| found.next().is_none()))
    }

    /// Returns the holder of this token, unless they or their team are banned.
    pub(crate) fn holder(&self, token: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE NOT is_banned AND id =
             (SELECT coalesce(merged, id) FROM participants WHERE token = ?1)"
        );
        let digest = token::digest_of(token);
        let found = self.connection.query_row(&sql, [digest], participant).optional()?;
        Ok(match self.acting(found.clone())? {
            Some(_) => found,
            None => None,
        })
    }

    /// Returns who is banned, if this token, their own or one that they made for a repository, is
    /// that of a banned participant or of a member of a banned team.
    pub(crate) fn banned_with_token(&self, token: &str) -> Result<Option<Banned>, HostError> {
        self.ban_of(self.owner(token)?)
    }

    /// Returns whose token this is: their own, or one that they made for a repository and that is
    /// still good for where it leads. A token for a team is worth no more than the member is.
    fn owner(&self, token: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE id =
             (SELECT coalesce(merged, id) FROM participants WHERE token = ?1
              UNION ALL
              SELECT coalesce(maker.merged, maker.id) FROM submit_tokens AS t
              JOIN participants AS maker ON maker.id = t.maker
              JOIN participants AS target ON target.id = t.participant
              LEFT JOIN participants AS person ON person.id = maker.merged
              WHERE t.digest = ?1 AND coalesce(target.merged, target.id) IN
                    (coalesce(maker.merged, maker.id),
                     CASE WHEN maker.merged IS NULL THEN maker.team ELSE person.team END))"
        );
        let digest = token::digest_of(token);
        Ok(self.connection.query_row(&sql, [digest], participant).optional()?)
    }

    /// Returns who is banned, if this session is that of a banned participant or of a member of a
    /// banned team.
    pub(crate) fn banned_in_session(&self, session: &str) -> Result<Option<Banned>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE id =
             (SELECT participant FROM sessions WHERE digest = ?1 AND until > ?2)"
        );
        let values = params![token::digest_of(session), now()];
        self.ban_of(self.connection.query_row(&sql, values, participant).optional()?)
    }

    /// Returns who is banned, if somebody or their team is.
    pub(crate) fn ban_of(&self, found: Option<Participant>) -> Result<Option<Banned>, HostError> {
        let Some(who) = found else { return Ok(None) };
        if who.is_banned && !who.is_team {
            return Ok(Some(Banned::Person));
        }
        let team = match who.team {
            Some(team) => self.participant(team)?,
            None => Some(who),
        };
        Ok(team.filter(|team| team.is_banned).map(|team| Banned::Team(team.display_name)))
    }

    /// Returns who may submit programs with this token, their own or one that they made for a
    /// repository, unless they or their team are banned.
    pub(crate) fn submitter(&self, token: &str) -> Result<Option<Participant>, HostError> {
        self.acting(self.owner(token)?.filter(|who| !who.is_banned))
    }

    /// Makes a token for a participant's repository, replacing any earlier one. Of a team it is
    /// the member's who acts for it.
    pub(crate) fn make_submit_token(&mut self, who: &Participant) -> Result<String, HostError> {
        let token = token::new_token()?;
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO submit_tokens (participant, digest, maker)
                 VALUES (?1, ?2, ?3)",
                params![who.id, token::digest_of(&token), who.person()],
            )?;
            audit(transaction, &who.actor(), "a token for a repository")
        })?;
        Ok(token)
    }

    /// Revokes the token of a participant's repository, if there is one.
    pub(crate) fn end_submit_token(&mut self, who: &Participant) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "DELETE FROM submit_tokens WHERE participant = ?1";
            let by = who.actor();
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

    /// Returns the holder of this session, or the team for which they act, unless it has expired or
    /// they or their team are banned.
    pub(crate) fn session_holder(&self, session: &str) -> Result<Option<Participant>, HostError> {
        let sql = format!(
            "{PARTICIPANT} WHERE NOT is_banned AND id =
             (SELECT participant FROM sessions WHERE digest = ?1 AND until > ?2)"
        );
        let values = params![token::digest_of(session), now()];
        self.acting(self.connection.query_row(&sql, values, participant).optional()?)
    }

    /// Begins a session; returns the value of its cookie.
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

    /// Bans a participant, or lifts the ban. Nothing of theirs is deleted.
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
