//! What comes of a run's matches: counted, gathered in a batch, and written into the store.
//! A thread holds the batch only to push a row, and the store while it writes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::Record;
use quintain_store::{RecordRow, Store, StoreError, TournamentId};

use crate::progress::Means;
use crate::schedule::Schedule;
use crate::workers::lock;

/// Rows of a transaction, at most. Ids arrive in random order, so every row dirties
/// another page of their index; in a large batch many rows share one.
const BATCH_ROWS: usize = 8192;
/// A batch of long records is written sooner.
const BATCH_BYTES: usize = 4 << 20;
/// How long finished matches wait to be written, at most.
const PATIENCE: Duration = Duration::from_millis(100);
/// They wait so many times as long as the last writing took: a slow match is written as
/// soon as it is over, so that a crash loses what is being played and no more, and quick
/// ones are written by the hundred.
const PATIENCE_BY_COST: u32 = 5;
/// Failures texts one by one; the rest are counted.
const MOST_FAILURE_TEXTS: usize = 10;

/// Matches that players lost by a fault: by player, and by the fault's kind in words.
pub(crate) type FaultCounts = BTreeMap<String, BTreeMap<String, u64>>;

/// Where an executor hands in what it has played.
pub struct Ledger<'a> {
    schedule: &'a Schedule,
    batch: Mutex<Batch>,
    writer: Mutex<Writer<'a>>,
    failures: Mutex<Failures>,
    /// There is no point in playing on: the store has failed.
    halted: AtomicBool,
}

/// Finished matches that wait to be written, and what is counted of all so far.
struct Batch {
    rows: Vec<RecordRow>,
    /// Rows of fixtures that were handed in before.
    again: Vec<RecordRow>,
    bytes: usize,
    /// When the last one was taken to be written.
    taken: Instant,
    /// How long to wait from then on.
    patience: Duration,
    means: Means,
    faults: FaultCounts,
}

impl Batch {
    fn new(means: Means) -> Batch {
        let (rows, again) = (Vec::new(), Vec::new());
        let (taken, patience) = (Instant::now(), Duration::ZERO);
        Batch { rows, again, bytes: 0, taken, patience, means, faults: BTreeMap::new() }
    }

    fn push(&mut self, row: RecordRow, again: bool) -> bool {
        self.bytes += row.size();
        let rows = if again { &mut self.again } else { &mut self.rows };
        rows.push(row);
        self.is_due()
    }

    fn is_due(&self) -> bool {
        self.rows.len() + self.again.len() >= BATCH_ROWS
            || self.bytes >= BATCH_BYTES
            || self.taken.elapsed() >= self.patience
    }

    fn take(&mut self) -> [Vec<RecordRow>; 2] {
        self.bytes = 0;
        self.taken = Instant::now();
        [std::mem::take(&mut self.rows), std::mem::take(&mut self.again)]
    }
}

struct Writer<'a> {
    store: &'a mut Store,
    tournament: TournamentId,
    /// Rows written, those handed in again apart.
    stored: u64,
    conflicts: Vec<String>,
    error: Option<StoreError>,
}

#[derive(Default)]
struct Failures {
    count: u64,
    texts: Vec<String>,
}

/// What came of a run's matches.
#[derive(Default)]
pub(crate) struct RunTotals {
    pub(crate) stored: u64,
    pub(crate) conflicts: Vec<String>,
    pub(crate) faults: FaultCounts,
    pub(crate) failed: u64,
    pub(crate) failures: Vec<String>,
}

fn unlock<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(
        schedule: &'a Schedule,
        store: &'a mut Store,
        tournament: TournamentId,
        means: Means,
    ) -> Ledger<'a> {
        let batch = Batch::new(means);
        let writer = Writer { store, tournament, stored: 0, conflicts: Vec::new(), error: None };
        Ledger {
            schedule,
            batch: Mutex::new(batch),
            writer: Mutex::new(writer),
            failures: Mutex::default(),
            halted: AtomicBool::new(false),
        }
    }

    /// Whether the store has failed, so that playing on is of no use.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Matches of this run that are in the store.
    pub fn stored(&self) -> u64 {
        lock(&self.writer).stored
    }

    pub(crate) fn means<T>(&self, look: impl FnOnce(&Means) -> T) -> T {
        look(&lock(&self.batch).means)
    }

    /// Keeps the record of a fixture that the run was missing; written at latest by the
    /// next [`Ledger::write_waiting`].
    pub fn keep(&self, record: &Record, elapsed: Duration) {
        let row = RecordRow::new(record, elapsed);
        let mut batch = lock(&self.batch);
        batch.means.add(&record.fixture.seats, &record.outcome.scores);
        if let Some(fault) = &record.outcome.fault {
            let player = record.fixture.seats.get(fault.seat.index()).cloned().unwrap_or_default();
            let kinds = batch.faults.entry(player).or_default();
            *kinds.entry(fault.fault.kind.to_string()).or_default() += 1;
        }
        self.push(batch, row, false);
    }

    /// Hands in another record of a fixture that [`Ledger::keep`] had before: it counts
    /// nothing, but if it differs from the first that is a conflict.
    pub fn compare(&self, record: &Record, elapsed: Duration) {
        self.push(lock(&self.batch), RecordRow::new(record, elapsed), true);
    }

    fn push(&self, mut batch: MutexGuard<'_, Batch>, row: RecordRow, again: bool) {
        if batch.push(row, again) {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
        }
    }

    /// Writes the batch if it has waited long enough, or in any case.
    pub fn write_waiting(&self, in_any_case: bool) {
        let mut batch = lock(&self.batch);
        if in_any_case || batch.is_due() {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
        }
    }

    fn write(&self, [rows, again]: &[Vec<RecordRow>; 2]) {
        let mut writer = lock(&self.writer);
        if (rows.is_empty() && again.is_empty()) || writer.error.is_some() {
            return;
        }
        let begun = Instant::now();
        let tournament = Some(writer.tournament);
        for (rows, first) in [(rows, true), (again, false)] {
            match writer.store.insert(tournament, rows) {
                Ok(inserted) => {
                    writer.stored += if first { rows.len() as u64 } else { 0 };
                    writer.conflicts.extend(inserted.conflicts);
                }
                Err(error) => {
                    writer.error = Some(error);
                    self.halted.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
        drop(writer);
        lock(&self.batch).patience = (begun.elapsed() * PATIENCE_BY_COST).min(PATIENCE);
    }

    /// A fixture of which there will be no record, and why.
    pub fn fail(&self, index: u64, problem: &str) {
        let mut failures = lock(&self.failures);
        failures.count += 1;
        if failures.texts.len() < MOST_FAILURE_TEXTS {
            let fixture = self.schedule.fixture(index);
            let seats = fixture.seats.join(", ");
            let (game, scenario, seed) = (&fixture.game, &fixture.scenario, fixture.seed);
            failures.texts.push(format!("{game}:{scenario}, seed {seed}, {seats}: {problem}"));
        }
    }

    /// What came of it all, once the executor has finished.
    pub(crate) fn close(self) -> Result<RunTotals, StoreError> {
        let writer = unlock(self.writer);
        if let Some(error) = writer.error {
            return Err(error);
        }
        let failures = unlock(self.failures);
        Ok(RunTotals {
            stored: writer.stored,
            conflicts: writer.conflicts,
            faults: unlock(self.batch).faults,
            failed: failures.count,
            failures: failures.texts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_that_took_longer_than_the_patience_is_written_at_once() {
        let mut batch = Batch::new(Means::of_nobody());
        assert!(batch.is_due(), "the first is written as soon as it is over");
        batch.patience = PATIENCE;
        batch.taken = Instant::now();
        assert!(!batch.is_due(), "quick ones wait for each other");
        batch.taken = Instant::now().checked_sub(PATIENCE).expect("machines run for a moment");
        assert!(batch.is_due());
    }
}
