//! Teams: participants without tokens, for which their members act.

use rusqlite::{OptionalExtension, Transaction, params};

use super::people::Member;
use super::{Participant, State, audit, now};
use crate::error::HostError;

impl State {
    /// Returns the team for which somebody acts, or themselves; nobody, if the team is banned.
    pub(super) fn acting(
        &self,
        found: Option<Participant>,
    ) -> Result<Option<Participant>, HostError> {
        let Some(who) = found else { return Ok(None) };
        let Some(team) = who.team else { return Ok(Some(who)) };
        let Participant { id, name, display_name, .. } = who;
        let team = self.participant(team)?.filter(|team| !team.is_banned);
        let member = Some(Member { id, name, display_name });
        Ok(team.map(|team| Participant { member, ..team }))
    }

    /// Returns the members of a team, by name.
    pub(crate) fn members_of(&self, team: i64) -> Result<Vec<Participant>, HostError> {
        let all = self.participants()?.into_iter();
        Ok(all.filter(|who| who.team == Some(team) && who.merged.is_none()).collect())
    }

    /// Enters a team, by its name and the name that pages show; returns its number.
    pub(crate) fn enter_team(
        &mut self,
        by: &str,
        name: &str,
        display_name: &str,
    ) -> Result<i64, HostError> {
        let shown = if name == display_name { "" } else { display_name };
        self.write(|transaction| {
            let sql = "INSERT INTO participants (name, called, is_team) VALUES (?1, ?2, TRUE)
                       RETURNING id";
            let team = transaction.query_row(sql, [name, shown], |row| row.get(0))?;
            audit(transaction, by, &format!("made the team {display_name}"))?;
            Ok(team)
        })
    }

    /// Makes a version that has passed for a member their team's, with its check; returns its
    /// number there, or none if the member has no such version. Files that the team has already
    /// are the version that it has.
    pub(crate) fn adopt(
        &mut self,
        team: i64,
        member: i64,
        number: i64,
    ) -> Result<Option<i64>, HostError> {
        self.write(|transaction| {
            let sql = "SELECT id, digest FROM versions
                       WHERE participant = ?1 AND number = ?2 AND stage = 'passed'";
            let own: Option<(i64, String)> = transaction
                .query_row(sql, [member, number], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((own, digest)) = own else { return Ok(None) };
            let sql = "SELECT number FROM versions WHERE participant = ?1 AND digest = ?2";
            let known: Option<i64> =
                transaction.query_row(sql, params![team, digest], |row| row.get(0)).optional()?;
            if known.is_some() {
                // What was deleted there is still here.
                transaction.execute(
                    "UPDATE versions SET (stage, built) =
                     (SELECT stage, built FROM versions WHERE id = ?3)
                     WHERE participant = ?1 AND number = ?2 AND stage IN ('failed', 'removed')",
                    params![team, known, own],
                )?;
                return Ok(known);
            }
            let sql = "INSERT INTO versions
                       (participant, number, digest, built, stage, log, at, submitter)
                       SELECT ?1, 1 + (SELECT count(*) FROM versions WHERE participant = ?1),
                              digest, built, stage, log, ?3, participant
                       FROM versions WHERE id = ?2 RETURNING number";
            transaction.query_row(sql, [team, own, now()], |row| row.get(0)).map(Some)
        })
    }

    /// Puts participants into a team, or without one takes them out of theirs. What members have
    /// on the ladder themselves leaves it. Returns how many that changed.
    pub(crate) fn set_team(
        &mut self,
        by: &str,
        members: &[i64],
        team: Option<i64>,
    ) -> Result<usize, HostError> {
        self.write(|transaction| {
            let mut changed = 0;
            for member in members {
                changed += set_team_of(transaction, by, *member, team)?;
            }
            Ok(changed)
        })
    }
}

fn set_team_of(
    transaction: &Transaction<'_>,
    by: &str,
    member: i64,
    team: Option<i64>,
) -> rusqlite::Result<usize> {
    let sql = "SELECT v.number FROM participants AS p JOIN versions AS v ON v.id = p.active
               WHERE p.id = ?1 AND ?2 IS NOT NULL";
    let own: Option<i64> =
        transaction.query_row(sql, params![member, team], |row| row.get(0)).optional()?;
    let sql = "UPDATE participants SET team = ?2, active = CASE WHEN ?2 IS NULL THEN active END
               WHERE id = ?1 AND team IS NOT ?2 AND NOT is_team AND NOT is_organiser
               AND NOT is_house AND merged IS NULL";
    let changed = transaction.execute(sql, params![member, team])?;
    if changed > 0 {
        // What they made for the team that they leave; their own repository's leads where they do.
        let sql = "DELETE FROM submit_tokens WHERE maker = ?1 AND participant <> ?1";
        transaction.execute(sql, [member])?;
        let name = |id: i64| {
            let sql = "SELECT coalesce(nullif(called, ''), name) FROM participants WHERE id = ?1";
            transaction.query_row(sql, [id], |row| row.get::<_, String>(0)).optional()
        };
        let who = name(member)?.unwrap_or_default();
        let left = own.map_or(String::new(), |number| {
            format!("; their own version {number} leaves the ladder")
        });
        let what = match team {
            Some(team) => {
                format!("put {who} into the team {}{left}", name(team)?.unwrap_or_default())
            }
            None => format!("took {who} out of their team"),
        };
        audit(transaction, by, &what)?;
    }
    Ok(changed)
}
