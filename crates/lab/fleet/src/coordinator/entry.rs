//! What a coordinator leaves at the server for others to see: the tournament's manifest, and its
//! own entry, which decides that the later of two coordinators wins.

use std::time::{Duration, Instant};

use async_nats::jetstream::kv::Operation;

use super::Run;
use crate::FleetError;
use crate::buckets::sweep;
use crate::error::format_error;
use crate::nats_client::{COORDINATORS, MANIFESTS, lane_name, records_subject};
use crate::status::{Coordinator, now_ms, whoami};

impl Run<'_, '_, '_> {
    /// Publishes the tournament's manifest for workers.
    pub(super) async fn publish_manifest(&self) -> Result<(), String> {
        let manifest = serde_json::to_vec(&self.manifest).expect("a manifest has JSON");
        let key = format!("{MANIFESTS}{}", self.manifest.id);
        self.client
            .tournaments
            .put(key, manifest.into())
            .await
            .map(drop)
            .map_err(|error| format_error(&error))
    }

    fn coordinator_key(&self) -> String {
        format!("{COORDINATORS}{}", self.fleet.manifest.id)
    }

    /// The JSON of this coordinator's entry at the server.
    fn describe_coordinator(&self) -> Vec<u8> {
        let manifest = &self.fleet.manifest;
        let coordinator = Coordinator {
            id: manifest.id.clone(),
            session: manifest.session.clone(),
            tournament: manifest.name.clone(),
            title: self.fleet.title.clone(),
            game: manifest.game.clone(),
            contest: manifest.owner.clone(),
            who: whoami(),
            total: self.missing.share(),
            done: self.missing.share() - self.results.count_left(),
            rate: self.ledger.count_stored() as f64 / self.begun.elapsed().as_secs_f64().max(1e-9),
            thread_seconds_left: self.thread_seconds_left(),
            troubles: self.results.troubles().cloned().collect(),
            batches_waiting: self.waiting,
            batches_in_play: self.in_play,
            shut_out: self.results.shut_out_lines().to_vec(),
            time_losses: self.results.time_losses(),
            seen_ms: now_ms(),
        };
        serde_json::to_vec(&coordinator).expect("a coordinator has JSON")
    }

    /// How long one thread would take to play what is left, as far as is known. It is never zero
    /// while anything is left, so that an autoscaler that goes by it starts the first worker.
    fn thread_seconds_left(&self) -> f64 {
        let a_match = self.sizer.match_time().unwrap_or_default().as_secs_f64();
        match self.results.count_left() {
            0 => 0.0,
            left => (left as f64 * a_match).max(1.0),
        }
    }

    /// Overwrites the entry of any earlier coordinator: the last to start wins.
    pub(super) async fn take_over(&mut self) -> Result<(), String> {
        let put = self
            .client
            .tournaments
            .put(self.coordinator_key(), self.describe_coordinator().into())
            .await;
        self.revision = Some(put.map_err(|error| format_error(&error))?);
        self.renewed = Instant::now();
        Ok(())
    }

    /// Renews the entry, which shows that this coordinator is alive.
    ///
    /// The update names the revision that it replaces, so it fails if anybody else has written the
    /// entry since. Then another coordinator has taken over, and this one ends.
    pub(super) async fn renew(&mut self) -> Result<(), FleetError> {
        self.renewed = Instant::now();
        let key = self.coordinator_key();
        let (value, last) = (self.describe_coordinator().into(), self.revision.unwrap_or(0));
        match self.client.tournaments.update(&key, value, last).await {
            Ok(revision) => self.revision = Some(revision),
            // Our own renewal may have been stored although its answer was lost: only an entry of
            // another session means that we were replaced.
            Err(_) => match self.client.tournaments.entry(&key).await {
                Ok(Some(entry)) if entry.operation != Operation::Put => {
                    return Err(FleetError::TakenOver("it has ended since".to_owned()));
                }
                Ok(Some(entry)) => {
                    let other: Option<Coordinator> = serde_json::from_slice(&entry.value).ok();
                    match other {
                        Some(other) if other.session != self.fleet.manifest.session => {
                            return Err(FleetError::TakenOver(other.who));
                        }
                        _ => self.revision = Some(entry.revision),
                    }
                }
                Ok(None) => drop(self.take_over().await),
                Err(_) => {}
            },
        }
        Ok(())
    }

    /// Removes from the server what is no longer needed, the manifest first, so that workers stop.
    /// Records of a tournament that was stopped stay for the next coordinator. Workers abandon what
    /// they play when a manifest is purged: nobody waits for it, even if it was only stopped.
    pub(super) async fn tidy_up(&mut self) {
        if !self.client.is_up() {
            return;
        }
        let id = &self.fleet.manifest.id;
        let manifest = format!("{MANIFESTS}{id}");
        let _ = self.client.tournaments.purge(manifest).await;
        let _ = self.clear_fixtures().await;
        while self.receive(Duration::ZERO).await > 0 {}
        for lane in self.lanes.keys() {
            let _ = self.client.fixtures.delete_consumer(&lane_name(id, *lane)).await;
        }
        if self.results.count_left() == 0 {
            let _ = self.client.records.purge().filter(records_subject(id)).await;
            let _ = self.client.records.delete_consumer(id).await;
        }
        let _ = self.client.tournaments.purge(self.coordinator_key()).await;
        for prefix in [MANIFESTS, COORDINATORS] {
            sweep(&self.client.tournaments, prefix, (now_ms() / 1000) as i64).await;
        }
        let _ = self.client.client.flush().await;
    }
}
