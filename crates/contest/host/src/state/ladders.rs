//! Ladders with their scenarios, the sequences of seeds that are played on them, and matches that
//! were struck out.

use rusqlite::{OptionalExtension, Row, params};

use super::matches::PlayedMatch;
use super::{State, audit, now};
use crate::error::HostError;
use crate::token;

/// The setting that counts the changes after which a ladder is computed again.
const REVISION: &str = "revision";

/// A sequence of seeds that everybody plays alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sequence {
    pub(crate) id: i64,
    pub(crate) ladder: i64,
    /// The secret behind its seeds.
    pub(crate) secret: String,
    /// When it began and was retired, in seconds since 1970.
    pub(crate) begun: i64,
    pub(crate) retired: Option<i64>,
}

fn sequence(row: &Row<'_>) -> rusqlite::Result<Sequence> {
    Ok(Sequence {
        id: row.get(0)?,
        ladder: row.get(1)?,
        secret: row.get(2)?,
        begun: row.get(3)?,
        retired: row.get(4)?,
    })
}

const SEQUENCE: &str = "SELECT id, ladder, secret, begun, retired FROM sequences";

fn revise(transaction: &rusqlite::Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT INTO settings VALUES (?1, '1')
               ON CONFLICT (key) DO UPDATE SET value = value + 1";
    transaction.execute(sql, [REVISION]).map(|_| ())
}

impl State {
    /// Returns a number that changes whenever matches were struck out or count again.
    pub(crate) fn ladder_revision(&self) -> Result<Option<String>, HostError> {
        self.setting(REVISION)
    }

    /// Returns the ladder on these scenarios, which begins on first use.
    pub(crate) fn ladder_on(&mut self, scenarios: &[String]) -> Result<i64, HostError> {
        let mut sorted = scenarios.to_vec();
        sorted.sort();
        let key = sorted.join("\n");
        let sql = "SELECT id, scenarios = ?1 FROM ladders
                   WHERE scenarios IN (?1, '') AND ended IS NULL ORDER BY id DESC LIMIT 1";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let known: Option<(i64, bool)> =
            self.connection.prepare_cached(sql)?.query_row([&key], read).optional()?;
        // Usually it is there already, and looking needs no lock.
        if let Some((known, true)) = known {
            return Ok(known);
        }
        // That of an older contest has no scenarios yet.
        let known = known.map(|(id, _)| id);
        self.write(|transaction| {
            let sql = "INSERT INTO ladders (id, scenarios, begun) VALUES (?1, ?2, ?3)
                       ON CONFLICT (id) DO UPDATE SET scenarios = ?2 RETURNING id";
            transaction.query_row(sql, params![known, key, now()], |row| row.get(0))
        })
    }

    /// Returns the ladder that was played last, or the one that began after its reset.
    pub(crate) fn last_ladder(&self) -> Result<Option<i64>, HostError> {
        let sql = "SELECT id FROM ladders WHERE ended IS NULL AND scenarios =
                   (SELECT scenarios FROM ladders WHERE id =
                    (SELECT ladder FROM matches WHERE ladder IS NOT NULL
                     ORDER BY id DESC LIMIT 1))
                   ORDER BY id DESC LIMIT 1";
        let last =
            self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        Ok(last)
    }

    /// Ends a ladder: another one begins on its scenarios, without matches. Returns how many
    /// matches it had.
    pub(crate) fn reset_ladder(&mut self, by: &str, ladder: i64) -> Result<u64, HostError> {
        let sql = "SELECT count(*) FROM matches
                   WHERE ladder = ?1 AND record IS NOT NULL AND struck IS NULL";
        let matches = self.one(sql, [ladder])?.unsigned_abs();
        self.write(|transaction| {
            let sql = "INSERT INTO ladders (scenarios, begun)
                       SELECT scenarios, ?2 FROM ladders WHERE id = ?1";
            transaction.execute(sql, [ladder, now()])?;
            let sql = "UPDATE ladders SET ended = ?2 WHERE id = ?1";
            transaction.execute(sql, [ladder, now()])?;
            audit(transaction, by, &format!("reset the ladder after {matches} matches"))
        })?;
        Ok(matches)
    }

    /// Strikes matches of ladders out for a reason, or has them count again; returns how many of
    /// them that changed.
    pub(crate) fn strike(
        &mut self,
        by: &str,
        matches: &[(i64, i64)],
        reason: Option<&str>,
    ) -> Result<usize, HostError> {
        self.write(|transaction| {
            let mut all = 0;
            for (first, last) in matches {
                let changed = transaction.execute(
                    "UPDATE matches SET struck = ?3
                     WHERE id BETWEEN ?1 AND ?2 AND record IS NOT NULL AND ladder IS NOT NULL
                     AND (struck IS NULL) <> (?3 IS NULL)",
                    params![first, last, reason],
                )?;
                if changed > 0 {
                    let which = match first == last {
                        true => format!("match {first}"),
                        false => format!("{changed} matches from {first} to {last}"),
                    };
                    let what = match reason {
                        Some(reason) => format!("struck out {which}: {reason}"),
                        None => format!("had {which} count again"),
                    };
                    audit(transaction, by, &what)?;
                }
                all += changed;
            }
            if all > 0 {
                revise(transaction)?;
            }
            Ok(all)
        })
    }

    /// Returns the sequences of seeds, the latest first.
    pub(crate) fn sequences(&self) -> Result<Vec<Sequence>, HostError> {
        self.all(&format!("{SEQUENCE} ORDER BY id DESC"), [], sequence)
    }

    /// Returns the running sequence of a ladder, if there is one.
    pub(crate) fn running_sequence(&self, ladder: i64) -> Result<Option<Sequence>, HostError> {
        let sql =
            format!("{SEQUENCE} WHERE ladder = ?1 AND retired IS NULL ORDER BY id DESC LIMIT 1");
        Ok(self.connection.prepare_cached(&sql)?.query_row([ladder], sequence).optional()?)
    }

    /// Begins a sequence of seeds of a ladder.
    pub(crate) fn begin_sequence(&mut self, ladder: i64) -> Result<Sequence, HostError> {
        let secret = token::new_token()?;
        self.write(|transaction| {
            let sql = "INSERT INTO sequences (ladder, secret, begun) VALUES (?1, ?2, ?3)
                       RETURNING id, ladder, secret, begun, retired";
            transaction.query_row(sql, params![ladder, secret, now()], sequence)
        })
    }

    /// Retires the running sequences that began before a moment, and all of other ladders; returns
    /// whether there were any.
    pub(crate) fn retire_sequences(
        &mut self,
        ladder: Option<i64>,
        before: i64,
    ) -> Result<bool, HostError> {
        const DUE: &str = "retired IS NULL AND (begun <= ?1 OR ladder IS NOT ?2)";
        let any = format!("SELECT EXISTS (SELECT 1 FROM sequences WHERE {DUE})");
        // Usually there are none, and looking needs no lock.
        if self.one(&any, params![before, ladder])? == 0 {
            return Ok(false);
        }
        self.write(|transaction| {
            let sql = format!("UPDATE sequences SET retired = ?3 WHERE {DUE}");
            transaction.execute(&sql, params![before, ladder, now()])
        })?;
        Ok(true)
    }

    /// Returns some played matches whose records are hidden although their sequence is retired.
    pub(crate) fn list_to_reveal(&self, most: u32) -> Result<Vec<PlayedMatch>, HostError> {
        let which = "hidden AND record IS NOT NULL
                     AND sequence IN (SELECT id FROM sequences WHERE retired IS NOT NULL)";
        self.some_matches(which, most)
    }

    /// Marks these matches as shown to everybody.
    pub(crate) fn mark_revealed(&mut self, matches: &[PlayedMatch]) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "UPDATE matches SET hidden = FALSE WHERE id = ?1";
            let mut mark = transaction.prepare_cached(sql)?;
            for played in matches {
                mark.execute([played.pairing.id])?;
            }
            Ok(())
        })
    }
}
