//! Tournaments from Python: with the options of tournament files, and with Python players among
//! ours. Their results are in [`results`](crate::results).

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_arena::{RunOptions, RunSummary, Tournament, TournamentError, run};
use quintain_core::{SEED, ScenarioSet};
use quintain_store::Store;

use crate::arguments;
use crate::catalog::{catalog, find_game, refuse, warn_of_one_problem};
use crate::interrupt::heed_signals;
use crate::json::from_python;
use crate::player::{Guests, Matches, invite};
use crate::results::Results;

/// The most matches whose records may be kept in memory, at about a kilobyte each.
const MAX_IN_MEMORY: u64 = 10_000_000;

/// Plays the matches of a tournament, on all cores, and returns its results.
///
/// `game` is a game's name, or a tournament file (`.toml`), which sets all the rest. By default
/// there are 10 `seeds`, starting at `seed` 1.
#[pyfunction]
#[pyo3(signature = (
    game, players = None, *, scenarios = None, seeds = None, seed = None, budget = None,
    format = None, sample = None, notes = None, name = None, store = None, threads = None,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "each is one key of a tournament file")]
pub(crate) fn tournament(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::game)] game: &str,
    players: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::optional_scenarios)] scenarios: Option<Vec<String>>,
    #[pyo3(from_py_with = arguments::optional_seeds)] seeds: Option<u64>,
    #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    #[pyo3(from_py_with = arguments::optional_budget)] budget: Option<&str>,
    #[pyo3(from_py_with = arguments::optional_format)] format: Option<&str>,
    #[pyo3(from_py_with = arguments::optional_sample)] sample: Option<u64>,
    #[pyo3(from_py_with = arguments::optional_notes)] notes: Option<bool>,
    #[pyo3(from_py_with = arguments::optional_name)] name: Option<&str>,
    #[pyo3(from_py_with = arguments::optional_store)] store: Option<PathBuf>,
    #[pyo3(from_py_with = arguments::optional_threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::optional_progress)] progress: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let (guests, specs) = match players {
        Some(players) => invite(players, Matches::Many)?,
        None => (Guests::default(), Vec::new()),
    };
    let calls = Arc::clone(&guests.calls);
    let catalog = guests.seat();
    let keys = PyDict::new(py);
    keys.set_item("scenarios", scenarios.as_deref())?;
    keys.set_item("seeds", seeds)?;
    keys.set_item("seed", seed)?;
    keys.set_item("budget", budget.filter(|budget| !budget.is_empty()))?;
    keys.set_item("format", format)?;
    keys.set_item("sample", sample)?;
    keys.set_item("notes", notes)?;
    keys.set_item("name", name)?;
    let tournament = if game.ends_with(".toml") {
        let key = keys.iter().find(|(_, value)| !value.is_none());
        let key = key.map(|(key, _)| key.to_string());
        if let Some(key) = key.or(players.map(|_| "players".to_owned())) {
            return Err(refuse(format!("{key}: the tournament file sets this: {game}")));
        }
        Tournament::load(game.as_ref(), &catalog).map_err(refuse)?
    } else {
        keys.set_item("name", name.unwrap_or(game))?;
        keys.set_item("game", game)?;
        keys.set_item("players", specs)?;
        let seeds = seeds.unwrap_or(10);
        keys.set_item("seeds", seeds)?;
        let parsed = Tournament::parse(&definition_of(&keys)?, "tournament", &catalog);
        let parsed = parsed.map_err(strip_place)?;
        if seeds > 1 {
            warn_of_seeds(py, game, scenarios.as_deref().unwrap_or_default(), seeds)?;
        }
        parsed
    };
    let mut store = match store {
        Some(path) => Store::open(&path).map_err(refuse)?,
        None => {
            let matches = tournament.count_matches();
            if matches > MAX_IN_MEMORY {
                return Err(refuse(format!(
                    "seeds: {matches} matches, but at most {MAX_IN_MEMORY} are kept in memory; \
                     play fewer, or name a file for them, such as store=\"results.sqlite\""
                )));
            }
            Store::in_memory().map_err(refuse)?
        }
    };
    let mut options = RunOptions { stop: Arc::clone(&calls.stop), ..RunOptions::default() };
    if let Some(threads) = threads {
        options.threads = threads;
    }
    let telling = Arc::clone(&calls);
    let (tournament, store, summary) = heed_signals(py, &calls, move || {
        let summary = run(&tournament, &mut store, &options, &mut |now| {
            if let Some(listener) = &progress {
                telling.tell(listener, (now.skipped + now.done, now.total));
            }
        });
        (tournament, store, summary)
    })?;
    calls.check()?;
    let summary = summary.map_err(refuse)?;
    warn_of_failures(py, &summary)?;
    Results::of_run(store, tournament.name(), summary)
}

/// Warns of matches that have no result.
fn warn_of_failures(py: Python<'_>, summary: &RunSummary) -> PyResult<()> {
    let Some(first) = summary.failures.first() else { return Ok(()) };
    let text = format!(
        "{} of {} matches have no result and are played again by the next run; the first: {first}",
        summary.failed, summary.total
    );
    let text = CString::new(text.replace('\0', " "))?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}

/// Warns if all seeds play the same instance although each could have its own.
fn warn_of_seeds(py: Python<'_>, game: &str, scenarios: &[String], seeds: u64) -> PyResult<()> {
    let (entry, first) = find_game(game, None)?;
    let first = [first];
    let scenarios = if scenarios.is_empty() { &first } else { scenarios };
    for scenario in scenarios.iter().filter(|scenario| !scenario.contains(SEED)) {
        let Some(set) = ScenarioSet::text_of(entry, scenario) else { continue };
        let set = ScenarioSet::find(catalog(), game, &set).map_err(refuse)?;
        let each = set.text();
        warn_of_one_problem(
            py,
            &format!(
                "{game}:{scenario}: all {seeds} seeds play the same problem; \
                 scenarios=[\"{each}\"] \
                 gives each seed its own"
            ),
            1,
        )?;
    }
    Ok(())
}

/// The keys that are set, as the text of a tournament file: texts, lists and numbers are written
/// alike in JSON and in TOML.
fn definition_of(keys: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut text = String::new();
    for (key, value) in keys {
        if !value.is_none() {
            text += &format!("{key} = {}\n", from_python(&value)?);
        }
    }
    Ok(text)
}

/// The problem alone: the file was made here, so its line numbers mean nothing to the user.
fn strip_place(error: TournamentError) -> PyErr {
    match error {
        TournamentError::Key { problem, .. }
        | TournamentError::Name { problem, .. }
        | TournamentError::Seating { problem, .. }
        | TournamentError::Syntax { problem, .. } => refuse(problem),
        error => refuse(error),
    }
}
