//! What was submitted: versions, from the moment when their files are on the disk.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use super::spent::{CHECK, HOUR, Quota, spend};
use super::{Participant, State, audit, cut, now};
use crate::error::HostError;

/// Maximum size of a validation log that is stored.
const MAX_LOG: usize = 64 << 10;

/// A version's stage on its way to the ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(Default))]
pub(crate) enum Stage {
    #[cfg_attr(test, default)]
    Waiting,
    Checking,
    Passed,
    Failed,
    /// Its files are deleted; what it did stays.
    Removed,
}

impl Stage {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting",
            Stage::Checking => "checking",
            Stage::Passed => "passed",
            Stage::Failed => "failed",
            Stage::Removed => "removed",
        }
    }

    fn of(word: &str) -> Stage {
        let all = [Stage::Waiting, Stage::Checking, Stage::Passed, Stage::Removed];
        all.into_iter().find(|stage| stage.word() == word).unwrap_or(Stage::Failed)
    }
}

/// A version of a program that was submitted.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Version {
    pub(crate) id: i64,
    pub(crate) participant: i64,
    /// The author's name.
    pub(crate) name: String,
    /// The author's display name.
    pub(crate) display_name: String,
    /// Its number, counted for each participant from 1.
    pub(crate) number: i64,
    /// The digest of its files.
    pub(crate) digest: String,
    /// The digest of what was built from them; empty if nothing was built.
    pub(crate) built: String,
    pub(crate) stage: Stage,
    /// The result of the validation.
    pub(crate) log: String,
    /// When it was submitted, in seconds since 1970.
    pub(crate) at: i64,
    /// The version of which it is a hidden copy.
    pub(crate) copy_of: Option<i64>,
    /// The member of a team who submitted it, by the name that pages show.
    pub(crate) submitter: Option<String>,
}

impl Version {
    /// Returns the digest of the files that play.
    pub(crate) fn files(&self) -> &str {
        if self.built.is_empty() { &self.digest } else { &self.built }
    }

    /// Returns whether it is a house player, which has no files.
    pub(crate) fn is_house(&self) -> bool {
        self.digest.is_empty()
    }

    /// Returns whether its check is over, and its files are there.
    pub(crate) fn is_checked(&self) -> bool {
        matches!(self.stage, Stage::Passed | Stage::Failed)
    }

    /// Returns its label for people: the author, and which version it is.
    pub(crate) fn label(&self) -> String {
        match self.is_house() || self.copy_of.is_some() {
            true => self.display_name.clone(),
            false => format!("{} v{}", self.display_name, self.number),
        }
    }

    /// Returns its player name without `bot:`. Participants' names have no dot.
    pub(crate) fn player(&self) -> String {
        format!("{}.{}", self.name, self.number)
    }
}

const VERSION: &str =
    "SELECT v.id, v.participant, p.name, v.number, v.digest, v.stage, v.log, v.at,
                              v.built,
                              CASE WHEN v.copy_of IS NULL
                              AND EXISTS (SELECT 1 FROM settings WHERE key = 'hidden')
                              THEN p.name ELSE coalesce(nullif(p.called, ''), p.name) END,
                              v.copy_of,
                              (SELECT coalesce(nullif(m.called, ''), m.name)
                               FROM participants AS m WHERE m.id = v.submitter)
                       FROM versions AS v JOIN participants AS p ON p.id = v.participant";

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
        built: row.get(8)?,
        display_name: row.get(9)?,
        copy_of: row.get(10)?,
        submitter: row.get(11)?,
    })
}

/// A participant's progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) participant: i64,
    /// Number of versions submitted.
    pub(crate) versions: u64,
    /// The number of the version on the ladder.
    pub(crate) active: Option<i64>,
    /// The stage of the latest version.
    pub(crate) latest: Option<Stage>,
}

/// Numbers of versions by stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct VersionCounts {
    /// To be checked, or being checked.
    pub waiting: u64,
    /// On the ladder.
    pub on_ladder: u64,
    /// Passed, while another version by the same author is on the ladder.
    pub passed: u64,
    /// Did not pass.
    pub refused: u64,
}

/// Holds for a version, the first parameter, that neither plays nor will.
const IDLE: &str = "NOT EXISTS (SELECT 1 FROM participants WHERE active = ?1)
                    AND NOT EXISTS (SELECT 1 FROM seats AS s JOIN matches AS m ON m.id = s.match
                                    WHERE s.version = ?1 AND m.record IS NULL)";

/// Limits on how many versions one participant may submit, whatever became of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionLimits {
    pub(crate) per_hour: u64,
    pub(crate) all: u64,
}

/// Returns whether a participant has fewer versions than allowed.
fn has_place(
    connection: &Connection,
    participant: i64,
    most: VersionLimits,
) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM versions WHERE participant = ?1 AND at >= ?2";
    let count =
        |since: i64| connection.query_row(sql, [participant, since], |row| row.get::<_, i64>(0));
    Ok((count(now() - 3600)? as u64) < most.per_hour && (count(0)? as u64) < most.all)
}

/// Takes files that are known: the same version again, which is checked again if its files were
/// deleted; that only once an hour, as it costs a check.
fn take_again(
    transaction: &Transaction<'_>,
    participant: i64,
    number: i64,
) -> rusqlite::Result<Option<i64>> {
    let which = "participant = ?1 AND number = ?2 AND stage = 'removed'";
    let sql = format!("UPDATE versions SET stage = 'waiting', at = ?3 WHERE {which} AND at < ?4");
    transaction.execute(&sql, params![participant, number, now(), now() - 3600])?;
    let sql = format!("SELECT count(*) FROM versions WHERE {which}");
    let is_removed: i64 = transaction.query_row(&sql, [participant, number], |row| row.get(0))?;
    Ok((is_removed == 0).then_some(number))
}

/// The seconds that the checks of a version's author have taken since a moment.
const SPENT: &str = "(SELECT coalesce(sum(seconds), 0) FROM spent AS s
                      WHERE s.participant = v.participant AND s.what = 'check' AND s.at >= ?1)";

impl State {
    /// Returns whether a version neither plays nor will: it is not on the ladder, and no match of
    /// its is under way.
    pub(crate) fn is_idle(&self, version: i64) -> Result<bool, HostError> {
        let sql = format!("SELECT {IDLE}");
        Ok(self.one(&sql, [version])? > 0)
    }

    /// Returns the versions that failed their check and were submitted before this time.
    pub(crate) fn list_failed_before(&self, at: i64) -> Result<Vec<Version>, HostError> {
        let sql = format!("{VERSION} WHERE v.stage = 'failed' AND v.at <= ?1 AND v.digest <> ''");
        self.all(&sql, [at], version)
    }

    /// Marks the files of a version as deleted, if it is idle; returns the digests of files that
    /// no version needs any more.
    pub(crate) fn remove_version(
        &mut self,
        by: &str,
        removed: &Version,
    ) -> Result<Option<Vec<String>>, HostError> {
        self.write(|transaction| {
            let sql = format!(
                "UPDATE versions SET stage = 'removed', built = ''
                 WHERE id = ?1 AND stage IN ('passed', 'failed') AND {IDLE}"
            );
            if transaction.execute(&sql, [removed.id])? == 0 {
                return Ok(None);
            }
            let mut unused = Vec::new();
            for digest in [&removed.digest, &removed.built] {
                let needed: i64 = transaction.query_row(
                    "SELECT count(*) FROM versions
                     WHERE stage <> 'removed' AND (digest = ?1 OR built = ?1)",
                    [digest],
                    |row| row.get(0),
                )?;
                if !digest.is_empty() && needed == 0 {
                    transaction.execute("DELETE FROM builds WHERE files = ?1", [digest])?;
                    unused.push(digest.clone());
                }
            }
            let what = format!("deleted the files of {}", removed.player());
            audit(transaction, by, &what)?;
            Ok(Some(unused))
        })
    }

    /// Returns whether a participant may currently submit one more version.
    pub(crate) fn may_hand_in(
        &self,
        participant: i64,
        most: VersionLimits,
    ) -> Result<bool, HostError> {
        Ok(has_place(&self.connection, participant, most)?)
    }

    /// Enters a version whose files are on the disk; returns its number, or none if there are too
    /// many. Files that the same participant submitted before are the same version again.
    pub(crate) fn hand_in(
        &mut self,
        who: &Participant,
        digest: &str,
        most: VersionLimits,
    ) -> Result<Option<i64>, HostError> {
        let participant = who.id;
        let submitter = who.member.as_ref().map(|member| member.id);
        self.write(|transaction| {
            let known = transaction
                .query_row(
                    "SELECT number FROM versions WHERE participant = ?1 AND digest = ?2",
                    params![participant, digest],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(number) = known {
                return take_again(transaction, participant, number);
            }
            // Counted inside the transaction, so that simultaneous submissions cannot exceed the
            // limit.
            if !has_place(transaction, participant, most)? {
                return Ok(None);
            }
            let number: i64 = transaction.query_row(
                "INSERT INTO versions (participant, number, digest, stage, at, submitter)
                 VALUES (?1, 1 + (SELECT count(*) FROM versions WHERE participant = ?1),
                         ?2, 'waiting', ?3, ?4)
                 RETURNING number",
                params![participant, digest, now(), submitter],
                |row| row.get(0),
            )?;
            let of = who.member.as_ref().map(|_| format!(" of {}", who.display_name));
            let what = format!("submitted version {number}{}", of.unwrap_or_default());
            audit(transaction, &who.actor(), &what)?;
            Ok(Some(number))
        })
    }

    /// Returns the versions of a participant, the latest first.
    pub(crate) fn versions_of(&self, participant: i64) -> Result<Vec<Version>, HostError> {
        let sql = format!("{VERSION} WHERE v.participant = ?1 ORDER BY v.number DESC");
        self.all(&sql, [participant], version)
    }

    pub(crate) fn version(&self, id: i64) -> Result<Option<Version>, HostError> {
        let sql = format!("{VERSION} WHERE v.id = ?1");
        Ok(self.connection.prepare_cached(&sql)?.query_row([id], version).optional()?)
    }

    /// Returns a version by its author's name and its number.
    pub(crate) fn version_called(
        &self,
        name: &str,
        number: i64,
    ) -> Result<Option<Version>, HostError> {
        let sql = format!("{VERSION} WHERE p.name = ?1 AND v.number = ?2");
        let values = params![name, number];
        Ok(self.connection.prepare_cached(&sql)?.query_row(values, version).optional()?)
    }

    /// Returns all versions: each with its author's name and its number.
    pub(crate) fn list_players(&self) -> Result<Vec<(i64, String, i64)>, HostError> {
        let sql = "SELECT v.id, p.name, v.number FROM versions AS v
                   JOIN participants AS p ON p.id = v.participant";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    /// Returns the progress of all participants, ordered by name.
    pub(crate) fn list_progress(&self) -> Result<Vec<Progress>, HostError> {
        let sql = "SELECT p.id, (SELECT count(*) FROM versions WHERE participant = p.id),
                          (SELECT number FROM versions WHERE id = p.active),
                          (SELECT stage FROM versions WHERE participant = p.id
                           ORDER BY number DESC LIMIT 1)
                   FROM participants AS p WHERE NOT p.is_house ORDER BY p.name";
        self.all(sql, [], |row| {
            let latest: Option<String> = row.get(3)?;
            Ok(Progress {
                participant: row.get(0)?,
                versions: row.get::<_, i64>(1)?.unsigned_abs(),
                active: row.get(2)?,
                latest: latest.as_deref().map(Stage::of),
            })
        })
    }

    /// Counts versions by stage, without those of the house and of banned participants.
    pub(crate) fn count_by_stage(&self) -> Result<VersionCounts, HostError> {
        let count = |which: &str| {
            let sql = format!(
                "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant
                 WHERE v.digest <> '' AND v.copy_of IS NULL AND NOT p.is_banned AND {which}"
            );
            self.one(&sql, [])
        };
        Ok(VersionCounts {
            waiting: count("v.stage IN ('waiting', 'checking')")?.unsigned_abs(),
            on_ladder: count("v.id = p.active")?.unsigned_abs(),
            passed: count("v.stage = 'passed' AND v.id IS NOT p.active")?.unsigned_abs(),
            refused: count("v.stage = 'failed'")?.unsigned_abs(),
        })
    }

    /// Returns the numbers of all versions of banned participants.
    pub(crate) fn banned_versions(&self) -> Result<Vec<i64>, HostError> {
        let sql = "SELECT v.id FROM versions AS v JOIN participants AS p ON p.id = v.participant
                   WHERE p.is_banned";
        self.all(sql, [], |row| row.get(0))
    }

    /// Returns the versions on the ladder: the active version of everybody who is not banned. Their
    /// check logs are left out, since this is called for every match.
    pub(crate) fn active(&self) -> Result<Vec<Version>, HostError> {
        Ok(self.playing()?.into_iter().filter(|version| version.copy_of.is_none()).collect())
    }

    /// Returns the versions that play on the ladder: those on it, and hidden copies of some.
    pub(crate) fn playing(&self) -> Result<Vec<Version>, HostError> {
        let listed = VERSION.replace("v.log", "''");
        self.all(&format!("{listed} WHERE v.id = p.active AND NOT p.is_banned"), [], version)
    }

    /// Puts a version that has passed on the ladder, replacing any other; `by` does it, which the
    /// audit calls `what`.
    pub(crate) fn activate(
        &mut self,
        by: &str,
        who: &Participant,
        number: i64,
        what: &str,
    ) -> Result<bool, HostError> {
        self.write(|transaction| {
            let changed = transaction.execute(
                "UPDATE participants SET active = v.id FROM versions AS v
                 WHERE participants.id = ?1 AND v.participant = ?1 AND v.number = ?2
                 AND v.stage = 'passed'",
                params![who.id, number],
            )?;
            if changed == 1 {
                audit(transaction, by, what)?;
            }
            Ok(changed == 1)
        })
    }

    /// Takes a participant's version off the ladder; returns whether there was one.
    pub(crate) fn withdraw(
        &mut self,
        by: &str,
        who: &Participant,
        what: &str,
    ) -> Result<bool, HostError> {
        self.write(|transaction| {
            let sql = "UPDATE participants SET active = NULL WHERE id = ?1 AND active IS NOT NULL";
            let changed = transaction.execute(sql, [who.id])?;
            if changed == 1 {
                audit(transaction, by, what)?;
            }
            Ok(changed == 1)
        })
    }

    /// Takes the next version to be checked: among the participants with the fewest checks under
    /// way, then with the fewest seconds of checks in this hour, the one that has waited longest.
    /// So a participant who submits a lot, or slow programs, does not keep others waiting. The
    /// versions of those who have used up their seconds wait, if there is a quota; what the
    /// organiser has checked again does not.
    pub(crate) fn next_to_check(
        &mut self,
        quota: Option<Quota>,
    ) -> Result<Option<Version>, HostError> {
        let sql = format!(
            "{VERSION} WHERE v.stage = 'waiting' AND NOT p.is_banned
             AND (v.log <> '' OR {SPENT} < ?2)
             ORDER BY (SELECT count(*) FROM versions AS c
                       WHERE c.participant = v.participant AND c.stage = 'checking'),
                      {SPENT}, v.id LIMIT 1"
        );
        // Usually there is none, and looking needs no lock.
        if self.one("SELECT EXISTS (SELECT 1 FROM versions WHERE stage = 'waiting')", [])? == 0 {
            return Ok(None);
        }
        let most = quota.map_or(f64::INFINITY, |quota| quota.0);
        self.write(|transaction| {
            let values = params![now() - HOUR, most];
            let found = transaction.query_row(&sql, values, version).optional()?;
            if let Some(found) = &found {
                let sql = "UPDATE versions SET stage = 'checking' WHERE id = ?1";
                transaction.execute(sql, [found.id])?;
            }
            Ok(found)
        })
    }

    /// Notes the result of a check, and for how many seconds it took a thread. A version that
    /// passed is activated, unless a later one is active already, or it passed before and its
    /// author chose otherwise since, or its author plays for a team or was merged meanwhile.
    pub(crate) fn record_check(
        &mut self,
        version: &Version,
        passed: bool,
        log: &str,
        seconds: f64,
    ) -> Result<(), HostError> {
        let log = cut(log, MAX_LOG);
        let stage = if passed { Stage::Passed } else { Stage::Failed };
        self.write(|transaction| {
            // What the organiser has checked again is not its author's.
            if version.log.is_empty() {
                spend(transaction, version.participant, CHECK, seconds)?;
            }
            transaction.execute(
                "UPDATE versions SET stage = ?2, log = ?3 WHERE id = ?1",
                params![version.id, stage.word(), log],
            )?;
            if passed {
                transaction.execute(
                    "UPDATE participants SET active = ?2
                     WHERE id = ?1 AND coalesce(active, 0) < ?2
                     AND merged IS NULL AND team IS NULL
                     AND NOT (SELECT keeps_active FROM versions WHERE id = ?2)",
                    params![version.participant, version.id],
                )?;
            } else {
                // A version that passed before and no longer does.
                let sql = "UPDATE participants SET active = NULL WHERE active = ?1";
                transaction.execute(sql, [version.id])?;
            }
            Ok(())
        })
    }

    /// Returns the digest of the files that this recipe built before.
    pub(crate) fn find_built(&self, recipe: &str) -> Result<Option<String>, HostError> {
        let sql = "SELECT files FROM builds WHERE recipe = ?1";
        Ok(self.connection.query_row(sql, [recipe], |row| row.get(0)).optional()?)
    }

    /// Notes the result of a build, whose files are on the disk.
    pub(crate) fn record_build(
        &mut self,
        recipe: &str,
        files: &str,
        log: &str,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "INSERT OR REPLACE INTO builds VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![recipe, files, cut(log, MAX_LOG), now()])?;
            Ok(())
        })
    }

    /// Notes which files were built from a version.
    pub(crate) fn set_built(&mut self, version: &Version, files: &str) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "UPDATE versions SET built = ?2 WHERE id = ?1";
            transaction.execute(sql, params![version.id, files]).map(|_| ())
        })
    }

    /// Has all versions of a participant checked again, or only one of them; they are also built
    /// again. Returns how many there are.
    pub(crate) fn rejudge(
        &mut self,
        by: &str,
        name: Option<&str>,
        number: Option<i64>,
    ) -> Result<usize, HostError> {
        let who = match name {
            Some(name) => match self.find_participant(name)? {
                Some(who) => Some(who),
                None => return Ok(0),
            },
            None => None,
        };
        let (id, of) = match &who {
            Some(who) => (Some(who.id), who.name.as_str()),
            None => (None, "everybody"),
        };
        self.write(|transaction| {
            let chosen = "stage IN ('passed', 'failed') AND digest <> ''
                 AND participant = coalesce(?1, participant) AND number = coalesce(?2, number)
                 AND (?1 IS NOT NULL
                      OR participant NOT IN (SELECT id FROM participants WHERE is_banned))";
            let values = params![id, number];
            let sql = format!(
                "DELETE FROM builds WHERE files IN (SELECT built FROM versions WHERE {chosen})"
            );
            transaction.execute(&sql, values)?;
            // A version that failed by the organiser's mistake is activated once it passes, unless
            // its author has left the ladder: has passed versions, and none of them is active.
            let sql = format!(
                "UPDATE versions SET stage = 'waiting', keeps_active = stage = 'passed' OR (
                     EXISTS (SELECT 1 FROM versions AS other
                             WHERE other.participant = versions.participant
                             AND other.stage = 'passed')
                     AND (SELECT active FROM participants WHERE id = participant) IS NULL)
                 WHERE {chosen}"
            );
            let changed = transaction.execute(&sql, values)?;
            if changed > 0 {
                let what = match changed {
                    1 => format!("a version of {of} is checked again"),
                    _ => format!("{changed} versions of {of} are checked again"),
                };
                audit(transaction, by, &what)?;
            }
            Ok(changed)
        })
    }

    /// Counts versions whose check has not ended.
    pub(crate) fn count_unchecked(&self) -> Result<u64, HostError> {
        let sql =
            "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant
                   WHERE v.stage IN ('waiting', 'checking') AND NOT p.is_banned";
        Ok(self.one(sql, [])? as u64)
    }
}
