//! Places for uploads. Each person has places of their own, so slow connections of one keep nobody
//! else out; what all uploads hold in memory is bounded, and who comes when that is taken waits.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::StatusCode;
use quintain_web::Problem;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::access::{Host, MAX_FORM, body, body_length, refuse};
use crate::archive::{Refused, Tree, TreeLimits};
use crate::lock::lock;
use crate::state::Participant;

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
                let text = "too many programs are being handed in; try again in a moment";
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(AGAIN))
            }
        }
    }

    /// Waits until an upload can be unpacked, or a program packed.
    pub(super) async fn unpack(&self) -> Option<SemaphorePermit<'_>> {
        self.unpacked.acquire().await.ok()
    }
}

/// What a form of a page sent: a file, or the files of a folder.
#[derive(Default)]
pub(super) struct Upload {
    file: Option<(String, Bytes)>,
    folder: Vec<(String, Vec<u8>)>,
}

impl Upload {
    /// Unpacks it.
    pub(super) fn into_tree(self, limits: TreeLimits) -> Result<Tree, Refused> {
        match self.file {
            Some((name, bytes)) => Tree::read(&name, &bytes, limits),
            None if self.folder.is_empty() => Err(Refused("the form has no file".to_owned())),
            None => Tree::of_files(self.folder, limits),
        }
    }
}

/// Reads the upload of a form, which has a place until it is dropped.
pub(super) async fn read_upload<'a>(
    host: &'a Host,
    who: &Participant,
    request: Request,
) -> Result<(Upload, Place<'a>), Problem> {
    let most = host.contest.config.limits.upload.0 as usize + MAX_FORM;
    let place = host.uploads.enter(who.id, body_length(request.headers(), most)).await?;
    let request = body(request, most).await?;
    let unreadable = |error: &dyn std::fmt::Display| refuse(format!("the form: {error}"));
    let read = Multipart::from_request(request, &()).await;
    let mut parts = read.map_err(|error| unreadable(&error))?;
    let mut upload = Upload::default();
    while let Some(part) = parts.next_field().await.map_err(|error| unreadable(&error))? {
        let (field, name) = (part.name().unwrap_or_default(), part.file_name().unwrap_or_default());
        let (field, name) = (field.to_owned(), name.to_owned());
        let bytes = part.bytes().await.map_err(|error| unreadable(&error))?;
        match field.as_str() {
            "file" => upload.file = Some((name, bytes)),
            // For a folder, a browser sends every file with its path.
            "folder" => upload.folder.push((name, bytes.to_vec())),
            _ => {}
        }
    }
    Ok((upload, place))
}
