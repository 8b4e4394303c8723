//! The executor that hands matches out to workers: it publishes the fixtures that have no
//! record, keeps as many published as workers can use, takes in the results, and
//! acknowledges them once they are in the store.
//!
//! Its only lasting state is the store: if it dies, the next coordinator purges the fixtures
//! that are still queued, takes in the records that wait in the stream, and publishes what is
//! missing then. Nothing is therefore lost by a crash between any two steps, and the worst
//! that a repeated or reordered message does is that a match is played twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::message::Acker;
use futures_util::future::join_all;
use quintain_arena::{
    Executor, Ledger, Pairing, PendingFixtures, RunError, Shard, Tournament, match_thread,
};
use quintain_core::{Record, digest, panics};
use tokio::time::sleep;

use crate::batch_sizer::BatchSizer;
use crate::nats_client::{
    COORDINATORS, MANIFESTS, NatsClient, fixtures_subject, format_error, lane_name,
    records_subject, retry,
};
use crate::result_consumer::ResultConsumer;
use crate::status::{Coordinator, now_ms, whoami};
use crate::wire::{Assignment, Lane, MESSAGE_ID, Manifest, NOT_ON, PROTOCOL, Sender, is_program};
use crate::{FleetError, Server};

/// How long to wait for records before the stop flag is checked again.
const TICK: Duration = Duration::from_millis(100);
/// The most messages taken in between two writes of the store.
const MESSAGES: usize = 64;
/// The most batches published between two looks for records.
const BATCHES: usize = 64;
/// How often the lengths of the queues are asked for.
const LOOK: Duration = Duration::from_secs(1);
/// How often this coordinator renews its entry at the server.
const RENEW: Duration = Duration::from_secs(2);
/// After this long without anybody who plays it is said.
const LONELY: Duration = Duration::from_secs(10);
/// Between two tries when the server does not answer.
const PAUSE: Duration = Duration::from_millis(250);

/// How a tournament is handed out to workers.
#[derive(Clone, Copy, Debug)]
pub struct FleetOptions {
    /// After this long without a sign of life a worker's batch is given to another.
    pub patience: Duration,
    /// The number of cluster nodes that keep each message. None leaves existing streams as
    /// they are and creates new ones with one.
    pub replicas: Option<usize>,
    /// The share of matches, from 0 to 1, that is played a second time to find workers that lie;
    /// only matches that every machine must reproduce are.
    pub second_looks: f64,
}

impl Default for FleetOptions {
    /// A patience of 30 seconds, the replicas that exist, and every fiftieth match twice.
    fn default() -> FleetOptions {
        FleetOptions { patience: Duration::from_secs(30), replicas: None, second_looks: 0.02 }
    }
}

/// Workers at a NATS server, as the executor of one tournament.
pub struct Fleet {
    server: Server,
    manifest: Manifest,
    options: FleetOptions,
}

impl Fleet {
    /// An executor of a tournament, or of a share of it, on the workers at a server. Each
    /// share may have a coordinator of its own.
    pub fn new(
        server: Server,
        tournament: &Tournament,
        share: Shard,
        options: FleetOptions,
    ) -> Fleet {
        let what = match share {
            Shard::WHOLE => tournament.definition().to_owned(),
            share => format!("{} {share}", tournament.definition()),
        };
        let schedule = tournament.schedule();
        let first = schedule.fixture(0);
        let players = schedule.players().map(str::to_owned).zip(schedule.player_versions());
        let manifest = Manifest {
            protocol: PROTOCOL,
            id: digest(what.as_bytes()),
            name: tournament.name().to_owned(),
            game: tournament.game().to_owned(),
            version: first.versions.game,
            scenarios: schedule.scenarios().map(str::to_owned).collect(),
            players: players.collect(),
            budget: first.budget,
            notes: schedule.keeps_notes(),
            patience_ms: options.patience.as_millis() as u64,
            session: digest(Sender::draw(&whoami()).token.as_bytes()),
            shut_out: Vec::new(),
        };
        Fleet { server, manifest, options }
    }
}

impl Executor for Fleet {
    fn play(
        &self,
        missing: &PendingFixtures<'_>,
        ledger: &Ledger<'_>,
        stop: &Arc<AtomicBool>,
        report_progress: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        if missing.count() == 0 {
            report_progress();
            return Ok(());
        }
        let elsewhere = |error: FleetError| RunError::Elsewhere(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| elsewhere(FleetError::System(error.to_string())))?;
        let (hurry, schedule) = (Arc::new(AtomicBool::new(false)), missing.schedule());
        thread::scope(|scope| {
            let (ask, asked) = mpsc::channel::<u64>();
            let (answer, answers) = mpsc::channel();
            let own = Arc::clone(&hurry);
            let play = move || {
                for index in asked {
                    let played = panics::catch(|| schedule.play(index, &own));
                    let played = played.map_err(|panicked| panicked.to_string());
                    let played = played.and_then(|record| record.map_err(|refused| refused.0));
                    // Players that were told to stop have hurried.
                    if own.load(Ordering::Relaxed) || answer.send((index, played)).is_err() {
                        return;
                    }
                }
            };
            let started = match_thread(0).spawn_scoped(scope, play);
            started.map_err(|error| elsewhere(FleetError::System(error.to_string())))?;
            let own_matches = OwnMatches { ask, answers };
            let coordinated = runtime.block_on(async {
                let Some(mut run) = Run::begin(self, missing, ledger, own_matches, stop).await?
                else {
                    return Ok(());
                };
                run.until_done(stop, report_progress).await?;
                run.results.summarize();
                // Only the coordinator in charge tidies up: another needs what is there.
                if run.renew().await.is_ok() {
                    run.tidy_up().await;
                }
                Ok(())
            });
            hurry.store(true, Ordering::Relaxed);
            // Even if the server is away: what has come is kept, and comes again unacknowledged.
            ledger.write_waiting(true);
            report_progress();
            coordinated.map_err(elsewhere)
        })
    }
}

/// The coordinator's own thread that plays: it decides where workers' records differ.
struct OwnMatches {
    ask: mpsc::Sender<u64>,
    answers: mpsc::Receiver<(u64, Result<Record, String>)>,
}

/// A tournament that is being handed out.
struct Run<'a, 'm, 'l> {
    fleet: &'a Fleet,
    manifest: Manifest,
    own_matches: OwnMatches,
    missing: &'a PendingFixtures<'m>,
    ledger: &'a Ledger<'l>,
    client: NatsClient,
    records: PullConsumer,
    lanes: BTreeMap<Lane, PullConsumer>,
    results: ResultConsumer<'a, 'm, 'l, Acker>,
    sizer: BatchSizer,
    /// The revision of this coordinator's entry at the server, once it has one.
    revision: Option<u64>,
    renewed: Instant,
    looked: Instant,
    /// When workers were last seen to play, until it is said that none does.
    idle_since: Option<Instant>,
    /// Batches that are being played, and that wait.
    in_play: u64,
    waiting: u64,
    /// When a batch was last published or was still waiting, and how often all without an answer was once more.
    published: Instant,
    backups: u32,
    /// Of messages whose records wait to be written.
    tokens: Vec<Acker>,
    /// Batches published so far: part of the next one's message id.
    batches: u64,
    begun: Instant,
}

impl<'a, 'm, 'l> Run<'a, 'm, 'l> {
    /// Nothing if it was stopped before the server answered.
    async fn begin(
        fleet: &'a Fleet,
        missing: &'a PendingFixtures<'m>,
        ledger: &'a Ledger<'l>,
        own_matches: OwnMatches,
        stop: &AtomicBool,
    ) -> Result<Option<Run<'a, 'm, 'l>>, FleetError> {
        let name = format!("quintain coordinator of {}", fleet.manifest.name);
        let replicas = fleet.options.replicas;
        let opened = NatsClient::wait_for(&fleet.server, &name, replicas, None, stop).await?;
        let Some(client) = opened else { return Ok(None) };
        let address = || fleet.server.to_string();
        let wrong = |problem| FleetError::NoStreams { address: address(), problem };
        let (records, lanes) = retry(async || queues(fleet, &client).await).await.map_err(wrong)?;

        let mut run = Run {
            fleet,
            manifest: fleet.manifest.clone(),
            own_matches,
            missing,
            ledger,
            client,
            records,
            lanes,
            results: ResultConsumer::new(missing, ledger, fleet.options.second_looks),
            sizer: BatchSizer::new(),
            revision: None,
            renewed: Instant::now(),
            looked: Instant::now(),
            idle_since: Some(Instant::now()),
            in_play: 0,
            waiting: 0,
            published: Instant::now(),
            backups: 0,
            tokens: Vec::new(),
            batches: 0,
            begun: Instant::now(),
        };
        // A cluster that has just made a stream may refuse what is written to it for a while.
        retry(async || run.take_over().await).await.map_err(wrong)?;
        // The order matters: queued fixtures of an earlier coordinator are purged first, then
        // the records that its workers have published are taken in. What is missing after
        // that is in nobody's hands but those of workers still playing, and their answers
        // count whenever they come.
        retry(async || run.clear_fixtures().await).await.map_err(wrong)?;
        while run.receive(Duration::ZERO).await > 0 {}
        retry(async || run.publish_manifest().await).await.map_err(wrong)?;
        run.count_workers().await;
        Ok(Some(run))
    }

    /// Publishes and takes in until nothing is missing or doubted, the store fails, or `stop` is
    /// set.
    async fn until_done(
        &mut self,
        stop: &AtomicBool,
        report_progress: &mut dyn FnMut(),
    ) -> Result<(), FleetError> {
        while (self.results.left() > 0 || self.results.looks.is_open())
            && !stop.load(Ordering::Relaxed)
            && !self.ledger.is_halted()
        {
            report_progress();
            if !self.client.is_up() {
                sleep(PAUSE).await;
                continue;
            }
            if self.renewed.elapsed() >= RENEW {
                self.renew().await?;
            }
            self.top_up().await;
            self.receive(TICK).await;
            self.judge().await;
            if self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                self.look_at_queues().await;
            }
        }
        Ok(())
    }

    /// Plays doubted matches here, takes in what came of them, and tells workers who is shut out.
    async fn judge(&mut self) {
        for index in self.results.looks.take_doubts() {
            // The thread lives as long as this run.
            let _ = self.own_matches.ask.send(index);
        }
        while let Ok((index, played)) = self.own_matches.answers.try_recv() {
            self.results.judge(index, played);
        }
        if let Some(shut_out) = self.results.newly_shut_out() {
            self.manifest.shut_out = shut_out;
            if let Err(problem) = self.publish_manifest().await {
                tracing::debug!("workers could not be told who is shut out: {problem}");
            }
        }
    }

    /// Publishes batches while fewer fixtures are out than workers can use.
    async fn top_up(&mut self) {
        let mut sent = Vec::new();
        while sent.len() < BATCHES && self.results.out() < self.sizer.window() {
            let size = self.sizer.next_size(self.results.left().saturating_sub(self.results.out()));
            let batches = self.next_batches(size);
            if batches.is_empty() {
                break;
            }
            for ((lane, failed_on), batch) in batches {
                // A second look does not count as out: should it get lost, nothing is missing.
                let indices: Vec<u64> = batch.iter().map(|assignment| assignment.0).collect();
                let indices = indices.into_iter().filter(|&index| self.results.is_wanted(index));
                let indices: Vec<u64> = indices.collect();
                let payload = serde_json::to_vec(&batch).expect("assignments have JSON");
                let mut headers = HeaderMap::new();
                self.batches += 1;
                let id = format!("{}-{}", self.manifest.session, self.batches);
                headers.insert(MESSAGE_ID, id.as_str());
                if !failed_on.is_empty() {
                    headers.insert(NOT_ON, failed_on.join(" ").as_str());
                }
                let subject = fixtures_subject(&self.manifest.id, lane);
                let published =
                    self.client.jetstream.publish_with_headers(subject, headers, payload.into());
                sent.push((indices, published.await));
                self.published = Instant::now();
            }
        }
        // All at once: where the server is gone, each waits for its own time limit.
        let stored = sent.into_iter().map(async |(indices, published)| match published {
            Ok(acknowledged) => (indices, acknowledged.await.map(drop)),
            Err(error) => (indices, Err(error)),
        });
        for (indices, stored) in join_all(stored).await {
            if let Err(error) = stored {
                // If the server has stored it all the same, it is played twice and counts once.
                tracing::debug!("a batch was not acknowledged: {}", format_error(&error));
                self.results.take_back(indices);
            }
        }
    }

    /// The next assignments, matches to be played a second time among them: a batch for each lane,
    /// and for each set of machines that are to be avoided.
    fn next_batches(&mut self, size: u64) -> BTreeMap<(Lane, Vec<String>), Vec<Assignment>> {
        let mut batches: BTreeMap<(Lane, Vec<String>), Vec<Assignment>> = BTreeMap::new();
        let mut add = |index: u64, failed_on: Vec<String>| {
            let Pairing { scenario, seed, lineup } = self.missing.schedule().pairing(index);
            let lane = self.manifest.lane(&lineup);
            let batch = batches.entry((lane, failed_on)).or_default();
            batch.push(Assignment(index, scenario, seed, lineup));
        };
        let first_looks = (0..size).map_while(|_| self.results.next()).collect::<Vec<u64>>();
        let second_looks = (0..size).map_while(|_| self.results.next_second_look());
        for index in second_looks.collect::<Vec<u64>>() {
            add(index, Vec::new());
        }
        for index in first_looks {
            add(index, self.results.failed_on(index));
        }
        batches
    }

    /// Takes in what has come, or what comes within `wait`; how many messages that was.
    async fn receive(&mut self, wait: Duration) -> usize {
        let mut messages = NatsClient::pull(&self.records, MESSAGES, Duration::ZERO).await;
        if messages.is_empty() && !wait.is_zero() {
            messages = NatsClient::pull(&self.records, 1, wait).await;
        }
        let count = messages.len();
        for message in messages {
            let (message, acker) = message.split();
            let Run { results, sizer, tokens, .. } = self;
            let headers = message.headers.as_ref();
            tokens.extend(results.accept(headers, &message.payload, acker, &mut |elapsed| {
                sizer.record_match(elapsed);
            }));
        }
        // Quick matches wait for each other as long as a few writings take, so that a slow disk is
        // asked less often; a tick without any, or the last one, does not wait.
        let in_any_case = count == 0 || self.results.left() == 0;
        if self.ledger.write_waiting(in_any_case) {
            acknowledge(std::mem::take(&mut self.tokens)).await;
        }
        count
    }

    /// Asks how many batches wait and are played, and publishes again if there are none
    /// although fixtures have no answer.
    async fn look_at_queues(&mut self) {
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
        self.sizer.observe(in_play, waiting);
        (self.in_play, self.waiting) = (in_play, waiting);
        let present = self.count_workers().await;
        self.say_if_nobody_plays(present);
        if in_play + waiting > 0 {
            self.back_up_stragglers();
            return;
        }
        // A worker publishes its records before it acknowledges a batch, so every batch that
        // is no longer queued has its records in the stream by now. Take those in: fixtures
        // that still have no answer have been lost, by the server or by a hostile worker.
        while self.receive(Duration::ZERO).await > 0 {}
        if self.results.out() > 0 && self.client.is_up() {
            tracing::info!("{} fixtures got lost on the way; again", self.results.out());
            let tokens = self.results.start_over();
            acknowledge(tokens).await;
        }
        // Second looks that got lost, or that no other worker was there for.
        if self.results.left() == 0 {
            self.results.looks.ask_coordinator_instead();
        }
    }

    /// Hands out a second time what is being played far longer than batches last, once all that
    /// there is has been handed out.
    fn back_up_stragglers(&mut self) {
        if self.waiting > 0 {
            self.published = Instant::now();
        }
        let is_end = self.waiting == 0 && self.results.all_published() && self.results.left() > 0;
        let delay = self.sizer.backup_delay(self.backups);
        if is_end && delay.is_some_and(|delay| self.published.elapsed() >= delay) {
            tracing::info!("{} fixtures take long; handed out again", self.results.left());
            self.results.back_up();
            self.backups += 1;
        }
    }

    /// Asks how many workers are at the server.
    async fn count_workers(&mut self) -> Option<u64> {
        let present = self.client.count_workers().await?;
        self.results.set_present(present as usize);
        Some(present)
    }

    /// Says so once whenever matches have waited for ten seconds.
    fn say_if_nobody_plays(&mut self, present: Option<u64>) {
        if self.in_play > 0 || self.results.left() == 0 {
            self.idle_since = Some(Instant::now());
            return;
        }
        let Some(present) = present else { return };
        if self.idle_since.is_some_and(|since| since.elapsed() >= LONELY) {
            self.idle_since = None;
            let server = &self.fleet.server;
            match present {
                0 => tracing::warn!(
                    "nobody is playing: start a worker with `quintain worker --on {server}`"
                ),
                _ => tracing::warn!(
                    "nobody is playing, although workers are there: `quintain workers --on \
                     {server}` says what they refuse"
                ),
            }
        }
    }

    /// Creates again the streams, queues and manifest that the server has lost.
    async fn restore(&mut self, problem: &str) {
        tracing::debug!("a queue is not there: {problem}");
        let restored = async {
            self.client.restore(self.fleet.options.replicas).await?;
            (self.records, self.lanes) = queues(self.fleet, &self.client).await?;
            self.publish_manifest().await
        };
        match restored.await {
            Ok(()) => {}
            Err(problem) => tracing::debug!("the queues cannot be had: {problem}"),
        }
    }

    async fn publish_manifest(&self) -> Result<(), String> {
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
            game: manifest.game.clone(),
            who: whoami(),
            total: self.missing.share(),
            done: self.missing.share() - self.results.left(),
            rate: self.ledger.stored() as f64 / self.begun.elapsed().as_secs_f64().max(1e-9),
            batches_waiting: self.waiting,
            batches_in_play: self.in_play,
            seen_ms: now_ms(),
        };
        serde_json::to_vec(&coordinator).expect("a coordinator has JSON")
    }

    /// Overwrites the entry of any coordinator before: the last to start wins.
    async fn take_over(&mut self) -> Result<(), String> {
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
    /// The update names the revision that it replaces, so it fails if anybody else has written
    /// the entry since: then another coordinator has taken over and this one ends.
    async fn renew(&mut self) -> Result<(), FleetError> {
        self.renewed = Instant::now();
        let key = self.coordinator_key();
        let (value, last) = (self.describe_coordinator().into(), self.revision.unwrap_or(0));
        match self.client.tournaments.update(&key, value, last).await {
            Ok(revision) => self.revision = Some(revision),
            // A renewal of our own may have been stored although its answer was lost: only an
            // entry of another session means that we were replaced.
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

    async fn clear_fixtures(&self) -> Result<(), String> {
        for lane in self.lanes.keys() {
            let subject = fixtures_subject(&self.fleet.manifest.id, *lane);
            let purged = self.client.fixtures.purge().filter(subject).await;
            purged.map_err(|error| format_error(&error))?;
        }
        Ok(())
    }

    /// Removes what nobody needs any more from the server, the manifest first, so that workers
    /// stop. Records of a tournament that was stopped stay for the next coordinator.
    async fn tidy_up(&mut self) {
        if !self.client.is_up() {
            return;
        }
        let id = &self.fleet.manifest.id;
        let _ = self.client.tournaments.purge(format!("{MANIFESTS}{id}")).await;
        let _ = self.clear_fixtures().await;
        while self.receive(Duration::ZERO).await > 0 {}
        for lane in self.lanes.keys() {
            let _ = self.client.fixtures.delete_consumer(&lane_name(id, *lane)).await;
        }
        if self.results.left() == 0 {
            let _ = self.client.records.purge().filter(records_subject(id)).await;
            let _ = self.client.records.delete_consumer(id).await;
        }
        let _ = self.client.tournaments.purge(self.coordinator_key()).await;
        let _ = self.client.client.flush().await;
    }
}

/// The queues of a tournament, created if they do not exist.
async fn queues(
    fleet: &Fleet,
    client: &NatsClient,
) -> Result<(PullConsumer, BTreeMap<Lane, PullConsumer>), String> {
    let Manifest { id, players, .. } = &fleet.manifest;
    let records = client.records_queue(id, fleet.options.patience).await?;
    let mut lanes = BTreeMap::new();
    for lane in Lane::ALL {
        if lane == Lane::Plain || players.iter().any(|(player, _)| is_program(player)) {
            lanes.insert(lane, client.lane_queue(id, lane, fleet.options.patience).await?);
        }
    }
    Ok((records, lanes))
}

/// Acknowledges messages. A failure is only logged: the message is delivered again, and
/// counts once.
async fn acknowledge(tokens: Vec<Acker>) {
    for token in tokens {
        if let Err(error) = token.ack().await {
            tracing::debug!("an acknowledgement was not sent: {error}");
        }
    }
}
