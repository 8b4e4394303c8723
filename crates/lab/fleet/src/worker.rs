//! A worker: it takes batches of every tournament that it can play, plays them on its threads,
//! publishes the records, and acknowledges a batch once the server has them. It keeps nothing: if
//! it dies, the batches that it held are given to another.
//!
//! The network has one thread; matches have their own. A worker asks for a batch only when a thread
//! is free, so no batch waits here while other workers are idle.
//!
//! A batch goes through three hands: a lane's task pulls it and takes out the lease, a match thread
//! plays it, and a task publishes the records and ends the lease. Two semaphores bound how many are
//! on the way: `free` counts idle match threads, and `room` counts batches whose records the server
//! has not confirmed, so that a slow server stops new pulls instead of filling memory.

mod leases;
mod lock;
mod match_threads;
mod minute;
mod presence;
mod turns;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{AckKind, Message};
use futures_util::future::{join_all, select_all};
use quintain_arena::match_thread;
use quintain_core::{Catalog, ExternalSource, FILE_DIGITS, keep_file, kept_file};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{sleep, sleep_until, timeout};

use crate::artefacts::{MadePlayers, MakePlayer, fetch};
use crate::buckets::{BucketEntry, Changes};
use crate::nats_client::{MANIFESTS, NatsClient, Role, lane_name, records_subject};
use crate::pace;
use crate::resolved::{MadeSources, ResolvedTournament};
use crate::status::{Worker, now_ms, whoami};
use crate::wire::{
    Assignment, Lane, MESSAGE_ID, Manifest, NOT_BY, NOT_ON, Part, Sender, ShutOut, is_program,
    worker_key,
};
use crate::{FleetError, NatsServer};
use leases::{Lease, Leases, Waiting};
use lock::lock;
use match_threads::{BatchJob, FinishedBatch, MatchThreads, PlayedBatch, Progress};
use minute::LastMinute;
use turns::{Entry, Turns};

/// How long a request for a batch waits at the server.
const PULL_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the stop flag is checked.
const TICK: Duration = Duration::from_millis(50);
/// How often a worker asks whether there are other tournaments: one without anything to play, and
/// one that plays, or whose server only lets it read the whole list.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(200);
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How often it looks whether the server has lost the list of tournaments.
const LOSS_CHECK_INTERVAL: Duration = Duration::from_secs(20);
/// The pause between two attempts when the server does not answer.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// How long a worker that stops waits for its last records to be safe.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// A batch that others should play is given back until it has been delivered this often, if its
/// programs do not start here or it has failed on this machine; if it has failed on this very
/// worker, more often.
const MAX_DELIVERIES_OF_BAD_START: i64 = 3;
const MAX_DELIVERIES_OF_FAILED: i64 = 10;
/// How long such a batch rests; at first, this doubles each time.
const REST_DELAY: Duration = Duration::from_millis(100);
/// The most refusals that a worker reports; the latest are kept, since a contest always has new
/// players.
const MAX_REFUSALS: usize = 100;
/// A batch delivered more often than this has presumably killed every worker that took it.
const MAX_DELIVERIES: i64 = 25;

/// The options of a worker.
#[derive(Clone)]
pub struct WorkerOptions {
    /// The number of threads that play.
    pub threads: usize,
    /// Setting it stops the worker: matches in flight are abandoned and left to others.
    pub stop: Arc<AtomicBool>,
    /// How long to go on without anything to play before ending; `None` means forever.
    pub idle: Option<Duration>,
    /// The name that it gives itself, as HOST:NUMBER; `None` means this host and process.
    pub name: Option<String>,
    /// Makes players from programs that coordinators send; `None` means that no such program runs
    /// here.
    pub make_player: Option<Arc<MakePlayer>>,
    /// Makes players from modules that coordinators send, which need nobody's trust; `None` if this
    /// build cannot.
    pub make_module: Option<Arc<MakePlayer>>,
    /// Whether the catalog has programs that this machine lists.
    pub lists_programs: bool,
    /// Whose machine it is, as others see it.
    pub owner: Option<String>,
    /// How long this machine takes for a fixed piece of work; `None` measures it for every
    /// tournament whose players have limited time. Slow machines leave those to others.
    pub pace: Option<Duration>,
}

/// Counts what a worker has played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct WorkSummary {
    /// The number of batches whose records the server has.
    pub batches: u64,
    /// The number of matches in those batches.
    pub matches: u64,
}

/// Plays batches until the stop flag is set or the worker has been idle for too long. `say` is
/// called with a line for every tournament that it begins to play or refuses.
///
/// # Errors
/// [`FleetError`] if at first the server cannot be reached, refuses the client or has no JetStream,
/// or if the system provides no threads. If the server is lost later, the worker waits for it.
pub fn work(
    server: &NatsServer,
    catalog: &Catalog,
    options: &WorkerOptions,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Result<WorkSummary, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::System(error.to_string()))?;
    runtime.block_on(async {
        let who = options.name.clone().unwrap_or_else(whoami);
        let name = format!("quintain worker {who}");
        let opened =
            NatsClient::wait_for(server, Role::Worker, &name, None, options.idle, &options.stop)
                .await?;
        let Some(client) = opened else { return Ok(WorkSummary::default()) };
        let (finished, done) = mpsc::unbounded_channel();
        let turns = Arc::new(Turns::default());
        let match_threads = MatchThreads::start(options.threads, &turns, finished)
            .map_err(|error| FleetError::System(format!("no thread could be started: {error}")))?;
        let state = Arc::new(State {
            client,
            catalog: catalog.clone(),
            free: Semaphore::new(options.threads),
            room: Arc::new(Semaphore::new(2 * options.threads + 2)),
            turns,
            minute: Mutex::default(),
            match_threads,
            leases: Leases::default(),
            summary: Mutex::default(),
            refuses: Mutex::default(),
            preparing: Mutex::default(),
            make_player: options.make_player.clone(),
            make_module: options.make_module.clone(),
            made: MadePlayers::default(),
            announced: Mutex::default(),
            pace: options.pace,
            sender: Arc::new(Sender::draw(&who)),
            worker: Worker {
                who,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                owner: options.owner.clone(),
                threads: options.threads,
                since_ms: now_ms(),
                plays_programs: Some(options.make_player.is_some() || options.lists_programs),
                ..Worker::default()
            },
            news: Notify::new(),
            say: Box::new(say),
        });
        let mut tasks = [
            tokio::spawn(Arc::clone(&state).follow_tournaments()),
            tokio::spawn(Arc::clone(&state).send_heartbeats()),
            tokio::spawn(Arc::clone(&state).publish_presence()),
            tokio::spawn(Arc::clone(&state).publish_results(done)),
        ];
        let failed = tokio::select! {
            () = state.wait_until_stopped(options) => None,
            (ended, ..) = select_all(&mut tasks) => Some(ended),
        };
        tasks.iter().take(2).for_each(JoinHandle::abort);
        state.leave().await;
        tasks.iter().for_each(JoinHandle::abort);
        let summary = *lock(&state.summary);
        match failed {
            None => Ok(summary),
            // It would show itself at the server for ever, and play nothing.
            Some(ended) => Err(FleetError::WorkerBroken(describe_end(ended))),
        }
    })
}

/// Why a task has ended that should not.
fn describe_end(ended: Result<(), JoinError>) -> String {
    ended.map_or_else(|error| error.to_string(), |()| "it has no more to do".to_owned())
}

/// The state that the tasks of a worker share.
struct State {
    client: NatsClient,
    catalog: Catalog,
    /// One permit for each match thread that is idle.
    free: Semaphore,
    /// One permit for each batch that may be taken before the server has its records.
    room: Arc<Semaphore>,
    turns: Arc<Turns>,
    /// What its threads have done lately.
    minute: Mutex<LastMinute>,
    match_threads: MatchThreads,
    leases: Leases,
    summary: Mutex<WorkSummary>,
    /// What it refuses, each line with the id of its tournament.
    refuses: Mutex<Vec<(String, String)>>,
    /// The tournaments whose programs are being prepared, each as often as its preparation has
    /// begun.
    preparing: Mutex<Vec<String>>,
    make_player: Option<Arc<MakePlayer>>,
    make_module: Option<Arc<MakePlayer>>,
    /// Players made from artefacts and modules.
    made: MadePlayers,
    /// The tournaments that were announced: the rounds of a contest share one name, and so do the
    /// generations of a tuning.
    announced: Mutex<HashSet<String>>,
    pace: Option<Duration>,
    sender: Arc<Sender>,
    worker: Worker,
    /// Notified when something has changed here that others should know.
    news: Notify,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

/// While this value lives, the worker reports that it prepares the programs of a tournament.
struct Preparing {
    state: Arc<State>,
    tournament: String,
}

impl Preparing {
    fn begin(state: &Arc<State>, tournament: &str) -> Preparing {
        lock(&state.preparing).push(tournament.to_owned());
        state.news.notify_one();
        Preparing { state: Arc::clone(state), tournament: tournament.to_owned() }
    }
}

impl Drop for Preparing {
    fn drop(&mut self) {
        let mut preparing = lock(&self.state.preparing);
        if let Some(at) = preparing.iter().position(|name| *name == self.tournament) {
            preparing.swap_remove(at);
        }
        drop(preparing);
        self.state.news.notify_one();
    }
}

impl State {
    async fn wait_until_stopped(&self, options: &WorkerOptions) {
        let mut busy = Instant::now();
        while !options.stop.load(Ordering::Relaxed) {
            if !self.leases.is_empty() {
                busy = Instant::now();
            }
            if options.idle.is_some_and(|idle| busy.elapsed() >= idle) {
                return;
            }
            sleep(TICK).await;
        }
    }

    /// Abandons the matches in flight, waits a little for records that are being published, and
    /// gives the other batches back.
    async fn leave(&self) {
        self.match_threads.stop();
        let safe = async {
            while self.room.available_permits() < 2 * self.worker.threads + 2 {
                sleep(TICK / 5).await;
            }
        };
        let _ = timeout(SHUTDOWN_TIMEOUT, safe).await;
        self.leases.give_back().await;
        if self.client.is_up() {
            let _ = self.client.workers.purge(worker_key(&self.worker.who)).await;
            let _ = timeout(SHUTDOWN_TIMEOUT, self.client.client.flush()).await;
        }
    }

    /// Takes up tournaments as they appear, and leaves those that end. Everything is read again
    /// whenever the connection was repaired or the server has lost its list.
    async fn follow_tournaments(self: Arc<Self>) {
        let mut followed: HashMap<String, Followed> = HashMap::new();
        let mut changes =
            Changes::of(&self.client.tournaments, MANIFESTS, self.client.forbidden.clone());
        let mut checked = Instant::now();
        loop {
            let reconnected = self.client.reconnected.notified();
            tokio::pin!(reconnected);
            reconnected.as_mut().enable();
            match changes.read().await {
                Ok(changed) => {
                    for entry in changed {
                        self.take_up(&entry, &mut followed).await;
                    }
                }
                Err(problem) => tracing::debug!("the list of tournaments: {problem}"),
            }
            for one in followed.values_mut() {
                pass_on_panic(&mut one.lanes).await;
            }
            if checked.elapsed() >= LOSS_CHECK_INTERVAL {
                checked = Instant::now();
                changes.restart_if_lost().await;
            }
            let is_idle = self.leases.is_empty() && !changes.are_listed();
            let pause = if is_idle { IDLE_POLL_INTERVAL } else { POLL_INTERVAL };
            tokio::select! {
                () = sleep(pause) => {}
                () = reconnected => changes.restart(),
            }
        }
    }

    /// Takes up or leaves a tournament whose manifest has changed.
    async fn take_up(
        self: &Arc<Self>,
        entry: &BucketEntry,
        followed: &mut HashMap<String, Followed>,
    ) {
        if entry.operation == Operation::Put {
            return self.follow(&entry.value, followed);
        }
        let Some(id) = entry.key.strip_prefix(MANIFESTS) else { return };
        if followed.remove(id).is_none() {
            return;
        }
        lock(&self.refuses).retain(|(of, _)| of != id);
        if entry.operation == Operation::Purge {
            self.match_threads.abandon(id);
            self.leases.end_all_of(id).await;
        }
        self.news.notify_one();
    }

    fn follow(self: &Arc<Self>, manifest: &[u8], followed: &mut HashMap<String, Followed>) {
        let manifest: Manifest = match serde_json::from_slice(manifest) {
            Ok(manifest) => manifest,
            Err(error) => {
                tracing::warn!("a tournament cannot be read: {error}");
                return;
            }
        };
        let own = self.sender.public();
        let shut_out = manifest.shut_out.iter().find(|known| known.worker == own).cloned();
        let manifest = Manifest { shut_out: shut_out.clone().into_iter().collect(), ..manifest };
        if followed.get(&manifest.id).is_some_and(|known| known.manifest == manifest) {
            return;
        }
        let id = manifest.id.clone();
        // The lanes of the previous session end first.
        followed.remove(&id);
        if let Some(ShutOut { reason, .. }) = shut_out {
            let problem = format!("its coordinator has shut this worker out: {reason}");
            self.refuse(&manifest, "", &problem);
            followed.insert(id, Followed { manifest, lanes: Vec::new() });
            return;
        }
        let (state, own) = (Arc::clone(self), manifest.clone());
        let playing = tokio::spawn(async move {
            let preparing = state.prepare(&own);
            let unfetched = state.fetch_files(&own).await;
            let made = state.make_players(&own).await;
            let (catalog, manifest, pace) = (state.catalog.clone(), own.clone(), state.pace);
            // Copying programs takes a while, and heartbeats must go on meanwhile.
            let resolving = tokio::task::spawn_blocking(move || {
                if let Some(theirs) = manifest.pace_us.map(Duration::from_micros)
                    && let Some(problem) =
                        pace::too_slow(pace.unwrap_or_else(pace::measure), theirs)
                {
                    return Err(problem);
                }
                ResolvedTournament::resolve(manifest, &catalog, &made)
            });
            let resolved = resolving.await;
            drop(preparing);
            match resolved {
                Ok(Ok(tournament)) => state.play_lanes(&Arc::new(tournament)).await,
                Ok(Err(problem)) => {
                    let problem = [problem].into_iter().chain(unfetched).collect::<Vec<_>>();
                    state.refuse(&own, "", &problem.join("; "));
                }
                Err(error) => tracing::error!("a tournament cannot be followed: {error}"),
            }
        });
        followed.insert(id, Followed { manifest, lanes: vec![playing] });
    }

    /// Reports that a tournament's programs are being prepared, until the returned value is
    /// dropped. Returns `None` if all its programs are ready.
    fn prepare(self: &Arc<Self>, manifest: &Manifest) -> Option<Preparing> {
        let sent = self
            .sent_programs(manifest)
            .filter(|(.., player, digest)| self.made.find(player, digest).is_none());
        let own = manifest
            .players
            .iter()
            .filter(|(player, _)| is_program(player) && !manifest.sends(player));
        let count = sent.count() + own.count();
        if count == 0 {
            return None;
        }
        let programs = if count == 1 { "program" } else { "programs" };
        (self.say)(&format!(
            "prepares {count} {programs} of {} ({})",
            manifest.name, manifest.game
        ));
        Some(Preparing::begin(self, &manifest.name))
    }

    /// Fetches the files of a tournament's scenarios, unless they are in memory. Returns why one
    /// cannot be fetched: perhaps the same file is on this machine.
    async fn fetch_files(&self, manifest: &Manifest) -> Option<String> {
        for whole in &manifest.files {
            if whole.get(..FILE_DIGITS).is_none_or(|digest| kept_file(digest).is_some()) {
                continue;
            }
            let fetched = fetch(&self.client.client, &manifest.id, whole).await;
            let text = fetched.and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| "it is not a text".to_owned())
            });
            match text {
                Ok(text) => drop(keep_file(&text)),
                Err(problem) => {
                    let scenarios = manifest.scenarios.join(", ");
                    return Some(format!("a file of {scenarios}: {problem}"));
                }
            }
        }
        None
    }

    /// The programs and modules that the coordinator sends and this worker accepts: each with what
    /// makes a player of it, its text and its digest.
    fn sent_programs<'a>(
        &'a self,
        manifest: &'a Manifest,
    ) -> impl Iterator<Item = (&'a Arc<MakePlayer>, &'a String, &'a String)> {
        let programs = self.make_player.iter().map(|make| (make, &manifest.artefacts));
        let modules = self.make_module.iter().map(|make| (make, &manifest.modules));
        programs.chain(modules).flat_map(|(make, sent)| {
            sent.iter().map(move |(player, digest)| (make, player, digest))
        })
    }

    /// The players made from the programs that are sent and accepted here.
    async fn make_players(&self, manifest: &Manifest) -> MadeSources {
        let mut made = MadeSources::new();
        for (make, player, digest) in self.sent_programs(manifest) {
            let source = match self.made.find(player, digest) {
                Some(known) => Ok(known),
                None => self.make_player_of(make, manifest, player, digest).await,
            };
            made.insert(player.clone(), source);
        }
        made
    }

    async fn make_player_of(
        &self,
        make: &Arc<MakePlayer>,
        manifest: &Manifest,
        player: &str,
        digest: &str,
    ) -> Result<Arc<dyn ExternalSource>, String> {
        let bytes = fetch(&self.client.client, &manifest.id, digest).await?;
        let (make, named) = (Arc::clone(make), player.to_owned());
        let source = tokio::task::spawn_blocking(move || make(&named, &bytes)).await;
        let source = source.map_err(|error| error.to_string())??;
        self.made.keep(player, digest, Arc::clone(&source));
        Ok(source)
    }

    async fn play_lanes(self: &Arc<Self>, tournament: &Arc<ResolvedTournament>) {
        let Manifest { name, game, owner, series, .. } = &tournament.manifest;
        let announcement = format!("plays {name} ({game})");
        let is_one_of_many = owner.is_some() || series.is_some();
        if !is_one_of_many || lock(&self.announced).insert(announcement.clone()) {
            (self.say)(&announcement);
        }
        for problem in &tournament.refused {
            self.refuse(&tournament.manifest, "matches with programs in ", problem);
        }
        let follow = |lane| async move {
            if lane == Lane::Programs {
                self.try_programs(tournament).await;
            }
            self.follow_lane(tournament, lane).await;
        };
        join_all(tournament.lanes().into_iter().map(follow)).await;
    }

    /// Has programs play one turn against themselves before any match that counts.
    async fn try_programs(self: &Arc<Self>, tournament: &Arc<ResolvedTournament>) {
        let Manifest { name, players, .. } = &tournament.manifest;
        let is_tried = |player: &String| is_program(player) && !tournament.manifest.sends(player);
        let is_any = players.iter().any(|(player, _)| is_tried(player));
        let _preparing = is_any.then(|| Preparing::begin(self, name));
        let (own, (sender, failures)) = (Arc::clone(tournament), oneshot::channel());
        let started = match_thread(0).spawn(move || {
            let _ = sender.send(own.try_programs());
        });
        if started.is_err() {
            return;
        }
        for (player, problem) in failures.await.unwrap_or_default() {
            let what = format!("matches of {player}, which others can play, in ");
            self.refuse(&tournament.manifest, &what, &format!("it does not start here: {problem}"));
        }
    }

    /// Notes that it does not play a tournament, or not `what` of it.
    fn refuse(&self, manifest: &Manifest, what: &str, problem: &str) {
        let line = format!("{what}{} ({}), because {problem}", manifest.name, manifest.game);
        let mut refuses = lock(&self.refuses);
        if !refuses.iter().any(|(_, known)| *known == line) {
            if refuses.len() >= MAX_REFUSALS {
                refuses.remove(0);
            }
            (self.say)(&format!("refuses {line}"));
            refuses.push((self.refusal_key(manifest), line));
            self.news.notify_one();
        }
    }

    /// What a refusal is known by: it ends with its tournament, but all rounds of a contest are
    /// one.
    fn refusal_key(&self, manifest: &Manifest) -> String {
        manifest.owner.clone().unwrap_or_else(|| manifest.id.clone())
    }

    /// Pulls batches of a lane whenever a thread is idle.
    async fn follow_lane(&self, tournament: &Arc<ResolvedTournament>, lane: Lane) {
        let Manifest { weight_percent, series, .. } = &tournament.manifest;
        let share = tournament.manifest.share();
        let weight = f64::from(*weight_percent) / 100.0;
        let mut queue: Option<PullConsumer> = None;
        loop {
            // Both permits are only probed here and taken when there is a batch: a lane that waits
            // at an empty queue must not keep threads from the other lanes. Where others have all
            // threads, it fetches one batch, for which one of theirs pauses.
            tokio::select! {
                free = self.free.acquire() => match free {
                    Ok(free) => drop(free),
                    Err(_) => return,
                },
                () = self.turns.wait_until_owed(share) => {}
            }
            let Ok(room) = self.room.acquire().await else { return };
            drop(room);
            let Some(known) = &queue else {
                let name = lane_name(&tournament.manifest.id, lane);
                queue = self.client.fixtures.get_consumer(&name).await.ok();
                if queue.is_none() {
                    sleep(RETRY_DELAY).await;
                }
                continue;
            };
            let begun = Instant::now();
            let pulled = tokio::select! {
                pulled = NatsClient::pull(known, 1, PULL_TIMEOUT) => pulled,
                () = self.client.reconnected.notified() => Vec::new(),
            };
            if pulled.is_empty() {
                self.turns.rest(share);
            }
            if pulled.is_empty() && begun.elapsed() < PULL_TIMEOUT {
                // The queue may no longer exist.
                queue = None;
                sleep(RETRY_DELAY).await;
            }
            for message in pulled {
                if self.leave_to_others(&message, tournament).await {
                    continue;
                }
                let lease = self.lease_batch(&message, tournament);
                let Ok(room) = Arc::clone(&self.room).acquire_owned().await else { return };
                self.turns.want(share, weight, series.is_some());
                let taken = self.turns.take(share, Entry::Begin, &self.free).await;
                let Some(()) = taken else { return };
                self.begin(message, tournament, lease.begin(), room);
            }
        }
    }

    /// Gives back a batch that has failed on this machine before, or whose programs do not start
    /// here, unless it comes again and again: then there is nobody else.
    async fn leave_to_others(
        &self,
        message: &Message,
        tournament: &Arc<ResolvedTournament>,
    ) -> bool {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let headers = message.headers.as_ref();
        let names = |header, own: &str| {
            let listed = headers.and_then(|headers| headers.get(header));
            listed.is_some_and(|listed| listed.as_str().split(' ').any(|one| one == own))
        };
        let says_who = headers.is_some_and(|headers| headers.get(NOT_BY).is_some());
        let failed_beside = names(NOT_ON, self.sender.host());
        let most = if names(NOT_BY, &self.sender.who) || (failed_beside && !says_who) {
            MAX_DELIVERIES_OF_FAILED
        } else if failed_beside || tournament.has_bad_start(&message.payload) {
            MAX_DELIVERIES_OF_BAD_START
        } else {
            0
        };
        if deliveries > most {
            return false;
        }
        let pause = REST_DELAY * (1 << deliveries.clamp(0, MAX_DELIVERIES_OF_BAD_START));
        message.ack_with(AckKind::Nak(Some(pause))).await.is_ok()
    }

    fn lease_batch(&self, message: &Message, tournament: &Arc<ResolvedTournament>) -> Waiting {
        let acker = async_nats::jetstream::message::Acker::new(
            self.client.jetstream.clone(),
            message.reply.clone(),
        );
        let Manifest { id, name, patience_ms, .. } = &tournament.manifest;
        self.leases.hold(acker, (id, name), Duration::from_millis(*patience_ms))
    }

    fn begin(
        &self,
        message: Message,
        tournament: &Arc<ResolvedTournament>,
        lease: Lease,
        room: tokio::sync::OwnedSemaphorePermit,
    ) {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let assignments: Vec<Assignment> = match serde_json::from_slice(&message.payload) {
            Ok(assignments) => assignments,
            Err(error) => {
                tracing::warn!("a batch cannot be read: {error}");
                Vec::new()
            }
        };
        let deadly = deliveries > MAX_DELIVERIES;
        let headers = message.headers.as_ref();
        let batch = headers.and_then(|headers| headers.get(MESSAGE_ID));
        let batch = batch.map_or(tournament.manifest.session.as_str(), |id| id.as_str()).to_owned();
        let sender = Arc::clone(&self.sender);
        let limit = self.client.client.max_payload();
        let (tournament, progress) = (Arc::clone(tournament), Progress::default());
        let job = BatchJob {
            tournament,
            assignments,
            batch,
            sender,
            lease,
            room,
            deadly,
            limit,
            progress,
        };
        self.match_threads.play(job);
    }

    /// Publishes the records of finished batches, waiting for the server as long as it takes.
    async fn publish_results(self: Arc<Self>, mut done: mpsc::UnboundedReceiver<PlayedBatch>) {
        while let Some(done) = done.recv().await {
            let (tournament, took) = match &done {
                PlayedBatch::Finished(batch) => (&batch.tournament, batch.took),
                PlayedBatch::Paused(job, took) => (&job.tournament, *took),
            };
            self.turns.end(tournament.manifest.share(), took);
            lock(&self.minute).add(&tournament.manifest.name, took);
            let state = Arc::clone(&self);
            match done {
                PlayedBatch::Finished(done) => {
                    tokio::spawn(async move { state.publish(done).await });
                }
                PlayedBatch::Paused(job, _) => {
                    tokio::spawn(async move { state.go_on(job).await });
                }
            }
            self.free.add_permits(1);
        }
    }

    /// Has a batch that has paused go on when its turn comes.
    async fn go_on(&self, job: BatchJob) {
        let tournament = Arc::clone(&job.tournament);
        let share = tournament.manifest.share();
        if self.turns.take(share, Entry::GoOn, &self.free).await.is_some() {
            self.match_threads.play(job);
        }
    }

    async fn publish(&self, done: FinishedBatch) {
        let FinishedBatch { tournament, parts, matches, is_over, lease, room, .. } = done;
        let Some(parts) = parts else {
            // The batch was abandoned in mid-match: its lease stays, and is given back with the
            // others, unless nobody wants it.
            if is_over {
                lease.acknowledge().await;
                self.news.notify_one();
            }
            return;
        };
        let subject = records_subject(&tournament.manifest.id);
        for Part { headers, payload } in parts {
            loop {
                let published = self.client.jetstream.publish_with_headers(
                    subject.clone(),
                    headers.clone(),
                    payload.clone().into(),
                );
                let stored = match published.await {
                    Ok(acknowledged) => acknowledged.await.map(drop),
                    Err(error) => Err(error),
                };
                self.client.room.note(&stored);
                match stored {
                    Ok(()) => break,
                    Err(error) => {
                        tracing::debug!("records are not safe yet: {error}");
                        sleep(RETRY_DELAY).await;
                    }
                }
            }
        }
        lease.acknowledge().await;
        let mut summary = lock(&self.summary);
        summary.batches += 1;
        summary.matches += matches;
        drop(room);
        if self.leases.is_empty() {
            self.news.notify_one();
        }
    }

    /// Reports progress on all leases, so that the server does not give the batches to others.
    async fn send_heartbeats(self: Arc<Self>) {
        let mut last = tokio::time::Instant::now();
        loop {
            tokio::select! {
                () = sleep_until(last + self.leases.heartbeat_interval()) => {
                    self.leases.acknowledge_all(AckKind::Progress).await;
                    last = tokio::time::Instant::now();
                }
                () = self.leases.wait_for_lease() => {}
            }
        }
    }
}

/// A tournament that this worker plays. Dropping it ends the tasks of its lanes.
struct Followed {
    manifest: Manifest,
    lanes: Vec<JoinHandle<()>>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.lanes.iter().for_each(JoinHandle::abort);
    }
}

/// Panics as one of these tasks has: this worker would play nothing of the tournament, and nobody
/// would know.
async fn pass_on_panic(tasks: &mut Vec<JoinHandle<()>>) {
    for ended in tasks.extract_if(.., |task| task.is_finished()) {
        if let Err(error) = ended.await
            && let Ok(panic) = error.try_into_panic()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_ends_its_worker_with_a_message() {
        let mut tasks = vec![
            tokio::spawn(async {}),
            tokio::spawn(std::future::pending()),
            tokio::spawn(async { panic!("the lane is broken") }),
        ];
        while tasks.iter().filter(|task| task.is_finished()).count() < 2 {
            tokio::task::yield_now().await;
        }
        let ended = tokio::spawn(async move { pass_on_panic(&mut tasks).await }).await;
        let problem = FleetError::WorkerBroken(describe_end(ended)).to_string();
        assert!(problem.contains("the lane is broken"), "{problem}");
        assert!(problem.ends_with("start it again"), "{problem}");
    }
}
