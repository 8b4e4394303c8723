//! The batches that a worker holds: each is told to the server as being worked on, until
//! it is acknowledged or given back.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use tokio::sync::Notify;

use super::locked;

/// How often the server hears of batches, where it would wait much longer.
const LONGEST_BEAT: Duration = Duration::from_secs(10);
/// Signs of life within the server's patience.
const BEATS: u32 = 3;

/// All batches of a worker.
#[derive(Clone, Default)]
pub(super) struct Holdings(Arc<Mutex<Batches>>, Arc<Notify>);

#[derive(Default)]
struct Batches {
    next: u64,
    held: HashMap<u64, Batch>,
}

struct Batch {
    acker: Arc<Acker>,
    tournament: String,
    patience: Duration,
}

/// One of them. It is held until it is acknowledged or given back, whatever becomes of
/// this.
pub(super) struct Held {
    number: u64,
    holdings: Holdings,
}

impl Holdings {
    pub(super) fn hold(&self, acker: Acker, tournament: &str, patience: Duration) -> Held {
        let mut batches = locked(&self.0);
        let number = batches.next;
        batches.next += 1;
        let (acker, tournament) = (Arc::new(acker), tournament.to_owned());
        batches.held.insert(number, Batch { acker, tournament, patience });
        self.1.notify_one();
        Held { number, holdings: self.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        locked(&self.0).held.is_empty()
    }

    /// The tournaments they are of, with how many.
    pub(super) fn names(&self) -> Vec<(String, usize)> {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for batch in locked(&self.0).held.values() {
            *names.entry(batch.tournament.clone()).or_default() += 1;
        }
        names.into_iter().collect()
    }

    /// The time to the next sign of life.
    pub(super) fn beat(&self) -> Duration {
        let shortest = locked(&self.0).held.values().map(|batch| batch.patience).min();
        shortest.map_or(LONGEST_BEAT, |patience| patience / BEATS).min(LONGEST_BEAT)
    }

    /// Waits until one more is held, which may have to be told sooner.
    pub(super) async fn taken(&self) {
        self.1.notified().await;
    }

    /// Tells the server the same of all.
    pub(super) async fn tell(&self, kind: AckKind) {
        let ackers: Vec<Arc<Acker>> =
            locked(&self.0).held.values().map(|batch| Arc::clone(&batch.acker)).collect();
        for acker in ackers {
            if let Err(error) = acker.ack_with(kind).await {
                tracing::debug!("a sign of life was not sent: {error}");
            }
        }
    }

    /// Gives all back, to be played by others at once.
    pub(super) async fn give_back(&self) {
        self.tell(AckKind::Nak(None)).await;
        locked(&self.0).held.clear();
    }
}

impl Held {
    /// Says that it is played and its records are safe.
    pub(super) async fn acknowledge(self) {
        let batch = locked(&self.holdings.0).held.remove(&self.number);
        if let Some(batch) = batch
            && let Err(error) = batch.acker.ack().await
        {
            tracing::debug!("an acknowledgement was not sent: {error}");
        }
    }
}
