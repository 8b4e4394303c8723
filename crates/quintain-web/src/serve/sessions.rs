//! The matches that people play in the browser, in memory. Each is a [`HumanMatch`] that waits
//! for the next move; a session is dropped when nobody has used it for a while. What requests
//! do with one is [`super::play`]'s.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use quintain_human::HumanMatch;
use quintain_store::{RecordRow, Store};
use quintain_ui::Keyboard;

use super::problem::Problem;

/// The most sessions at the same time.
const MOST_SESSIONS: usize = 32;
/// A session is dropped after this long without a request.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// All sessions: matches that people play.
#[derive(Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<String, Arc<Mutex<Session>>>>,
    random: RandomState,
    counter: AtomicU64,
}

/// A match that a person plays.
pub(super) struct Session {
    pub(super) human_match: HumanMatch,
    pub(super) keyboard: Keyboard,
    pub(super) used: Instant,
    /// The record's id, once it is in the store.
    pub(super) record: Option<String>,
}

impl Sessions {
    /// An id that cannot be guessed: two hashes of a counter under a random key. Whoever knows
    /// the id of a session plays it, so it must not be predictable from other ids.
    fn new_id(&self) -> String {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let half = |which: u8| self.random.hash_one((which, number));
        format!("{:016x}{:016x}", half(0), half(1))
    }

    /// The session with this id.
    pub(super) fn get(&self, id: &str) -> Result<Arc<Mutex<Session>>, Problem> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let session = open.get(id).cloned();
        session.ok_or_else(|| Problem::not_found("there is no such match under way"))
    }

    /// Adds a session, if there is room, and returns its id.
    pub(super) fn insert(&self, session: Session) -> Result<String, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A session that is locked is in use, so it is not idle.
        open.retain(|_, session| {
            session.try_lock().map_or(true, |session| session.used.elapsed() < IDLE)
        });
        if open.len() >= MOST_SESSIONS {
            let text = "too many matches are under way; try again later";
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text));
        }
        let id = self.new_id();
        open.insert(id.clone(), Arc::new(Mutex::new(session)));
        Ok(id)
    }
}

impl Session {
    /// Writes the record into the store, if the match has just ended.
    pub(super) fn store_record(&mut self, store: &Path) -> Result<(), Problem> {
        if self.record.is_none()
            && let Some((record, elapsed)) = self.human_match.record()
        {
            let mut store = Store::open(store)?;
            store.insert(None, &[RecordRow::new(&record, elapsed)])?;
            self.record = Some(record.id);
        }
        Ok(())
    }
}
