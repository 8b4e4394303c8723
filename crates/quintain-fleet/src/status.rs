//! Who works on what: plain data, as coordinators and workers leave it at the server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::kv;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::link::{LEASES, Link, SILENCE, plain};
use crate::{FleetError, Server};

/// How long the server may take to hand out a bucket.
const PATIENCE: Duration = Duration::from_secs(5);

/// All that is going on at a server.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Status {
    /// By tournament.
    pub coordinators: Vec<Coordinator>,
    /// By host.
    pub workers: Vec<Worker>,
}

/// A tournament that is handed out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Coordinator {
    /// Drawn anew by every coordinator.
    pub session: String,
    /// The tournament's name.
    pub tournament: String,
    /// Its game.
    pub game: String,
    /// Host and process.
    pub who: String,
    /// Matches.
    pub total: u64,
    /// Matches that have a record.
    pub done: u64,
    /// Matches stored a second since it began.
    pub rate: f64,
    /// When it said so, in milliseconds since 1970.
    pub seen_ms: u64,
}

/// A worker that was heard of in the last half minute.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Worker {
    /// Host and process.
    pub who: String,
    /// The version of its quintain.
    pub version: String,
    /// Threads that play.
    pub threads: usize,
    /// When it began, in milliseconds since 1970.
    pub since_ms: u64,
    /// When it said so, in milliseconds since 1970.
    pub seen_ms: u64,
    /// Matches that it has played and whose records are safe.
    pub played: u64,
    /// Batches that it holds now, with the names of their tournaments.
    pub playing: Vec<(String, usize)>,
    /// What it refuses, and why.
    pub refuses: Vec<String>,
}

/// Asks a server who works on what.
///
/// # Errors
/// If there is no server, or it keeps no streams.
pub fn status(server: &Server) -> Result<Status, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    runtime.block_on(async {
        let link = Link::open(server, "quintain workers", None).await?;
        let wrong = |problem| FleetError::NoStreams { address: server.to_string(), problem };
        let mut status = Status::default();
        for (key, value) in entries(&link.tournaments).await.map_err(wrong)? {
            if key.starts_with(LEASES) {
                status.coordinators.extend(serde_json::from_slice::<Coordinator>(&value));
            }
        }
        for (_, value) in entries(&link.workers).await.map_err(wrong)? {
            status.workers.extend(serde_json::from_slice::<Worker>(&value));
        }
        let oldest = now_ms().saturating_sub(SILENCE.as_millis() as u64);
        status.workers.retain(|worker| worker.seen_ms >= oldest);
        status.workers.sort_by(|one, other| one.who.cmp(&other.who));
        status.coordinators.sort_by(|one, other| one.tournament.cmp(&other.tournament));
        Ok(status)
    })
}

/// What a bucket holds now.
async fn entries(bucket: &kv::Store) -> Result<Vec<(String, Vec<u8>)>, String> {
    let gather = async {
        let mut held = Vec::new();
        let mut keys = bucket.keys().await.map_err(|error| plain(&error))?;
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| plain(&error))?;
            let value = bucket.get(&key).await.map_err(|error| plain(&error))?;
            held.extend(value.map(|value| (key, value.to_vec())));
        }
        Ok(held)
    };
    timeout(PATIENCE, gather).await.unwrap_or_else(|_| Err("it does not answer".to_owned()))
}

/// Host and process.
pub(crate) fn whoami() -> String {
    let named = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = named.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let host = host.map_or_else(|| "host".to_owned(), |host| host.trim().to_owned());
    format!("{host}:{}", std::process::id())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
