//! Single records, found by their ids or by prefixes of these.

use rusqlite::{OptionalExtension, params};

use crate::error::StoreError;
use crate::read::{COLUMNS, read_stored};
use crate::row::{StoredRecord, id_bytes, id_text};
use crate::store::Store;

impl Store {
    /// The record with this id, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<StoredRecord>, StoreError> {
        let sql = format!("SELECT {COLUMNS}, r.json FROM records AS r WHERE r.id = ?1");
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_row([id_bytes(id)], read_stored).optional()
        };
        let found = read().map_err(|error| self.fail(error))?;
        if let Some(stored) = &found {
            self.load_file(&stored.columns.scenario)?;
        }
        Ok(found)
    }

    /// The one record whose id begins with `prefix`.
    ///
    /// # Errors
    /// If there is none or more than one; the text names similar ids.
    pub fn get(&self, prefix: &str) -> Result<StoredRecord, StoreError> {
        let wanted = prefix.trim().to_lowercase();
        let digits = wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
        if wanted.is_empty() || wanted.len() > 32 || !digits {
            return Err(StoreError::UnknownRecord(format!(
                "“{prefix}” is not a record id: ids have up to 32 digits, 0–9 and a–f"
            )));
        }
        let bound = |fill: char| {
            let padded: String = wanted.chars().chain(std::iter::repeat(fill)).take(32).collect();
            id_bytes(&padded)
        };
        let sql = format!(
            "SELECT {COLUMNS}, r.json FROM records AS r WHERE r.id BETWEEN ?1 AND ?2 \
             ORDER BY r.id LIMIT 3"
        );
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![bound('0'), bound('f')], read_stored)?;
            rows.collect::<Result<Vec<StoredRecord>, rusqlite::Error>>()
        };
        let mut found = read().map_err(|error| self.fail(error))?;
        match found.len() {
            0 => Err(self.describe_unknown(&wanted, bound('0'))?),
            1 => {
                self.load_file(&found[0].columns.scenario)?;
                Ok(found.remove(0))
            }
            _ => Err(StoreError::AmbiguousRecord {
                prefix: wanted,
                ids: found.into_iter().map(|stored| stored.id).collect(),
            }),
        }
    }

    /// The error for an id prefix that matches nothing.
    fn describe_unknown(&self, wanted: &str, from: [u8; 16]) -> Result<StoreError, StoreError> {
        let sql = "SELECT id FROM (SELECT id FROM records WHERE id > ?1 ORDER BY id LIMIT 1)
             UNION ALL
             SELECT id FROM (SELECT id FROM records WHERE id < ?1 ORDER BY id DESC LIMIT 1)";
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let ids = statement.query_map([from], |row| row.get::<_, Vec<u8>>(0))?;
            ids.collect::<Result<Vec<_>, _>>()
        };
        let ids = read().map_err(|error| self.fail(error))?;
        let common =
            |id: &String| id.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = ids.iter().map(|id| id_text(id)).max_by_key(common);
        Ok(StoreError::UnknownRecord(match nearest {
            Some(id) => format!("no record begins with {wanted}; the nearest is {id}"),
            None => format!("no record begins with {wanted}: the store has no records"),
        }))
    }
}
