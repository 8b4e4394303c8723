//! The laboratory: it has the arena play the tournaments that experiments plan, on all threads,
//! into a store, and runs calculations other than matches on the same threads.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_arena::{
    Executor, Ledger, PendingFixtures, RunError, RunOptions, Shard, Tournament, run_on,
};
use quintain_core::{Catalog, digest};
use quintain_store::{Filter, Store, StoreError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matches::{MeasuredMatch, PlayedMatches};
use crate::measurement::Measurements;
use crate::plan::{DataSet, TournamentPlan};

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunSize {
    /// A few matches, to see that everything works.
    Tiny,
    /// All experiments within minutes.
    Quick,
    /// The size used in the documentation.
    Full,
}

/// Why an experiment could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// Data that it needs is missing.
    #[error("{0}")]
    Missing(String),
    /// A tournament could not be played.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A match left no usable record, or the system gave no threads.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it; what was played stays in the store.
    #[error("stopped")]
    Stopped,
}

/// Plays matches and runs calculations for experiments.
pub struct Lab<'a> {
    catalog: &'a Catalog,
    store: RefCell<Store>,
    run_size: Cell<RunSize>,
    threads: rayon::ThreadPool,
    /// Set when the user wants to stop.
    stop: Arc<AtomicBool>,
    /// Set when time is up: what is not in the store yet is then measured in the small size.
    late: Arc<AtomicBool>,
    /// The flag that matches under way look at: set with either of the two.
    halt: RefCell<Arc<AtomicBool>>,
    /// What the current experiment is measured on.
    notes: RefCell<Vec<DataSet>>,
}

impl<'a> Lab<'a> {
    /// A lab that plays the catalog's games on `threads` threads, keeps its records in `store` and
    /// stops when `stop` is set.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(
        catalog: &'a Catalog,
        store: Store,
        run_size: RunSize,
        threads: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Lab<'a>, LabError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20);
        let threads = pool
            .build()
            .map_err(|error| LabError::Failed(format!("no threads could be started: {error}")))?;
        let (store, notes) = (RefCell::new(store), RefCell::default());
        let (run_size, late) = (Cell::new(run_size), Arc::default());
        let halt = RefCell::new(Arc::clone(&stop));
        Ok(Lab { catalog, store, run_size, threads, stop, late, halt, notes })
    }

    /// Limits the time for [`RunSize::Full`]. An experiment that is not done when the time is up,
    /// and whose matches are not in the store already, is measured with [`RunSize::Quick`].
    pub fn with_time_limit(self, time: Duration) -> Lab<'a> {
        let halt = Arc::new(AtomicBool::new(time.is_zero()));
        self.late.store(time.is_zero(), Ordering::Relaxed);
        let (stop, late, end) =
            (Arc::clone(&self.stop), Arc::downgrade(&self.late), Instant::now() + time);
        let watched = Arc::clone(&halt);
        // The thread ends with the lab, or with what it waits for.
        std::thread::spawn(move || {
            while let Some(late) = late.upgrade() {
                let is_late = Instant::now() >= end;
                late.store(is_late, Ordering::Relaxed);
                if is_late || stop.load(Ordering::Relaxed) {
                    watched.store(true, Ordering::Relaxed);
                    return;
                }
                drop(late);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Lab { halt: RefCell::new(halt), ..self }
    }

    /// How much is measured.
    pub fn run_size(&self) -> RunSize {
        self.run_size.get()
    }

    /// Runs a measurement; if the time limit ends it, runs it again in the small size. Returns the
    /// figures with the size used.
    ///
    /// # Errors
    /// Those of the measurement.
    pub(crate) fn measure(
        &self,
        measure: impl Fn(&Self) -> Result<Measurements, LabError>,
    ) -> Result<(Measurements, RunSize), LabError> {
        let whole = measure(self);
        let is_late = self.late.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed);
        match (whole, self.run_size.get()) {
            (Err(LabError::Stopped), RunSize::Full) if is_late => {
                self.take_notes();
                let halt = self.halt.replace(Arc::clone(&self.stop));
                self.run_size.set(RunSize::Quick);
                let less = measure(self);
                self.run_size.set(RunSize::Full);
                self.halt.replace(halt);
                Ok((less?, RunSize::Quick))
            }
            (whole, run_size) => Ok((whole?, run_size)),
        }
    }

    /// How much of something to take (seeds, matches, rollouts), by the size of the run.
    pub fn take(&self, quick: u64, full: u64) -> u64 {
        match self.run_size.get() {
            RunSize::Tiny => quick.min(3),
            RunSize::Quick => quick,
            RunSize::Full => full,
        }
    }

    /// Whether this is the smallest run, in which nothing slow should be done.
    pub fn is_tiny(&self) -> bool {
        self.run_size.get() == RunSize::Tiny
    }

    /// Plays those matches of a tournament that are not in the store, and returns all of them.
    ///
    /// # Errors
    /// [`LabError::Missing`] if a scenario needs data that is missing; otherwise if the store
    /// fails, a match leaves no record or the user stops.
    pub fn play(&self, plan: &TournamentPlan) -> Result<PlayedMatches, LabError> {
        self.add_data(plan.describe());
        self.play_without_note(plan)
    }

    /// Plays a plan with each scenario as a separate tournament, so that plans with additional
    /// scenarios share its matches.
    ///
    /// # Errors
    /// As [`Lab::play`].
    pub fn play_by_scenario(&self, plan: &TournamentPlan) -> Result<PlayedMatches, LabError> {
        self.add_data(plan.describe());
        plan.split_by_scenario().try_fold(PlayedMatches::default(), |all, one| {
            Ok(all.with(self.play_without_note(&one)?))
        })
    }

    /// Plays a tournament without a line in the notes.
    fn play_without_note(&self, plan: &TournamentPlan) -> Result<PlayedMatches, LabError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(LabError::Stopped);
        }
        let text = plan.to_toml();
        let name = format!("experiment {}", &digest(text.as_bytes())[..12]);
        let tournament = Tournament::parse(&text, &name, self.catalog)
            .map_err(|error| LabError::Missing(strip_place(&error)))?;
        let options = RunOptions {
            threads: self.threads.current_num_threads(),
            stop: self.halt.borrow().clone(),
        };
        let mut store = self.store.borrow_mut();
        let is_late = self.late.load(Ordering::Relaxed) && self.run_size.get() == RunSize::Full;
        let summary = match is_late {
            // The matches in the store may still be complete.
            true => {
                run_on(&StoredOnly, &tournament, Shard::WHOLE, &mut store, &self.stop, &mut |_| {})?
            }
            false => quintain_arena::run(&tournament, &mut store, &options, &mut |_| {})?,
        };
        if summary.stopped {
            return Err(LabError::Stopped);
        }
        if let Some(failure) = summary.failures.first() {
            return Err(LabError::Failed(failure.clone()));
        }
        let mut games = Vec::new();
        let filter = Filter { sorted: true, ..Filter::tournament(summary.tournament) };
        store.for_each_record(&filter, |stored| {
            let record = stored.record()?;
            let (fixture, outcome) = (record.fixture, record.outcome);
            if let Some(fault) = outcome.fault {
                let (scenario, seed) = (fixture.scenario, fixture.seed);
                return Err(LabError::Failed(format!("{scenario}, seed {seed}: {}", fault.fault)));
            }
            games.push(MeasuredMatch {
                scenario: fixture.scenario,
                seed: fixture.seed,
                players: fixture.seats,
                scores: outcome.scores,
                metrics: outcome.metrics,
                truncated: outcome.truncated,
                notes: record.notes,
                seconds: stored.elapsed.as_secs_f64(),
            });
            Ok(())
        })?;
        let schedule = tournament.schedule();
        let canonical_names = |asked: &[String], canonical: Vec<&str>| -> HashMap<String, String> {
            let pairs = asked.iter().cloned().zip(canonical.into_iter().map(str::to_owned));
            pairs.collect()
        };
        let names = canonical_names(plan.players(), schedule.players().collect());
        let scenarios = canonical_names(plan.scenarios(), schedule.scenarios().collect());
        Ok(PlayedMatches::new(games, names, scenarios))
    }

    /// Calculates something for each of many items on all threads; the results are in the order of
    /// the items.
    ///
    /// # Errors
    /// [`LabError::Stopped`] if the user stops or the time limit ends it.
    pub fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        calculate: impl Fn(&T) -> R + Sync,
    ) -> Result<Vec<R>, LabError> {
        let halt = self.halt.borrow().clone();
        let one = |item: &T| (!halt.load(Ordering::Relaxed)).then(|| calculate(item));
        let results: Vec<Option<R>> = self.threads.install(|| items.par_iter().map(one).collect());
        results.into_iter().collect::<Option<Vec<R>>>().ok_or(LabError::Stopped)
    }

    /// Adds what the current experiment is measured on, besides the tournaments that it plays. What
    /// is already there is not repeated.
    pub fn note(&self, what: impl Into<String>) {
        self.add_data(DataSet { what: what.into(), players: Vec::new() });
    }

    fn add_data(&self, set: DataSet) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&set) {
            notes.push(set);
        }
    }

    /// Takes the notes made since the last call.
    pub(crate) fn take_notes(&self) -> Vec<DataSet> {
        self.notes.take()
    }
}

/// An executor that plays nothing, so that only matches in the store count.
struct StoredOnly;

impl Executor for StoredOnly {
    fn play(
        &self,
        _: &PendingFixtures<'_>,
        _: &Ledger<'_>,
        _: &Arc<AtomicBool>,
        _: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        Ok(())
    }
}

/// The problem with a plan, without its place in the tournament file, which no user wrote.
fn strip_place(error: &quintain_arena::TournamentError) -> String {
    match error {
        quintain_arena::TournamentError::Name { problem, .. }
        | quintain_arena::TournamentError::Seating { problem, .. } => problem.clone(),
        error => error.to_string(),
    }
}
