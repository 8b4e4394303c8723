//! The matches that people play in the browser, in memory. Each is a [`HumanMatch`] that waits
//! for the next move; a session is dropped when nobody has used it for a while. What requests
//! do with one is [`super::play`]'s.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_human::HumanMatch;
use quintain_store::{RecordRow, Store};
use quintain_ui::Keyboard;

use super::limits::{Full, Place, Quota, Share};
use super::problem::Problem;

/// A session is dropped after this long without a request.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// A session that was left for this long makes room for another one of the same client.
const LEFT: Duration = Duration::from_secs(3 * 60);

/// All sessions: matches that people play.
pub(crate) struct Sessions {
    open: Mutex<Open>,
    quota: Arc<Quota>,
    random: RandomState,
    counter: AtomicU64,
}

type Open = HashMap<String, Arc<Mutex<Session>>>;

/// A match that a person plays.
pub(super) struct Session {
    pub(super) human_match: HumanMatch,
    pub(super) keyboard: Keyboard,
    pub(super) used: Instant,
    pub(super) place: Place,
    /// The record's id, once it is in the store.
    pub(super) record: Option<String>,
    /// Whether it is the person's own from the first turn to the last: only then its record is
    /// kept.
    pub(super) is_own: bool,
}

impl Sessions {
    pub(super) fn new(share: Share) -> Sessions {
        Sessions {
            open: Mutex::default(),
            quota: Quota::new(share),
            random: RandomState::new(),
            counter: AtomicU64::new(0),
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that cannot be guessed: two hashes of a counter under a random key. Whoever knows
    /// the id of a session plays it, so it must not be predictable from other ids.
    fn new_id(&self) -> String {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let half = |which: u8| self.random.hash_one((which, number));
        format!("{:016x}{:016x}", half(0), half(1))
    }

    /// The session with this id.
    pub(super) fn get(&self, id: &str) -> Result<Arc<Mutex<Session>>, Problem> {
        let session = self.open().get(id).cloned();
        session.ok_or_else(|| Problem::not_found("there is no such match under way"))
    }

    /// A place for a session of the client at this address, before anything is built for it.
    /// Where there is none, a match whose record is stored makes room: the client's own, if the
    /// client has too many; then also one that the client has left.
    pub(super) fn reserve(&self, address: IpAddr) -> Result<Place, Problem> {
        let mut open = self.open();
        // A session that is locked is in use, so it is not idle.
        open.retain(|_, session| {
            session.try_lock().map_or(true, |session| session.used.elapsed() < IDLE)
        });
        let place = self.quota.take(address).or_else(|full| {
            let over = open.iter().filter_map(|(id, session)| {
                let session = session.try_lock().ok()?;
                let fits = full == Full::All || session.place.is_of(address);
                let is_over = session.record.is_some();
                let is_left = session.place.is_of(address) && session.used.elapsed() >= LEFT;
                (fits && (is_over || is_left)).then(|| (!is_over, session.used, id.clone()))
            });
            if let Some((.., id)) = over.min() {
                open.remove(&id);
            }
            self.quota.take(address)
        });
        place.map_err(|full| full.problem("matches"))
    }

    /// Ends a session; whoever knows its id may.
    pub(super) fn end(&self, id: &str) -> Result<(), Problem> {
        let ended = self.open().remove(id);
        ended.map(drop).ok_or_else(|| Problem::not_found("there is no such match under way"))
    }

    /// Adds a session and returns its id.
    pub(super) fn insert(&self, session: Session) -> String {
        let id = self.new_id();
        self.open().insert(id.clone(), Arc::new(Mutex::new(session)));
        id
    }
}

impl Session {
    /// Writes the record into the store, if the match has just ended.
    pub(super) fn store_record(&mut self, store: &Path) -> Result<(), Problem> {
        if self.record.is_none()
            && self.is_own
            && let Some((record, elapsed)) = self.human_match.record()
        {
            let mut store = Store::open(store)?;
            store.insert(None, &[RecordRow::new(&record, elapsed)])?;
            self.record = Some(record.id);
        }
        Ok(())
    }
}
