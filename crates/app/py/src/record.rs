//! Records of matches, read, replayed and shown.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyFileNotFoundError, PyIndexError, PyIsADirectoryError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use quintain_core::{AnyGame, AnyMatch, LogContent, replay, write_log};
use quintain_scene::{PictureText, render_svg};
use quintain_store::{Filter, Store, StoreError};
use quintain_web::standalone;
use serde_json::{Value, json};

use crate::arguments;
use crate::catalog::{catalog, refuse};
use crate::json::describe;
use crate::matches::Match;

/// A match as it was played: who played what, every action, how it ended. It replays bit for
/// bit, and a notebook displays it.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Record {
    record: quintain_core::Record,
}

impl Record {
    pub(crate) fn of(record: quintain_core::Record) -> Record {
        Record { record }
    }

    fn game(&self) -> PyResult<Arc<dyn AnyGame>> {
        catalog().game_of(&self.record).map_err(refuse)
    }

    /// The JSON form, with a line break at the end.
    pub(crate) fn to_line(&self) -> String {
        self.record.to_json() + "\n"
    }

    /// What players noted in words, in one line of JSON.
    pub(crate) fn log_line(&self) -> String {
        write_log(&self.record.log)
    }

    fn page(&self) -> PyResult<String> {
        let replay =
            quintain_web::Replay::of(self.game()?.as_ref(), &self.record).map_err(refuse)?;
        standalone::render_page(replay, standalone::LIMIT).map_err(refuse)
    }
}

#[pymethods]
impl Record {
    /// Reads a record from its JSON, and checks that nobody has changed it.
    #[classmethod]
    fn from_json(
        _class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = arguments::text)] text: &str,
    ) -> PyResult<Record> {
        Ok(Record { record: quintain_core::Record::from_json(text).map_err(refuse)? })
    }

    /// Returns the record as one line of JSON.
    fn to_json(&self) -> String {
        self.record.to_json()
    }

    /// The hash of what was to be played: 32 hexadecimal digits.
    #[getter]
    fn id(&self) -> &str {
        &self.record.id
    }

    /// The game's name.
    #[getter]
    fn game_name(&self) -> &str {
        &self.record.fixture.game
    }

    /// The scenario.
    #[getter]
    fn scenario(&self) -> &str {
        &self.record.fixture.scenario
    }

    /// The seed of the match.
    #[getter]
    fn seed(&self) -> u64 {
        self.record.fixture.seed
    }

    /// The player of each seat.
    #[getter]
    fn players(&self) -> Vec<String> {
        self.record.fixture.seats.clone()
    }

    /// The budget of each player.
    #[getter]
    fn budget(&self) -> String {
        self.record.fixture.budget.to_string()
    }

    /// Every action, turn by turn, seat by seat.
    #[getter]
    fn actions(&self) -> Vec<&str> {
        self.record.action_texts().collect()
    }

    /// The score of each seat.
    #[getter]
    fn scores(&self) -> Vec<f64> {
        self.record.outcome.scores.clone()
    }

    /// Why the match ended, in a word or two.
    #[getter]
    fn ending(&self) -> &str {
        &self.record.outcome.ending
    }

    /// Whether a limit cut the match off.
    #[getter]
    fn truncated(&self) -> bool {
        self.record.outcome.truncated
    }

    /// The seat that was taken out of the match, and why: `seat`, `kind`, `detail`; None if no seat
    /// was.
    #[getter]
    fn fault<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.record.outcome.fault.as_ref().map(|fault| describe(py, fault)).transpose()
    }

    /// Further figures, by name.
    #[getter]
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.record.outcome.metrics)
    }

    /// The players' notes: `turn`, `seat`, `name`, `value` (a number or words).
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let words = self.record.log.iter().filter_map(|entry| match &entry.content {
            LogContent::Note { name, text } => Some(json!({
                "turn": entry.turn, "seat": entry.seat, "name": name, "value": text
            })),
            _ => None,
        });
        let mut notes: Vec<Value> = self.record.notes.iter().map(|note| json!(note)).collect();
        notes.extend(words);
        notes.sort_by_key(|note| (note["turn"].as_u64(), note["seat"].as_u64()));
        describe(py, &notes)
    }

    /// Replays the match by the rules; raises ValueError if it does not end as recorded.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| catalog().verify(&self.record)).map_err(refuse)
    }

    /// Returns the match position by position.
    fn replay(&self) -> PyResult<Replay> {
        Replay::of(self.game()?, &self.record)
    }

    /// Returns a self-contained page that plays the match: one file, which needs no network.
    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.page())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.to_html(py)?.replace('&', "&amp;").replace('"', "&quot;");
        Ok(format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 44em; border: 0\"></iframe>"
        ))
    }

    /// The last position as SVG, with the players' names.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let mut last = String::new();
            let game = self.game()?;
            let names = &self.record.fixture.seats;
            let turns = self.replay()?.turns();
            let mut turn = 0;
            replay(game.as_ref(), &self.record, &mut |state, _| {
                turn += 1;
                if turn == turns {
                    let scene = state.scene(None);
                    last = render_svg(
                        &scene,
                        &[],
                        &PictureText { title: &scene.caption, names, ..PictureText::default() },
                    );
                }
            })
            .map_err(refuse)?;
            Ok(last)
        })
    }

    fn __eq__(&self, other: &Record) -> bool {
        self.record == other.record
    }

    fn __hash__(&self) -> u64 {
        quintain_core::key_of(&self.record.id)
    }

    fn __repr__(&self) -> String {
        let fixture = &self.record.fixture;
        format!(
            "<Record {} of {}:{}, seed {}: {}, scores {:?}>",
            &self.record.id[..8],
            fixture.game,
            fixture.scenario,
            fixture.seed,
            fixture.seats.join(" – "),
            self.record.outcome.scores
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(),)))
    }
}

/// The positions of a record, starting before the first turn: `replay[turn]`.
#[pyclass(module = "quintain", frozen, sequence)]
pub(crate) struct Replay {
    game: Arc<dyn AnyGame>,
    seed: u64,
    /// The actions of each turn.
    played: Vec<Vec<String>>,
    /// The position that was looked at last, from which the next ones are played on.
    cursor: Mutex<(usize, Box<dyn AnyMatch>)>,
}

impl Replay {
    fn of(game: Arc<dyn AnyGame>, record: &quintain_core::Record) -> PyResult<Replay> {
        let mut played = Vec::new();
        replay(game.as_ref(), record, &mut |_, actions| {
            if !actions.is_empty() {
                played.push(actions.iter().map(|(_, action)| (*action).to_owned()).collect());
            }
        })
        .map_err(refuse)?;
        let seed = record.fixture.seed;
        let cursor = Mutex::new((0, game.begin(seed)));
        Ok(Replay { game, seed, played, cursor })
    }

    /// Positions.
    fn turns(&self) -> usize {
        self.played.len() + 1
    }
}

#[pymethods]
impl Replay {
    fn __len__(&self) -> usize {
        self.turns()
    }

    /// Returns the position after this many turns, as a match that can be continued.
    fn __getitem__(&self, turn: isize) -> PyResult<Match> {
        let count = self.turns();
        let place = if turn < 0 { turn + count as isize } else { turn };
        let Some(wanted) = usize::try_from(place).ok().filter(|place| *place < count) else {
            return Err(PyIndexError::new_err(format!(
                "turn {turn}: the match has positions 0 to {}",
                count - 1
            )));
        };
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor.0 > wanted {
            *cursor = (0, self.game.begin(self.seed));
        }
        while cursor.0 < wanted {
            let joint: Vec<&str> = self.played[cursor.0].iter().map(String::as_str).collect();
            cursor.1.play(&joint).map_err(|(_, problem)| refuse(problem))?;
            cursor.0 += 1;
        }
        let played = self.played[..wanted].to_vec();
        Ok(Match::of(Arc::clone(&self.game), self.seed, cursor.1.fork(), played))
    }

    /// Returns the action of each seat that moved on a turn, in order.
    fn played(&self, turn: isize) -> PyResult<Vec<String>> {
        let of_turn = usize::try_from(turn).ok().and_then(|turn| self.played.get(turn));
        of_turn.cloned().ok_or_else(|| {
            PyIndexError::new_err(format!("turn {turn}: {} turns were played", self.played.len()))
        })
    }

    fn __repr__(&self) -> String {
        let (name, scenario) = (self.game.name(), self.game.scenario());
        format!("<Replay of {name}:{scenario}, {} positions>", self.turns())
    }
}

/// Returns the records of a file with one JSON record on each line (`.jsonl`), or of a store
/// (`.sqlite`): all of them, or those of one tournament.
#[pyfunction]
#[pyo3(signature = (path, tournament = None))]
pub(crate) fn load_records(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::optional_tournament)] tournament: Option<&str>,
) -> PyResult<Vec<Record>> {
    if path.is_dir() {
        let shown = path.display();
        return Err(PyIsADirectoryError::new_err(format!(
            "{shown} is a folder; expected a file of records, or a store (.sqlite)"
        )));
    }
    if !path.is_file() {
        let shown = path.display();
        return Err(PyFileNotFoundError::new_err(format!("{shown}: there is no such file")));
    }
    let is_store = path.extension().is_some_and(|extension| extension == "sqlite");
    if !is_store && tournament.is_some() {
        return Err(refuse(format!("{}: only a store (.sqlite) has tournaments", path.display())));
    }
    py.detach(|| if is_store { of_store(&path, tournament) } else { of_text(&path) })
}

/// The greatest size of a file of records, in bytes.
const MAX_BYTES: u64 = 1 << 30;

fn of_text(path: &Path) -> PyResult<Vec<Record>> {
    let shown = path.display();
    let text = quintain_core::read_text_up_to(path, MAX_BYTES).map_err(refuse)?;
    // One record that another program has laid out over several lines.
    if text.lines().next().is_some_and(|first| first.trim() == "{") {
        let record = quintain_core::Record::from_json(&text);
        let record = record.map_err(|error| refuse(format!("{shown}: {error}")))?;
        return Ok(vec![Record { record }]);
    }
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        // In older files a program's output in a match is on the line below its record.
        if records.last_mut().is_some_and(|above| above.record.read_log_line(line)) {
            continue;
        }
        let record = quintain_core::Record::from_json(line);
        let record =
            record.map_err(|error| refuse(format!("{shown}, line {}: {error}", number + 1)))?;
        records.push(Record { record });
    }
    Ok(records)
}

fn of_store(path: &Path, tournament: Option<&str>) -> PyResult<Vec<Record>> {
    let store = Store::open_to_read(path).map_err(refuse)?;
    let filter = match tournament {
        Some(name) => Filter::tournament(store.tournament(Some(name)).map_err(refuse)?.id),
        None => Filter::default(),
    };
    of_filter(&store, &filter)
}

/// The records of a store that the filter selects.
pub(crate) fn of_filter(store: &Store, filter: &Filter) -> PyResult<Vec<Record>> {
    let mut records = Vec::new();
    let read = store.for_each_record(filter, |stored| {
        records.push(stored.record());
        Ok::<(), StoreError>(())
    });
    read.map_err(refuse)?;
    let with_log = |record: Result<quintain_core::Record, _>| {
        let mut record = record.map_err(refuse)?;
        store.load_log(&mut record).map_err(refuse)?;
        Ok(Record { record })
    };
    records.into_iter().map(with_log).collect()
}
