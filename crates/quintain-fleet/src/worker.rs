//! A worker: it takes batches of whatever tournaments it can play, plays them on its
//! threads, publishes the records, and acknowledges a batch once the server has them. It
//! keeps nothing: if it dies, what it held is given to another.
//!
//! The network has one thread; matches have their own. A worker asks for a batch only when
//! a thread is free, so no batch waits here while others have nothing to do.

mod crew;
mod held;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use quintain_core::Catalog;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until, timeout};

use crate::cast::Cast;
use crate::link::{CARDS, Link, lane_name, records_subject};
use crate::status::{Worker, now_ms, whoami};
use crate::wire::{Assignment, Card, Lane, Part};
use crate::{FleetError, Server};
use crew::{Done, Job, Players};
use held::{Held, Holdings};

/// How long a request for a batch waits at the server.
const WAIT: Duration = Duration::from_secs(10);
/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(50);
/// How often a worker says that it is there.
const PRESENCE: Duration = Duration::from_secs(5);
/// How often the list of tournaments is read anew, whatever was heard of changes.
const REREAD: Duration = Duration::from_secs(20);
/// Between two tries when the server does not answer.
const PAUSE: Duration = Duration::from_millis(250);
/// How long a worker that stops waits for its last records to be safe.
const FAREWELL: Duration = Duration::from_secs(5);
/// A batch that was given out so often has ended all who took it.
const MOST_DELIVERIES: i64 = 25;

/// How a worker works.
#[derive(Clone)]
pub struct Crew {
    /// Threads that play.
    pub threads: usize,
    /// Set to stop: matches in flight are given up, and given to others.
    pub stop: Arc<AtomicBool>,
    /// End after so long without anything to play.
    pub idle: Option<Duration>,
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Batches whose records are safe.
    pub batches: u64,
    /// Matches of them.
    pub matches: u64,
}

/// Works until it is told to stop, or has had nothing to do for too long. `say` hears, a
/// line at a time, which tournaments it plays and what it refuses.
///
/// # Errors
/// If there is no server, it refuses us, or keeps no streams. A server that is lost later
/// is waited for.
pub fn work(
    server: &Server,
    catalog: &Catalog,
    crew: &Crew,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Tally, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    runtime.block_on(async {
        let who = whoami();
        let link = Link::open(server, &format!("quintain worker {who}"), None).await?;
        let (finished, done) = mpsc::unbounded_channel();
        let players = Players::start(crew.threads, finished)
            .map_err(|error| FleetError::System(format!("no thread could be started: {error}")))?;
        let state = Arc::new(State {
            link,
            catalog: catalog.clone(),
            free: Semaphore::new(crew.threads),
            room: Arc::new(Semaphore::new(2 * crew.threads + 2)),
            players,
            holdings: Holdings::default(),
            tally: Mutex::default(),
            refuses: Mutex::default(),
            worker: Worker {
                who,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                threads: crew.threads,
                since_ms: now_ms(),
                ..Worker::default()
            },
            say: Box::new(say),
        });
        let tasks = [
            tokio::spawn(Arc::clone(&state).follow_tournaments()),
            tokio::spawn(Arc::clone(&state).beat()),
            tokio::spawn(Arc::clone(&state).be_seen()),
            tokio::spawn(Arc::clone(&state).hand_in(done)),
        ];
        state.until_stopped(crew).await;
        tasks.iter().take(2).for_each(JoinHandle::abort);
        state.leave().await;
        tasks.iter().for_each(JoinHandle::abort);
        let tally = *locked(&state.tally);
        Ok(tally)
    })
}

/// What the tasks of a worker share.
struct State {
    link: Link,
    catalog: Catalog,
    /// Threads that have nothing to play.
    free: Semaphore,
    /// Batches that may be played without their records being safe yet.
    room: Arc<Semaphore>,
    players: Players,
    holdings: Holdings,
    tally: Mutex<Tally>,
    refuses: Mutex<Vec<String>>,
    worker: Worker,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    async fn until_stopped(&self, crew: &Crew) {
        let mut busy = Instant::now();
        while !crew.stop.load(Ordering::Relaxed) {
            if !self.holdings.is_empty() {
                busy = Instant::now();
            }
            if crew.idle.is_some_and(|idle| busy.elapsed() >= idle) {
                return;
            }
            sleep(TICK).await;
        }
    }

    /// Gives back what is not played yet, and waits a little for what is to be safe.
    async fn leave(&self) {
        self.players.stop();
        let safe = async {
            while self.room.available_permits() < 2 * self.worker.threads + 2 {
                sleep(TICK / 5).await;
            }
        };
        let _ = timeout(FAREWELL, safe).await;
        self.holdings.give_back().await;
        let _ = self.link.workers.purge(self.key()).await;
        let _ = timeout(FAREWELL, self.link.client.flush()).await;
    }

    /// A key may hold neither colons nor most other signs.
    fn key(&self) -> String {
        let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
        self.worker.who.chars().map(sign).collect()
    }

    /// Takes up tournaments as they appear, and leaves those that end. The list is read
    /// anew now and then and whenever the connection was mended: a change may have been
    /// missed.
    async fn follow_tournaments(self: Arc<Self>) {
        let mut followed: HashMap<String, Followed> = HashMap::new();
        loop {
            let Ok(mut watch) = self.link.tournaments.watch_with_history(format!("{CARDS}>")).await
            else {
                sleep(PAUSE).await;
                continue;
            };
            let anew = sleep(REREAD);
            tokio::pin!(anew);
            loop {
                let entry = tokio::select! {
                    entry = watch.next() => entry,
                    () = &mut anew => break,
                    () = self.link.mended.notified() => break,
                };
                let Some(Ok(entry)) = entry else { break };
                match entry.operation {
                    Operation::Put => self.take_up(&entry.value, &mut followed),
                    Operation::Delete | Operation::Purge => {
                        if let Some(id) = entry.key.strip_prefix(CARDS) {
                            followed.remove(id);
                        }
                    }
                }
            }
        }
    }

    fn take_up(self: &Arc<Self>, card: &[u8], followed: &mut HashMap<String, Followed>) {
        let card: Card = match serde_json::from_slice(card) {
            Ok(card) => card,
            Err(error) => {
                tracing::warn!("a tournament that cannot be read: {error}");
                return;
            }
        };
        if followed.get(&card.id).is_some_and(|known| known.card == card) {
            return;
        }
        let id = card.id.clone();
        // The lanes of the session before end first.
        followed.remove(&id);
        let lanes = match Cast::of(card.clone(), &self.catalog) {
            Ok(cast) => self.play_lanes(Arc::new(cast)),
            Err(problem) => {
                self.refuse(&card, "it", &problem);
                Vec::new()
            }
        };
        followed.insert(id, Followed { card, lanes });
    }

    fn play_lanes(self: &Arc<Self>, cast: Arc<Cast>) -> Vec<JoinHandle<()>> {
        let Card { name, game, .. } = &cast.card;
        (self.say)(&format!("plays {name} ({game})"));
        for problem in &cast.refused {
            self.refuse(&cast.card, "its matches with programs", problem);
        }
        let follow = |lane| {
            let (state, cast) = (Arc::clone(self), Arc::clone(&cast));
            tokio::spawn(async move { state.follow_lane(&cast, lane).await })
        };
        cast.lanes().into_iter().map(follow).collect()
    }

    fn refuse(&self, card: &Card, what: &str, problem: &str) {
        let line = format!("{} ({}): {what}, because {problem}", card.name, card.game);
        let mut refuses = locked(&self.refuses);
        if !refuses.contains(&line) {
            (self.say)(&format!("refuses {line}"));
            refuses.push(line);
        }
    }

    /// Asks for batches whenever a thread is free.
    async fn follow_lane(&self, cast: &Arc<Cast>, lane: Lane) {
        let mut queue: Option<PullConsumer> = None;
        loop {
            // Looked for here, taken only when there is a batch: others must not starve
            // because this lane is empty.
            let Ok(free) = self.free.acquire().await else { return };
            drop(free);
            let Ok(room) = self.room.acquire().await else { return };
            drop(room);
            let Some(known) = &queue else {
                let name = lane_name(&cast.card.id, lane);
                queue = self.link.fixtures.get_consumer(&name).await.ok();
                if queue.is_none() {
                    sleep(PAUSE).await;
                }
                continue;
            };
            let begun = Instant::now();
            let pulled = tokio::select! {
                pulled = Link::pull(known, 1, WAIT) => pulled,
                () = self.link.mended.notified() => Vec::new(),
            };
            if pulled.is_empty() && begun.elapsed() < WAIT {
                // The queue may be gone.
                queue = None;
                sleep(PAUSE).await;
            }
            for message in pulled {
                let held = self.hold(&message, cast);
                let Ok(room) = Arc::clone(&self.room).acquire_owned().await else { return };
                let Ok(free) = self.free.acquire().await else { return };
                free.forget();
                self.begin(message, cast, held, room);
            }
        }
    }

    fn hold(&self, message: &Message, cast: &Arc<Cast>) -> Held {
        let acker = async_nats::jetstream::message::Acker::new(
            self.link.jetstream.clone(),
            message.reply.clone(),
        );
        let patience = Duration::from_millis(cast.card.patience_ms);
        self.holdings.hold(acker, &cast.card.name, patience)
    }

    fn begin(
        &self,
        message: Message,
        cast: &Arc<Cast>,
        held: Held,
        room: tokio::sync::OwnedSemaphorePermit,
    ) {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let assignments: Vec<Assignment> = match serde_json::from_slice(&message.payload) {
            Ok(assignments) => assignments,
            Err(error) => {
                tracing::warn!("a batch that cannot be read: {error}");
                Vec::new()
            }
        };
        let deadly = deliveries > MOST_DELIVERIES;
        let limit = self.link.client.max_payload();
        let cast = Arc::clone(cast);
        self.players.play(Job { cast, assignments, held, room, deadly, limit });
    }

    /// Publishes what was played, however long the server takes, and acknowledges it.
    async fn hand_in(self: Arc<Self>, mut done: mpsc::UnboundedReceiver<Done>) {
        while let Some(done) = done.recv().await {
            self.free.add_permits(1);
            let state = Arc::clone(&self);
            tokio::spawn(async move { state.publish(done).await });
        }
    }

    async fn publish(&self, done: Done) {
        let Done { tournament, parts, matches, held, room } = done;
        let Some(parts) = parts else {
            // Given up in mid-match: it stays with the holdings, to be given back.
            return;
        };
        let subject = records_subject(&tournament);
        for Part { headers, payload } in parts {
            loop {
                let published = self.link.jetstream.publish_with_headers(
                    subject.clone(),
                    headers.clone(),
                    payload.clone().into(),
                );
                let stored = match published.await {
                    Ok(acknowledged) => acknowledged.await.map(drop),
                    Err(error) => Err(error),
                };
                match stored {
                    Ok(()) => break,
                    Err(error) => {
                        tracing::debug!("records are not safe yet: {error}");
                        sleep(PAUSE).await;
                    }
                }
            }
        }
        held.acknowledge().await;
        let mut tally = locked(&self.tally);
        tally.batches += 1;
        tally.matches += matches;
        drop(room);
    }

    /// Says that batches are being worked on, so that they are not given to others.
    async fn beat(self: Arc<Self>) {
        let mut last = tokio::time::Instant::now();
        loop {
            tokio::select! {
                () = sleep_until(last + self.holdings.beat()) => {
                    self.holdings.tell(AckKind::Progress).await;
                    last = tokio::time::Instant::now();
                }
                () = self.holdings.taken() => {}
            }
        }
    }

    async fn be_seen(self: Arc<Self>) {
        loop {
            let worker = Worker {
                seen_ms: now_ms(),
                played: locked(&self.tally).matches,
                playing: self.holdings.names(),
                refuses: locked(&self.refuses).clone(),
                ..self.worker.clone()
            };
            let value = serde_json::to_vec(&worker).expect("a worker has JSON");
            let _ = self.link.workers.put(self.key(), value.into()).await;
            sleep(PRESENCE).await;
        }
    }
}

/// A tournament that is followed: its lanes end with this.
struct Followed {
    card: Card,
    lanes: Vec<JoinHandle<()>>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.lanes.iter().for_each(JoinHandle::abort);
    }
}
