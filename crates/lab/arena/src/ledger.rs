//! The results of a run's matches: counted, gathered in a batch, and written into the store. A
//! thread locks the batch only to push a row, and the store only while it writes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::Record;
use quintain_store::{RecordRow, Store, StoreError, StoredRecord, TournamentId};

use crate::progress::Means;
use crate::schedule::Schedule;
use crate::workers::lock;

/// The most rows in one transaction. Ids arrive in random order, so every row dirties another page
/// of their index; in a large batch many rows share a page.
const BATCH_ROWS: usize = 8192;
/// A batch of long records is written sooner.
const BATCH_BYTES: usize = 4 << 20;
/// The longest time that finished matches wait to be written.
const MAX_DELAY: Duration = Duration::from_millis(100);
/// Finished matches wait this many times as long as the last write took: a slow match is written as
/// soon as it is over, so that a crash loses no more than what is being played, and quick ones are
/// written by the hundred.
const DELAY_BY_COST: u32 = 5;
/// Records retracted in one transaction.
const RETRACTED: usize = 1024;
/// Failures whose text is kept; the rest are only counted.
const MAX_FAILURE_TEXTS: usize = 10;

/// Matches that players lost by a fault: by player, then by the kind of fault in words.
pub(crate) type FaultCounts = BTreeMap<String, BTreeMap<String, u64>>;

/// Where an executor submits what it has played.
pub struct Ledger<'a> {
    schedule: &'a Schedule,
    batch: Mutex<Batch>,
    writer: Mutex<Writer<'a>>,
    failures: Mutex<Failures>,
    remarks: Mutex<Vec<String>>,
    /// Fixtures that turned out not to be needed, for the executor to fetch.
    released: Mutex<Vec<u64>>,
    /// How often records were taken back.
    retractions: AtomicU64,
    /// Set when there is no point in playing on: the store has failed.
    halted: AtomicBool,
}

/// Finished matches that wait to be written, and counts of all matches so far.
struct Batch {
    rows: Vec<RecordRow>,
    /// Rows of fixtures that were submitted before.
    again: Vec<RecordRow>,
    bytes: usize,
    /// When rows were last taken to be written.
    taken: Instant,
    /// How long to wait from then on.
    delay: Duration,
    means: Means,
    faults: FaultCounts,
}

impl Batch {
    fn new(means: Means) -> Batch {
        let (rows, again) = (Vec::new(), Vec::new());
        let (taken, delay) = (Instant::now(), Duration::ZERO);
        Batch { rows, again, bytes: 0, taken, delay, means, faults: BTreeMap::new() }
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
            || self.taken.elapsed() >= self.delay
    }

    fn take(&mut self) -> [Vec<RecordRow>; 2] {
        self.bytes = 0;
        self.taken = Instant::now();
        [std::mem::take(&mut self.rows), std::mem::take(&mut self.again)]
    }
}

struct Writer<'a> {
    store: &'a mut Store,
    /// The tournament that the records count for; none in a comparison.
    tournament: Option<TournamentId>,
    /// Rows written, except for those of fixtures submitted before.
    stored: u64,
    conflicts: Vec<String>,
    error: Option<StoreError>,
}

#[derive(Default)]
struct Failures {
    count: u64,
    texts: Vec<String>,
}

/// The results of a run's matches.
#[derive(Default)]
pub(crate) struct RunTotals {
    pub(crate) stored: u64,
    pub(crate) conflicts: Vec<String>,
    pub(crate) faults: FaultCounts,
    pub(crate) failed: u64,
    pub(crate) failures: Vec<String>,
    pub(crate) remarks: Vec<String>,
}

impl RunTotals {
    /// Adds those of a later part of the run.
    pub(crate) fn add(&mut self, more: RunTotals) {
        self.stored += more.stored;
        self.failed += more.failed;
        self.conflicts.extend(more.conflicts);
        self.failures.extend(more.failures);
        self.failures.truncate(MAX_FAILURE_TEXTS);
        self.remarks.extend(more.remarks);
        for (player, kinds) in more.faults {
            let known = self.faults.entry(player).or_default();
            for (kind, count) in kinds {
                *known.entry(kind).or_default() += count;
            }
        }
    }
}

fn unlock<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(
        schedule: &'a Schedule,
        store: &'a mut Store,
        tournament: Option<TournamentId>,
        means: Means,
    ) -> Ledger<'a> {
        let batch = Batch::new(means);
        let writer = Writer { store, tournament, stored: 0, conflicts: Vec::new(), error: None };
        Ledger {
            schedule,
            batch: Mutex::new(batch),
            writer: Mutex::new(writer),
            failures: Mutex::default(),
            remarks: Mutex::default(),
            released: Mutex::default(),
            retractions: AtomicU64::new(0),
            halted: AtomicBool::new(false),
        }
    }

    /// Whether the store has failed, so that playing on is pointless.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Matches of this run that are in the store.
    pub fn count_stored(&self) -> u64 {
        lock(&self.writer).stored
    }

    pub(crate) fn means<T>(&self, look: impl FnOnce(&Means) -> T) -> T {
        look(&lock(&self.batch).means)
    }

    /// Keeps the record of a fixture that the run was missing. It is written by the next
    /// [`Ledger::write_waiting`] at the latest.
    pub fn keep(&self, record: &Record, elapsed: Duration) {
        let row = RecordRow::new(record, elapsed);
        let mut batch = lock(&self.batch);
        batch.means.add(&record.fixture.seats, &record.outcome.scores);
        if let Some((player, kind)) = fault_of(record) {
            *batch.faults.entry(player).or_default().entry(kind).or_default() += 1;
        }
        self.push(batch, row, false);
    }

    /// Submits another record of a fixture that [`Ledger::keep`] already had. It is not counted,
    /// but it is a conflict if it differs from the first.
    pub fn compare(&self, record: &Record, elapsed: Duration) {
        self.push(lock(&self.batch), RecordRow::new(record, elapsed), true);
    }

    /// The record that was kept for a fixture, if there is one.
    pub fn find(&self, index: u64) -> Option<Record> {
        self.write_waiting(true);
        let writer = lock(&self.writer);
        let stored = writer.store.find(&self.schedule.fixture(index).id());
        // A store that cannot be read reports it at the next write.
        stored.ok().flatten().and_then(|stored| stored.record().ok())
    }

    /// The record with this id in the store, if there is one.
    pub(crate) fn find_id(&self, id: &str) -> Result<Option<StoredRecord>, StoreError> {
        lock(&self.writer).store.find(id)
    }

    /// Tells the executor that nobody needs these fixtures any more.
    pub(crate) fn release(&self, indices: impl IntoIterator<Item = u64>) {
        lock(&self.released).extend(indices);
    }

    /// Returns the fixtures that turned out not to be needed since the last call. An executor that
    /// knows which matches are under way does not wait for them, and does not give them out.
    pub fn take_released(&self) -> Vec<u64> {
        std::mem::take(&mut lock(&self.released))
    }

    /// How often records were taken back.
    pub(crate) fn count_retractions(&self) -> u64 {
        self.retractions.load(Ordering::Relaxed)
    }

    /// Whether a fixture was reported to have no record.
    pub(crate) fn has_failures(&self) -> bool {
        lock(&self.failures).count > 0
    }

    /// Ends the run: no executor goes on.
    pub(crate) fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }

    /// Takes back records that [`Ledger::keep`] was given, from an executor's worker that turned
    /// out not to be trustworthy. Their fixtures are missing again.
    pub fn retract(&self, indices: &[u64]) {
        self.write_waiting(true);
        self.retractions.fetch_add(u64::from(!indices.is_empty()), Ordering::Relaxed);
        for indices in indices.chunks(RETRACTED) {
            let ids: Vec<String> =
                indices.iter().map(|&index| self.schedule.fixture(index).id()).collect();
            let mut writer = lock(&self.writer);
            if writer.error.is_some() {
                return;
            }
            let gone = match writer.store.retract(&ids) {
                Ok(gone) => gone,
                Err(error) => {
                    writer.error = Some(error);
                    self.halted.store(true, Ordering::Relaxed);
                    return;
                }
            };
            writer.stored = writer.stored.saturating_sub(gone.len() as u64);
            drop(writer);
            let mut batch = lock(&self.batch);
            for record in gone.iter().filter_map(|stored| stored.record().ok()) {
                batch.means.remove(&record.fixture.seats, &record.outcome.scores);
                if let Some((player, kind)) = fault_of(&record)
                    && let Some(count) =
                        batch.faults.get_mut(&player).and_then(|kinds| kinds.get_mut(&kind))
                {
                    *count = count.saturating_sub(1);
                }
            }
            for kinds in batch.faults.values_mut() {
                kinds.retain(|_, count| *count > 0);
            }
            batch.faults.retain(|_, kinds| !kinds.is_empty());
        }
    }

    /// Adds a line to the remarks in the run's summary.
    pub fn remark(&self, line: String) {
        lock(&self.remarks).push(line);
    }

    fn push(&self, mut batch: MutexGuard<'_, Batch>, row: RecordRow, again: bool) {
        if batch.push(row, again) {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
        }
    }

    /// Writes the batch if it has waited long enough, or `in_any_case`. Returns whether everything
    /// submitted is now in the store.
    pub fn write_waiting(&self, in_any_case: bool) -> bool {
        let mut batch = lock(&self.batch);
        if in_any_case || batch.is_due() {
            let rows = batch.take();
            drop(batch);
            self.write(&rows);
            return !self.is_halted();
        }
        batch.rows.is_empty() && batch.again.is_empty() && !self.is_halted()
    }

    fn write(&self, [rows, again]: &[Vec<RecordRow>; 2]) {
        let mut writer = lock(&self.writer);
        if (rows.is_empty() && again.is_empty()) || writer.error.is_some() {
            return;
        }
        let begun = Instant::now();
        let tournament = writer.tournament;
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
        lock(&self.batch).delay = (begun.elapsed() * DELAY_BY_COST).min(MAX_DELAY);
    }

    /// Notes that there will be no record of a fixture, and why.
    pub fn fail(&self, index: u64, problem: &str) {
        let mut failures = lock(&self.failures);
        failures.count += 1;
        if failures.texts.len() < MAX_FAILURE_TEXTS {
            let fixture = self.schedule.fixture(index);
            let seats = fixture.seats.join(", ");
            let (game, scenario, seed) = (&fixture.game, &fixture.scenario, fixture.seed);
            failures.texts.push(format!("{game}:{scenario}, seed {seed}, {seats}: {problem}"));
        }
    }

    /// Writes what remains and returns the totals, once the executor has finished.
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
            remarks: unlock(self.remarks),
        })
    }
}

/// The player that lost a match by a fault, and the kind of fault.
fn fault_of(record: &Record) -> Option<(String, String)> {
    let fault = record.outcome.fault.as_ref()?;
    let player = record.fixture.seats.get(fault.seat.index()).cloned().unwrap_or_default();
    Some((player, fault.fault.kind.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_that_took_longer_than_the_delay_is_written_at_once() {
        let mut batch = Batch::new(Means::of_nobody());
        assert!(batch.is_due(), "the first is written as soon as it is over");
        batch.delay = MAX_DELAY;
        batch.taken = Instant::now();
        assert!(!batch.is_due(), "quick ones wait for each other");
        batch.taken = Instant::now().checked_sub(MAX_DELAY).expect("machines run for a moment");
        assert!(batch.is_due());
    }
}
