//! Programs, modules and files of scenarios that workers do not have. A coordinator has programs as
//! files and the rest in memory, and workers fetch them from it by their digest, one part that fits
//! a message at a time. A worker trusts nobody who answers: the size of an answer is bounded,
//! and it must have the digest. How a program is packed and confined is known only to the makers of
//! [`Artefact`]s and to [`MakePlayer`].

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::{Client, HeaderMap, Subscriber};
use futures_util::StreamExt;
use quintain_core::ExternalSource;
use tokio::time::sleep;

use crate::error::format_error;
use crate::nats_client::is_inbox_of_workers;

/// The most bytes of an artefact.
pub const MAX_ARTEFACT_BYTES: u64 = 64 << 20;
/// Bytes of a part, far below the usual limit of a message.
const PART_BYTES: usize = 256 << 10;
/// Room left for a message's headers below a server's limit.
const HEADERS: usize = 1 << 10;
/// The header that states the length of the whole artefact.
const SIZE: &str = "Quintain-Size";
/// How long a part is requested again and again, with this pause in between: a coordinator may be
/// busy, and a server may be away for a moment.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// The most players made from artefacts that a worker keeps; the latest are kept.
const KEPT: usize = 128;

/// A program, packed in a file, that workers fetch to seat a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artefact {
    /// The text that names the player.
    pub player: String,
    /// The digest of the file's bytes, as [`artefact_digest`] finds it.
    pub digest: String,
    /// Where it is.
    pub file: PathBuf,
}

/// Makes a player, named by its text, from an artefact's bytes: it unpacks and confines the
/// program.
pub type MakePlayer = dyn Fn(&str, &[u8]) -> Result<Arc<dyn ExternalSource>, String> + Send + Sync;

/// What a coordinator sends.
#[derive(Clone)]
pub(crate) enum Content {
    /// A packed program in a file.
    Program(PathBuf),
    /// A module, the text of a scenario's file, or a packed program.
    Bytes(Arc<[u8]>),
}

impl Content {
    /// Returns the size of the whole, and up to `most` bytes from `offset` on.
    fn part(&self, offset: u64, most: usize) -> Result<(u64, Vec<u8>), String> {
        match self {
            Content::Program(file) => read_part(file, offset, most)
                .map_err(|error| format!("{}: {error}", file.display())),
            Content::Bytes(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|from| bytes.get(from..));
                let rest = rest.unwrap_or_default();
                Ok((bytes.len() as u64, rest[..most.min(rest.len())].to_vec()))
            }
        }
    }
}

/// The digest by which an artefact is requested.
pub fn artefact_digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The subject on which the artefacts of a tournament are requested.
fn subject(tournament: &str) -> String {
    format!("quintain.artefacts.{tournament}")
}

/// Starts listening for workers that request artefacts of a tournament.
pub(crate) async fn listen(client: &Client, tournament: &str) -> Result<Subscriber, String> {
    client.subscribe(subject(tournament)).await.map_err(|error| format_error(&error))
}

/// Answers workers until this task is aborted.
pub(crate) async fn answer(
    client: Client,
    mut requests: Subscriber,
    contents: HashMap<String, Content>,
) {
    let limit = client.max_payload().saturating_sub(HEADERS).max(1);
    while let Some(request) = requests.next().await {
        let Some(reply) = request.reply.filter(|reply| is_inbox_of_workers(reply)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&request.payload).into_owned();
        let Some((digest, offset)) = text.split_once(' ') else { continue };
        let (Some(content), Ok(offset)) = (contents.get(digest), offset.parse()) else { continue };
        let mut headers = HeaderMap::new();
        let part = match content.part(offset, PART_BYTES.min(limit)) {
            Ok((size, part)) => {
                headers.insert(SIZE, size.to_string().as_str());
                part
            }
            // An answer without a size says that the artefact is missing.
            Err(error) => {
                tracing::warn!("{error}");
                Vec::new()
            }
        };
        let _ = client.publish_with_headers(reply, headers, part.into()).await;
    }
}

/// Returns the size of a file, and up to `most` bytes from `offset` on.
fn read_part(file: &Path, offset: u64, most: usize) -> io::Result<(u64, Vec<u8>)> {
    let mut file = File::open(file)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(offset.min(size)))?;
    let mut part = Vec::new();
    file.take(most as u64).read_to_end(&mut part)?;
    Ok((size, part))
}

/// Fetches an artefact of a tournament.
pub(crate) async fn fetch(
    client: &Client,
    tournament: &str,
    digest: &str,
) -> Result<Vec<u8>, String> {
    let mut whole = Incoming::default();
    let mut heard = Instant::now();
    while !whole.is_complete() {
        let ask = format!("{digest} {}", whole.bytes.len());
        let answered = client.request(subject(tournament), ask.into()).await;
        match answered {
            Ok(message) => {
                let size = message.headers.as_ref().and_then(|headers| headers.get(SIZE));
                let size = size.and_then(|size| size.as_str().parse().ok());
                whole.add(size, &message.payload)?;
                heard = Instant::now();
            }
            Err(error) if heard.elapsed() >= FETCH_TIMEOUT => {
                return Err(format!("it cannot be fetched: {}", format_error(&error)));
            }
            Err(_) => sleep(RETRY_DELAY).await,
        }
    }
    match artefact_digest(&whole.bytes) == digest {
        true => Ok(whole.bytes),
        false => Err("the fetched file has another digest".to_owned()),
    }
}

/// The parts of an artefact that have come so far.
#[derive(Default)]
struct Incoming {
    size: Option<u64>,
    bytes: Vec<u8>,
}

impl Incoming {
    fn is_complete(&self) -> bool {
        self.size.is_some_and(|size| self.bytes.len() as u64 == size)
    }

    /// Adds the next part of an artefact of this many bytes.
    fn add(&mut self, size: Option<u64>, part: &[u8]) -> Result<(), String> {
        let size = size.ok_or("its coordinator cannot read it")?;
        if size > MAX_ARTEFACT_BYTES {
            return Err(format!("it has {size} bytes; at most {MAX_ARTEFACT_BYTES} are allowed"));
        }
        let left = size.checked_sub(self.bytes.len() as u64);
        let fits = left.is_some_and(|left| part.len() as u64 <= left);
        let moves = !part.is_empty() || size == 0;
        if self.size.is_some_and(|known| known != size) || !fits || !moves {
            return Err("its parts contradict each other".to_owned());
        }
        self.size = Some(size);
        self.bytes.extend_from_slice(part);
        Ok(())
    }
}

/// A player's text and the digest of its artefact.
type Name = (String, String);

/// The players that a worker has made from artefacts, the latest last.
#[derive(Default)]
pub(crate) struct MadePlayers(Mutex<Vec<(Name, Arc<dyn ExternalSource>)>>);

impl MadePlayers {
    /// Finds a player that was made before.
    pub(crate) fn find(&self, player: &str, digest: &str) -> Option<Arc<dyn ExternalSource>> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |((of, from), _): &(Name, _)| of == player && from == digest;
        let found = made.iter().position(is_it)?;
        let found = made.remove(found);
        let source = Arc::clone(&found.1);
        made.push(found);
        Some(source)
    }

    /// Keeps a player that was just made. Players whose last use is longest ago are dropped, and
    /// end with their last match.
    pub(crate) fn keep(&self, player: &str, digest: &str, source: Arc<dyn ExternalSource>) {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.push(((player.to_owned(), digest.to_owned()), source));
        let over = made.len().saturating_sub(KEPT);
        let ended: Vec<_> = made.drain(..over).collect();
        drop(made);
        // Ending their processes takes a moment.
        drop(ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artefact_is_joined_only_from_parts_that_fit() {
        let mut whole = Incoming::default();
        assert_eq!(whole.add(Some(5), b"abc"), Ok(()));
        assert!(!whole.is_complete());
        assert!(whole.add(Some(6), b"de").is_err(), "its size has changed");
        assert!(whole.add(Some(5), b"def").is_err(), "it is too long");
        assert!(whole.add(Some(5), b"").is_err(), "it would be asked for without end");
        assert!(whole.add(None, b"de").is_err());
        assert_eq!(whole.add(Some(5), b"de"), Ok(()));
        assert!(whole.is_complete() && whole.bytes == b"abcde");
        assert!(Incoming::default().add(Some(MAX_ARTEFACT_BYTES + 1), b"a").is_err());
        let mut empty = Incoming::default();
        assert_eq!((empty.add(Some(0), b""), empty.is_complete()), (Ok(()), true));
    }

    #[test]
    fn a_part_of_a_file_or_of_bytes_is_read_from_its_offset() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("artefact");
        std::fs::write(&file, b"abcde").unwrap();
        assert_eq!(read_part(&file, 0, 3).unwrap(), (5, b"abc".to_vec()));
        assert_eq!(read_part(&file, 3, 3).unwrap(), (5, b"de".to_vec()));
        assert_eq!(read_part(&file, u64::MAX, 3).unwrap(), (5, Vec::new()));
        let bytes = Content::Bytes(b"abcde"[..].into());
        for offset in [0, 3, 5, u64::MAX] {
            assert_eq!(bytes.part(offset, 3), Content::Program(file.clone()).part(offset, 3));
        }
    }
}
