//! Watches the server's queues: fixtures that got lost are handed out again, those that take long
//! are handed out a second time, and the user is warned if nobody plays.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;

use super::contributions::{CREDIT_INTERVAL, OWNER_INTERVAL};
use super::{Fleet, Idle, Reports, Run, acknowledge};
use crate::error::format_error;
use crate::nats_client::{NatsClient, fixtures_subject};
use crate::status::Worker;
use crate::wire::{Lane, Manifest, is_module, is_program};

/// How often workers are asked what they refuse.
const REFUSAL_INTERVAL: Duration = Duration::from_secs(3);
/// If there are more workers than this, they are not listed by name.
const MAX_LISTED: u64 = 64;

impl Fleet {
    /// The queues of the tournament, created if they do not exist.
    pub(super) async fn open_queues(
        &self,
        client: &NatsClient,
    ) -> Result<(PullConsumer, BTreeMap<Lane, PullConsumer>), String> {
        let Manifest { id, players, .. } = &self.manifest;
        let records = client.records_queue(id, self.options.patience).await?;
        let mut lanes = BTreeMap::new();
        for lane in Lane::ALL {
            if lane == Lane::Plain || players.iter().any(|(player, _)| is_program(player)) {
                lanes.insert(lane, client.lane_queue(id, lane, self.options.patience).await?);
            }
        }
        Ok((records, lanes))
    }
}

impl Run<'_, '_, '_> {
    /// Asks how many batches wait and are being played, and publishes again if there are none
    /// although fixtures have no answer.
    pub(super) async fn check_queues(&mut self) {
        let (mut in_play, mut waiting) = (0, 0);
        let mut lost = None;
        for queue in self.lanes.values() {
            match queue.get_info().await {
                Ok(info) => {
                    in_play += info.num_ack_pending as u64;
                    waiting += info.num_pending;
                }
                Err(error) => lost = Some(format_error(&error)),
            }
        }
        if let Some(problem) = lost {
            if self.client.is_up() {
                self.restore(&problem).await;
            }
            return;
        }
        self.results.put_slow_workers_aside();
        self.sizer.observe(in_play, waiting);
        (self.in_play, self.waiting) = (in_play, waiting);
        if self.credited_at.elapsed() >= CREDIT_INTERVAL {
            self.credited_at = Instant::now();
            self.credit_machines(false).await;
        } else if self.owners_asked.is_none_or(|at| at.elapsed() >= OWNER_INTERVAL) {
            self.learn_owners().await;
        }
        let present = self.count_workers().await;
        self.report_refusals(present).await;
        self.warn_if_idle(present).await;
        if in_play + waiting > 0 {
            self.back_up_stragglers();
            return;
        }
        // A worker publishes its records before it acknowledges a batch, so the records of every
        // batch that is no longer queued are in the stream by now. Take those in: fixtures that
        // still have no answer have been lost, by the server or by a hostile worker.
        while self.receive(Duration::ZERO).await > 0 {}
        if self.results.out() > 0 && self.client.is_up() {
            tracing::info!(
                "{} fixtures were lost on the way; handed out again",
                self.results.out()
            );
            let tokens = self.results.start_over();
            acknowledge(tokens).await;
        }
        // Any second looks left have got lost, or no other worker was there for them.
        if self.results.count_left() == 0 {
            self.results.looks.ask_coordinator_instead();
        }
    }

    /// Hands out a second time the matches that are being played far longer than batches last, once
    /// everything has been handed out.
    fn back_up_stragglers(&mut self) {
        if self.waiting > 0 {
            self.published = Instant::now();
        }
        let is_end =
            self.waiting == 0 && self.results.all_published() && self.results.count_left() > 0;
        let delay = self.sizer.backup_delay(self.backups);
        if is_end && delay.is_some_and(|delay| self.published.elapsed() >= delay) {
            tracing::info!("{} fixtures take long; handed out again", self.results.count_left());
            self.results.back_up();
            self.backups += 1;
        }
    }

    /// Asks how many workers are at the server.
    pub(super) async fn count_workers(&mut self) -> Option<u64> {
        let present = self.client.count_workers().await?;
        let keys = match self.results.asks_who_is_present() && present <= MAX_LISTED {
            true => self.list_possible_workers().await,
            false => None,
        };
        self.results.set_present(present as usize, keys);
        if let Some(rounds) = &self.fleet.rounds {
            rounds.set_present(present);
        }
        Some(present)
    }

    /// The workers that may play matches of this tournament: those that take no programs say
    /// nothing about a program that fails elsewhere.
    async fn list_possible_workers(&self) -> Option<Vec<String>> {
        let players = || self.manifest.players.iter().map(|(player, _)| player);
        // Every worker plays modules.
        let is_for_all = players().any(|player| is_module(player));
        if is_for_all || !players().any(|player| is_program(player)) {
            return self.client.list_workers().await;
        }
        let plays = |report: &[u8]| {
            let worker = serde_json::from_slice::<Worker>(report).ok();
            worker.and_then(|worker| worker.plays_programs) != Some(false)
        };
        let reports = self.client.list_reports().await?.into_iter();
        Some(reports.filter(|(_, (_, report))| plays(report)).map(|(key, _)| key).collect())
    }

    /// Says once of each worker what it refuses of this tournament. Contests have many rounds, and
    /// say it by their status.
    async fn report_refusals(&mut self, present: Option<u64>) {
        let looked = self.refusals_checked.is_some_and(|at| at.elapsed() < REFUSAL_INTERVAL);
        let Some(present) = present.filter(|_| !looked && self.fleet.rounds.is_none()) else {
            return;
        };
        self.refusals_checked = Some(Instant::now());
        let about = format!("{} ({}), because ", self.manifest.name, self.manifest.game);
        let reports = self.reports(present).await.unwrap_or_default();
        for (_, report) in reports.into_values() {
            let Ok(Worker { who, refuses, .. }) = serde_json::from_slice(&report) else { continue };
            for line in refuses.iter().filter(|line| line.contains(&about)) {
                let line = format!("{who} refuses {line}");
                if self.refusals.insert(line.clone()) {
                    tracing::warn!("{line}");
                }
            }
        }
    }

    /// Warns the user once when nobody has played for a while, and says once when matches are
    /// played again. Workers that are getting programs ready are waited for.
    async fn warn_if_idle(&mut self, present: Option<u64>) {
        if self.in_play > 0 || self.results.count_left() == 0 {
            if self.in_play > 0 {
                self.report_play_resumed();
            }
            self.idle = None;
            return;
        }
        let Some(present) = present else { return };
        let Some(idle) = &self.idle else {
            // A worker that has died stays listed for a while; one that is alive reports again
            // meanwhile.
            let reports = self.reports(present).await;
            self.idle = Some(Idle { since: Instant::now(), reports });
            return;
        };
        if self.has_warned || idle.since.elapsed() < self.fleet.options.idle_warning {
            return;
        }
        let there = match (self.reports(present).await, &idle.reports) {
            (Some(now), Some(before)) => {
                let is_new = |key: &String, number: u64| {
                    before.get(key).is_none_or(|(known, _)| *known != number)
                };
                let there = now.into_iter().filter(|(key, (number, _))| is_new(key, *number));
                let there: Vec<Worker> = there
                    .filter_map(|(_, (_, report))| serde_json::from_slice(&report).ok())
                    .collect();
                if there.iter().any(|worker| worker.preparing.contains(&self.manifest.name)) {
                    return;
                }
                there.len() as u64
            }
            _ => present,
        };
        self.has_warned = true;
        let server = &self.fleet.server;
        let (login, worker_login) = (&server.login, &server.worker_login);
        let how = if self.fleet.manifest.artefacts.is_empty() { "" } else { " --take-programs" };
        match there {
            0 => tracing::warn!(
                "nobody is playing: start a worker with `quintain worker --on \
                 {server}{worker_login}{how}`"
            ),
            _ => tracing::warn!(
                "nobody is playing, although there are workers: `quintain workers --on \
                 {server}{login}` says what they refuse"
            ),
        }
    }

    /// Tells the user that matches are played again, after a warning that nobody plays.
    pub(super) fn report_play_resumed(&mut self) {
        if std::mem::take(&mut self.has_warned) {
            tracing::warn!("matches are played again");
        }
    }

    /// The workers' reports, unless there are too many workers to ask for them.
    async fn reports(&self, present: u64) -> Option<Reports> {
        if present > MAX_LISTED {
            return None;
        }
        self.client.list_reports().await
    }

    /// Recreates the streams, queues and manifest that the server has lost.
    async fn restore(&mut self, problem: &str) {
        tracing::debug!("a queue is not there: {problem}");
        let restored = async {
            self.client.restore(self.fleet.options.replicas).await?;
            (self.records, self.lanes) = self.fleet.open_queues(&self.client).await?;
            self.publish_manifest().await
        };
        match restored.await {
            Ok(()) => {}
            Err(problem) => tracing::debug!("the queues cannot be recreated: {problem}"),
        }
    }

    pub(super) async fn clear_fixtures(&self) -> Result<(), String> {
        for lane in self.lanes.keys() {
            let subject = fixtures_subject(&self.fleet.manifest.id, *lane);
            let purged = self.client.fixtures.purge().filter(subject).await;
            purged.map_err(|error| format_error(&error))?;
        }
        Ok(())
    }
}
