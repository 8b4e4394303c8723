//! Which matches were chosen, how they ended, and what programs wrote in them.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use super::spent::{CHALLENGE, spend};
use super::{State, audit, cut, join, now};
use crate::error::HostError;

/// Maximum size in bytes of the stored output of a program in a match.
const MAX_OUTPUT: usize = 32 << 10;
/// Number of a version's latest matches for which output is stored.
const OUTPUTS_KEPT: i64 = 100;

/// The purpose of a match.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Kind {
    /// It counts for the ladder.
    #[default]
    Ladder,
    /// A challenge, which a participant wants to see; it counts for nothing.
    Challenge,
    /// It is part of the final's schedule.
    Final,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Ladder => "ladder",
            Kind::Challenge => "challenge",
            Kind::Final => "final",
        }
    }

    fn of(word: &str) -> Kind {
        let all = [Kind::Ladder, Kind::Final];
        all.into_iter().find(|kind| kind.word() == word).unwrap_or(Kind::Challenge)
    }
}

/// A match that was chosen; it has been played if it has scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pairing {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    /// Its slot in the schedule, if it is a match of the final.
    pub(crate) slot: Option<usize>,
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    /// The version at each seat.
    pub(crate) seats: Vec<i64>,
    /// Who wants to see it, if it is a challenge.
    pub(crate) challenger: Option<i64>,
    /// The ladder for which it counts.
    pub(crate) ladder: Option<i64>,
    /// The sequence that has its seed, if everybody plays this seed alone.
    pub(crate) sequence: Option<i64>,
}

impl Pairing {
    /// Returns each version in it once.
    pub(crate) fn versions(&self) -> Vec<i64> {
        let mut seated = self.seats.clone();
        seated.sort_unstable();
        seated.dedup();
        seated
    }
}

/// The result of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlayedMatch {
    pub(crate) pairing: Pairing,
    /// The id of its record in the store.
    pub(crate) record: String,
    pub(crate) scores: Vec<f64>,
    /// The seat that was taken out, and why.
    pub(crate) fault: Option<(usize, String)>,
    /// Whether its record is kept.
    pub(crate) is_kept: bool,
    /// Whether its seed and its record are secret, until its sequence is retired.
    pub(crate) is_hidden: bool,
    /// Why it does not count, if it was struck out.
    pub(crate) struck: Option<String>,
    /// For how many seconds it took a thread; 0 if that is not known.
    pub(crate) seconds: f64,
}

impl PlayedMatch {
    /// Returns whether it counts for the final, or for a ladder.
    pub(crate) fn counts_for(&self, kind: Kind, ladder: Option<i64>) -> bool {
        let is_of_ladder = kind != Kind::Ladder || self.pairing.ladder == ladder;
        self.pairing.kind == kind && is_of_ladder && self.struck.is_none()
    }

    /// Returns the seat that was taken out, if one was.
    pub(crate) fn fault_seat(&self) -> Option<usize> {
        self.fault.as_ref().map(|(seat, _)| *seat)
    }

    /// Returns whether everybody may see its record.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_kept && !self.is_hidden
    }
}

/// A final that was undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoneFinal {
    /// When, in seconds since 1970.
    pub(crate) at: i64,
    /// After how many of how many matches.
    pub(crate) played: i64,
    pub(crate) planned: i64,
    /// The digest of its secret, if that is known.
    pub(crate) digest: Option<String>,
}

const MATCH: &str = "SELECT id, scenario, seed, seats, kind, slot, record, scores, fault_seat, \
                     fault, kept, challenger, ladder, sequence, hidden, struck, seconds \
                     FROM matches";

fn pairing(row: &Row<'_>) -> rusqlite::Result<Pairing> {
    let seats: String = row.get(3)?;
    let seats = seats.split(' ').filter_map(|seat| seat.parse().ok()).collect();
    Ok(Pairing {
        id: row.get(0)?,
        kind: Kind::of(&row.get::<_, String>(4)?),
        slot: row.get::<_, Option<i64>>(5)?.map(|slot| slot as usize),
        scenario: row.get(1)?,
        seed: row.get::<_, i64>(2)?.cast_unsigned(),
        seats,
        challenger: row.get(11)?,
        ladder: row.get(12)?,
        sequence: row.get(13)?,
    })
}

fn read_played(row: &Row<'_>) -> rusqlite::Result<PlayedMatch> {
    let scores: String = row.get(7)?;
    let seat: Option<i64> = row.get(8)?;
    let mut fault: Option<String> = row.get(9)?;
    let is_hidden: bool = row.get(14)?;
    if let Some(fault) = fault.as_mut().filter(|_| is_hidden) {
        // A program can put what it sees into the details, such as an action that is refused.
        fault.truncate(fault.find(':').unwrap_or(fault.len()));
    }
    Ok(PlayedMatch {
        pairing: pairing(row)?,
        record: row.get(6)?,
        scores: scores.split(' ').filter_map(|score| score.parse().ok()).collect(),
        fault: seat.zip(fault).map(|(seat, fault)| (seat as usize, fault)),
        is_kept: row.get::<_, i64>(10)? == 1,
        is_hidden,
        struck: row.get(15)?,
        seconds: row.get::<_, Option<f64>>(16)?.unwrap_or_default(),
    })
}

fn insert(transaction: &Transaction<'_>, pairing: &Pairing) -> rusqlite::Result<i64> {
    let id: i64 = transaction.query_row(
        "INSERT INTO matches (kind, scenario, seed, seats, slot, challenger, is_begun, ladder,
                              sequence, hidden)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6 IS NULL, ?7, ?8, ?8 IS NOT NULL) RETURNING id",
        params![
            pairing.kind.word(),
            pairing.scenario,
            pairing.seed.cast_signed(),
            join(&pairing.seats),
            pairing.slot.map(|slot| slot as i64),
            pairing.challenger,
            pairing.ladder,
            pairing.sequence,
        ],
        |row| row.get(0),
    )?;
    for version in &pairing.seats {
        transaction.execute("INSERT OR IGNORE INTO seats VALUES (?1, ?2)", [version, &id])?;
    }
    Ok(id)
}

impl State {
    /// Recovers what was under way when the host ended. Checks start again, and the matches are
    /// returned: they are played again, unless their records turn out to be in the store.
    pub(crate) fn recover(&mut self) -> Result<Vec<Pairing>, HostError> {
        self.write(|transaction| {
            let sql = "UPDATE versions SET stage = 'waiting' WHERE stage = 'checking'";
            transaction.execute(sql, []).map(|_| ())
        })?;
        let sql = format!("{MATCH} WHERE record IS NULL AND is_begun ORDER BY id");
        self.all(&sql, [], pairing)
    }

    /// Enters a match that is to be played, and gives it its number. After a power failure before
    /// its result is entered, the match is no longer known and is chosen again.
    pub(crate) fn plan(&mut self, pairing: Pairing) -> Result<Pairing, HostError> {
        let id = self.write_soon(|transaction| insert(transaction, &pairing))?;
        Ok(Pairing { id, ..pairing })
    }

    /// Enters a match and returns it with its number, if there is this setting.
    pub(crate) fn plan_while(
        &mut self,
        setting: &str,
        pairing: Pairing,
    ) -> Result<Option<Pairing>, HostError> {
        let id = self.write_soon(|transaction| {
            let sql = "SELECT EXISTS (SELECT 1 FROM settings WHERE key = ?1)";
            let is_there: bool = transaction.query_row(sql, [setting], |row| row.get(0))?;
            is_there.then(|| insert(transaction, &pairing)).transpose()
        })?;
        Ok(id.map(|id| Pairing { id, ..pairing }))
    }

    /// Returns whether a match of these versions at these seats on this seed is played or under
    /// way: another one would have the same record.
    pub(crate) fn is_planned(
        &self,
        scenario: &str,
        seed: u64,
        seats: &[i64],
    ) -> Result<bool, HostError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM matches
                   WHERE seed = ?1 AND scenario = ?2 AND seats = ?3)";
        Ok(self.one(sql, params![seed.cast_signed(), scenario, join(seats)])? > 0)
    }

    /// Enters a challenge, if the limits allow one more.
    pub(crate) fn challenge(
        &mut self,
        challenger: i64,
        pairing: &Pairing,
        most: ChallengeLimits,
    ) -> Result<bool, HostError> {
        self.write(|transaction| {
            let count = |sql: &str, values: &[i64]| {
                transaction
                    .query_row(sql, rusqlite::params_from_iter(values), |row| row.get::<_, i64>(0))
            };
            let own = "SELECT count(*) FROM matches WHERE challenger = ?1";
            let waiting = format!("{own} AND record IS NULL");
            let lately = format!("{own} AND challenged_at >= ?2");
            let all = "SELECT count(*) FROM matches WHERE record IS NULL AND NOT is_begun";
            if count(&waiting, &[challenger])? >= most.waiting
                || count(&lately, &[challenger, now() - 3600])? >= most.hourly
                || count(all, &[])? >= most.all
            {
                return Ok(false);
            }
            let id = insert(transaction, pairing)?;
            let sql = "UPDATE matches SET challenged_at = ?2 WHERE id = ?1";
            transaction.execute(sql, [id, now()])?;
            Ok(true)
        })
    }

    /// Begins the challenge that has waited longest, among those of participants who may have one
    /// played now.
    pub(crate) fn next_challenge(
        &mut self,
        may_play: impl Fn(i64) -> bool,
    ) -> Result<Option<Pairing>, HostError> {
        let sql = format!("{MATCH} WHERE record IS NULL AND NOT is_begun ORDER BY id");
        // Usually there is none, and looking needs no lock.
        let waiting = self.all(&sql, [], pairing)?;
        let next = waiting.into_iter().find(|waiting| waiting.challenger.is_none_or(&may_play));
        if let Some(next) = &next {
            self.write(|transaction| {
                let sql = "UPDATE matches SET is_begun = TRUE WHERE id = ?1";
                transaction.execute(sql, [next.id])
            })?;
        }
        Ok(next)
    }

    /// Returns how many of a participant's challenges wait to be played.
    pub(crate) fn challenges_waiting(&self, challenger: i64) -> Result<u64, HostError> {
        let sql = "SELECT count(*) FROM matches WHERE challenger = ?1 AND record IS NULL";
        Ok(self.one(sql, [challenger])? as u64)
    }

    /// Returns the slots of the final's schedule that are played or under way.
    pub(crate) fn slots(&self) -> Result<Vec<usize>, HostError> {
        let sql = "SELECT slot FROM matches WHERE slot IS NOT NULL ORDER BY slot";
        self.all(sql, [], |row| Ok(row.get::<_, i64>(0)? as usize))
    }

    /// Counts matches of all kinds: played, under way and waiting challenges.
    pub(crate) fn count_matches(&self) -> Result<MatchCounts, HostError> {
        let one = |which: &str| {
            let sql = format!("SELECT count(*) FROM matches WHERE record IS NULL AND {which}");
            self.one(&sql, []).map(i64::unsigned_abs)
        };
        let sql = "SELECT kind, count(*) FROM matches WHERE record IS NOT NULL GROUP BY kind";
        let played = self.all(sql, [], |row| {
            Ok((Kind::of(&row.get::<_, String>(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        let of =
            |kind| played.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count);
        Ok(MatchCounts {
            ladder: of(Kind::Ladder),
            finals: of(Kind::Final),
            challenges: of(Kind::Challenge),
            under_way: one("is_begun")?,
            waiting: one("NOT is_begun")?,
            last_minute: {
                let sql = "SELECT count(*) FROM matches
                           WHERE record IS NOT NULL AND kind <> 'challenge' AND at > ?1";
                self.one(sql, [now() - 60]).map(i64::unsigned_abs)?
            },
        })
    }

    /// Returns the number of matches ever planned.
    pub(crate) fn count_planned(&self) -> Result<u64, HostError> {
        Ok(self.one("SELECT coalesce(max(id), 0) FROM matches", [])? as u64)
    }

    /// Enters the result of a match, with what versions wrote in it; returns whether this entered
    /// it. It counts once, however often it is entered.
    pub(crate) fn finish(
        &mut self,
        played: &PlayedMatch,
        outputs: &[(i64, String)],
    ) -> Result<bool, HostError> {
        let (seat, fault) = match &played.fault {
            Some((seat, fault)) => (Some(*seat as i64), Some(fault)),
            None => (None, None),
        };
        let id = played.pairing.id;
        self.write(|transaction| {
            let changed = transaction.execute(
                "UPDATE matches SET record = ?2, scores = ?3, fault_seat = ?4, fault = ?5, at = ?6,
                 seconds = ?7 WHERE id = ?1 AND record IS NULL",
                params![
                    id,
                    played.record,
                    join(&played.scores),
                    seat,
                    fault,
                    now(),
                    played.seconds
                ],
            )?;
            if let Some(challenger) = played.pairing.challenger.filter(|_| changed == 1) {
                spend(transaction, challenger, CHALLENGE, played.seconds)?;
            }
            for (version, text) in outputs {
                let sql = "INSERT OR IGNORE INTO said VALUES (?1, ?2, ?3)";
                transaction.execute(sql, params![version, id, cut(text, MAX_OUTPUT)])?;
                transaction.execute(
                    "DELETE FROM said WHERE version = ?1 AND match <=
                     (SELECT match FROM said WHERE version = ?1
                      ORDER BY match DESC LIMIT 1 OFFSET ?2)",
                    [version, &OUTPUTS_KEPT],
                )?;
            }
            Ok(changed == 1)
        })
    }

    /// Gives up matches that are not played, all for the same reason. A challenge waits again if
    /// the host was the reason.
    pub(crate) fn give_up(
        &mut self,
        pairings: &[Pairing],
        why: GiveUpReason<'_>,
    ) -> Result<(), HostError> {
        let what = match pairings {
            [] => return Ok(()),
            [one] => format!("match {} is", one.id),
            // Matches of a round that was handed out: a line for each would hide everything else.
            [first, .., last] => {
                format!("{} matches from {} to {} are", pairings.len(), first.id, last.id)
            }
        };
        self.write(|transaction| {
            for pairing in pairings {
                let waits = pairing.kind == Kind::Challenge && why == GiveUpReason::HostEnded;
                let sql = match waits {
                    true => "UPDATE matches SET is_begun = FALSE WHERE id = ?1 AND record IS NULL",
                    false => "DELETE FROM matches WHERE id = ?1 AND record IS NULL",
                };
                let changed = transaction.execute(sql, [pairing.id])?;
                if !waits && changed == 1 {
                    transaction.execute("DELETE FROM seats WHERE match = ?1", [pairing.id])?;
                }
            }
            let why = match why {
                GiveUpReason::HostEnded => "the host ended",
                GiveUpReason::Problem(problem) => problem,
            };
            audit(transaction, "host", &format!("{what} not played: {why}"))
        })
    }

    /// Undoes a final of which fewer than `planned` matches are played: deletes its matches and
    /// settings, notes the `digest` of its secret, and makes the `new` settings. Returns the
    /// records of its matches; none if it is over.
    pub(crate) fn undo_final(
        &mut self,
        by: &str,
        (planned, digest): (u64, &str),
        settings: &[&str],
        new: &[(&str, &str)],
    ) -> Result<Option<Vec<String>>, HostError> {
        self.write(|transaction| {
            let records: Vec<String> = transaction
                .prepare("SELECT record FROM matches WHERE kind = 'final' AND record IS NOT NULL")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let played = records.len() as u64;
            if played >= planned {
                return Ok(None);
            }
            for of_match in ["seats", "said"] {
                let sql = format!(
                    "DELETE FROM {of_match}
                     WHERE match IN (SELECT id FROM matches WHERE kind = 'final')"
                );
                transaction.execute(&sql, [])?;
            }
            transaction.execute("DELETE FROM matches WHERE kind = 'final'", [])?;
            for key in settings {
                transaction.execute("DELETE FROM settings WHERE key = ?1", [key])?;
            }
            for (key, value) in new {
                let sql = "INSERT OR REPLACE INTO settings VALUES (?1, ?2)";
                transaction.execute(sql, [key, value])?;
            }
            let sql = "INSERT INTO undone_finals (at, played, planned, digest)
                       VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![now(), played as i64, planned as i64, digest])?;
            let what = format!(
                "undid the final after {played} of {planned} matches; their seeds are known, so \
                 the next one has another secret"
            );
            audit(transaction, by, &what)?;
            Ok(Some(records))
        })
    }

    /// Returns the finals that were undone, the first first.
    pub(crate) fn undone_finals(&self) -> Result<Vec<UndoneFinal>, HostError> {
        let sql = "SELECT at, played, planned, digest FROM undone_finals ORDER BY rowid";
        self.all(sql, [], |row| {
            Ok(UndoneFinal {
                at: row.get(0)?,
                played: row.get(1)?,
                planned: row.get(2)?,
                digest: row.get(3)?,
            })
        })
    }

    /// Returns when the last match ended, in seconds since 1970.
    pub(crate) fn last_match_at(&self) -> Result<Option<i64>, HostError> {
        let sql = "SELECT at FROM matches WHERE record IS NOT NULL ORDER BY id DESC LIMIT 1";
        let found = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
        Ok(found.optional()?.flatten())
    }

    /// Returns the match of a record, by its whole id.
    pub(crate) fn match_with_record(&self, record: &str) -> Result<Option<PlayedMatch>, HostError> {
        let sql = format!("{MATCH} WHERE record = ?1 ORDER BY id DESC LIMIT 1");
        Ok(self.connection.query_row(&sql, [record], read_played).optional()?)
    }

    /// Returns whether this match is known; those of a final that was undone are not any more.
    pub(crate) fn is_known(&self, id: i64) -> Result<bool, HostError> {
        Ok(self.one("SELECT EXISTS (SELECT 1 FROM matches WHERE id = ?1)", [id])? > 0)
    }

    /// Visits all played matches of a kind in the order in which they were planned, one by one, as
    /// there may be too many for the memory.
    pub(crate) fn for_each_played(
        &self,
        kind: Kind,
        visit: impl FnMut(PlayedMatch),
    ) -> Result<(), HostError> {
        self.visit(&format!("{MATCH} WHERE record IS NOT NULL AND kind = ?1"), [kind.word()], visit)
    }

    /// Visits in the same way the matches that count for a ladder.
    pub(crate) fn for_each_counted(
        &self,
        ladder: i64,
        visit: impl FnMut(PlayedMatch),
    ) -> Result<(), HostError> {
        let which = "record IS NOT NULL AND ladder = ?1 AND struck IS NULL";
        self.visit(&format!("{MATCH} WHERE {which}"), [ladder], visit)
    }

    fn visit(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        mut visit: impl FnMut(PlayedMatch),
    ) -> Result<(), HostError> {
        let mut statement = self.connection.prepare(&format!("{sql} ORDER BY id"))?;
        for played in statement.query_map(values, read_played)? {
            visit(played?);
        }
        Ok(())
    }

    /// Returns some matches of which this holds.
    pub(super) fn some_matches(
        &self,
        which: &str,
        most: u32,
    ) -> Result<Vec<PlayedMatch>, HostError> {
        self.all(&format!("{MATCH} WHERE {which} ORDER BY id LIMIT ?1"), [most], read_played)
    }

    /// Returns the matches of a ladder that are under way.
    pub(crate) fn list_under_way(&self, ladder: i64) -> Result<Vec<Pairing>, HostError> {
        let sql = format!("{MATCH} WHERE record IS NULL AND is_begun AND ladder = ?1 ORDER BY id");
        self.all(&sql, [ladder], pairing)
    }

    /// Returns all of them at once.
    pub(crate) fn list_played(&self, kind: Kind) -> Result<Vec<PlayedMatch>, HostError> {
        let mut all = Vec::new();
        self.for_each_played(kind, |played| all.push(played))?;
        Ok(all)
    }

    /// Returns the matches of a version, the latest first.
    pub(crate) fn matches_of(
        &self,
        version: i64,
        most: u32,
    ) -> Result<Vec<PlayedMatch>, HostError> {
        let sql = format!(
            "{MATCH} WHERE record IS NOT NULL AND id IN (SELECT match FROM seats WHERE version = ?1)
             ORDER BY id DESC LIMIT ?2"
        );
        self.all(&sql, params![version, most], read_played)
    }

    /// Returns a match of a participant by its number.
    pub(crate) fn match_of(
        &self,
        participant: i64,
        id: i64,
    ) -> Result<Option<PlayedMatch>, HostError> {
        let sql = format!(
            "{MATCH} WHERE record IS NOT NULL AND id = ?2 AND EXISTS
             (SELECT 1 FROM seats AS s JOIN versions AS v ON v.id = s.version
              WHERE s.match = matches.id AND v.participant = ?1)"
        );
        Ok(self.connection.query_row(&sql, [participant, id], read_played).optional()?)
    }

    /// Returns the latest matches of a participant's versions, the latest first.
    pub(crate) fn latest_of(
        &self,
        participant: i64,
        most: u32,
    ) -> Result<Vec<PlayedMatch>, HostError> {
        let sql = format!(
            "{MATCH} WHERE record IS NOT NULL AND id IN
             (SELECT s.match FROM versions AS v JOIN seats AS s ON s.version = v.id
              WHERE v.participant = ?1 ORDER BY s.match DESC LIMIT 2 * ?2)
             ORDER BY id DESC LIMIT ?2"
        );
        self.all(&sql, params![participant, most], read_played)
    }

    /// Returns a participant's latest challenges.
    pub(crate) fn latest_challenges(
        &self,
        challenger: i64,
        most: u32,
    ) -> Result<Vec<PlayedMatch>, HostError> {
        let sql = format!(
            "{MATCH} WHERE record IS NOT NULL AND challenger = ?1 ORDER BY id DESC LIMIT ?2"
        );
        self.all(&sql, params![challenger, most], read_played)
    }

    /// Returns what a participant's versions wrote in a match whose record is no secret: the
    /// version's number and its text.
    pub(crate) fn list_outputs(
        &self,
        participant: i64,
        id: i64,
    ) -> Result<Vec<(i64, String)>, HostError> {
        let sql = "SELECT v.number, s.text FROM said AS s JOIN versions AS v ON v.id = s.version
                   WHERE s.match = ?2 AND v.participant = ?1
                   AND NOT (SELECT hidden FROM matches WHERE id = ?2) ORDER BY v.number";
        self.all(sql, [participant, id], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Numbers of matches by status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MatchCounts {
    /// Played for the ladder.
    pub ladder: u64,
    /// Played in the final.
    pub finals: u64,
    /// Played as challenges.
    pub challenges: u64,
    /// Under way.
    pub under_way: u64,
    /// Challenges that have not begun yet.
    pub waiting: u64,
    /// Matches of the ladder and of the final that ended in the last minute.
    pub last_minute: u64,
}

/// Limits on the number of challenges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChallengeLimits {
    /// Of one participant, waiting.
    pub(crate) waiting: i64,
    /// Of one participant within an hour.
    pub(crate) hourly: i64,
    /// Of everybody, waiting.
    pub(crate) all: i64,
}

/// The reason why a chosen match is not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GiveUpReason<'a> {
    /// The host ended in the meantime.
    HostEnded,
    /// A problem, such as a version or a scenario that is gone.
    Problem(&'a str),
}
