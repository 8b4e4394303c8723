//! The coordinators and workers, and what they work on: plain data, as they leave it at the server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::kv;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::buckets::{BucketEntry, present};
use crate::nats_client::{
    CONTRIBUTIONS, COORDINATORS, MOST_WORKERS, NatsClient, Role, WORKER_EXPIRY,
};
use crate::{FleetError, NatsServer, TimeLosses};

/// How long the server may take to return a bucket.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The coordinators and workers at a server.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Status {
    /// Ordered by their tournaments' names.
    pub coordinators: Vec<Coordinator>,
    /// Ordered by host and process.
    pub workers: Vec<Worker>,
    /// What machines have played for all tournaments, most first.
    #[serde(default)]
    pub contributions: Vec<Contribution>,
    /// How many seconds one thread would take to play what is left of all tournaments whose
    /// coordinators are there. An autoscaler divides this by the threads of a worker and the time
    /// it has.
    #[serde(default)]
    pub thread_seconds_left: f64,
    /// Where the server says that it can be reached.
    #[serde(skip)]
    pub listening: Listening,
}

/// Where a server says that it can be reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listening {
    /// The address on which it listens; 0.0.0.0 for all networks of its machine.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The addresses that it tells its clients, without a scheme.
    pub advertised: Vec<String>,
}

impl Status {
    /// What people call a tournament that workers play under this name.
    pub fn title_of<'a>(&'a self, tournament: &'a str) -> &'a str {
        let named = self.coordinators.iter().find(|one| one.tournament == tournament);
        named.and_then(|one| one.title.as_deref()).unwrap_or(tournament)
    }

    /// The share of the time that the workers' threads have played in the last minute which
    /// tournaments of this name had; `None` if nothing else was played, or nothing at all.
    pub fn share_of(&self, tournament: &str) -> Option<f64> {
        let all = self.workers.iter().flat_map(|worker| &worker.minute);
        let (mut own, mut others) = (0.0, 0.0);
        for (name, seconds) in all {
            // A worker may say anything of itself.
            let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
            *(if name == tournament { &mut own } else { &mut others }) += seconds;
        }
        (others > 0.0).then(|| own / (own + others))
    }
}

/// A tournament whose matches are handed out to workers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Coordinator {
    /// The tournament's id, after which its queues at the server are named.
    #[serde(default)]
    pub id: String,
    /// An id of this run of the coordinator.
    pub session: String,
    /// The tournament's name.
    pub tournament: String,
    /// What people call it, if its name says less to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its game.
    pub game: String,
    /// The contest of which it is a round, if it is one: the same text for all its rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<String>,
    /// Host and process.
    pub who: String,
    /// The number of matches to be played.
    pub total: u64,
    /// The number of matches that have a record.
    pub done: u64,
    /// Matches stored per second since it began.
    pub rate: f64,
    /// How many seconds one thread would take to play what is left, by the mean of the matches so
    /// far; at least one while anything is left.
    #[serde(default)]
    pub thread_seconds_left: f64,
    /// Which programs do not start where they were tried, one line each.
    #[serde(default)]
    pub troubles: Vec<String>,
    /// The number of batches that wait for a worker.
    #[serde(default)]
    pub batches_waiting: u64,
    /// The number of batches that workers have taken.
    #[serde(default)]
    pub batches_in_play: u64,
    /// Which workers were shut out or put aside, and why, one line each.
    #[serde(default)]
    pub shut_out: Vec<String>,
    /// The workers on which matches were lost on time.
    #[serde(default)]
    pub time_losses: Vec<TimeLosses>,
    /// When this was reported, in milliseconds since 1970.
    pub seen_ms: u64,
}

/// What a machine has played for all tournaments at a server.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Contribution {
    /// The machine's name.
    pub machine: String,
    /// Whose machine it is, if its worker said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The matches whose records were kept.
    pub matches: u64,
    /// When it played first, in milliseconds since 1970.
    pub since_ms: u64,
}

/// A worker that has reported in the last half minute.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Worker {
    /// Host and process.
    pub who: String,
    /// The version of its quintain.
    pub version: String,
    /// Whose machine it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The number of threads that play.
    pub threads: usize,
    /// When it began, in milliseconds since 1970.
    pub since_ms: u64,
    /// When this was reported, in milliseconds since 1970.
    pub seen_ms: u64,
    /// The number of matches whose records the server has.
    pub played: u64,
    /// The tournaments of the batches it holds now, each with the number of batches.
    pub playing: Vec<(String, usize)>,
    /// How many seconds its threads have played which tournament in the last minute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minute: Vec<(String, f64)>,
    /// The tournaments whose programs it is preparing: it fetches, compiles and tries them.
    #[serde(default)]
    pub preparing: Vec<String>,
    /// What it refuses to play and why, one line each.
    pub refuses: Vec<String>,
    /// Whether it plays programs: those that are sent, or those that it lists. Workers of earlier
    /// versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays_programs: Option<bool>,
}

/// Asks a server for its coordinators and workers.
///
/// # Errors
/// [`FleetError`] if the server cannot be reached, refuses the client or has no JetStream.
pub fn status(server: &NatsServer) -> Result<Status, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    runtime.block_on(async {
        let client = NatsClient::open(server, Role::Visitor, "quintain workers", None).await?;
        let wrong = |problem| {
            let address = server.to_string();
            match client.forbidden.borrow().clone() {
                Some(problem) => FleetError::forbidden(address, problem),
                None => FleetError::NoStreams { address, problem },
            }
        };
        let info = client.client.server_info();
        let listening =
            Listening { host: info.host, port: info.port, advertised: info.connect_urls };
        let mut status = Status { listening, ..Status::default() };
        let tournaments = &client.tournaments;
        for entry in entries(tournaments, COORDINATORS, usize::MAX).await.map_err(wrong)? {
            status.coordinators.extend(serde_json::from_slice::<Coordinator>(&entry.value));
        }
        for entry in entries(tournaments, CONTRIBUTIONS, usize::MAX).await.map_err(wrong)? {
            status.contributions.extend(serde_json::from_slice::<Contribution>(&entry.value));
        }
        for entry in entries(&client.workers, "", MOST_WORKERS).await.map_err(wrong)? {
            status.workers.extend(serde_json::from_slice::<Worker>(&entry.value));
        }
        let oldest = now_ms().saturating_sub(WORKER_EXPIRY.as_millis() as u64);
        status.workers.retain(|worker| worker.seen_ms >= oldest);
        let there = status.coordinators.iter().filter(|coordinator| coordinator.seen_ms >= oldest);
        status.thread_seconds_left = there.map(|coordinator| coordinator.thread_seconds_left).sum();
        status.contributions.sort_by(|one, other| {
            (other.matches, &one.machine).cmp(&(one.matches, &other.machine))
        });
        status.workers.sort_by(|one, other| one.who.cmp(&other.who));
        status.coordinators.sort_by(|one, other| one.tournament.cmp(&other.tournament));
        Ok(status)
    })
}

/// The entries of a bucket whose keys begin with `prefix`.
async fn entries(
    bucket: &kv::Store,
    prefix: &str,
    most: usize,
) -> Result<Vec<BucketEntry>, String> {
    let found = timeout(ANSWER_TIMEOUT, present(bucket, prefix, most)).await;
    found.unwrap_or_else(|_| Err("it does not answer".to_owned()))
}

/// Host and process.
pub(crate) fn whoami() -> String {
    format!("{}:{}", machine(), std::process::id())
}

/// The name of this machine.
pub fn machine() -> String {
    let named = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = named.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    host.map_or_else(|| "host".to_owned(), |host| host.trim().to_owned())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
