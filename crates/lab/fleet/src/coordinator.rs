//! The executor that hands matches out to workers. It publishes the fixtures that have no record,
//! keeps as many published as workers can use, takes in the results, and acknowledges them once
//! they are in the store.
//!
//! Its only lasting state is the store. If the coordinator dies, the next one purges the fixtures
//! that are still queued, takes in the records that wait in the stream, and then publishes what is
//! missing. So nothing is lost by a crash between any two steps, and the worst effect of a repeated
//! or reordered message is that a match is played twice.

mod batches;
mod contributions;
mod entry;
mod news;
mod queues;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::Acker;
use quintain_arena::{
    Executor, Ledger, PendingFixtures, RunError, Schedule, Shard, Tournament, match_thread,
};
use quintain_core::{Record, digest, kept_file, panics};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::artefacts::{self, Artefact, Content, artefact_digest};
use crate::batch_sizer::BatchSizer;
use crate::nats_client::{NatsClient, Role, retry};
use crate::pace;
use crate::result_consumer::ResultConsumer;
use crate::status::whoami;
use crate::wire::{Lane, Manifest, PROTOCOL, Sender, usual_weight};
use crate::{FleetError, NatsServer, Rounds, RunNews};

/// How long to wait for records before the stop flag is checked again.
const TICK: Duration = Duration::from_millis(100);
/// The most messages taken in between two writes of the store.
const MESSAGES: usize = 64;
/// How often the lengths of the queues are requested.
const QUEUE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often this coordinator renews its entry at the server.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(2);
/// The pause between two attempts when the server does not answer.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// How a tournament is handed out to workers.
#[derive(Clone, Copy, Debug)]
pub struct FleetOptions {
    /// A worker's batch is given to another after this long without a sign of life.
    pub patience: Duration,
    /// The number of cluster nodes that keep each message. `None` leaves existing streams as they
    /// are and creates new ones with one.
    pub replicas: Option<usize>,
    /// The share of matches, from 0 to 1, that is played a second time to find workers that lie;
    /// only matches that every machine must reproduce are drawn.
    pub second_looks: f64,
    /// How much of the workers' time this has where several tournaments want it, in percent of what
    /// one with the usual weight has.
    pub weight_percent: u32,
    /// How long nobody may play before the user is warned.
    pub idle_warning: Duration,
}

impl Default for FleetOptions {
    /// A patience of 30 seconds, the existing replicas, every fiftieth match played twice, the
    /// usual weight, and a warning after 10 seconds.
    fn default() -> FleetOptions {
        FleetOptions {
            patience: Duration::from_secs(30),
            replicas: None,
            second_looks: 0.02,
            weight_percent: usual_weight(),
            idle_warning: Duration::from_secs(10),
        }
    }
}

/// Workers at a NATS server, as the executor of one tournament.
pub struct Fleet {
    server: NatsServer,
    manifest: Manifest,
    options: FleetOptions,
    /// What workers may fetch, by digest: programs, modules and files of scenarios.
    contents: HashMap<String, Content>,
    rounds: Option<Arc<Rounds>>,
    /// What people call it, and its players whose names are digests.
    title: Option<String>,
    names: BTreeMap<String, String>,
    news: Option<Arc<Mutex<RunNews>>>,
}

impl Fleet {
    /// Creates an executor of a tournament, or of a share of it, on the workers at a server. Each
    /// share may have its own coordinator.
    pub fn new(
        server: NatsServer,
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
        let texts = schedule.files().filter_map(kept_file);
        let mut contents = HashMap::new();
        let mut offer = |bytes: Arc<[u8]>| {
            let digest = artefact_digest(&bytes);
            contents.insert(digest.clone(), Content::Bytes(bytes));
            digest
        };
        let files: BTreeSet<String> = texts.map(|text| offer(text.into())).collect();
        let portable = schedule.portable_players();
        let modules = portable.map(|(player, file)| (player.to_owned(), offer(file))).collect();
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
            artefacts: BTreeMap::new(),
            files: files.into_iter().collect(),
            modules,
            pace_us: (!first.budget.is_reproducible()).then(|| pace::measure().as_micros() as u64),
            weight_percent: options.weight_percent,
            series: None,
            owner: None,
        };
        let (rounds, title, names, news) = (None, None, BTreeMap::new(), None);
        Fleet { server, manifest, options, contents, rounds, title, names, news }
    }

    /// Calls it and its players by these names in what people read.
    #[must_use]
    pub fn called(mut self, title: &str, names: BTreeMap<String, String>) -> Fleet {
        (self.title, self.names) = (Some(title.to_owned()), names);
        self
    }

    /// Writes there what there is to say while it is played.
    #[must_use]
    pub fn reporting_to(mut self, news: Arc<Mutex<RunNews>>) -> Fleet {
        self.news = Some(news);
        self
    }

    /// Offers these programs to workers that take programs, so that the workers need not have them.
    #[must_use]
    pub fn with_artefacts(mut self, artefacts: Vec<Artefact>) -> Fleet {
        for Artefact { player, digest, file } in artefacts {
            self.manifest.artefacts.insert(player, digest.clone());
            self.contents.insert(digest, Content::Program(file));
        }
        self
    }

    /// Makes this one of several tournaments that share the workers' time as one would. All have
    /// the same text, and no others.
    #[must_use]
    pub fn in_series(mut self, series: &str) -> Fleet {
        self.manifest.series = Some(series.to_owned());
        self
    }

    /// Offers the programs of the tournament, as they play here, to workers that take programs.
    /// Also returns those that cannot be sent, each with the reason.
    #[must_use]
    pub fn sending_programs(mut self, tournament: &Tournament) -> (Fleet, Vec<(String, String)>) {
        let mut unsent = Vec::new();
        for (player, packed) in tournament.schedule().packed_players() {
            match packed {
                Ok(bytes) => {
                    let digest = artefact_digest(&bytes);
                    self.manifest.artefacts.insert(player.to_owned(), digest.clone());
                    self.contents.insert(digest, Content::Bytes(bytes));
                }
                Err(problem) => unsent.push((player.to_owned(), problem)),
            }
        }
        (self, unsent)
    }

    /// Makes this one of a contest's rounds: a worker that is shut out in one round stays shut out.
    #[must_use]
    pub fn in_rounds(mut self, rounds: Arc<Rounds>) -> Fleet {
        self.manifest.owner = Some(rounds.owner.clone());
        self.rounds = Some(rounds);
        self
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
        let hurry = Arc::new(AtomicBool::new(false));
        thread::scope(|scope| {
            let own_matches = OwnMatches::start(scope, missing.schedule(), &hurry);
            let own_matches = own_matches.map_err(elsewhere)?;
            let coordinated = runtime.block_on(async {
                let Some(mut run) = Run::begin(self, missing, ledger, own_matches, stop).await?
                else {
                    return Ok(());
                };
                run.wait_until_done(stop, report_progress).await?;
                run.finish().await;
                Ok(())
            });
            hurry.store(true, Ordering::Relaxed);
            // This is done even if the server is away: the results that have come are kept, and
            // come again if unacknowledged.
            ledger.write_waiting(true);
            report_progress();
            coordinated.map_err(elsewhere)
        })
    }
}

/// The coordinator's own match threads: they decide where workers' records differ.
struct OwnMatches {
    ask: mpsc::Sender<u64>,
    answers: mpsc::Receiver<(u64, Result<Record, String>)>,
}

impl OwnMatches {
    /// Starts a thread for each core; setting `hurry` ends them.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        schedule: &'scope Schedule,
        hurry: &Arc<AtomicBool>,
    ) -> Result<OwnMatches, FleetError> {
        let (ask, asked) = mpsc::channel::<u64>();
        let (answer, answers) = mpsc::channel();
        let asked = Arc::new(Mutex::new(asked));
        for number in 0..thread::available_parallelism().map_or(1, usize::from) {
            let (own, asked, answer) = (Arc::clone(hurry), Arc::clone(&asked), answer.clone());
            let play = move || {
                loop {
                    let index = asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(index) = index else { return };
                    let played = panics::catch(|| schedule.play(index, &own));
                    let played = played.map_err(|panicked| panicked.to_string());
                    let played =
                        played.and_then(|record| record.map_err(|refused| refused.to_string()));
                    // Players that were stopped have cut their thinking short.
                    if own.load(Ordering::Relaxed) || answer.send((index, played)).is_err() {
                        return;
                    }
                }
            };
            let started = match_thread(number).spawn_scoped(scope, play);
            started.map_err(|error| FleetError::System(error.to_string()))?;
        }
        Ok(OwnMatches { ask, answers })
    }
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
    checked_queues: Instant,
    /// Set while no match is being played although some wait, and whether that has been reported.
    idle: Option<Idle>,
    has_warned: bool,
    /// When workers were last asked what they refuse, and what has been reported of that.
    refusals_checked: Option<Instant>,
    refusals: BTreeSet<String>,
    /// The numbers of batches that are being played and that wait.
    in_play: u64,
    waiting: u64,
    /// When a batch was last published or was still waiting, and how often the fixtures without an
    /// answer have been published once more.
    published: Instant,
    backups: u32,
    /// The tokens of messages whose records wait to be written.
    tokens: Vec<Acker>,
    /// The number of batches published so far: part of the next one's message id.
    batches: u64,
    begun: Instant,
    /// What workers have been credited with, and when that was done last.
    credited: BTreeMap<String, u64>,
    credited_at: Instant,
    /// The owners that workers have named, if they did, by worker.
    owners: HashMap<String, Option<String>>,
    owners_asked: Option<Instant>,
    /// What machines had played in earlier parts of the same comparison.
    played_before: BTreeMap<String, u64>,
    /// The task that answers workers that fetch programs and files, if there are any.
    answering: Option<JoinHandle<()>>,
}

/// The last report of each worker, and its number.
type Reports = HashMap<String, (u64, Vec<u8>)>;

/// Nobody has played since `since`, when these were the workers' last reports.
struct Idle {
    since: Instant,
    reports: Option<Reports>,
}

impl Drop for Run<'_, '_, '_> {
    fn drop(&mut self) {
        if let Some(answering) = &self.answering {
            answering.abort();
        }
    }
}

impl<'a, 'm, 'l> Run<'a, 'm, 'l> {
    /// Starts handing out. Returns `None` if it was stopped before the server answered.
    async fn begin(
        fleet: &'a Fleet,
        missing: &'a PendingFixtures<'m>,
        ledger: &'a Ledger<'l>,
        own_matches: OwnMatches,
        stop: &AtomicBool,
    ) -> Result<Option<Run<'a, 'm, 'l>>, FleetError> {
        let name = format!("quintain coordinator of {}", fleet.manifest.name);
        let replicas = fleet.options.replicas;
        let opened =
            NatsClient::wait_for(&fleet.server, Role::Coordinator, &name, replicas, None, stop)
                .await?;
        let Some(client) = opened else { return Ok(None) };
        let address = || fleet.server.to_string();
        let wrong = |problem: String| FleetError::no_streams(address(), problem);
        let (records, lanes) =
            retry(async || fleet.open_queues(&client).await).await.map_err(wrong)?;

        let mut run = Run {
            fleet,
            manifest: fleet.manifest.clone(),
            own_matches,
            missing,
            ledger,
            client,
            records,
            lanes,
            results: ResultConsumer::new(missing, ledger, fleet.options.second_looks)
                .naming(fleet.names.clone(), fleet.rounds.is_some()),
            sizer: BatchSizer::new(),
            revision: None,
            renewed: Instant::now(),
            checked_queues: Instant::now(),
            idle: None,
            has_warned: false,
            refusals_checked: None,
            refusals: BTreeSet::new(),
            in_play: 0,
            waiting: 0,
            published: Instant::now(),
            backups: 0,
            tokens: Vec::new(),
            batches: 0,
            begun: Instant::now(),
            credited: BTreeMap::new(),
            credited_at: Instant::now(),
            owners: HashMap::new(),
            owners_asked: None,
            played_before: fleet.list_played(),
            answering: None,
        };
        run.replace_predecessor().await.map_err(wrong)?;
        run.count_workers().await;
        Ok(Some(run))
    }

    /// Takes over from an earlier coordinator of the same tournament, and takes in what it has
    /// left.
    async fn replace_predecessor(&mut self) -> Result<(), String> {
        if let Some(rounds) = &self.fleet.rounds {
            self.manifest.shut_out = self.results.shut_out_before(rounds.list_shut_out());
        }
        if !self.fleet.contents.is_empty() {
            let requests = artefacts::listen(&self.client.client, &self.manifest.id).await?;
            let (client, contents) = (self.client.client.clone(), self.fleet.contents.clone());
            self.answering = Some(tokio::spawn(artefacts::answer(client, requests, contents)));
        }
        // A cluster that has just created a stream may refuse writes to it for a while.
        retry(async || self.take_over().await).await?;
        // The order matters: queued fixtures of an earlier coordinator are purged first, then the
        // records that its workers have published are taken in. Whatever is missing after that can
        // only be in the hands of workers still playing, and their answers count whenever they
        // come.
        retry(async || self.clear_fixtures().await).await?;
        while self.receive(Duration::ZERO).await > 0 {}
        self.results.begin();
        retry(async || self.publish_manifest().await).await
    }

    /// Publishes fixtures and takes in results until nothing is missing or doubted, the store
    /// fails, or `stop` is set.
    async fn wait_until_done(
        &mut self,
        stop: &AtomicBool,
        report_progress: &mut dyn FnMut(),
    ) -> Result<(), FleetError> {
        while (self.results.count_left() > 0 || self.results.looks.is_open())
            && !stop.load(Ordering::Relaxed)
            && !self.ledger.is_halted()
        {
            report_progress();
            self.release_unneeded().await;
            if !self.client.is_up() {
                sleep(RETRY_DELAY).await;
                continue;
            }
            if self.renewed.elapsed() >= RENEWAL_INTERVAL {
                self.renew().await?;
            }
            self.top_up().await;
            self.receive(TICK).await;
            self.judge().await;
            self.report_news();
            // At the end only second looks are open, which nobody may be there for.
            let is_end = self.results.count_left() == 0;
            let interval = if is_end { TICK } else { QUEUE_CHECK_INTERVAL };
            if self.checked_queues.elapsed() >= interval {
                self.checked_queues = Instant::now();
                self.check_queues().await;
            }
        }
        Ok(())
    }

    /// Stops handing out what nobody needs any more. If nothing is left, what waits is removed, and
    /// this coordinator plays the matches that are still to be looked at a second time.
    async fn release_unneeded(&mut self) {
        let released = self.ledger.take_released();
        if released.is_empty() {
            return;
        }
        self.results.release(&released);
        if self.results.count_left() == 0 {
            self.results.looks.ask_coordinator_instead();
            if let Err(problem) = self.clear_fixtures().await {
                tracing::debug!("what waits was not removed: {problem}");
            }
        }
    }

    /// Takes back what nobody could confirm, reports, and removes what is no longer needed.
    async fn finish(&mut self) {
        self.results.take_back_unsettled();
        self.results.summarize();
        self.report_news();
        if let Some(rounds) = &self.fleet.rounds {
            rounds.shut_out(self.results.senders_shut_out());
        }
        // Only the coordinator in charge tidies up: another one still needs what is there. While
        // the server is away, its answer would only be waited for.
        if self.client.is_up() && self.renew().await.is_ok() {
            self.credit_machines(true).await;
            self.tidy_up().await;
        }
    }

    /// Plays doubted matches here, takes in the results, and tells workers who is shut out.
    async fn judge(&mut self) {
        for index in self.results.looks.take_doubts() {
            // The threads live as long as this run.
            let _ = self.own_matches.ask.send(index);
        }
        while let Ok((index, played)) = self.own_matches.answers.try_recv() {
            self.results.judge(index, played);
        }
        if let Some(shut_out) = self.results.newly_shut_out() {
            self.manifest.shut_out = shut_out;
            if let Err(problem) = self.publish_manifest().await {
                tracing::debug!("workers do not know yet who is shut out: {problem}");
            }
        }
    }

    /// Takes in the messages that have come, or that come within `wait`; returns their number.
    async fn receive(&mut self, wait: Duration) -> usize {
        let mut messages = NatsClient::pull(&self.records, MESSAGES, Duration::ZERO).await;
        if messages.is_empty() && !wait.is_zero() {
            messages = NatsClient::pull(&self.records, 1, wait).await;
        }
        let count = messages.len();
        if count > 0 {
            self.report_play_resumed();
        }
        for message in messages {
            let (message, acker) = message.split();
            let Run { results, sizer, tokens, .. } = self;
            let headers = message.headers.as_ref();
            tokens.extend(results.accept(headers, &message.payload, acker, &mut |elapsed| {
                sizer.record_match(elapsed);
            }));
        }
        // Records of quick matches wait to be written together, for as long as a few writes take,
        // so that a slow disk is used less often. A tick without any record, or the last record,
        // does not wait.
        let in_any_case = count == 0 || self.results.count_left() == 0;
        if self.ledger.write_waiting(in_any_case) {
            acknowledge(std::mem::take(&mut self.tokens)).await;
        }
        count
    }
}

/// Acknowledges messages. A failure is only logged: the message is delivered again, and counts
/// once.
async fn acknowledge(tokens: Vec<Acker>) {
    for token in tokens {
        if let Err(error) = token.ack().await {
            tracing::debug!("an acknowledgement was not sent: {error}");
        }
    }
}
