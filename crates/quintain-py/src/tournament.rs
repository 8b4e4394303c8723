//! Tournaments from Python: as a tournament file has them, with Python players among ours. What
//! comes of them is in [`results`](crate::results).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_arena::{RunOptions, RunProgress, Tournament, TournamentError, run};
use quintain_store::Store;

use crate::arguments;
use crate::catalog::refuse;
use crate::json::from_python;
use crate::player::{Guests, Matches, invite};
use crate::results::Results;

/// Plays what a tournament asks for, on all cores, and returns its results.
///
/// `game` is a game's name, or a tournament file (`.toml`) that says all the rest. Unless they are
/// said, there are 10 `seeds` from `seed` 1 on.
#[pyfunction]
#[pyo3(signature = (
    game, players = None, *, scenarios = None, seeds = None, seed = None, budget = None,
    format = None, sample = None, notes = None, name = None, store = None, threads = None,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "each is one key of a tournament file")]
pub(crate) fn tournament(
    py: Python<'_>,
    game: &str,
    players: Option<&Bound<'_, PyAny>>,
    scenarios: Option<Vec<String>>,
    #[pyo3(from_py_with = arguments::optional_seeds)] seeds: Option<u64>,
    #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    budget: Option<&str>,
    format: Option<&str>,
    #[pyo3(from_py_with = arguments::optional_sample)] sample: Option<u64>,
    notes: Option<bool>,
    name: Option<&str>,
    store: Option<PathBuf>,
    #[pyo3(from_py_with = arguments::optional_threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let (guests, specs) = match players {
        Some(players) => invite(players, Matches::Many)?,
        None => (Guests::default(), Vec::new()),
    };
    let stop = Arc::clone(&guests.stop);
    let (catalog, interrupt) = guests.seat();
    let keys = PyDict::new(py);
    keys.set_item("scenarios", scenarios)?;
    keys.set_item("seeds", seeds)?;
    keys.set_item("seed", seed)?;
    keys.set_item("budget", budget.filter(|budget| !budget.is_empty()))?;
    keys.set_item("format", format)?;
    keys.set_item("sample", sample)?;
    keys.set_item("notes", notes)?;
    keys.set_item("name", name)?;
    let tournament = if game.ends_with(".toml") {
        let said = keys.iter().find(|(_, value)| !value.is_none());
        let said = said.map(|(key, _)| key.to_string());
        if let Some(said) = said.or(players.map(|_| "players".to_owned())) {
            return Err(refuse(format!("{said}: a tournament file says it: {game}")));
        }
        Tournament::load(game.as_ref(), &catalog).map_err(refuse)?
    } else {
        keys.set_item("name", name.unwrap_or(game))?;
        keys.set_item("game", game)?;
        keys.set_item("players", specs)?;
        keys.set_item("seeds", seeds.unwrap_or(10))?;
        Tournament::parse(&definition_of(&keys)?, "tournament", &catalog).map_err(without_place)?
    };
    let mut store = match store {
        Some(path) => Store::open(&path).map_err(refuse)?,
        None => Store::in_memory().map_err(refuse)?,
    };
    let mut options = RunOptions { stop: Arc::clone(&stop), ..RunOptions::default() };
    if let Some(threads) = threads {
        options.threads = threads;
    }
    let summary = py.detach(|| {
        run(&tournament, &mut store, &options, &mut |now| {
            if let Err(error) = Python::attach(|py| report_progress(py, now, progress.as_ref())) {
                interrupt.set(error);
                stop.store(true, Ordering::Relaxed);
            }
        })
    });
    interrupt.check()?;
    let summary = summary.map_err(refuse)?;
    Results::of_run(store, tournament.name(), summary)
}

/// Lets the user stop, and hear how far it is.
fn report_progress(
    py: Python<'_>,
    now: &RunProgress,
    listener: Option<&Py<PyAny>>,
) -> PyResult<()> {
    py.check_signals()?;
    match listener {
        Some(listener) => listener.call1(py, (now.skipped + now.done, now.total)).map(drop),
        None => Ok(()),
    }
}

/// The keys that are set, as a tournament file: texts, lists and numbers are written alike in
/// JSON and in TOML.
fn definition_of(keys: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut text = String::new();
    for (key, value) in keys {
        if !value.is_none() {
            text += &format!("{key} = {}\n", from_python(&value)?);
        }
    }
    Ok(text)
}

/// The problem alone: the file was made here, so that its lines tell nothing.
fn without_place(error: TournamentError) -> PyErr {
    match error {
        TournamentError::Key { problem, .. }
        | TournamentError::Name { problem, .. }
        | TournamentError::Seating { problem, .. }
        | TournamentError::Syntax { problem, .. } => refuse(problem),
        error => refuse(error),
    }
}
