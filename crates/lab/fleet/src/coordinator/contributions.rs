//! What each machine has played for all tournaments at a server. Coordinators add to it now and
//! then; one that is killed has not added what came since.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::Run;
use crate::nats_client::CONTRIBUTIONS;
use crate::status::{Contribution, Worker, now_ms};
use crate::wire::{host_of, worker_key};

/// How often it is added.
pub(super) const CREDIT_INTERVAL: Duration = Duration::from_secs(30);
/// The pause between two looks for the owners of workers that are not in the server's list: all
/// entries are read.
pub(super) const OWNER_INTERVAL: Duration = Duration::from_secs(3);
/// How often to try while other coordinators add to the same machine.
const TRIES: usize = 5;

impl Run<'_, '_, '_> {
    /// Adds what workers have played since the last time, for their machines and owners. Of a
    /// worker that was never in the server's list, nobody knows the owner: it has to wait, but for
    /// the last time.
    pub(super) async fn credit_machines(&mut self, is_last: bool) {
        self.learn_owners().await;
        for (who, played) in self.results.played_by_worker() {
            let more = played.saturating_sub(self.credited.get(&who).copied().unwrap_or(0));
            if more == 0 {
                continue;
            }
            let owner = match self.owners.get(&who) {
                Some(owner) => owner.clone(),
                None if is_last => None,
                None => continue,
            };
            if self.credit(host_of(&who), owner, more).await {
                self.credited.insert(who, played);
            }
        }
    }

    /// Notes the owners of workers that have begun to play: whoever stops leaves the list.
    pub(super) async fn learn_owners(&mut self) {
        let played = self.results.played_by_worker();
        if played.keys().any(|who| !self.owners.contains_key(who)) {
            self.owners_asked = Some(Instant::now());
            let owners = self.find_owners().await;
            self.owners.extend(owners);
        }
    }

    /// The workers in the server's list, with their owners if they name one. A server that was
    /// restarted has an empty list at first.
    async fn find_owners(&self) -> HashMap<String, Option<String>> {
        let reports = self.client.list_reports().await.unwrap_or_default();
        let workers =
            reports.values().filter_map(|(_, report)| serde_json::from_slice(report).ok());
        workers.map(|worker: Worker| (worker.who, worker.owner)).collect()
    }

    /// Adds to what a machine has played for its owner: several people may have workers on one.
    async fn credit(&self, machine: &str, owner: Option<String>, more: u64) -> bool {
        let of_owner = owner.as_ref().map_or(String::new(), |owner| format!(".{owner}"));
        let key = format!("{CONTRIBUTIONS}{}", worker_key(&format!("{machine}{of_owner}")));
        for _ in 0..TRIES {
            let Ok(entry) = self.client.tournaments.entry(&key).await else { return false };
            let revision = entry.as_ref().map_or(0, |entry| entry.revision);
            let known = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
            let known = known.unwrap_or_else(|| Contribution {
                machine: machine.to_owned(),
                owner: owner.clone(),
                since_ms: now_ms(),
                ..Contribution::default()
            });
            let now = Contribution { matches: known.matches + more, ..known };
            let value = serde_json::to_vec(&now).expect("contributions have JSON");
            if self.client.tournaments.update(&key, value.into(), revision).await.is_ok() {
                return true;
            }
        }
        false
    }
}
