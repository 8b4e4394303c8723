//! The executor that hands matches out to workers: it publishes what is missing, keeps as
//! much published as workers can use, takes in what comes back, and acknowledges it once it
//! is in the store. What it knows lives here and in the store only: if it dies, the next
//! one begins with what the store has and what waits in the stream.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::message::Acker;
use quintain_arena::{Executor, Ledger, Pairing, PendingFixtures, RunError, Shard, Tournament};
use quintain_core::digest;
use tokio::time::sleep;

use crate::intake::Intake;
use crate::link::{
    CARDS, LEASES, Link, fixtures_subject, insist, lane_name, plain, records_subject,
};
use crate::pace::Pace;
use crate::status::{Coordinator, now_ms, whoami};
use crate::wire::{Assignment, Card, Lane, MESSAGE_ID, PROTOCOL, is_program};
use crate::{FleetError, Server};

/// How long to wait for records before looking up.
const TICK: Duration = Duration::from_millis(100);
/// Messages taken in before the store is written.
const MESSAGES: usize = 64;
/// Batches published before records are looked for.
const BATCHES: usize = 64;
/// How often the queues are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How often the lease is renewed.
const RENEW: Duration = Duration::from_secs(2);
/// Between two tries when the server does not answer.
const PAUSE: Duration = Duration::from_millis(250);

/// How a tournament is handed out.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// After how long without a sign of life a worker's batch is given to another.
    pub patience: Duration,
    /// On how many nodes of a cluster the server keeps every message; nothing leaves that
    /// as it is, and means one where nothing is yet.
    pub replicas: Option<usize>,
}

impl Default for Terms {
    /// Half a minute, and what there is.
    fn default() -> Terms {
        Terms { patience: Duration::from_secs(30), replicas: None }
    }
}

/// Workers at a NATS server, as the executor of one tournament.
pub struct Fleet {
    server: Server,
    card: Card,
    terms: Terms,
}

impl Fleet {
    /// The workers at this server, for a tournament or a share of it: each share may have
    /// a coordinator of its own.
    pub fn new(server: Server, tournament: &Tournament, share: Shard, terms: Terms) -> Fleet {
        let what = match share {
            Shard::WHOLE => tournament.definition().to_owned(),
            share => format!("{} {share}", tournament.definition()),
        };
        let schedule = tournament.schedule();
        let first = schedule.fixture(0);
        let players = schedule.players().map(str::to_owned).zip(schedule.player_versions());
        let card = Card {
            protocol: PROTOCOL,
            id: digest(what.as_bytes()),
            name: tournament.name().to_owned(),
            game: tournament.game().to_owned(),
            version: first.versions.game,
            scenarios: schedule.scenarios().map(str::to_owned).collect(),
            players: players.collect(),
            budget: first.budget,
            notes: schedule.keeps_notes(),
            patience_ms: terms.patience.as_millis() as u64,
            session: digest(format!("{} {}", whoami(), now_ms()).as_bytes()),
        };
        Fleet { server, card, terms }
    }
}

impl Executor for Fleet {
    fn play(
        &self,
        missing: &PendingFixtures<'_>,
        ledger: &Ledger<'_>,
        stop: &Arc<AtomicBool>,
        look_up: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        if missing.count() == 0 {
            look_up();
            return Ok(());
        }
        let elsewhere = |error: FleetError| RunError::Elsewhere(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| elsewhere(FleetError::System(error.to_string())))?;
        let coordinated = runtime.block_on(async {
            let mut run = Run::begin(self, missing, ledger).await?;
            run.until_done(stop, look_up).await?;
            // What another coordinator needs is left alone.
            if run.renew().await.is_ok() {
                run.tidy_up().await;
            }
            Ok(())
        });
        look_up();
        coordinated.map_err(elsewhere)
    }
}

/// A tournament that is being handed out.
struct Run<'a, 'm, 'l> {
    fleet: &'a Fleet,
    missing: &'a PendingFixtures<'m>,
    ledger: &'a Ledger<'l>,
    link: Link,
    records: PullConsumer,
    lanes: BTreeMap<Lane, PullConsumer>,
    intake: Intake<'a, 'm, 'l, Acker>,
    pace: Pace,
    lease: Option<u64>,
    renewed: Instant,
    looked: Instant,
    /// Batches published so far: part of the next one's message id.
    batches: u64,
    begun: Instant,
}

impl<'a, 'm, 'l> Run<'a, 'm, 'l> {
    async fn begin(
        fleet: &'a Fleet,
        missing: &'a PendingFixtures<'m>,
        ledger: &'a Ledger<'l>,
    ) -> Result<Run<'a, 'm, 'l>, FleetError> {
        let name = format!("quintain coordinator of {}", fleet.card.name);
        let link = Link::open(&fleet.server, &name, fleet.terms.replicas).await?;
        let address = || fleet.server.to_string();
        let wrong = |problem| FleetError::NoStreams { address: address(), problem };
        let (records, lanes) = insist(async || queues(fleet, &link).await).await.map_err(wrong)?;

        let mut run = Run {
            fleet,
            missing,
            ledger,
            link,
            records,
            lanes,
            intake: Intake::new(missing, ledger),
            pace: Pace::new(),
            lease: None,
            renewed: Instant::now(),
            looked: Instant::now(),
            batches: 0,
            begun: Instant::now(),
        };
        run.take_over().await.map_err(wrong)?;
        // What a coordinator before had published is published anew, as far as it is still
        // missing; what has been played of it waits in the stream of records.
        run.clear_fixtures().await.map_err(wrong)?;
        while run.receive(Duration::ZERO).await > 0 {}
        run.show_card().await.map_err(wrong)?;
        Ok(run)
    }

    /// Hands out and takes in until nothing is missing, the store fails, or `stop` is set.
    async fn until_done(
        &mut self,
        stop: &AtomicBool,
        look_up: &mut dyn FnMut(),
    ) -> Result<(), FleetError> {
        while self.intake.left() > 0 && !stop.load(Ordering::Relaxed) && !self.ledger.is_halted() {
            look_up();
            if !self.link.is_up() {
                sleep(PAUSE).await;
                continue;
            }
            if self.renewed.elapsed() >= RENEW {
                self.renew().await?;
            }
            self.top_up().await;
            self.receive(TICK).await;
            if self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                self.look_at_queues().await;
            }
        }
        Ok(())
    }

    /// Publishes batches while fewer fixtures are out than workers can use.
    async fn top_up(&mut self) {
        let mut sent = Vec::new();
        while sent.len() < BATCHES && self.intake.out() < self.pace.window() {
            let size = self.pace.batch(self.intake.left().saturating_sub(self.intake.out()));
            let mut batches: BTreeMap<Lane, Vec<Assignment>> = BTreeMap::new();
            for _ in 0..size {
                let Some(index) = self.intake.next() else { break };
                let Pairing { scenario, seed, lineup } = self.missing.schedule().pairing(index);
                let lane = self.fleet.card.lane(&lineup);
                let batch = batches.entry(lane).or_default();
                batch.push(Assignment(index, scenario, seed, lineup));
            }
            if batches.is_empty() {
                break;
            }
            for (lane, batch) in batches {
                let indices: Vec<u64> = batch.iter().map(|assignment| assignment.0).collect();
                let payload = serde_json::to_vec(&batch).expect("assignments have JSON");
                let mut headers = HeaderMap::new();
                self.batches += 1;
                let id = format!("{}-{}", self.fleet.card.session, self.batches);
                headers.insert(MESSAGE_ID, id.as_str());
                let subject = fixtures_subject(&self.fleet.card.id, lane);
                let published =
                    self.link.jetstream.publish_with_headers(subject, headers, payload.into());
                sent.push((indices, published.await));
            }
        }
        for (indices, published) in sent {
            let stored = match published {
                Ok(acknowledged) => acknowledged.await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = stored {
                // Perhaps it was stored all the same: then it is played twice and counts once.
                tracing::debug!("a batch was not acknowledged: {}", plain(&error));
                self.intake.take_back(indices);
            }
        }
    }

    /// Takes in what has come, or what comes within `wait`; how many messages that was.
    async fn receive(&mut self, wait: Duration) -> usize {
        let mut messages = Link::pull(&self.records, MESSAGES, Duration::ZERO).await;
        if messages.is_empty() && !wait.is_zero() {
            messages = Link::pull(&self.records, 1, wait).await;
        }
        let count = messages.len();
        let mut tokens = Vec::new();
        for message in messages {
            let (message, acker) = message.split();
            let Run { intake, pace, .. } = self;
            let headers = message.headers.as_ref();
            tokens.extend(intake.take(headers, &message.payload, acker, &mut |elapsed| {
                pace.played(elapsed);
            }));
        }
        self.ledger.write_waiting(true);
        if !self.ledger.is_halted() {
            acknowledge(tokens).await;
        }
        count
    }

    /// Sees how much waits, and publishes anew if nothing does although fixtures are out.
    async fn look_at_queues(&mut self) {
        let (mut in_play, mut waiting) = (0, 0);
        let mut lost = None;
        for queue in self.lanes.values() {
            match queue.get_info().await {
                Ok(info) => {
                    in_play += info.num_ack_pending as u64;
                    waiting += info.num_pending;
                }
                Err(error) => lost = Some(plain(&error)),
            }
        }
        if let Some(problem) = lost {
            if self.link.is_up() {
                self.restore(&problem).await;
            }
            return;
        }
        self.pace.observe(in_play, waiting);
        if in_play + waiting > 0 || self.intake.out() == 0 {
            return;
        }
        // Whatever was acknowledged until now has its records in the stream: what does not
        // come from there does not come at all.
        while self.receive(Duration::ZERO).await > 0 {}
        if self.intake.out() > 0 && self.link.is_up() {
            tracing::info!("{} fixtures got lost on the way; again", self.intake.out());
            let tokens = self.intake.start_over();
            acknowledge(tokens).await;
        }
    }

    /// Makes anew what the server has lost.
    async fn restore(&mut self, problem: &str) {
        tracing::debug!("a queue is not there: {problem}");
        let restored = async {
            self.link.restore(self.fleet.terms.replicas).await?;
            (self.records, self.lanes) = queues(self.fleet, &self.link).await?;
            self.show_card().await
        };
        match restored.await {
            Ok(()) => {}
            Err(problem) => tracing::debug!("the queues cannot be had: {problem}"),
        }
    }

    async fn show_card(&self) -> Result<(), String> {
        let card = serde_json::to_vec(&self.fleet.card).expect("a card has JSON");
        let key = format!("{CARDS}{}", self.fleet.card.id);
        self.link.tournaments.put(key, card.into()).await.map(drop).map_err(|error| plain(&error))
    }

    fn lease_key(&self) -> String {
        format!("{LEASES}{}", self.fleet.card.id)
    }

    /// What is known of this coordinator, for all to see.
    fn lease_value(&self) -> Vec<u8> {
        let card = &self.fleet.card;
        let coordinator = Coordinator {
            session: card.session.clone(),
            tournament: card.name.clone(),
            game: card.game.clone(),
            who: whoami(),
            total: self.missing.share(),
            done: self.missing.share() - self.intake.left(),
            rate: self.ledger.stored() as f64 / self.begun.elapsed().as_secs_f64().max(1e-9),
            seen_ms: now_ms(),
        };
        serde_json::to_vec(&coordinator).expect("a coordinator has JSON")
    }

    /// Whoever comes last coordinates.
    async fn take_over(&mut self) -> Result<(), String> {
        let put = self.link.tournaments.put(self.lease_key(), self.lease_value().into()).await;
        self.lease = Some(put.map_err(|error| plain(&error))?);
        self.renewed = Instant::now();
        Ok(())
    }

    /// Says that this coordinator is alive, unless another has taken over.
    async fn renew(&mut self) -> Result<(), FleetError> {
        self.renewed = Instant::now();
        let key = self.lease_key();
        let (value, last) = (self.lease_value().into(), self.lease.unwrap_or(0));
        match self.link.tournaments.update(&key, value, last).await {
            Ok(revision) => self.lease = Some(revision),
            // Perhaps a renewal of our own came through without our hearing of it.
            Err(_) => match self.link.tournaments.entry(&key).await {
                Ok(Some(entry)) if entry.operation != Operation::Put => {
                    return Err(FleetError::TakenOver("it has ended since".to_owned()));
                }
                Ok(Some(entry)) => {
                    let other: Option<Coordinator> = serde_json::from_slice(&entry.value).ok();
                    match other {
                        Some(other) if other.session != self.fleet.card.session => {
                            return Err(FleetError::TakenOver(other.who));
                        }
                        _ => self.lease = Some(entry.revision),
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
            let subject = fixtures_subject(&self.fleet.card.id, *lane);
            let purged = self.link.fixtures.purge().filter(subject).await;
            purged.map_err(|error| plain(&error))?;
        }
        Ok(())
    }

    /// Leaves nothing at the server that nobody needs: workers find no card any more. What
    /// they have played of a tournament that was stopped waits for the next coordinator.
    async fn tidy_up(&mut self) {
        if !self.link.is_up() {
            return;
        }
        let id = &self.fleet.card.id;
        let _ = self.link.tournaments.purge(format!("{CARDS}{id}")).await;
        let _ = self.clear_fixtures().await;
        while self.receive(Duration::ZERO).await > 0 {}
        for lane in self.lanes.keys() {
            let _ = self.link.fixtures.delete_consumer(&lane_name(id, *lane)).await;
        }
        if self.intake.left() == 0 {
            let _ = self.link.records.purge().filter(records_subject(id)).await;
            let _ = self.link.records.delete_consumer(id).await;
        }
        let _ = self.link.tournaments.purge(self.lease_key()).await;
        let _ = self.link.client.flush().await;
    }
}

/// The queues of a tournament, made if they are not there.
async fn queues(
    fleet: &Fleet,
    link: &Link,
) -> Result<(PullConsumer, BTreeMap<Lane, PullConsumer>), String> {
    let Card { id, players, .. } = &fleet.card;
    let records = link.answers(id, fleet.terms.patience).await?;
    let mut lanes = BTreeMap::new();
    for lane in Lane::ALL {
        if lane == Lane::Plain || players.iter().any(|(player, _)| is_program(player)) {
            lanes.insert(lane, link.lane(id, lane, fleet.terms.patience).await?);
        }
    }
    Ok((records, lanes))
}

/// What is not acknowledged comes again, so nothing depends on it.
async fn acknowledge(tokens: Vec<Acker>) {
    for token in tokens {
        if let Err(error) = token.ack().await {
            tracing::debug!("an acknowledgement was not sent: {error}");
        }
    }
}
