//! Plays what a tournament is missing, on as many threads as wanted.
//!
//! Every thread does the same: take the next fixture, play it, put the row into the
//! common batch; whoever fills the batch writes it, in one transaction, while the others
//! play on. So all cores have the same work, no queue can grow, and memory stays flat:
//! a thread that fills the next batch while one is being written has to wait. The
//! calling thread only looks up now and then: it hears of a wish to stop, writes what
//! has waited long enough, and reports progress.
//!
//! Records do not depend on threads: a match knows its fixture and nothing else. Only
//! the order of arrival in the store does.

mod progress;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_core::Record;

pub use progress::{Leader, Progress};

use crate::quiet::quietly;
use crate::schedule::Schedule;
use crate::store::{Filter, Inserted, Row, Store, StoreError, TournamentId};
use crate::tournament::Tournament;
use progress::Means;

/// Rows of a transaction, at most. Ids arrive in random order, so every row dirties
/// another page of their index; in a large batch many rows share one.
const BATCH_ROWS: usize = 8192;
/// A batch of long records is written sooner.
const BATCH_BYTES: usize = 4 << 20;
/// After how long a thread that finishes a match writes the batch.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often the calling thread looks up.
const TICK: Duration = Duration::from_millis(50);
/// Stacks are only used as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;
/// Failures told one by one; the rest are counted.
const TOLD: usize = 10;

/// How to run a tournament.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that play.
    pub threads: usize,
    /// Set to stop: matches in flight are given up, what is finished is stored.
    pub stop: Arc<AtomicBool>,
}

impl Default for Options {
    /// A thread for each core.
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Options { threads, stop: Arc::default() }
    }
}

/// What a run did.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The tournament in the store.
    pub tournament: TournamentId,
    /// Matches played and stored.
    pub played: u64,
    /// Matches that were in the store before.
    pub skipped: u64,
    /// Matches of the tournament.
    pub total: u64,
    /// Matches that a player lost by a fault, among those played.
    pub faults: u64,
    /// Matches without a record, because a player could not be had or the rules failed.
    pub failed: u64,
    /// What happened to the first of them.
    pub failures: Vec<String>,
    /// Ids of fixtures that gave another record than the one that was stored meanwhile.
    pub conflicts: Vec<String>,
    /// It was stopped before the end.
    pub stopped: bool,
    /// How long it took.
    pub elapsed: Duration,
}

/// Why a run came to a halt. What was committed before stays.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}

/// Plays the matches of a tournament that have no record in the store. `progress` is
/// called now and then, on this thread, and once at the end.
///
/// # Errors
/// If the store fails. What was committed stays; the same call goes on from there.
pub fn run(
    tournament: &Tournament,
    store: &mut Store,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, RunError> {
    let begun = Instant::now();
    let schedule = tournament.schedule();
    let id = store.enter(tournament)?;
    let mut means = Means::new(schedule, tournament.goal());
    let present = adopt(schedule, id, store, options, &mut |skipped| {
        progress(&means.progress(0, skipped, schedule.len(), begun.elapsed()));
    })?;
    if present.count > 0 {
        store.matches(&Filter::tournament(id), |row| {
            means.add(&row.players, &row.scores);
            Ok::<(), StoreError>(())
        })?;
    }
    let skipped = present.count;
    let pool = Pool {
        schedule,
        present,
        cursor: AtomicU64::new(0),
        batch: Mutex::new(Batch { rows: Vec::new(), bytes: 0, begun, means, faults: 0 }),
        writer: Mutex::new(Writer {
            store,
            tournament: id,
            totals: Inserted::default(),
            error: None,
        }),
        failures: Mutex::default(),
        halt: AtomicBool::new(false),
        at_work: Mutex::new(0),
        left: Condvar::new(),
    };
    let started = thread::scope(|scope| {
        // Each thread has its own flag: matches copy the handle at every decision, and a
        // shared one would have the cores fight for its counter.
        let mut flags: Vec<Arc<AtomicBool>> = Vec::new();
        let mut started = Ok(());
        for number in 0..options.threads.max(1) {
            let flag = Arc::new(AtomicBool::new(options.stop.load(Ordering::Relaxed)));
            let (pool, own) = (&pool, Arc::clone(&flag));
            *locked(&pool.at_work) += 1;
            let builder = thread::Builder::new().name(format!("match-{number}")).stack_size(STACK);
            if let Err(error) = builder.spawn_scoped(scope, move || pool.work(&own)) {
                *locked(&pool.at_work) -= 1;
                pool.halt.store(true, Ordering::Relaxed);
                started = Err(RunError::Thread(error));
                break;
            }
            flags.push(flag);
        }
        loop {
            let at_work = locked(&pool.at_work);
            let waited = pool.left.wait_timeout_while(at_work, TICK, |at_work| *at_work > 0);
            let over = *waited.unwrap_or_else(PoisonError::into_inner).0 == 0;
            if options.stop.load(Ordering::Relaxed) || pool.halt.load(Ordering::Relaxed) {
                flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
            }
            pool.write(
                locked(&pool.batch).take_if(|batch| over || batch.begun.elapsed() >= 2 * PATIENCE),
            );
            let played = locked(&pool.writer).totals.new;
            let batch = locked(&pool.batch);
            let now = batch.means.progress(played, skipped, schedule.len(), begun.elapsed());
            drop(batch);
            progress(&now);
            if over {
                return started;
            }
        }
    });
    started?;
    let writer = pool.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = writer.error {
        return Err(error.into());
    }
    let batch = pool.batch.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failures = pool.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (played, known) = (writer.totals.new, writer.totals.known);
    let met = played + known + writer.totals.conflicts.len() as u64 + failures.count + skipped;
    Ok(Summary {
        tournament: id,
        played,
        skipped,
        total: schedule.len(),
        faults: batch.faults,
        failed: failures.count,
        failures: failures.told,
        conflicts: writer.totals.conflicts,
        stopped: met < schedule.len(),
        elapsed: begun.elapsed(),
    })
}

/// Fixtures that have a record already, a bit each.
struct Present {
    bits: Vec<u64>,
    count: u64,
}

impl Present {
    fn has(&self, index: u64) -> bool {
        self.bits.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

/// Looks up every fixture in the store. `told` hears now and then how many were found.
fn adopt(
    schedule: &Schedule,
    tournament: TournamentId,
    store: &mut Store,
    options: &Options,
    told: &mut dyn FnMut(u64),
) -> Result<Present, StoreError> {
    let mut present = Present { bits: Vec::new(), count: 0 };
    if store.records()? == 0 {
        return Ok(present);
    }
    present.bits = vec![0; schedule.len().div_ceil(64) as usize];
    let mut tell = Instant::now() + TICK;
    let mut ids = Vec::new();
    for first in (0..schedule.len()).step_by(BATCH_ROWS) {
        if options.stop.load(Ordering::Relaxed) {
            break;
        }
        let last = schedule.len().min(first + BATCH_ROWS as u64);
        ids.clear();
        ids.extend((first..last).map(|index| schedule.fixture(index).id()));
        for (index, found) in (first..last).zip(store.adopt(tournament, &ids)?) {
            present.bits[(index / 64) as usize] |= u64::from(found) << (index % 64);
            present.count += u64::from(found);
        }
        if Instant::now() >= tell {
            told(present.count);
            tell = Instant::now() + TICK;
        }
    }
    Ok(present)
}

/// What the threads share.
struct Pool<'a> {
    schedule: &'a Schedule,
    present: Present,
    cursor: AtomicU64,
    batch: Mutex<Batch>,
    writer: Mutex<Writer<'a>>,
    failures: Mutex<Failures>,
    /// The store has failed: there is no point in playing on.
    halt: AtomicBool,
    at_work: Mutex<usize>,
    left: Condvar,
}

/// Finished matches that wait to be written.
struct Batch {
    rows: Vec<Row>,
    bytes: usize,
    /// When its first row came.
    begun: Instant,
    means: Means,
    faults: u64,
}

impl Batch {
    fn take(&mut self) -> Vec<Row> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }

    fn take_if(&mut self, now: impl FnOnce(&Batch) -> bool) -> Vec<Row> {
        if now(self) { self.take() } else { Vec::new() }
    }
}

struct Writer<'a> {
    store: &'a mut Store,
    tournament: TournamentId,
    totals: Inserted,
    error: Option<StoreError>,
}

#[derive(Default)]
struct Failures {
    count: u64,
    told: Vec<String>,
}

/// A thread that panics does so between matches and takes the run down with it; what the
/// others hold is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool<'_> {
    /// What every thread does.
    fn work(&self, stop: &Arc<AtomicBool>) {
        /// Signs off, even if the thread panics.
        struct SignOff<'a, 'b>(&'a Pool<'b>);
        impl Drop for SignOff<'_, '_> {
            fn drop(&mut self) {
                *locked(&self.0.at_work) -= 1;
                self.0.left.notify_all();
            }
        }
        let _sign_off = SignOff(self);
        while !stop.load(Ordering::Relaxed)
            && let Some(index) = self.next()
        {
            let begun = Instant::now();
            let played = quietly(|| self.schedule.play(index, stop));
            let elapsed = begun.elapsed();
            // Players that were told to stop have hurried: their match does not count.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match played {
                Ok(Ok(record)) => self.keep(&record, elapsed),
                Ok(Err(refused)) => self.fail(index, &refused.0),
                Err(panicked) => self.fail(index, &format!("the rules failed: {panicked}")),
            }
        }
    }

    /// The next fixture without a record.
    fn next(&self) -> Option<u64> {
        loop {
            let index = self.cursor.fetch_add(1, Ordering::Relaxed);
            if index >= self.schedule.len() {
                return None;
            }
            if !self.present.has(index) {
                return Some(index);
            }
        }
    }

    fn keep(&self, record: &Record, elapsed: Duration) {
        let row = Row::new(record, elapsed);
        let mut batch = locked(&self.batch);
        batch.means.add(&record.fixture.seats, &record.outcome.scores);
        batch.faults += u64::from(record.outcome.fault.is_some());
        let now = Instant::now();
        if batch.rows.is_empty() {
            batch.begun = now;
        }
        batch.bytes += row.size();
        batch.rows.push(row);
        if batch.rows.len() >= BATCH_ROWS
            || batch.bytes >= BATCH_BYTES
            || now - batch.begun >= PATIENCE
        {
            let rows = batch.take();
            drop(batch);
            self.write(rows);
        }
    }

    fn write(&self, rows: Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        let mut writer = locked(&self.writer);
        if writer.error.is_some() {
            return;
        }
        let tournament = writer.tournament;
        match writer.store.insert(Some(tournament), &rows) {
            Ok(inserted) => {
                writer.totals.new += inserted.new;
                writer.totals.known += inserted.known;
                writer.totals.conflicts.extend(inserted.conflicts);
            }
            Err(error) => {
                writer.error = Some(error);
                self.halt.store(true, Ordering::Relaxed);
            }
        }
    }

    fn fail(&self, index: u64, problem: &str) {
        let mut failures = locked(&self.failures);
        failures.count += 1;
        if failures.told.len() < TOLD {
            let fixture = self.schedule.fixture(index);
            let seats = fixture.seats.join(", ");
            let (game, scenario, seed) = (&fixture.game, &fixture.scenario, fixture.seed);
            failures.told.push(format!("{game}:{scenario}, seed {seed}, {seats}: {problem}"));
        }
    }
}
