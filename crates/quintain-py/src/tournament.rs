//! Tournaments from Python: as a tournament file has them, with Python players among ours.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_arena::{
    RunOptions, RunProgress, RunSummary, Tournament, TournamentError, run, standings_of,
};
use quintain_report::{StandingsFormat, render};
use quintain_store::{Filter, Store, TournamentInfo};

use quintain_core::did_you_mean;

use crate::catalog::refuse;
use crate::json::{describe, from_python};
use crate::player::{Guests, Matches, invite};
use crate::record::{Record, of_filter};

/// Plays what a tournament asks for, on all cores, and returns its results.
///
/// `game` is a game's name, or a tournament file (`.toml`) that says all the rest.
#[pyfunction]
#[pyo3(signature = (
    game, players = None, *, scenarios = None, seeds = 10, seed = 1, budget = "", format = None,
    sample = None, notes = false, name = None, store = None, threads = None, progress = None
))]
#[expect(clippy::too_many_arguments, reason = "each is one key of a tournament file")]
pub(crate) fn tournament(
    py: Python<'_>,
    game: &str,
    players: Option<&Bound<'_, PyAny>>,
    scenarios: Option<Vec<String>>,
    seeds: u64,
    seed: u64,
    budget: &str,
    format: Option<&str>,
    sample: Option<u64>,
    notes: bool,
    name: Option<&str>,
    store: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let (guests, specs) = match players {
        Some(players) => invite(players, Matches::Many)?,
        None => (Guests::default(), Vec::new()),
    };
    let stop = Arc::clone(&guests.stop);
    let (catalog, interrupt) = guests.seat();
    let tournament = if game.ends_with(".toml") && players.is_none() {
        Tournament::load(game.as_ref(), &catalog).map_err(refuse)?
    } else {
        let keys = PyDict::new(py);
        keys.set_item("name", name.unwrap_or(game))?;
        keys.set_item("game", game)?;
        keys.set_item("players", specs)?;
        keys.set_item("seeds", seeds)?;
        keys.set_item("seed", seed)?;
        keys.set_item("budget", Some(budget).filter(|budget| !budget.is_empty()))?;
        keys.set_item("notes", notes)?;
        keys.set_item("scenarios", scenarios)?;
        keys.set_item("format", format)?;
        keys.set_item("sample", sample)?;
        Tournament::parse(&definition_of(&keys)?, "tournament", &catalog).map_err(without_place)?
    };
    let mut store = match store {
        Some(path) => Store::open(&path).map_err(refuse)?,
        None => Store::in_memory().map_err(refuse)?,
    };
    let mut options = RunOptions { stop: Arc::clone(&stop), ..RunOptions::default() };
    if let Some(threads) = threads {
        options.threads = threads.max(1);
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
    let info = store.tournament(Some(tournament.name())).map_err(refuse)?;
    Ok(Results { store: Mutex::new(store), info, summary })
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

/// Libraries whose frames standings can be.
const FRAMES: [&str; 2] = ["pandas", "polars"];

/// What came of a tournament: its records and the standings over them.
#[pyclass(module = "quintain", frozen, subclass)]
pub(crate) struct Results {
    store: Mutex<Store>,
    info: TournamentInfo,
    summary: RunSummary,
}

impl Results {
    fn of<T>(&self, read: impl FnOnce(&Store) -> PyResult<T>) -> PyResult<T> {
        read(&self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn render(&self, format: StandingsFormat) -> PyResult<String> {
        self.of(|store| {
            let standings = standings_of(store, &self.info).map_err(refuse)?;
            Ok(render(&standings, format))
        })
    }
}

#[pymethods]
impl Results {
    /// The tournament's name.
    #[getter]
    fn name(&self) -> &str {
        &self.info.name
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        &self.info.game
    }

    /// Matches played now.
    #[getter]
    fn played(&self) -> u64 {
        self.summary.played
    }

    /// Matches that the store had before.
    #[getter]
    fn skipped(&self) -> u64 {
        self.summary.skipped
    }

    /// Matches that a player lost by a fault, among those played now.
    #[getter]
    fn faults(&self) -> u64 {
        self.summary.faults
    }

    /// Why matches have no record, for the first of them.
    #[getter]
    fn failures(&self) -> Vec<String> {
        self.summary.failures.clone()
    }

    /// Every record, in an order that depends on the matches alone.
    #[getter]
    fn records(&self, py: Python<'_>) -> PyResult<Vec<Record>> {
        py.detach(|| {
            let filter = Filter { sorted: true, ..Filter::tournament(self.info.id) };
            self.of(|store| of_filter(store, &filter))
        })
    }

    /// The standings as a frame of `pandas` or `polars`: a row for each player and scenario.
    #[pyo3(signature = (frame = "pandas"))]
    fn standings<'py>(&self, py: Python<'py>, frame: &str) -> PyResult<Bound<'py, PyAny>> {
        if !FRAMES.contains(&frame) {
            return Err(refuse(did_you_mean("frame", frame, FRAMES)));
        }
        let csv = self.to_csv(py)?;
        let file = py.import("io")?.getattr("StringIO")?.call1((csv,))?;
        py.import(frame)?.call_method1("read_csv", (file,))
    }

    /// The standings as comma-separated values: a row for each player and scenario.
    fn to_csv(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.render(StandingsFormat::Csv))
    }

    /// The standings with all digits, as dictionaries and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = py.detach(|| self.render(StandingsFormat::Json))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(refuse)?;
        describe(py, &value)
    }

    /// The standings as tables for a terminal.
    #[pyo3(signature = (width = 100))]
    fn table(&self, py: Python<'_>, width: usize) -> PyResult<String> {
        py.detach(|| self.render(StandingsFormat::Table { width: Some(width) }))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.table(py, 100)
    }

    fn __repr__(&self) -> String {
        let TournamentInfo { name, game, played, fixtures, .. } = &self.info;
        format!("<Results of {name} ({game}): {played} of {fixtures} matches>")
    }

    /// Writes the records to a file, one in JSON a line.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let records = self.records(py)?;
        let lines: Vec<String> = records.iter().map(Record::to_line).collect();
        std::fs::write(&path, lines.concat())
            .map_err(|error| refuse(format!("{} cannot be written: {error}", path.display())))
    }
}
