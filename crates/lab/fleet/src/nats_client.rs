//! The connection to the NATS server, and what is kept there: a stream of fixtures, a stream of
//! records, a bucket of tournaments and a bucket of workers. Both streams are work queues: an
//! acknowledged message is deleted. [`crate::wire`] defines what the messages mean.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::Client;
use async_nats::connection::State;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::context::RequestErrorKind;
use async_nats::jetstream::kv;
use async_nats::jetstream::stream::{
    ClusterInfo, Config, DiscardPolicy, Info, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::buckets::present;
use crate::error::{format_error, is_full};
use crate::room::RoomWatch;
use crate::server::Connection;
use crate::wire::Lane;
use crate::{FleetError, NatsServer};

const FIXTURES: &str = "QUINTAIN_FIXTURES";
const RECORDS: &str = "QUINTAIN_RECORDS";
const TOURNAMENTS: &str = "quintain_tournaments";
const WORKERS: &str = "quintain_workers";
/// Records that nobody has fetched for this long belong to a tournament that was given up.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// The most bytes of records in transit, and of what workers say of themselves: a worker may send
/// what it likes, and should fill neither disk nor memory of the server.
const MAX_RECORDS_BYTES: i64 = 4 << 30;
const MAX_WORKERS_BYTES: i64 = 64 << 20;
/// A worker that has been silent for this long is gone.
pub(crate) const WORKER_EXPIRY: Duration = Duration::from_secs(30);
/// How long a cluster may take to elect a leader, and to place the replicas of a stream.
const ELECTION_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a request may stay without an answer, as in a cluster that is too busy to keep a leader
/// or has lost most of its nodes.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(120);
/// The pause between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// The pause between two looks at a stream's replicas.
const REPLICA_CHECK_DELAY: Duration = Duration::from_secs(1);
/// The most workers that are looked at.
pub(crate) const MOST_WORKERS: usize = 1000;
/// How long a server may take to answer beyond the time that it was given.
const ANSWER_GRACE: Duration = Duration::from_secs(2);

/// Prefixes of a tournament's keys in the bucket: for its manifest, and for its coordinator's
/// [`crate::Coordinator`] entry. The strings are part of the protocol.
pub(crate) const MANIFESTS: &str = "card.";
pub(crate) const COORDINATORS: &str = "lease.";
pub(crate) const CONTRIBUTIONS: &str = "given.";

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It takes in records, and with them the secret that identifies each worker.
    Coordinator,
    /// It plays matches.
    Worker,
    /// It reads which coordinators and workers are there.
    Visitor,
}

impl Role {
    /// The subject prefix on which the server's answers arrive. Workers may read what arrives at
    /// the usual place (`_INBOX.>`), which belongs to all of them.
    pub(crate) fn inbox(self) -> &'static str {
        match self {
            Role::Coordinator => "_INBOX_coordinator",
            Role::Worker | Role::Visitor => "_INBOX",
        }
    }
}

/// Whether an answer may go to this subject. Whoever asks names it and need not have the right to
/// publish there; the one who answers often has. So answers go to inboxes alone: never to the
/// server's own subjects, nor to those of Quintain.
pub(crate) fn is_inbox(subject: &str) -> bool {
    let first = subject.split('.').next().unwrap_or_default();
    !first.is_empty()
        && !first.starts_with('$')
        && first != "quintain"
        && !subject.contains(['*', '>', ' '])
}

/// Whether an answer to workers may go to this subject: to an inbox, and not to one of
/// coordinators.
pub(crate) fn is_inbox_of_workers(subject: &str) -> bool {
    is_inbox(subject) && subject.split('.').next() != Some(Role::Coordinator.inbox())
}

/// A connection with its streams and buckets.
pub(crate) struct NatsClient {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    pub(crate) reconnected: Arc<Notify>,
    /// Whether the server has room for messages.
    pub(crate) room: RoomWatch,
    /// The server's last complaint that this user may not do something.
    pub(crate) forbidden: watch::Receiver<Option<String>>,
    pub(crate) fixtures: Stream,
    pub(crate) records: Stream,
    pub(crate) tournaments: kv::Store,
    pub(crate) workers: kv::Store,
}

impl NatsClient {
    /// Connects, and creates the streams and buckets that do not exist yet, with `replicas` copies
    /// of each message, or one copy if that is absent. Existing streams are changed to `replicas`
    /// if given.
    pub(crate) async fn open(
        server: &NatsServer,
        role: Role,
        name: &str,
        replicas: Option<usize>,
    ) -> Result<NatsClient, FleetError> {
        let inbox = server.inbox.as_deref().unwrap_or(role.inbox());
        let Connection { client, reconnected, mut forbidden } = server.connect(name, inbox).await?;
        let jetstream = async_nats::jetstream::new(client.clone());
        let address = server.to_string();
        let made = async {
            // Workers may not ask it: it is about the account of coordinators. What they ask next
            // fails, too, where there is no JetStream.
            if role == Role::Coordinator {
                check_account(&jetstream).await?;
            }
            retry(async || ensure_streams(&jetstream, replicas).await).await
        };
        // Forbidden requests are never answered.
        let made = tokio::select! {
            made = made => made.map_err(|problem| FleetError::no_streams(address, problem)),
            Ok(problem) = forbidden.wait_for(Option::is_some) => {
                let problem = problem.clone().unwrap_or_default();
                let problem = problem.trim_start_matches("nats: ").to_owned();
                // Coordinators create the streams; others need not be allowed to.
                Err(match role != Role::Coordinator && problem.contains("STREAM.CREATE") {
                    true => FleetError::NothingYet { address },
                    false => FleetError::forbidden(address, problem),
                })
            }
        };
        let (fixtures, records, tournaments, workers) = made?;
        Ok(NatsClient {
            client,
            jetstream,
            reconnected,
            room: RoomWatch::new(server.to_string()),
            forbidden,
            fixtures,
            records,
            tournaments,
            workers,
        })
    }

    /// As [`NatsClient::open`], but waits for a server that does not answer yet, for `patience` if
    /// that is limited. Returns `None` if `stop` is set in the meantime.
    pub(crate) async fn wait_for(
        server: &NatsServer,
        role: Role,
        name: &str,
        replicas: Option<usize>,
        patience: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Option<NatsClient>, FleetError> {
        let (begun, mut has_warned) = (Instant::now(), false);
        while !stop.load(Ordering::Relaxed) {
            match NatsClient::open(server, role, name, replicas).await {
                Err(error @ (FleetError::Unreachable { .. } | FleetError::NothingYet { .. })) => {
                    if patience.is_some_and(|patience| begun.elapsed() >= patience) {
                        return Err(error);
                    }
                    if !has_warned {
                        tracing::warn!("{error} Waiting for it…");
                        has_warned = true;
                    }
                    sleep(RETRY_DELAY).await;
                }
                opened => return opened.map(Some),
            }
        }
        Ok(None)
    }

    /// The number of workers that have reported recently, if the server tells.
    pub(crate) async fn count_workers(&self) -> Option<u64> {
        let info = self.jetstream.get_stream(format!("KV_{WORKERS}")).await;
        info.ok().map(|stream| stream.cached_info().state.messages)
    }

    /// The keys of the workers that have reported recently, if the server tells.
    pub(crate) async fn list_workers(&self) -> Option<Vec<String>> {
        Some(self.list_reports().await?.into_keys().collect())
    }

    /// The last report of every worker, with that report's number, if the server tells.
    pub(crate) async fn list_reports(&self) -> Option<HashMap<String, (u64, Vec<u8>)>> {
        // One worker could report under any number of names.
        let found = timeout(ANSWER_GRACE, present(&self.workers, "", MOST_WORKERS)).await.ok()?;
        let reports = found.ok()?.into_iter();
        Some(reports.map(|report| (report.key, (report.revision, report.value))).collect())
    }

    /// Recreates, empty, the streams and buckets that the server has lost.
    pub(crate) async fn restore(&self, replicas: Option<usize>) -> Result<(), String> {
        ensure_streams(&self.jetstream, replicas).await.map(drop)
    }

    /// Whether the server can be reached, as far as is known.
    pub(crate) fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// The queue of a tournament's fixtures in a lane, created if it does not exist.
    pub(crate) async fn lane_queue(
        &self,
        tournament: &str,
        lane: Lane,
        patience: Duration,
    ) -> Result<PullConsumer, String> {
        let name = lane_name(tournament, lane);
        let config = queue(name.clone(), fixtures_subject(tournament, lane), patience);
        self.fixtures
            .get_or_create_consumer(&name, config)
            .await
            .map_err(|error| format_error(&error))
    }

    /// The queue of a tournament's records, created if it does not exist.
    pub(crate) async fn records_queue(
        &self,
        tournament: &str,
        patience: Duration,
    ) -> Result<PullConsumer, String> {
        let config = queue(tournament.to_owned(), records_subject(tournament), patience);
        let made = self.records.get_or_create_consumer(tournament, config).await;
        made.map_err(|error| format_error(&error))
    }

    /// Returns up to `most` messages: those that wait in the queue, or else the first to come
    /// within `wait`.
    pub(crate) async fn pull(queue: &PullConsumer, most: usize, wait: Duration) -> Vec<Message> {
        let batch = match wait.is_zero() {
            true => queue.fetch().max_messages(most).messages().await,
            false => queue.batch().max_messages(most).expires(wait).messages().await,
        };
        let mut pulled = Vec::new();
        let Ok(mut batch) = batch else { return pulled };
        while let Ok(Some(next)) = timeout(wait + ANSWER_GRACE, batch.next()).await {
            match next {
                Ok(message) => pulled.push(message),
                Err(error) => {
                    tracing::debug!("a queue: {error}");
                    break;
                }
            }
        }
        pulled
    }
}

/// Repeats an attempt until it succeeds, or has failed for too long; then returns the last error. A
/// cluster that has just started, or has lost a node, refuses streams until it has elected a
/// leader, or gives no answer at all.
pub(crate) async fn retry<T>(
    mut attempt: impl AsyncFnMut() -> Result<T, String>,
) -> Result<T, String> {
    // Not since the start: an attempt may itself wait for a cluster.
    let (mut failing, mut has_warned) = (None, false);
    loop {
        let problem = match attempt().await {
            Ok(done) => return Ok(done),
            Err(problem) => problem,
        };
        // A disk does not become empty by waiting.
        if is_full(&problem) {
            return Err(problem);
        }
        let is_silent = problem.contains("timed out");
        let patience = if is_silent { SILENCE_TIMEOUT } else { ELECTION_TIMEOUT };
        if failing.get_or_insert_with(Instant::now).elapsed() >= patience {
            return Err(problem);
        }
        if is_silent && !has_warned {
            tracing::warn!("JetStream does not answer ({problem}); trying again");
            has_warned = true;
        }
        tracing::debug!("{problem}; trying again");
        sleep(RETRY_DELAY).await;
    }
}

/// Checks that this account has JetStream.
async fn check_account(jetstream: &Context) -> Result<(), String> {
    // The library's own request cannot parse the answer of servers of version 2.9. Only a timeout
    // is retried: any other error is the server's answer.
    let account = retry(async || match jetstream.request::<_, _, Value>("INFO", &()).await {
        Err(error) if error.kind() == RequestErrorKind::TimedOut => Err(format_error(&error)),
        answered => Ok(answered.map_err(|error| format_error(&error))),
    });
    let account = account.await.and_then(|answered| answered)?;
    match account["error"]["description"].as_str() {
        Some(problem) => Err(problem.to_owned()),
        None => Ok(()),
    }
}

/// The streams and buckets, created where they do not exist.
async fn ensure_streams(
    jetstream: &Context,
    replicas: Option<usize>,
) -> Result<(Stream, Stream, kv::Store, kv::Store), String> {
    let fixtures = stream(jetstream, fixtures(), replicas).await?;
    let records = stream(jetstream, records(), replicas).await?;
    let (tournaments, workers) = (bucket(TOURNAMENTS), bucket(WORKERS));
    let workers = Config {
        max_age: WORKER_EXPIRY,
        max_bytes: MAX_WORKERS_BYTES,
        storage: StorageType::Memory,
        ..workers
    };
    stream(jetstream, tournaments, replicas).await?;
    stream(jetstream, workers, replicas).await?;
    let bucket =
        async |name| jetstream.get_key_value(name).await.map_err(|error| format_error(&error));
    Ok((fixtures, records, bucket(TOURNAMENTS).await?, bucket(WORKERS).await?))
}

fn queue(name: String, filter_subject: String, ack_wait: Duration) -> pull::Config {
    pull::Config {
        durable_name: Some(name),
        filter_subject,
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_deliver: -1,
        // No limit: the coordinator bounds how many are out.
        max_ack_pending: -1,
        max_waiting: 1 << 16,
        ..pull::Config::default()
    }
}

/// The name of a lane's consumer, which may contain no dots.
pub(crate) fn lane_name(tournament: &str, lane: Lane) -> String {
    format!("{tournament}_{}", lane.name())
}

pub(crate) fn fixtures_subject(tournament: &str, lane: Lane) -> String {
    format!("quintain.fixtures.{tournament}.{}", lane.name())
}

pub(crate) fn records_subject(tournament: &str) -> String {
    format!("quintain.records.{tournament}")
}

fn fixtures() -> Config {
    Config {
        name: FIXTURES.to_owned(),
        description: Some("fixtures to be played, in batches".to_owned()),
        subjects: vec!["quintain.fixtures.>".to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

fn records() -> Config {
    Config {
        name: RECORDS.to_owned(),
        description: Some("records on their way to a store".to_owned()),
        subjects: vec!["quintain.records.>".to_owned()],
        max_age: KEPT,
        max_bytes: MAX_RECORDS_BYTES,
        ..fixtures()
    }
}

/// The stream behind a key-value bucket. The library's own way to create one makes a request that
/// servers of version 2.9 do not answer.
fn bucket(name: &str) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        retention: RetentionPolicy::Limits,
        description: None,
        max_messages_per_subject: 1,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..fixtures()
    }
}

/// A stream, created if it does not exist, and changed to `replicas` if that is given.
async fn stream(
    jetstream: &Context,
    mut config: Config,
    replicas: Option<usize>,
) -> Result<Stream, String> {
    config.num_replicas = replicas.unwrap_or(1);
    let mut made = create(jetstream, &config).await;
    // Servers set aside as many bytes as a stream may have; a small one may have fewer at all.
    let is_small = |problem: &String| is_full(problem) || problem.contains("no suitable peers");
    if config.max_bytes > 0 && made.as_ref().is_err_and(is_small) {
        made = create(jetstream, &Config { max_bytes: -1, ..config }).await;
    }
    let mut stream = made?;
    if let Some(wanted) = replicas {
        replicate(jetstream, &mut stream, wanted).await?;
    }
    Ok(stream)
}

async fn create(jetstream: &Context, config: &Config) -> Result<Stream, String> {
    let made = jetstream.get_or_create_stream(config.clone()).await;
    made.map_err(|error| format_error(&error))
}

/// Changes a stream to this many replicas, and waits until that many servers keep it, for no longer
/// than [`ELECTION_TIMEOUT`].
///
/// If a worker and a coordinator create a stream at the same moment, servers of version 2.9 may say
/// that it has `wanted` replicas, and keep one. Changing the number to 1 and back makes them add
/// the others. While a change is under way it may look the same, so it must look so twice.
async fn replicate(jetstream: &Context, stream: &mut Stream, wanted: usize) -> Result<(), String> {
    let (begun, mut was_alone) = (Instant::now(), false);
    loop {
        if stream.cached_info().config.num_replicas != wanted {
            set_replicas(jetstream, stream, wanted).await?;
        }
        let is_alone = is_kept_by_one(stream.cached_info());
        if is_alone && was_alone {
            set_replicas(jetstream, stream, 1).await?;
            set_replicas(jetstream, stream, wanted).await?;
        }
        was_alone = is_alone && !was_alone;
        if is_placed(stream.cached_info(), wanted) {
            return Ok(());
        }
        if begun.elapsed() >= ELECTION_TIMEOUT {
            let name = &stream.cached_info().config.name;
            tracing::warn!("{name} is not kept by {wanted} servers after {ELECTION_TIMEOUT:?}.");
            return Ok(());
        }
        sleep(REPLICA_CHECK_DELAY).await;
        // A stream without a leader gives no answer.
        if let Err(problem) = stream.info().await {
            tracing::debug!("a stream: {problem}");
        }
    }
}

/// Whether a stream has a leader and all its replicas, of which some may be away. A server that
/// belongs to no cluster says nothing about them.
fn is_placed(info: &Info, wanted: usize) -> bool {
    info.cluster
        .as_ref()
        .is_none_or(|cluster| cluster.leader.is_some() && cluster.replicas.len() + 1 >= wanted)
}

/// Whether a stream that should have several replicas has no server but its leader, not even one
/// that is away.
fn is_kept_by_one(info: &Info) -> bool {
    let is_alone = |cluster: &ClusterInfo| cluster.leader.is_some() && cluster.replicas.is_empty();
    info.config.num_replicas > 1 && info.cluster.as_ref().is_some_and(is_alone)
}

/// Changes how many servers keep a stream, and nothing else of its configuration.
async fn set_replicas(
    jetstream: &Context,
    stream: &mut Stream,
    replicas: usize,
) -> Result<(), String> {
    let config = Config { num_replicas: replicas, ..stream.cached_info().config.clone() };
    jetstream.update_stream(&config).await.map_err(|error| format_error(&error))?;
    stream.info().await.map(drop).map_err(|error| format_error(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_inboxes_alone() {
        // The last is what a server makes of an inbox in another account.
        for inbox in ["_INBOX.a.b", "_INBOX_desk.a", "desk.a", "_R_.a.b"] {
            assert!(is_inbox(inbox) && is_inbox_of_workers(inbox), "{inbox}");
        }
        let own = "_INBOX_coordinator.a";
        assert!(is_inbox(own) && !is_inbox_of_workers(own));
        for other in [
            "$JS.API.STREAM.DELETE.QUINTAIN_RECORDS",
            "$KV.quintain_tournaments.card.a",
            "$JS.ACK.a",
            "quintain.tests",
            "quintain.records.a",
            "",
            ".a",
            "_INBOX.>",
            "*.a",
        ] {
            assert!(!is_inbox(other) && !is_inbox_of_workers(other), "{other}");
        }
    }

    /// Retries what fails with `problem` for `seconds`; returns the result, and the seconds it
    /// took.
    async fn retry_for(problem: &str, seconds: u64) -> (Result<(), String>, u64) {
        let begun = Instant::now();
        let attempt = async || match begun.elapsed() < Duration::from_secs(seconds) {
            true => Err(problem.to_owned()),
            false => Ok(()),
        };
        (retry(attempt).await, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_cluster_is_waited_for_longer_than_one_that_refuses() {
        let silent = "jetstream request timed out";
        assert_eq!(retry_for(silent, 100).await, (Ok(()), 100));
        assert_eq!(retry_for(silent, 1000).await, (Err(silent.to_owned()), 120));
        assert_eq!(retry_for("no leader", 10).await, (Ok(()), 10));
        let full = "write 1.blk: no space left on device";
        assert_eq!(retry_for(full, 10).await, (Err(full.to_owned()), 0));
        assert_eq!(retry_for("no room", 100).await, (Err("no room".to_owned()), 20));
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_that_an_attempt_waits_by_itself_does_not_count() {
        let mut left = 2;
        let attempt = async || {
            sleep(Duration::from_secs(80)).await;
            left -= 1;
            if left > 0 { Err("no leader".to_owned()) } else { Ok(()) }
        };
        assert_eq!(retry(attempt).await, Ok(()));
    }
}
