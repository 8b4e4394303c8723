//! The results of a tournament: its records, and the standings over them.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_arena::{RunSummary, standings_of};
use quintain_core::{Objective, Scoring, did_you_mean, read_log};
use quintain_report::{StandingsFormat, render};
use quintain_store::{
    Filter, MatchRow, RecordRow, Store, StoreError, TournamentEntry, TournamentInfo,
};
use serde::{Deserialize, Serialize};

use crate::arguments;
use crate::catalog::refuse;
use crate::json::describe;
use crate::record::{Record, of_filter};

/// The libraries whose frames standings can be returned as.
const FRAMES: [&str; 2] = ["pandas", "polars"];

/// The results of a tournament: its records and the standings over them.
#[pyclass(module = "quintain", frozen, subclass)]
pub(crate) struct Results {
    store: Mutex<Store>,
    info: TournamentInfo,
    counts: Counts,
}

/// The figures of a run.
#[derive(Clone, Serialize, Deserialize)]
struct Counts {
    played: u64,
    skipped: u64,
    failed: u64,
    failures: Vec<String>,
}

/// Results in a pickle: one text of JSON, with the records one per line.
#[derive(Serialize, Deserialize)]
struct SavedResults {
    name: String,
    game: String,
    format: String,
    objective: Objective,
    scoring: Scoring,
    fixtures: u64,
    definition: String,
    file: String,
    counts: Counts,
    records: Vec<String>,
    /// What players noted in words in each match.
    logs: Vec<String>,
}

/// Restores pickled results; their records are then in memory, wherever they were before.
#[pyfunction(name = "_restore_results")]
pub(crate) fn restore_results(py: Python<'_>, text: &str) -> PyResult<Results> {
    py.detach(|| {
        let saved: SavedResults = serde_json::from_str(text).map_err(refuse)?;
        let mut store = Store::in_memory().map_err(refuse)?;
        let tournament = store.enter(&TournamentEntry {
            name: &saved.name,
            game: &saved.game,
            format: &saved.format,
            objective: saved.objective,
            scoring: saved.scoring,
            fixtures: saved.fixtures,
            definition: &saved.definition,
            file: &saved.file,
        });
        let tournament = tournament.map_err(refuse)?;
        let records = saved.records.iter().zip(&saved.logs).map(|(line, log)| {
            let mut record = quintain_core::Record::from_json(line).map_err(refuse)?;
            record.log = read_log(log);
            Ok(RecordRow::new(&record, Duration::ZERO))
        });
        let rows = records.collect::<PyResult<Vec<RecordRow>>>()?;
        store.insert(Some(tournament), &rows).map_err(refuse)?;
        let info = store.tournament(Some(&saved.name)).map_err(refuse)?;
        Ok(Results { store: Mutex::new(store), info, counts: saved.counts })
    })
}

/// Imports the library of a frame.
fn import_frames<'py>(py: Python<'py>, frame: &str) -> PyResult<Bound<'py, PyModule>> {
    if !FRAMES.contains(&frame) {
        return Err(refuse(did_you_mean("frame", frame, FRAMES)));
    }
    py.import(frame)
}

/// The columns of the frame of matches.
#[derive(Default)]
struct MatchColumns {
    id: Vec<String>,
    scenario: Vec<String>,
    seed: Vec<u64>,
    seat: Vec<usize>,
    player: Vec<String>,
    score: Vec<f64>,
    ending: Vec<String>,
    fault: Vec<Option<String>>,
    truncated: Vec<bool>,
    turns: Vec<u32>,
}

impl MatchColumns {
    /// Adds a row for each seat.
    fn add(&mut self, row: &MatchRow) {
        for (seat, (player, score)) in row.players.iter().zip(&row.scores).enumerate() {
            self.id.push(row.id.clone());
            self.scenario.push(row.scenario.clone());
            self.seed.push(row.seed);
            self.seat.push(seat);
            self.player.push(player.clone());
            self.score.push(*score);
            self.ending.push(row.ending.clone());
            let own = row.fault.as_ref().filter(|(at, _)| *at == seat);
            self.fault.push(own.map(|(_, why)| why.clone()));
            self.truncated.push(row.truncated);
            self.turns.push(row.turns);
        }
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("id", self.id)?;
        columns.set_item("scenario", self.scenario)?;
        columns.set_item("seed", self.seed)?;
        columns.set_item("seat", self.seat)?;
        columns.set_item("player", self.player)?;
        columns.set_item("score", self.score)?;
        columns.set_item("ending", self.ending)?;
        columns.set_item("fault", self.fault)?;
        columns.set_item("truncated", self.truncated)?;
        columns.set_item("turns", self.turns)?;
        Ok(columns)
    }
}

impl Results {
    /// The results that a run has left in a store.
    pub(crate) fn of_run(store: Store, name: &str, summary: RunSummary) -> PyResult<Results> {
        let info = store.tournament(Some(name)).map_err(refuse)?;
        let RunSummary { played, skipped, failed, failures, .. } = summary;
        let counts = Counts { played, skipped, failed, failures };
        Ok(Results { store: Mutex::new(store), info, counts })
    }

    fn read_records(&self) -> PyResult<Vec<Record>> {
        let filter = Filter { sorted: true, ..Filter::tournament(self.info.id) };
        self.of(|store| of_filter(store, &filter))
    }

    fn count_faults(&self) -> PyResult<u64> {
        let mut faults = 0;
        self.each_match(|row| {
            faults += u64::from(row.fault.is_some());
        })?;
        Ok(faults)
    }

    /// Calls a function with each match, in the order of the records.
    fn each_match(&self, mut each: impl FnMut(&MatchRow)) -> PyResult<()> {
        let filter = Filter { sorted: true, ..Filter::tournament(self.info.id) };
        self.of(|store| {
            let read = store.matches(&filter, |row| {
                each(row);
                Ok::<(), StoreError>(())
            });
            read.map_err(refuse)
        })
    }

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

    /// The number of matches played by this call.
    #[getter]
    fn played(&self) -> u64 {
        self.counts.played
    }

    /// The number of matches that the store already had.
    #[getter]
    fn skipped(&self) -> u64 {
        self.counts.skipped
    }

    /// The number of matches that a player lost by a fault, whenever they were played.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.count_faults())
    }

    /// The number of matches that have no result, because they are void or could not be played. The
    /// same tournament plays them again.
    #[getter]
    fn failed(&self) -> u64 {
        self.counts.failed
    }

    /// The reasons why matches have no record, for the first such matches.
    #[getter]
    fn failures(&self) -> Vec<String> {
        self.counts.failures.clone()
    }

    /// Every record, in an order that depends only on the matches.
    #[getter]
    fn records(&self, py: Python<'_>) -> PyResult<Vec<Record>> {
        py.detach(|| self.read_records())
    }

    /// Returns the standings as a frame of `pandas` or `polars`: a row for each player and
    /// scenario.
    #[pyo3(signature = (frame = "pandas"))]
    fn standings<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::frame)] frame: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let library = import_frames(py, frame)?;
        let csv = self.to_csv(py)?;
        let file = py.import("io")?.getattr("StringIO")?.call1((csv,))?;
        library.call_method1("read_csv", (file,))
    }

    /// Returns the matches as a frame of `pandas` or `polars`: a row for each seat of each match.
    #[pyo3(signature = (frame = "pandas"))]
    fn matches<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::frame)] frame: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let library = import_frames(py, frame)?;
        let columns = py.detach(|| {
            let mut columns = MatchColumns::default();
            self.each_match(|row| columns.add(row)).map(|()| columns)
        })?;
        library.call_method1("DataFrame", (columns.into_dict(py)?,))
    }

    /// Returns the standings as comma-separated values: a row for each player and scenario.
    fn to_csv(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.render(StandingsFormat::Csv))
    }

    /// Returns the standings with all digits, as dictionaries and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = py.detach(|| self.render(StandingsFormat::Json))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(refuse)?;
        describe(py, &value)
    }

    /// Returns the standings as tables for a terminal.
    #[pyo3(signature = (width = 100))]
    fn table(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::width)] width: usize,
    ) -> PyResult<String> {
        py.detach(|| self.render(StandingsFormat::Table { width: Some(width) }))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.table(py, 100)
    }

    fn __repr__(&self) -> String {
        let TournamentInfo { name, game, played, fixtures, .. } = &self.info;
        let failed = match self.counts.failed {
            0 => String::new(),
            failed => format!(", {failed} without a result"),
        };
        let faults = match self.count_faults() {
            Ok(0) | Err(_) => String::new(),
            Ok(faults) => format!(", {faults} lost by a fault"),
        };
        format!("<Results of {name} ({game}): {played} of {fixtures} matches{failed}{faults}>")
    }

    /// The standings as tables, for a notebook.
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tables = py.detach(|| self.render(StandingsFormat::Markdown))?;
        py.import("quintain.notebook")?.call_method1("html_of", (tables,))
    }

    /// Writes the records to a file as JSON, one on each line.
    fn save(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
    ) -> PyResult<()> {
        let records = self.records(py)?;
        let lines: Vec<String> = records.iter().map(Record::to_line).collect();
        std::fs::write(&path, lines.concat())
            .map_err(|error| refuse(format!("{} cannot be written: {error}", path.display())))
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let text = py.detach(|| {
            let records = self.read_records()?;
            let saved = SavedResults {
                name: self.info.name.clone(),
                game: self.info.game.clone(),
                format: self.info.format.clone(),
                objective: self.info.objective,
                scoring: self.info.scoring,
                fixtures: self.info.fixtures,
                definition: self.info.definition.clone(),
                file: self.info.file.clone(),
                counts: self.counts.clone(),
                records: records.iter().map(Record::to_line).collect(),
                logs: records.iter().map(Record::log_line).collect(),
            };
            serde_json::to_string(&saved).map_err(refuse)
        });
        let restore = py.import("quintain._quintain")?.getattr("_restore_results")?;
        (restore, (text?,)).into_pyobject(py)
    }
}
