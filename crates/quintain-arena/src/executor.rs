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

mod pool;
mod progress;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use progress::{Leader, Progress};

use crate::schedule::Schedule;
use crate::store::{Filter, Store, StoreError, TournamentId};
use crate::tournament::Tournament;
use pool::{Played, Pool, Present};
use progress::Means;

/// How often the calling thread looks up.
const TICK: Duration = Duration::from_millis(50);
/// Stacks are only used as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;
/// Fixtures looked up in one transaction.
const LOOKED_UP: usize = 4096;

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
    let report = |pool: &Pool<'_>, progress: &mut dyn FnMut(&Progress)| {
        let done = pool.stored();
        progress(
            &pool.means(|means| means.progress(done, skipped, schedule.len(), begun.elapsed())),
        );
    };
    let pool = Pool::new(schedule, present, store, id, means);
    let started = thread::scope(|scope| {
        // Each thread has its own flag: matches copy the handle at every decision, and a
        // shared one would have the cores fight for its counter.
        let mut flags: Vec<Arc<AtomicBool>> = Vec::new();
        let mut started = Ok(());
        for number in 0..options.threads.max(1) {
            let flag = Arc::new(AtomicBool::new(options.stop.load(Ordering::Relaxed)));
            let (pool, own) = (&pool, Arc::clone(&flag));
            let at_work = pool.sign_on();
            let builder = thread::Builder::new().name(format!("match-{number}")).stack_size(STACK);
            let work = move || {
                let _until_the_end = at_work;
                pool.work(&own);
            };
            if let Err(error) = builder.spawn_scoped(scope, work) {
                pool.halt();
                started = Err(RunError::Thread(error));
                break;
            }
            flags.push(flag);
        }
        loop {
            let over = pool.wait(TICK);
            if options.stop.load(Ordering::Relaxed) || pool.is_halted() {
                flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
            }
            pool.write_what_waits(over);
            report(&pool, progress);
            if over {
                return started;
            }
        }
    });
    started?;
    let Played { inserted, faults, failures, failed } = pool.close()?;
    let played = inserted.new + inserted.known + inserted.conflicts.len() as u64;
    Ok(Summary {
        tournament: id,
        played,
        skipped,
        total: schedule.len(),
        faults,
        failed,
        failures,
        conflicts: inserted.conflicts,
        stopped: played + failed + skipped < schedule.len(),
        elapsed: begun.elapsed(),
    })
}

/// Looks up every fixture in the store. `told` hears now and then how many were found.
fn adopt(
    schedule: &Schedule,
    tournament: TournamentId,
    store: &mut Store,
    options: &Options,
    told: &mut dyn FnMut(u64),
) -> Result<Present, StoreError> {
    let mut present = Present::default();
    if store.records()? == 0 {
        return Ok(present);
    }
    let mut tell = Instant::now() + TICK;
    let mut ids = Vec::new();
    for first in (0..schedule.len()).step_by(LOOKED_UP) {
        if options.stop.load(Ordering::Relaxed) {
            break;
        }
        let last = schedule.len().min(first + LOOKED_UP as u64);
        ids.clear();
        ids.extend((first..last).map(|index| schedule.fixture(index).id()));
        for (index, found) in (first..last).zip(store.adopt(tournament, &ids)?) {
            if found {
                present.insert(index);
            }
        }
        if Instant::now() >= tell {
            told(present.count);
            tell = Instant::now() + TICK;
        }
    }
    Ok(present)
}
