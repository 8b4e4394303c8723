//! The executor on the threads of this machine.
//!
//! Every thread does the same: take the next fixture, play it, put the record into the
//! ledger; whoever fills the ledger's batch writes it while the others play on. So all
//! cores have the same work, no queue can grow, and memory stays flat: a thread that fills
//! the next batch while one is being written has to wait. The calling thread only looks up
//! now and then: it hears of a wish to stop, writes what has waited long enough, and
//! reports progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_core::panics;

use crate::executor::{Executor, RunError};
use crate::ledger::{Ledger, locked};
use crate::pending::Missing;

/// How often the calling thread looks up.
const TICK: Duration = Duration::from_millis(50);

/// Stacks are only used as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;

/// So many threads of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Executor for Threads {
    fn play(
        &self,
        missing: &Missing<'_>,
        ledger: &Ledger<'_>,
        stop: &Arc<AtomicBool>,
        look_up: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        let pool = Pool { missing, ledger, cursor: AtomicU64::new(0), crew: Crew::default() };
        thread::scope(|scope| {
            // Each thread has its own flag: matches copy the handle at every decision, and
            // a shared one would have the cores fight for its counter.
            let mut flags: Vec<Arc<AtomicBool>> = Vec::new();
            let mut started = Ok(());
            for number in 0..self.0.max(1) {
                let flag = Arc::new(AtomicBool::new(stop.load(Ordering::Relaxed)));
                let (pool, own) = (&pool, Arc::clone(&flag));
                let at_work = pool.crew.sign_on();
                let builder =
                    thread::Builder::new().name(format!("match-{number}")).stack_size(STACK);
                let work = move || {
                    let _until_the_end = at_work;
                    pool.work(&own);
                };
                if let Err(error) = builder.spawn_scoped(scope, work) {
                    flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
                    started = Err(RunError::Thread(error));
                    break;
                }
                flags.push(flag);
            }
            loop {
                let over = pool.crew.wait(TICK);
                if stop.load(Ordering::Relaxed) || ledger.is_halted() {
                    flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
                }
                ledger.write_what_waits(over);
                look_up();
                if over {
                    return started;
                }
            }
        })
    }
}

/// What the threads share.
struct Pool<'a, 'm, 'l> {
    missing: &'a Missing<'m>,
    ledger: &'a Ledger<'l>,
    cursor: AtomicU64,
    crew: Crew,
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
            // Players that were told to stop have hurried: their match does not count.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match played {
                Ok(Ok(record)) => self.ledger.keep(&record, elapsed),
                Ok(Err(refused)) => self.ledger.fail(index, &refused.0),
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
            if index >= self.missing.schedule().len() {
                return None;
            }
            if self.missing.has(index) {
                return Some(index);
            }
        }
    }
}

/// The threads at work.
#[derive(Default)]
struct Crew {
    at_work: Mutex<usize>,
    left: Condvar,
}

/// A thread that is at work until this is dropped, even by a panic.
struct AtWork<'a>(&'a Crew);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        *locked(&self.0.at_work) -= 1;
        self.0.left.notify_all();
    }
}

impl Crew {
    fn sign_on(&self) -> AtWork<'_> {
        *locked(&self.at_work) += 1;
        AtWork(self)
    }

    /// Waits until all threads have left, or for this long; whether they have.
    fn wait(&self, time: Duration) -> bool {
        let at_work = locked(&self.at_work);
        let waited = self.left.wait_timeout_while(at_work, time, |at_work| *at_work > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
