//! Seconds of the machine that participants used outside of the ladder: for checks with their
//! builds, and for challenges.

use rusqlite::{Transaction, params};

use super::{State, now};
use crate::error::HostError;

/// What seconds are used for.
pub(crate) const CHECK: &str = "check";
pub(crate) const CHALLENGE: &str = "challenge";
/// The time after which seconds no longer count, in seconds.
pub(super) const HOUR: i64 = 3600;

/// How many seconds a participant may use within an hour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota(pub(crate) f64);

/// Notes seconds that a participant has used.
pub(super) fn spend(
    transaction: &Transaction<'_>,
    participant: i64,
    what: &str,
    seconds: f64,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO spent VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(sql, params![participant, what, now(), seconds])?;
    transaction.execute(
        "DELETE FROM spent WHERE participant = ?1 AND at < ?2",
        params![participant, now() - HOUR],
    )?;
    Ok(())
}

/// Returns when less than the quota was used within an hour, given what was used when; none if that
/// is the case now.
fn free_at(spent: &[(i64, f64)], quota: Quota, now: i64) -> Option<i64> {
    let lately = || spent.iter().filter(|(at, _)| *at >= now - HOUR);
    let mut used: f64 = lately().map(|(_, seconds)| seconds).sum();
    let mut free = None;
    for (at, seconds) in lately() {
        if used < quota.0 {
            break;
        }
        used -= seconds;
        free = Some(at + HOUR + 1);
    }
    free
}

impl State {
    /// Notes seconds that it took to unpack what a participant submitted.
    pub(crate) fn spend_on_check(
        &mut self,
        participant: i64,
        seconds: f64,
    ) -> Result<(), HostError> {
        self.write(|transaction| spend(transaction, participant, CHECK, seconds))
    }

    /// Returns when a participant may go on, if they have used up their seconds of this hour.
    pub(crate) fn used_up_until(
        &self,
        participant: i64,
        what: &str,
        quota: Quota,
    ) -> Result<Option<i64>, HostError> {
        let sql = "SELECT at, seconds FROM spent WHERE participant = ?1 AND what = ?2 ORDER BY at";
        let spent =
            self.all(sql, params![participant, what], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(free_at(&spent, quota, now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_when_enough_is_an_hour_old() {
        let spent = [(100, 300.0), (2000, 200.0), (3000, 150.0)];
        let at = |quota: f64, now: i64| free_at(&spent, Quota(quota), now);
        assert_eq!(at(700.0, 3100), None);
        assert_eq!(at(600.0, 3100), Some(100 + HOUR + 1));
        assert_eq!(at(300.0, 3100), Some(2000 + HOUR + 1));
        assert_eq!(at(600.0, 100 + HOUR + 1), None);
    }
}
