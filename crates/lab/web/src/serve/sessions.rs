//! The matches that people play in the browser, held in memory. Each is a [`HumanMatch`] that waits
//! for the next move; a session is dropped when nobody has used it for a while. The [`Shelf`] keeps
//! them beyond the end of the server. [`super::play`] handles the requests.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use quintain_core::ui::Keyboard;
use quintain_play::HumanMatch;
use quintain_store::{RecordRow, Store};

use super::limits::{Allowance, Full, Place, Quota, client};
use super::problem::Problem;
use super::shelf::{KeptMatch, Shelf};
use super::thinking::UnderWay;
use crate::play::NewMatchRequest;

/// A session is dropped after this long without a request.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// A session without requests for this long makes room for another one of the same client.
const LEFT: Duration = Duration::from_secs(3 * 60);

/// A session without requests for this long is put aside if all places are taken: whoever comes
/// back to it gets it from the shelf.
const PAUSED: Duration = Duration::from_secs(3);

/// All sessions: matches that people play.
pub(crate) struct Sessions {
    open: Mutex<Open>,
    shelf: Shelf,
    /// The matches that are being taken from the shelf, so that no other request takes them too.
    rebuilding: Mutex<HashSet<String>>,
    pub(super) under_way: UnderWay,
    quota: Arc<Quota>,
    random: RandomState,
    counter: AtomicU64,
}

type Open = HashMap<String, Arc<Mutex<Session>>>;

/// A match that a person plays.
pub(super) struct Session {
    pub(super) human_match: HumanMatch,
    /// The request for the match with its seed, but without the actions played.
    pub(super) request: NewMatchRequest,
    pub(super) keyboard: Keyboard,
    pub(super) used: Instant,
    pub(super) place: Place,
    /// The record's id, once it is in the store.
    pub(super) record: Option<String>,
    /// Whether it is on the shelf as it is.
    pub(super) is_kept: bool,
    /// Whether the match is the person's own from the first turn to the last; only then is its
    /// record kept.
    pub(super) is_own: bool,
}

impl Sessions {
    /// Makes the sessions of a server with this store.
    pub(super) fn new(share: Allowance, store: &Path) -> Sessions {
        Sessions {
            open: Mutex::default(),
            shelf: Shelf::open(store),
            rebuilding: Mutex::default(),
            under_way: UnderWay::default(),
            quota: Quota::new(share),
            random: RandomState::new(),
            counter: AtomicU64::new(0),
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an id that cannot be guessed: two hashes of a counter under a random key. Anybody
    /// who knows the id of a session can play it, so it must not be predictable from other ids.
    pub(super) fn new_id(&self) -> String {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let half = |which: u8| self.random.hash_one((which, number));
        format!("{:016x}{:016x}", half(0), half(1))
    }

    /// Returns the session with this id. A session from before a restart of the server, or one that
    /// failed, is `rebuilt`, and takes a place of the client at this address.
    pub(super) fn get(
        &self,
        id: &str,
        address: IpAddr,
        rebuild: impl FnOnce(NewMatchRequest, Place) -> Result<Session, Problem>,
    ) -> Result<Arc<Mutex<Session>>, Problem> {
        let find_open = || {
            let mut open = self.open();
            match open.get(id) {
                Some(session) if session.is_poisoned() => {
                    open.remove(id);
                    None
                }
                found => found.map(Arc::clone),
            }
        };
        if let Some(session) = find_open() {
            return Ok(session);
        }
        // Nobody waits for a match of others.
        let Some(_rebuilding) = Rebuilding::begin(&self.rebuilding, id) else {
            let text = "the match is being set up again; ask once more";
            return Err(Problem::new(StatusCode::CONFLICT, text));
        };
        if let Some(session) = find_open() {
            return Ok(session);
        }
        let kept = self.shelf.take(id, IDLE).ok_or_else(no_such_match)?;
        let place = self.reserve(address).or_else(|full| {
            // A client that has all its places takes turns with itself.
            match self.put_aside_own(address) {
                true => self.reserve(address),
                false => Err(full),
            }
        });
        let rebuilt = rebuild(kept.request, place.map_err(NoPlace::problem)?)?;
        let session =
            Session { is_own: kept.is_own, record: kept.record, is_kept: true, ..rebuilt };
        Ok(self.insert(id.to_owned(), session))
    }

    /// Reserves a place for a session of the client at this address, before anything is built for
    /// it. If there is none, a match whose record is stored makes room: one of the client's own, if
    /// the client has too many. Failing that, a match that the client has left makes room. If all
    /// places are taken, so does the match used longest ago of the client with the most matches, if
    /// it has more than this client would have: the match stays on the shelf and goes on later.
    pub(super) fn reserve(&self, address: IpAddr) -> Result<Place, NoPlace> {
        let mut open = self.open();
        // A locked session is in use, so it is not idle. One that has failed is set up again.
        open.retain(|_, session| match session.try_lock() {
            Ok(session) => session.used.elapsed() < IDLE,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Poisoned(_)) => false,
        });
        self.shelf.sweep(IDLE, |id| open.contains_key(id));
        let mut is_one_leaving = false;
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
                self.shelf.remove(&id);
            } else if full == Full::All {
                is_one_leaving = self.make_room(&mut open, address);
            }
            self.quota.take(address)
        });
        place.map_err(|full| if is_one_leaving { NoPlace::Soon } else { NoPlace::Full(full) })
    }

    /// Puts aside the match that the client at this address used longest ago, if it has one.
    fn put_aside_own(&self, address: IpAddr) -> bool {
        let mut open = self.open();
        let own = open.iter().filter_map(|(id, session)| {
            let session = session.try_lock().ok()?;
            let is_idle = session.is_kept && session.place.is_of(address);
            is_idle.then(|| (session.used, id.clone()))
        });
        match own.min() {
            Some((_, id)) => open.remove(&id).is_some(),
            None => false,
        }
    }

    /// Puts aside a match of the client with the most, if that has more than the one at this
    /// address would have; otherwise the match that has waited longest for its person, if it has
    /// waited for some time. If players think in all matches of the client with the most, returns
    /// whether one of them gives up its place soon.
    fn make_room(&self, open: &mut Open, address: IpAddr) -> bool {
        let counts = self.quota.counts();
        let own = counts.get(&client(address)).copied().unwrap_or(0);
        let most = counts.values().copied().max().unwrap_or(0);
        let holds_more = most > own + 1;
        let holds_most = |client: IpAddr| counts.get(&client) == Some(&most);
        let aside = open.iter().filter_map(|(id, session)| {
            let session = session.try_lock().ok()?;
            let must_leave = match holds_more {
                true => holds_most(session.place.client()),
                false => session.used.elapsed() >= PAUSED,
            };
            // What is not on the shelf would be lost.
            (session.is_kept && must_leave).then(|| (session.used, id.clone()))
        });
        if let Some((_, id)) = aside.min() {
            open.remove(&id);
            return false;
        }
        if !holds_more {
            return false;
        }
        let mut most = counts.keys().filter(|client| holds_most(**client));
        most.any(|client| self.under_way.make_leave(*client))
    }

    /// Puts a match aside: it stays on the shelf.
    pub(super) fn put_aside(&self, id: &str) {
        self.open().remove(id);
    }

    /// Ends a session, for anybody who knows its id.
    pub(super) fn end(&self, id: &str) -> Result<(), Problem> {
        let is_kept = self.shelf.take(id, IDLE).is_some();
        self.shelf.remove(id);
        let is_open = self.open().remove(id).is_some();
        if is_open || is_kept { Ok(()) } else { Err(no_such_match()) }
    }

    /// Adds a session under a [`Sessions::new_id`].
    pub(super) fn insert(&self, id: String, session: Session) -> Arc<Mutex<Session>> {
        let session = Arc::new(Mutex::new(session));
        self.open().insert(id, Arc::clone(&session));
        session
    }

    /// Saves the state of a session for the server's next run.
    pub(super) fn keep(&self, id: &str, session: &mut Session) {
        // It may have been ended while the others were thinking.
        if !self.open().contains_key(id) {
            return;
        }
        let mut request = session.request.clone();
        request.actions = session.human_match.actions().to_vec();
        let kept = KeptMatch { request, is_own: session.is_own, record: session.record.clone() };
        // If it cannot be saved, the match is still playable for as long as this server runs.
        session.is_kept = self.shelf.put(id, &kept).is_ok();
    }
}

/// Why there is no place for a match.
pub(super) enum NoPlace {
    /// Too many are under way.
    Full(Full),
    /// Another match is about to give up its place.
    Soon,
}

impl NoPlace {
    /// Returns the message for the client.
    pub(super) fn problem(self) -> Problem {
        match self {
            NoPlace::Full(full) => full.problem("matches"),
            NoPlace::Soon => Full::All.problem("matches"),
        }
    }
}

/// A match that is being taken from the shelf.
struct Rebuilding<'a> {
    all: &'a Mutex<HashSet<String>>,
    id: &'a str,
}

impl<'a> Rebuilding<'a> {
    /// Enters the match, unless it is entered already.
    fn begin(all: &'a Mutex<HashSet<String>>, id: &'a str) -> Option<Rebuilding<'a>> {
        let is_new = all.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
        is_new.then_some(Rebuilding { all, id })
    }
}

impl Drop for Rebuilding<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(self.id);
    }
}

fn no_such_match() -> Problem {
    Problem::not_found("there is no such match under way")
}

impl Session {
    /// Writes the record into the store if the match has just ended.
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
