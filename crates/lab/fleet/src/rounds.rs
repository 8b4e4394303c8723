//! Tournaments that one process hands out one after the other, without end: the rounds of a
//! contest. What the rounds have in common is kept here: which workers were shut out, and whose
//! rounds they are. So the next process can find and remove what a process that was killed has left
//! at the server.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use futures_util::TryStreamExt;

use crate::error::format_error;
use crate::nats_client::{
    COORDINATORS, MANIFESTS, NatsClient, Role, fixtures_subject, lane_name, records_subject, retry,
};
use crate::wire::{Lane, Manifest, Sender};
use crate::{FleetError, NatsServer};

/// The most workers that are remembered as shut out; the latest are remembered.
const REMEMBERED: usize = 1000;

/// The rounds of one contest.
pub struct Rounds {
    /// Identifies the contest: the same whenever the contest is opened again, and different from
    /// all others.
    pub(crate) owner: String,
    shut_out: Mutex<Vec<(Sender, String)>>,
    /// The number of workers at the server when a round last asked.
    present: Mutex<Option<u64>>,
}

impl Rounds {
    /// Creates the rounds of a contest. `owner` is a text that stays the same after the contest's
    /// process was killed, and that no other contest has.
    pub fn new(owner: &str) -> Rounds {
        let (shut_out, present) = (Mutex::default(), Mutex::default());
        Rounds { owner: owner.to_owned(), shut_out, present }
    }

    /// The number of workers that have reported to the server in the last half minute, as far as a
    /// round has asked.
    pub fn count_workers(&self) -> Option<u64> {
        *self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how many workers there are.
    pub(crate) fn set_present(&self, present: u64) {
        *self.present.lock().unwrap_or_else(PoisonError::into_inner) = Some(present);
    }

    /// The workers that were shut out in earlier rounds, and why.
    pub(crate) fn list_shut_out(&self) -> Vec<(Sender, String)> {
        self.shut_out.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers workers that were shut out.
    pub(crate) fn shut_out(&self, senders: Vec<(Sender, String)>) {
        let mut known = self.shut_out.lock().unwrap_or_else(PoisonError::into_inner);
        for (sender, reason) in senders {
            if !known.iter().any(|(other, _)| *other == sender) {
                known.push((sender, reason));
            }
        }
        let over = known.len().saturating_sub(REMEMBERED);
        known.drain(..over);
    }

    /// Removes from the server what an earlier process has left of this contest's rounds, before
    /// the first round of this process. Waits for a server that does not answer, until `stop` is
    /// set.
    ///
    /// # Errors
    /// If the server refuses us.
    pub fn clear(&self, server: &NatsServer, stop: &AtomicBool) -> Result<(), FleetError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
        runtime.block_on(async {
            let name = "quintain host, clearing up";
            let opened =
                NatsClient::wait_for(server, Role::Coordinator, name, None, None, stop).await?;
            let Some(client) = opened else { return Ok(()) };
            let failed = |problem| FleetError::no_streams(server.to_string(), problem);
            for id in retry(async || self.list_left(&client).await).await.map_err(failed)? {
                remove(&client, &id).await;
            }
            Ok(())
        })
    }

    /// The ids of this contest's tournaments that are still at the server.
    async fn list_left(&self, client: &NatsClient) -> Result<Vec<String>, String> {
        let to_text = |error: &(dyn std::error::Error + 'static)| format_error(error);
        let keys = client.tournaments.keys().await.map_err(|error| to_text(&error))?;
        let keys: Vec<String> = keys.try_collect().await.map_err(|error| to_text(&error))?;
        let mut left = Vec::new();
        for key in keys.iter().filter(|key| key.starts_with(MANIFESTS)) {
            let value = client.tournaments.get(key).await.map_err(|error| to_text(&error))?;
            let manifest = value.and_then(|value| serde_json::from_slice::<Manifest>(&value).ok());
            if let Some(manifest) = manifest
                && manifest.owner.as_ref() == Some(&self.owner)
            {
                left.push(manifest.id);
            }
        }
        Ok(left)
    }
}

/// Removes everything about a tournament from the server, beginning with what workers see. Anything
/// that cannot be removed is left: it is in nobody's way.
async fn remove(client: &NatsClient, id: &str) {
    let _ = client.tournaments.purge(format!("{MANIFESTS}{id}")).await;
    for lane in Lane::ALL {
        let _ = client.fixtures.purge().filter(fixtures_subject(id, lane)).await;
        let _ = client.fixtures.delete_consumer(&lane_name(id, lane)).await;
    }
    let _ = client.records.purge().filter(records_subject(id)).await;
    let _ = client.records.delete_consumer(id).await;
    let _ = client.tournaments.purge(format!("{COORDINATORS}{id}")).await;
    let _ = client.client.flush().await;
}
