//! Workers and coordinators as threads of the test, a gate at which players wait, and what
//! coordinators and workers log.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quintain_arena::{RunError, RunOptions, RunSummary, Shard, Tournament, run, run_on};
use quintain_core::Catalog;
use quintain_fleet::{
    Fleet, FleetOptions, MakePlayer, NatsServer, WorkSummary, WorkerOptions, work,
};
use quintain_store::Store;
use tempfile::TempDir;

use crate::count;
use crate::cups::{cup, records};
use crate::nats::{self, BOUND, Nats, Tap};

/// Starts a server, if there is one to test with. Its folder is deleted after it.
pub fn start_nats() -> Option<(TempDir, Nats)> {
    start_nats_by(Nats::start)
}

pub fn start_nats_by(start: impl FnOnce(&Path) -> Nats) -> Option<(TempDir, Nats)> {
    nats::is_here().then(|| {
        let folder = tempfile::tempdir().unwrap();
        let nats = start(folder.path());
        (folder, nats)
    })
}

/// Starts a server with this configuration.
pub fn start_nats_with(configuration: &str) -> Option<(TempDir, Nats)> {
    start_nats_by(|folder| {
        let file = folder.join("nats.conf");
        std::fs::write(&file, configuration).unwrap();
        Nats::start_with(folder, &["-c", file.to_str().unwrap()])
    })
}

/// The records that one honest machine plays.
pub fn truth(text: &str, catalog: &Catalog) -> Vec<String> {
    let mut store = Store::in_memory().unwrap();
    run(&cup(text, catalog), &mut store, &RunOptions::default(), &mut |_| {}).unwrap();
    records(&store)
}

/// A gate at which players wait once so many have passed, so that a tournament is not over before
/// a test has done what it is about.
pub struct Gate(Mutex<Option<usize>>, Condvar);

impl Gate {
    /// The game with a player `herald` that waits at the gate when a match begins, and the gate,
    /// which closes after this many matches.
    pub fn after(matches: usize) -> (Arc<Gate>, Catalog) {
        let gate = Gate::closing_after(matches);
        let own = Arc::clone(&gate);
        (gate, count::catalog_with(Arc::new(move || own.pass())))
    }

    pub fn closing_after(passes: usize) -> Arc<Gate> {
        Arc::new(Gate(Mutex::new(Some(passes)), Condvar::new()))
    }

    pub fn pass(&self) {
        let left = self.0.lock().unwrap();
        let (mut left, _) =
            self.1.wait_timeout_while(left, BOUND, |left| *left == Some(0)).unwrap();
        *left = left.map(|left| left.saturating_sub(1));
    }

    pub fn open(&self) {
        *self.0.lock().unwrap() = None;
        self.1.notify_all();
    }
}

/// The lines that a thread logs.
pub struct Log(mpsc::Receiver<String>);

impl Log {
    /// Waits for a line that contains these words, and returns it.
    pub fn wait_for(&self, words: &str) -> String {
        loop {
            let line = self.0.recv_timeout(BOUND);
            let line = line.unwrap_or_else(|_| panic!("nothing says “{words}”"));
            if line.contains(words) {
                return line;
            }
        }
    }
}

/// Hands on what is written to it.
struct Lines(mpsc::Sender<String>);

impl io::Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(String::from_utf8_lossy(line).into_owned());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs something with its warnings sent to a channel.
fn log_to<T>(lines: mpsc::Sender<String>, act: impl FnOnce() -> T) -> T {
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(tracing::Level::WARN)
        .with_writer(move || Lines(lines.clone()))
        .finish();
    tracing::subscriber::with_default(subscriber, act)
}

/// A worker of one thread.
pub struct TestWorker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<WorkSummary>>,
    /// What it logs, and what it says of tournaments.
    pub log: Log,
}

impl TestWorker {
    pub fn start(nats: &Nats, name: &str, catalog: &Catalog) -> TestWorker {
        TestWorker::start_at(&nats.address(), name, catalog)
    }

    pub fn start_at(address: &str, name: &str, catalog: &Catalog) -> TestWorker {
        TestWorker::start_with(address.parse().unwrap(), name, catalog, None)
    }

    /// Starts a worker that also plays the programs which coordinators send, if it can make players
    /// from them.
    pub fn start_with(
        server: NatsServer,
        name: &str,
        catalog: &Catalog,
        make_player: Option<Arc<MakePlayer>>,
    ) -> TestWorker {
        TestWorker::start_as(server, name, catalog, make_player, None)
    }

    /// Starts a worker whose machine takes this long for what takes a moment.
    pub fn start_slow(nats: &Nats, name: &str, catalog: &Catalog, pace: Duration) -> TestWorker {
        let server = nats.address().parse().unwrap();
        TestWorker::start_as(server, name, catalog, None, Some(pace))
    }

    fn start_as(
        server: NatsServer,
        name: &str,
        catalog: &Catalog,
        make_player: Option<Arc<MakePlayer>>,
        pace: Option<Duration>,
    ) -> TestWorker {
        let (stop, (lines, log)) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
        let options = WorkerOptions {
            threads: 1,
            stop: Arc::clone(&stop),
            idle: None,
            name: Some(name.to_owned()),
            make_player,
            make_module: None,
            lists_programs: false,
            owner: Some("ann".to_owned()),
            pace,
        };
        let (catalog, own) = (catalog.clone(), lines.clone());
        let say = move |line: &str| drop(own.send(line.to_owned()));
        let thread = thread::spawn(move || {
            log_to(lines, || work(&server, &catalog, &options, say).unwrap())
        });
        TestWorker { stop, thread: Some(thread), log: Log(log) }
    }

    pub fn end(mut self) -> WorkSummary {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for TestWorker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A coordinator of a tournament.
pub struct TestCoordinator {
    pub stop: Arc<AtomicBool>,
    ended: mpsc::Receiver<(Result<RunSummary, RunError>, Store)>,
    /// What it logs.
    pub log: Log,
}

impl TestCoordinator {
    /// Starts one with an empty store.
    pub fn start(address: &str, text: &str, options: FleetOptions) -> TestCoordinator {
        let (server, store) = (address.parse().unwrap(), Store::in_memory().unwrap());
        TestCoordinator::start_with(server, text, &count::catalog(), options, store)
    }

    pub fn start_with(
        server: NatsServer,
        text: &str,
        catalog: &Catalog,
        options: FleetOptions,
        mut store: Store,
    ) -> TestCoordinator {
        let (stop, (lines, log)) = (Arc::default(), mpsc::channel());
        let (tournament, own) = (cup(text, catalog), Arc::clone(&stop));
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            let report = &mut |_: &quintain_arena::RunProgress| {};
            let fleet = Fleet::new(server, &tournament, Shard::WHOLE, options);
            let run = || run_on(&fleet, &tournament, Shard::WHOLE, &mut store, &own, report);
            let summary = log_to(lines, run);
            let _ = end.send((summary, store));
        });
        TestCoordinator { stop, ended, log: Log(log) }
    }

    /// Waits for its end.
    pub fn join(self) -> (Result<RunSummary, RunError>, Store) {
        self.ended.recv_timeout(BOUND).expect("the tournament ends")
    }

    /// Waits for its end, and checks that its store contains what one honest machine plays.
    pub fn expect_truth(self, text: &str) -> RunSummary {
        let (summary, store) = self.join();
        let summary = summary.unwrap();
        assert_eq!(records(&store), truth(text, &count::catalog()));
        assert_eq!(summary.conflicts, [""; 0]);
        summary
    }
}

/// Has workers play a tournament into an empty store.
pub fn coordinate(
    nats: &Nats,
    text: &str,
    catalog: &Catalog,
    second_looks: f64,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(u64),
) -> (RunSummary, Store) {
    let (tournament, mut store) = (cup(text, catalog), Store::in_memory().unwrap());
    let server = nats.address().parse().unwrap();
    let options = FleetOptions { second_looks, ..FleetOptions::default() };
    coordinate_at(server, options, &tournament, &mut store, stop, progress)
        .map(|summary| (summary, store))
        .unwrap()
}

pub fn coordinate_at(
    server: NatsServer,
    options: FleetOptions,
    tournament: &Tournament,
    store: &mut Store,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(u64),
) -> Result<RunSummary, RunError> {
    let fleet = Fleet::new(server, tournament, Shard::WHOLE, options);
    let report = &mut |now: &quintain_arena::RunProgress| progress(now.done);
    run_on(&fleet, tournament, Shard::WHOLE, store, stop, report)
}

pub fn play(nats: &Nats, text: &str, catalog: &Catalog, second_looks: f64) -> (RunSummary, Store) {
    coordinate(nats, text, catalog, second_looks, &Arc::default(), &mut |_| {})
}

/// The workers' records as they are published.
pub fn tap_records(nats: &Nats) -> Tap {
    Tap::on(nats, "quintain.records.>")
}
