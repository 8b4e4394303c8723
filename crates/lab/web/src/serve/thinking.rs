//! Requests for which players think. One ends early if nobody waits for its answer any more, if it
//! has taken long enough, or if its match has to make room for another client's.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use quintain_play::Patience;

/// How long the others play on in one request; the page then asks for the rest.
const LONGEST: Duration = Duration::from_secs(10);

/// A request under way.
#[derive(Default)]
pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    must_leave: AtomicBool,
}

impl Thinking {
    /// How long the match of this request goes on by itself.
    pub(super) fn patience(&self) -> Patience {
        Patience { most: Some(LONGEST), stop: Arc::clone(&self.stop) }
    }

    /// Whether its match has to make room.
    pub(super) fn must_leave(&self) -> bool {
        self.must_leave.load(Ordering::Relaxed)
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Held while a client waits: when it is gone, nobody thinks for it any more.
#[derive(Default)]
pub(super) struct Client(Arc<Thinking>);

impl Client {
    /// The client's request.
    pub(super) fn thinking(&self) -> Arc<Thinking> {
        Arc::clone(&self.0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The requests for which players think, by the client that holds the match's place.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<Vec<(IpAddr, Weak<Thinking>)>>);

impl UnderWay {
    /// Enters a request until it ends.
    pub(super) fn enter(&self, client: IpAddr, thinking: &Arc<Thinking>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, other)| other.strong_count() > 0);
        all.push((client, Arc::downgrade(thinking)));
    }

    /// Makes a match of this client give up its place soon; returns whether there is one.
    pub(super) fn make_leave(&self, client: IpAddr) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.iter().filter(|(other, _)| *other == client);
        let own: Vec<Arc<Thinking>> = own.filter_map(|(_, thinking)| thinking.upgrade()).collect();
        // One that is about to leave is enough.
        let leaving = own.iter().find(|thinking| thinking.must_leave()).or(own.first());
        if let Some(thinking) = leaving {
            thinking.must_leave.store(true, Ordering::Relaxed);
            thinking.stop();
        }
        leaving.is_some()
    }
}
