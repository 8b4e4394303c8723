//! The leases of a worker: the batches that the server has given it and expects back. A batch that
//! shows no sign of life within its patience is given to another worker, so the worker reports
//! progress on each until it acknowledges the batch or gives it back.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use tokio::sync::Notify;

use super::lock::lock;

/// The longest time between two progress reports, however long the patience.
const MAX_HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// The number of progress reports within a batch's patience.
const HEARTBEATS_PER_TIMEOUT: u32 = 3;

/// All leases of a worker.
#[derive(Clone, Default)]
pub(super) struct Leases(Arc<Mutex<Batches>>, Arc<Notify>);

#[derive(Default)]
struct Batches {
    next: u64,
    held: HashMap<u64, Batch>,
}

struct Batch {
    acker: Arc<Acker>,
    /// The tournament's id and its name.
    id: String,
    tournament: String,
    patience: Duration,
}

/// The lease of one batch. It lasts until it is acknowledged or all are given back. Dropping this
/// value does not end it, so that a batch given up in mid-match is given back with the others
/// instead of being forgotten.
pub(super) struct Lease {
    number: u64,
    leases: Leases,
}

impl Leases {
    /// Takes out the lease of a batch of a tournament, which has an id and a name.
    pub(super) fn hold(
        &self,
        acker: Acker,
        (id, tournament): (&str, &str),
        patience: Duration,
    ) -> Waiting {
        let mut batches = lock(&self.0);
        let number = batches.next;
        batches.next += 1;
        let (acker, id, tournament) = (Arc::new(acker), id.to_owned(), tournament.to_owned());
        batches.held.insert(number, Batch { acker, id, tournament, patience });
        self.1.notify_one();
        Waiting(Some(Lease { number, leases: self.clone() }))
    }

    /// Ends the leases of a tournament that is over: nobody needs its batches.
    pub(super) async fn end_all_of(&self, id: &str) {
        let ended: Vec<(u64, Batch)> =
            lock(&self.0).held.extract_if(|_, batch| batch.id == id).collect();
        for (_, batch) in ended {
            if let Err(error) = batch.acker.ack().await {
                tracing::debug!("an acknowledgement was not sent: {error}");
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).held.is_empty()
    }

    /// The names of the tournaments of the leased batches, each with its number of batches.
    pub(super) fn names(&self) -> Vec<(String, usize)> {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for batch in lock(&self.0).held.values() {
            *names.entry(batch.tournament.clone()).or_default() += 1;
        }
        names.into_iter().collect()
    }

    /// The time to the next progress report: a third of the shortest patience.
    pub(super) fn heartbeat_interval(&self) -> Duration {
        let shortest = lock(&self.0).held.values().map(|batch| batch.patience).min();
        shortest
            .map_or(MAX_HEARTBEAT_INTERVAL, |patience| patience / HEARTBEATS_PER_TIMEOUT)
            .min(MAX_HEARTBEAT_INTERVAL)
    }

    /// Waits for a new lease, whose patience may be shorter than that of the others.
    pub(super) async fn wait_for_lease(&self) {
        self.1.notified().await;
    }

    /// Sends the same acknowledgement for every leased batch.
    pub(super) async fn acknowledge_all(&self, kind: AckKind) {
        let ackers: Vec<Arc<Acker>> =
            lock(&self.0).held.values().map(|batch| Arc::clone(&batch.acker)).collect();
        for acker in ackers {
            if let Err(error) = acker.ack_with(kind).await {
                tracing::debug!("a sign of life was not sent: {error}");
            }
        }
    }

    /// Gives all batches back, so that others can play them at once.
    pub(super) async fn give_back(&self) {
        self.acknowledge_all(AckKind::Nak(None)).await;
        lock(&self.0).held.clear();
    }
}

/// The lease of a batch that waits for its turn. Dropping it, as when its tournament is restarted,
/// gives the batch back: nobody here will play it.
pub(super) struct Waiting(Option<Lease>);

impl Waiting {
    /// The lease of the batch, which is now played.
    pub(super) fn begin(mut self) -> Lease {
        self.0.take().expect("it is begun once")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(Lease { number, leases }) = self.0.take() else { return };
        let batch = lock(&leases.0).held.remove(&number);
        if let (Some(batch), Ok(runtime)) = (batch, tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move { batch.acker.ack_with(AckKind::Nak(None)).await });
        }
    }
}

impl Lease {
    /// Ends the lease: the batch is played and its records are stored at the server.
    pub(super) async fn acknowledge(self) {
        let batch = lock(&self.leases.0).held.remove(&self.number);
        if let Some(batch) = batch
            && let Err(error) = batch.acker.ack().await
        {
            tracing::debug!("an acknowledgement was not sent: {error}");
        }
    }
}
