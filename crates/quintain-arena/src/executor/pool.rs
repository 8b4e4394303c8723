//! What the threads of a run share: the fixtures still to be played, the batch of
//! finished matches, the store to write them into. A thread holds the batch only to
//! push a row, and the store while it writes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::Record;

use super::progress::Means;
use crate::quiet::quietly;
use crate::schedule::Schedule;
use crate::store::{Inserted, Row, Store, StoreError, TournamentId};

/// Rows of a transaction, at most. Ids arrive in random order, so every row dirties
/// another page of their index; in a large batch many rows share one.
const BATCH_ROWS: usize = 8192;
/// A batch of long records is written sooner.
const BATCH_BYTES: usize = 4 << 20;
/// After how long a thread that finishes a match writes the batch.
const PATIENCE: Duration = Duration::from_millis(100);
/// Failures told one by one; the rest are counted.
const TOLD: usize = 10;

/// Fixtures that have a record already, a bit each.
#[derive(Default)]
pub(super) struct Present {
    bits: Vec<u64>,
    pub(super) count: u64,
}

impl Present {
    pub(super) fn insert(&mut self, index: u64) {
        let word = (index / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (index % 64);
        self.count += 1;
    }

    fn has(&self, index: u64) -> bool {
        self.bits.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

/// What the threads share.
pub(super) struct Pool<'a> {
    schedule: &'a Schedule,
    present: Present,
    cursor: AtomicU64,
    batch: Mutex<Batch>,
    writer: Mutex<Writer<'a>>,
    failures: Mutex<Failures>,
    /// There is no point in playing on: the store has failed, or a thread cannot be had.
    halted: AtomicBool,
    at_work: Mutex<usize>,
    left: Condvar,
}

/// Finished matches that wait to be written, and what is counted of all so far.
struct Batch {
    rows: Vec<Row>,
    bytes: usize,
    /// When its first row came.
    begun: Instant,
    means: Means,
    faults: u64,
}

impl Batch {
    fn is_due(&self, now: Instant) -> bool {
        self.rows.len() >= BATCH_ROWS
            || self.bytes >= BATCH_BYTES
            || now.saturating_duration_since(self.begun) >= PATIENCE
    }

    fn take(&mut self) -> Vec<Row> {
        self.bytes = 0;
        std::mem::take(&mut self.rows)
    }
}

struct Writer<'a> {
    store: &'a mut Store,
    tournament: TournamentId,
    inserted: Inserted,
    error: Option<StoreError>,
}

#[derive(Default)]
struct Failures {
    count: u64,
    told: Vec<String>,
}

/// What came of a run's matches.
pub(super) struct Played {
    pub(super) inserted: Inserted,
    pub(super) faults: u64,
    pub(super) failed: u64,
    pub(super) failures: Vec<String>,
}

/// A thread that is at work until this is dropped, even by a panic.
pub(super) struct AtWork<'a, 'b>(&'a Pool<'b>);

impl Drop for AtWork<'_, '_> {
    fn drop(&mut self) {
        *locked(&self.0.at_work) -= 1;
        self.0.left.notify_all();
    }
}

/// What another thread left when it panicked is whole: nothing panics amid a change.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Pool<'a> {
    pub(super) fn new(
        schedule: &'a Schedule,
        present: Present,
        store: &'a mut Store,
        tournament: TournamentId,
        means: Means,
    ) -> Pool<'a> {
        let batch = Batch { rows: Vec::new(), bytes: 0, begun: Instant::now(), means, faults: 0 };
        let writer = Writer { store, tournament, inserted: Inserted::default(), error: None };
        Pool {
            schedule,
            present,
            cursor: AtomicU64::new(0),
            batch: Mutex::new(batch),
            writer: Mutex::new(writer),
            failures: Mutex::default(),
            halted: AtomicBool::new(false),
            at_work: Mutex::new(0),
            left: Condvar::new(),
        }
    }

    pub(super) fn sign_on(&self) -> AtWork<'_, 'a> {
        *locked(&self.at_work) += 1;
        AtWork(self)
    }

    /// Waits until all threads have left, or for this long; whether they have.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let at_work = locked(&self.at_work);
        let waited = self.left.wait_timeout_while(at_work, time, |at_work| *at_work > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }

    pub(super) fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Matches of this run that are in the store.
    pub(super) fn stored(&self) -> u64 {
        let writer = locked(&self.writer);
        writer.inserted.new + writer.inserted.known + writer.inserted.conflicts.len() as u64
    }

    pub(super) fn means<T>(&self, look: impl FnOnce(&Means) -> T) -> T {
        look(&locked(&self.batch).means)
    }

    /// Plays until nothing is left or `stop` is set.
    pub(super) fn work(&self, stop: &Arc<AtomicBool>) {
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
        let now = Instant::now();
        let mut batch = locked(&self.batch);
        batch.means.add(&record.fixture.seats, &record.outcome.scores);
        batch.faults += u64::from(record.outcome.fault.is_some());
        if batch.rows.is_empty() {
            batch.begun = now;
        }
        batch.bytes += row.size();
        batch.rows.push(row);
        if batch.is_due(now) {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
        }
    }

    /// Writes the batch if it has waited long enough, or if this is the end.
    pub(super) fn write_what_waits(&self, end: bool) {
        let mut batch = locked(&self.batch);
        if end || batch.is_due(Instant::now()) {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
        }
    }

    fn write(&self, rows: &[Row]) {
        let mut writer = locked(&self.writer);
        if rows.is_empty() || writer.error.is_some() {
            return;
        }
        let tournament = writer.tournament;
        match writer.store.insert(Some(tournament), rows) {
            Ok(inserted) => {
                writer.inserted.new += inserted.new;
                writer.inserted.known += inserted.known;
                writer.inserted.conflicts.extend(inserted.conflicts);
            }
            Err(error) => {
                writer.error = Some(error);
                self.halt();
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

    /// What came of it all, once every thread has left.
    pub(super) fn close(self) -> Result<Played, StoreError> {
        let writer = unlocked(self.writer);
        if let Some(error) = writer.error {
            return Err(error);
        }
        let failures = unlocked(self.failures);
        Ok(Played {
            inserted: writer.inserted,
            faults: unlocked(self.batch).faults,
            failed: failures.count,
            failures: failures.told,
        })
    }
}
