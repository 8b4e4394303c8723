//! Places for uploads. Each person has places of their own, so slow connections of one keep nobody
//! else out; what all uploads hold in memory is bounded, and who comes when that is taken waits.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use axum::http::StatusCode;
use quintain_web::Problem;
use tokio::sync::{Semaphore, SemaphorePermit};

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
    memory: Semaphore,
    unpacked: Semaphore,
    people: Mutex<HashMap<i64, usize>>,
}

/// The place of an upload, reserved until this is dropped.
pub(super) struct Place<'a> {
    uploads: &'a Uploads,
    person: i64,
    memory: Option<SemaphorePermit<'a>>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut people = lock(&self.uploads.people);
        let left = people.get(&self.person).map_or(0, |count| count.saturating_sub(1));
        match left {
            0 => people.remove(&self.person),
            left => people.insert(self.person, left),
        };
    }
}

impl Uploads {
    pub(super) fn new() -> Uploads {
        Uploads {
            memory: Semaphore::new(MEMORY as usize),
            unpacked: Semaphore::new(UNPACKED),
            people: Mutex::default(),
        }
    }

    /// Reserves a place for an upload of a person, of this many bytes at most.
    pub(super) async fn enter(&self, person: i64, bytes: usize) -> Result<Place<'_>, Problem> {
        {
            let mut people = lock(&self.people);
            let count = people.entry(person).or_default();
            if *count >= PER_PERSON {
                let text = format!(
                    "{PER_PERSON} uploads of yours are being sent already; wait until one of \
                     them is done"
                );
                return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(AGAIN));
            }
            *count += 1;
        }
        // Made before there is memory, so that the person's place is given back in any case.
        let mut place = Place { uploads: self, person, memory: None };
        let needed = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(MEMORY).min(MEMORY);
        let memory = tokio::time::timeout(PATIENCE, self.memory.acquire_many(needed)).await;
        // The semaphore is never closed.
        place.memory = memory.ok().and_then(Result::ok);
        match place.memory {
            Some(_) => Ok(place),
            None => {
                let text = "too many programs are being submitted; try again in a moment";
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(AGAIN))
            }
        }
    }

    /// Waits until an upload can be unpacked, or a program packed.
    pub(super) async fn unpack(&self) -> Option<SemaphorePermit<'_>> {
        self.unpacked.acquire().await.ok()
    }
}
