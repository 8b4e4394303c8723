//! Plays the matches that a tournament is missing.
//!
//! Matches are played by an [`Executor`]: the [`Threads`] of this machine, or workers elsewhere (in
//! another crate). Everything around it is the same for all executors and is done here: records
//! already in the store are looked up first, every new record goes through the [`Ledger`] into the
//! store, and the results are summed up.
//!
//! Records do not depend on who plays: a match knows its fixture and nothing else. Only their order
//! of arrival in the store does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use quintain_store::{Store, TournamentId};

use crate::allocation::{self, Answer};
use crate::executor::{Executor, RunError};
use crate::knockout;
use crate::ledger::{Ledger, RunTotals};
use crate::pending::PendingFixtures;
use crate::progress::{Means, RunProgress};
use crate::shard::Shard;
use crate::stage::{LOOKED_UP, Played, play_missing};
use crate::swiss;
use crate::threads::Threads;
use crate::tournament::{Pairing, Tournament};

/// The most fixtures that are played before the others are looked up, so that a run that is killed
/// again and again before it has looked up all of a long tournament makes progress nevertheless.
const HEAD_START: u64 = 256;

/// How to run a tournament.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Threads that play.
    pub threads: usize,
    /// Set this to stop: matches in flight are abandoned, finished ones are stored.
    pub stop: Arc<AtomicBool>,
}

impl Default for RunOptions {
    /// A thread for each core.
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        RunOptions { threads, stop: Arc::default() }
    }
}

/// What a run did.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RunSummary {
    /// The tournament in the store.
    pub tournament: TournamentId,
    /// Matches played and stored.
    pub played: u64,
    /// Matches that were in the store before.
    pub skipped: u64,
    /// Matches of the tournament, or of the share of it that was to be played.
    pub total: u64,
    /// Matches that a player lost by a fault, among those played.
    pub faults: u64,
    /// Of these, how many each player lost by each kind of fault, in words.
    pub faults_of: BTreeMap<String, BTreeMap<String, u64>>,
    /// Matches without a record, because a player could not be created or the rules failed.
    pub failed: u64,
    /// What happened to the first of them.
    pub failures: Vec<String>,
    /// Ids of fixtures whose record differs from one that was stored in the meantime.
    pub conflicts: Vec<String>,
    /// Remarks of the executor, a line each: which workers were shut out, for example.
    pub remarks: Vec<String>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// The answer to the tournament's question, if it has one and was not stopped.
    pub answer: Option<Answer>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Plays the matches of a tournament that have no record in the store, on the threads of this
/// machine. `progress` is called on this thread, now and then and once at the end.
///
/// # Errors
/// If the store fails. What was committed stays; the same call continues from there.
pub fn run(
    tournament: &Tournament,
    store: &mut Store,
    options: &RunOptions,
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<RunSummary, RunError> {
    let executor = Threads(options.threads);
    run_on(&executor, tournament, Shard::WHOLE, store, &options.stop, progress)
}

/// Like [`run`], with any executor, and only a share of the tournament.
///
/// # Errors
/// If the store or the executor fails. What was committed stays; the same call continues from
/// there.
pub fn run_on(
    executor: &dyn Executor,
    tournament: &Tournament,
    share: Shard,
    store: &mut Store,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<RunSummary, RunError> {
    let begun = Instant::now();
    let schedule = tournament.schedule();
    let id = store.enter(&tournament.store_entry())?;
    let is_part = share != Shard::WHOLE;
    let _lock = store.hold_run(id, is_part, tournament.name())?;
    let in_stages = match (tournament.pairing(), tournament.question()) {
        (Pairing::Swiss { rounds }, _) => {
            let played = swiss::play(executor, tournament, rounds, (store, id), stop, progress)?;
            Some((played, None))
        }
        (Pairing::Knockout, _) => {
            let played = knockout::play(executor, tournament, (store, id), stop, progress)?;
            Some((played, None))
        }
        (_, Some(question)) => {
            Some(allocation::play(executor, tournament, question, (store, id), stop, progress)?)
        }
        _ => None,
    };
    if let Some((Played { totals, skipped, total, .. }, answer)) = in_stages {
        let summary = summarize(totals, id, (skipped, total), begun.elapsed());
        return Ok(RunSummary { answer, ..summary });
    }
    let ahead = match executor.begins_at_once() {
        true => head_start(executor, tournament, share, (store, id), stop)?,
        false => None,
    };
    // What failed there is tried again with the others.
    let ahead = ahead.unwrap_or_default();
    let mut totals = RunTotals { failed: 0, failures: Vec::new(), remarks: Vec::new(), ..ahead };
    let mut missing = PendingFixtures::new(schedule, share);
    let total = missing.share();
    let skipped = play_missing(
        executor,
        tournament,
        &mut missing,
        (store, id),
        stop,
        &mut totals,
        &mut |means, done, skipped| {
            progress(&means.progress(done, skipped, total, begun.elapsed()));
        },
    )?;
    Ok(summarize(totals, id, (skipped, total), begun.elapsed()))
}

/// The summary of a run that found `skipped` of `total` matches in the store.
fn summarize(
    totals: RunTotals,
    tournament: TournamentId,
    (skipped, total): (u64, u64),
    elapsed: Duration,
) -> RunSummary {
    let RunTotals { stored: played, conflicts, faults, failed, failures, remarks } = totals;
    RunSummary {
        tournament,
        played,
        skipped,
        total,
        faults: faults.values().flat_map(BTreeMap::values).sum(),
        faults_of: faults,
        failed,
        failures,
        conflicts,
        remarks,
        stopped: played + failed + skipped < total,
        answer: None,
        elapsed,
    }
}

/// Plays some fixtures of a long tournament that is already under way before all the others are
/// looked up: those where the last run is likely to have stopped. Fixtures that fail are tried
/// again with the others and are not counted here.
fn head_start(
    executor: &dyn Executor,
    tournament: &Tournament,
    share: Shard,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
) -> Result<Option<RunTotals>, RunError> {
    let schedule = tournament.schedule();
    let (all, noted) = (schedule.len(), store.count_noted(id)?);
    let mut missing = PendingFixtures::new(schedule, share);
    if all <= LOOKED_UP || noted == 0 || stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let stride = u128::from(all) * u128::from(noted) / u128::from(missing.share().max(1));
    // Start a little earlier: what was being played when the last run ended is missing too.
    let first = (stride.min(u128::from(all)) as u64).saturating_sub(HEAD_START);
    let indices: Vec<u64> =
        (first..all.min(first + LOOKED_UP)).filter(|&index| missing.has(index)).collect();
    let ids: Vec<String> = indices.iter().map(|&index| schedule.fixture(index).id()).collect();
    let found = store.adopt(id, &ids)?;
    let mut open = Vec::new();
    for (&index, found) in indices.iter().zip(found) {
        match found {
            true => missing.mark_present(index),
            false => open.push(index),
        }
    }
    open.truncate(HEAD_START as usize);
    let (Some(&first), Some(&last)) = (open.first(), open.last()) else {
        return Ok(None);
    };
    missing.narrow(first..last + 1);
    let means = Means::new(schedule, tournament.objective());
    let ledger = Ledger::new(schedule, store, Some(id), means);
    executor.play(&missing, &ledger, stop, &mut || {})?;
    Ok(Some(ledger.close()?))
}
