//! The executor on the threads of this machine.
//!
//! Every thread does the same: it takes the next fixture, plays it, and puts the record into the
//! ledger. A thread that fills the ledger's batch writes it while the others play on. So all cores
//! have the same work, no queue can grow, and memory stays flat: a thread that fills the next batch
//! while one is being written has to wait. The calling thread only wakes up now and then: it
//! notices a request to stop, writes what has waited long enough, and reports progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use quintain_core::panics;

use crate::executor::{Executor, RunError};
use crate::ledger::Ledger;
use crate::pending::PendingFixtures;
use crate::workers::run_workers;

/// An executor with this many threads of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Executor for Threads {
    fn begins_at_once(&self) -> bool {
        true
    }

    fn play(
        &self,
        missing: &PendingFixtures<'_>,
        ledger: &Ledger<'_>,
        stop: &Arc<AtomicBool>,
        report_progress: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        let cursor = AtomicU64::new(missing.window().start);
        let pool = Pool { missing, ledger, cursor, asked_to_stop: stop };
        let mut tick = |over: bool| {
            let stopped = stop.load(Ordering::Relaxed) || ledger.is_halted();
            ledger.write_waiting(over);
            report_progress();
            stopped
        };
        run_workers(self.0, |stop| pool.work(stop), &mut tick).map_err(RunError::Thread)
    }
}

/// What the threads share.
struct Pool<'a, 'm, 'l> {
    missing: &'a PendingFixtures<'m>,
    ledger: &'a Ledger<'l>,
    cursor: AtomicU64,
    /// Once this is set, each thread's own flag is set too, up to a tick later.
    asked_to_stop: &'a AtomicBool,
}

impl Pool<'_, '_, '_> {
    /// Plays until nothing is left or `stop` is set.
    fn work(&self, stop: &Arc<AtomicBool>) {
        let schedule = self.missing.schedule();
        while !stop.load(Ordering::Relaxed)
            && let Some(index) = self.next()
        {
            let begun = Instant::now();
            let played = panics::catch(|| schedule.play(index, stop));
            let elapsed = begun.elapsed();
            // Players that were asked to stop have hurried or been interrupted, so their match does
            // not count.
            if stop.load(Ordering::Relaxed) || self.asked_to_stop.load(Ordering::Relaxed) {
                return;
            }
            match played {
                Ok(Ok(record)) => self.ledger.keep(&record, elapsed),
                Ok(Err(refused)) => self.ledger.fail(index, &refused.to_string()),
                Err(panicked) => {
                    self.ledger.fail(index, &format!("the rules failed: {panicked}"));
                }
            }
        }
    }

    /// The next fixture without a record.
    fn next(&self) -> Option<u64> {
        loop {
            let index = self.cursor.fetch_add(1, Ordering::Relaxed);
            if index >= self.missing.window().end {
                return None;
            }
            if self.missing.has(index) {
                return Some(index);
            }
        }
    }
}
