//! Messages of the organiser to participants, which they see on their own pages.

use rusqlite::params;

use super::{State, audit, now};
use crate::error::HostError;

impl State {
    /// Writes a message to participants, by their numbers.
    pub(crate) fn send_message(
        &mut self,
        by: &str,
        to: &[i64],
        text: &str,
    ) -> Result<(), HostError> {
        self.write(|transaction| {
            let sql = "INSERT INTO messages (participant, at, text) VALUES (?1, ?2, ?3)";
            let mut insert = transaction.prepare_cached(sql)?;
            for participant in to {
                insert.execute(params![participant, now(), text])?;
            }
            let people = if to.len() == 1 { "participant" } else { "participants" };
            audit(transaction, by, &format!("wrote to {} {people}: {text}", to.len()))
        })
    }

    /// Returns the messages to a participant, the latest first: when, and the text.
    pub(crate) fn messages_to(&self, participant: i64) -> Result<Vec<(i64, String)>, HostError> {
        let sql = "SELECT at, text FROM messages WHERE participant = ?1 ORDER BY id DESC";
        self.all(sql, [participant], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
