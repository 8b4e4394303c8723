//! Places for uploads. Each person has places of their own, so slow connections of one keep nobody
//! else out; what all uploads hold in memory is bounded, and who comes when that is taken waits.
//! Only one upload of a person is unpacked at a time: the next begins when the first is charged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use axum::http::StatusCode;
use quintain_web::Problem;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::lock::lock;

/// Maximum number of uploads of one person at the same time.
const PER_PERSON: usize = 2;
/// Maximum size of all uploads that are read at the same time, in KiB.
const MEMORY: u32 = 256 << 10;
/// Maximum number of uploads that are unpacked at the same time.
const UNPACKED: usize = 4;
/// How long an upload waits for its place before its sender is asked to come again.
const PATIENCE: Duration = Duration::from_secs(30);
/// When they should come again.
const AGAIN: Duration = Duration::from_secs(2);

/// The uploads that are being read.
pub(super) struct Uploads {
    memory: Arc<Semaphore>,
    unpacked: Arc<Semaphore>,
    people: Mutex<HashMap<i64, Person>>,
}

/// Who is uploading.
struct Person {
    uploads: usize,
    /// For the one upload of theirs that is unpacked.
    turn: Arc<Semaphore>,
}

/// The place of an upload, reserved until this is dropped.
pub(super) struct Place {
    uploads: Arc<Uploads>,
    person: i64,
    turn: Arc<Semaphore>,
    memory: Option<OwnedSemaphorePermit>,
    waited: Duration,
}

/// The turn of an upload to be unpacked, and its place. Whatever unpacks it keeps this: the sender
/// may be gone before.
pub(super) struct Turn {
    // Dropped in this order: while there is a turn, the person is known.
    _turns: [Option<OwnedSemaphorePermit>; 2],
    _place: Place,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut people = lock(&self.uploads.people);
        if let Some(person) = people.get_mut(&self.person) {
            person.uploads = person.uploads.saturating_sub(1);
            if person.uploads == 0 {
                people.remove(&self.person);
            }
        }
    }
}

impl Uploads {
    pub(super) fn new() -> Arc<Uploads> {
        Arc::new(Uploads {
            memory: Arc::new(Semaphore::new(MEMORY as usize)),
            unpacked: Arc::new(Semaphore::new(UNPACKED)),
            people: Mutex::default(),
        })
    }

    /// Reserves a place for an upload of a person, of this many bytes at most.
    pub(super) async fn enter(
        self: &Arc<Self>,
        person: i64,
        bytes: usize,
    ) -> Result<Place, Problem> {
        let turn = {
            let mut people = lock(&self.people);
            let known = people
                .entry(person)
                .or_insert_with(|| Person { uploads: 0, turn: Arc::new(Semaphore::new(1)) });
            if known.uploads >= PER_PERSON {
                let text = format!(
                    "{PER_PERSON} uploads of yours are being sent already; wait until one of \
                     them is done"
                );
                return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(AGAIN));
            }
            known.uploads += 1;
            Arc::clone(&known.turn)
        };
        // Made before there is memory, so that the person's place is given back in any case.
        let (uploads, begun) = (Arc::clone(self), Instant::now());
        let mut place = Place { uploads, person, turn, memory: None, waited: Duration::ZERO };
        let needed = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(MEMORY).min(MEMORY);
        let memory = Arc::clone(&self.memory).acquire_many_owned(needed);
        // The semaphore is never closed.
        place.memory = tokio::time::timeout(PATIENCE, memory).await.ok().and_then(Result::ok);
        place.waited = begun.elapsed();
        match place.memory {
            Some(_) => Ok(place),
            None => {
                let text = "too many programs are being submitted; try again in a moment";
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(AGAIN))
            }
        }
    }

    /// Waits until a program can be packed.
    pub(super) async fn pack(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.unpacked).acquire_owned().await.ok()
    }
}

impl Place {
    /// Returns when an upload arrived that has just been read: it would have been here earlier
    /// without the others for whose memory it had to wait.
    pub(super) fn time_of_arrival(&self) -> SystemTime {
        SystemTime::now().checked_sub(self.waited).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Waits until the upload can be unpacked.
    pub(super) async fn unpack(self) -> Turn {
        let own = Arc::clone(&self.turn).acquire_owned().await.ok();
        let among_all = Arc::clone(&self.uploads.unpacked).acquire_owned().await.ok();
        Turn { _turns: [own, among_all], _place: self }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn one_upload_of_a_person_is_unpacked_at_a_time_and_others_do_not_wait_for_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let uploads = Uploads::new();
        let enter = |person| runtime.block_on(uploads.enter(person, 1));
        let unpack = |person| enter(person).ok().unwrap().unpack().now_or_never();
        let first = unpack(1).unwrap();
        assert!(unpack(1).is_none(), "it waits");
        let others: Vec<Turn> = (2..=UNPACKED as i64).map(|other| unpack(other).unwrap()).collect();
        // A turn keeps the place of its upload, too.
        let second = enter(1).ok().unwrap();
        assert_eq!(enter(1).err().unwrap().status, StatusCode::TOO_MANY_REQUESTS);
        drop(first);
        assert!(second.unpack().now_or_never().is_some());
        drop(others);
        assert!(lock(&uploads.people).is_empty());
    }
}
