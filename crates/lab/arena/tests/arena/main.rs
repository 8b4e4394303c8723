//! Tournaments from the file to the standings, on a small game.

mod allocations;
mod compare;
mod count;
mod files;
mod forecasts;
mod histories;
mod pairings;
mod regrets;
mod resume;
mod schedules;
mod series;
mod shares;
mod stores;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quintain_arena::{RunError, RunOptions, RunProgress, RunSummary, Tournament, run};
use quintain_core::Catalog;
use quintain_store::{Filter, Store, StoreError};

/// A tournament of the small game.
pub fn tournament_in(catalog: &Catalog, text: &str) -> Tournament {
    Tournament::parse(text, "test.toml", catalog).unwrap_or_else(|error| panic!("{error}"))
}

/// A tournament of the small game.
pub fn tournament(text: &str) -> Tournament {
    tournament_in(&count::catalog(), text)
}

/// Plays what is missing, on that many threads.
pub fn play(tournament: &Tournament, store: &mut Store, threads: usize) -> RunSummary {
    let options = RunOptions { threads, stop: Arc::default() };
    run(tournament, store, &options, &mut |_: &RunProgress| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a tournament in which `hooked` plays, which is stopped at this decision of its, and then
/// again to its end. The records are those of a run that was never stopped.
pub fn stop_and_resume(file: &str, stop_at: u64) -> (Store, RunSummary, RunSummary) {
    let mut store = Store::in_memory().unwrap();
    let options = RunOptions { threads: 2, ..RunOptions::default() };
    let stop = Arc::clone(&options.stop);
    let catalog = catalog_with_once(stop_at, move || stop.store(true, Ordering::Relaxed));
    let cup = tournament_in(&catalog, file);
    let first = run(&cup, &mut store, &options, &mut |_| {}).unwrap();
    let second = play(&cup, &mut store, 2);
    let mut whole = Store::in_memory().unwrap();
    play(&tournament(file), &mut whole, 2);
    assert_eq!(records(&store), records(&whole));
    (store, first, second)
}

/// Every record's text, checked, in an order that does not depend on arrival.
pub fn records(store: &Store) -> Vec<String> {
    let mut texts = Vec::new();
    let filter = Filter { sorted: true, ..Filter::default() };
    store
        .for_each_record(&filter, |stored| {
            stored.record()?;
            texts.push(stored.json.clone());
            Ok::<(), StoreError>(())
        })
        .unwrap();
    texts
}

/// The error of a run, as the user reads it.
pub fn error_of(result: Result<RunSummary, RunError>) -> String {
    result.map(|summary| panic!("{summary:?}")).unwrap_err().to_string()
}

/// [`count::catalog_with`] a hook that is called only once, after `calls` calls that do nothing.
fn catalog_with_once(calls: u64, hook: impl Fn() + Send + Sync + 'static) -> Catalog {
    let made = AtomicU64::new(0);
    count::catalog_with(Arc::new(move || {
        if made.fetch_add(1, Ordering::Relaxed) == calls {
            hook();
        }
    }))
}
