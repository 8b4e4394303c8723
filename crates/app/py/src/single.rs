//! One environment: a state whose steps return new arrays. The classes for Gymnasium and PettingZoo
//! are built on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_batch::{ActionNumbers, AnyBatch, ArrayLengths, Arrays, BatchError, BatchOptions};
use quintain_core::{Layout, Seat};

use crate::arguments::{self, seat_of, whole};
use crate::batch::{
    PickledEpisode, describe_layout, make_batch, of_tuple, optional_opponent, options_of,
    scenario_of, shape_board, to_tuple, warn_of_sameness,
};
use crate::catalog::refuse;
use crate::interrupt::InterruptPacer;
use crate::picture;

/// Observation, reward, terminated, truncated, information.
type Stepped<'py> = (Bound<'py, PyDict>, f64, bool, bool, Bound<'py, PyDict>);

/// [`Layout::own_bytes`] for each seat; empty where seats do not show in the board's bytes.
fn own_bytes(layout: &Layout) -> Vec<[u8; 256]> {
    if layout.seat_values.is_empty() || layout.learner_seats == 1 {
        return Vec::new();
    }
    Seat::all(layout.seats).map(|seat| layout.own_bytes(seat, layout.seats)).collect()
}

/// Restores a pickled environment.
#[pyfunction(name = "_restore_single")]
#[expect(clippy::too_many_arguments, reason = "each is a field of the pickle")]
pub(crate) fn restore_single(
    py: Python<'_>,
    game: &str,
    scenario: &str,
    encoding: Option<&str>,
    opponents: Vec<String>,
    seat: Option<usize>,
    budget: &str,
    saved: Option<PickledEpisode>,
) -> PyResult<Single> {
    let opponent = (!opponents.is_empty()).then_some(opponents);
    let mut single =
        Single::new(py, game, Some(scenario), encoding, false, opponent, seat, budget)?;
    let Some(saved) = saved else { return Ok(single) };
    let saved = [of_tuple(saved)];
    single.work(py, |batch, arrays| batch.restore(&saved, arrays, None))?;
    single.begun = true;
    Ok(single)
}

/// One state of a game, stepped by the numbers of actions.
#[pyclass(module = "quintain")]
pub(crate) struct Single {
    batch: Box<dyn AnyBatch>,
    layout: Layout,
    /// For each seat, the byte that it sees for each of the board's, where that differs.
    own: Vec<[u8; 256]>,
    name: &'static str,
    scenario: String,
    /// What it was made of besides game and scenario, for pickles.
    options: BatchOptions,
    begun: bool,
    /// When set, the environment stops what it is doing.
    stop: Arc<AtomicBool>,
    pace: InterruptPacer,
    board: Vec<u8>,
    features: Vec<i32>,
    masks: Vec<i8>,
    rewards: Vec<f32>,
    scores: Vec<f64>,
    ends: [bool; 3],
    seed: u64,
}

#[pymethods]
impl Single {
    #[new]
    #[pyo3(signature = (
        game, scenario = None, *, encoding = None, letters = false, opponent = None, seat = None,
        budget = ""
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the constructor")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::game)] game: &str,
        #[pyo3(from_py_with = arguments::optional_scenario)] scenario: Option<&str>,
        #[pyo3(from_py_with = arguments::optional_encoding)] encoding: Option<&str>,
        #[pyo3(from_py_with = arguments::letters)] letters: bool,
        #[pyo3(from_py_with = optional_opponent)] opponent: Option<Vec<String>>,
        #[pyo3(from_py_with = arguments::optional_seat)] seat: Option<usize>,
        #[pyo3(from_py_with = arguments::budget)] budget: &str,
    ) -> PyResult<Single> {
        let stop: Arc<AtomicBool> = Arc::default();
        let mut options = options_of(encoding, letters, opponent, seat, budget)?;
        options.stop = Some(Arc::clone(&stop));
        let (batch, name, scenario) = make_batch(game, scenario, &options)?;
        warn_of_sameness(py, batch.as_ref(), name, &scenario)?;
        let layout = batch.layout().clone();
        let ArrayLengths { board, features, masks, seats } = ArrayLengths::new(&layout, true, true);
        Ok(Single {
            batch,
            own: own_bytes(&layout),
            layout,
            name,
            scenario,
            options,
            begun: false,
            stop,
            pace: InterruptPacer::default(),
            board: vec![0; board],
            features: vec![0; features],
            masks: vec![0; masks],
            rewards: vec![0.0; seats],
            scores: vec![0.0; seats],
            ends: [false; 3],
            seed: 0,
        })
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        self.name
    }

    /// The scenario of the episode, in its canonical text, with the instance that is played if
    /// every episode draws its own.
    #[getter]
    fn scenario(&self) -> String {
        if !self.begun {
            return self.scenario.clone();
        }
        scenario_of(&self.scenario, self.batch.as_ref(), 0)
    }

    /// Whether an episode has begun, so that another may follow it.
    #[getter]
    fn has_begun(&self) -> bool {
        self.begun
    }

    /// The learner's seat, if it plays against others.
    #[getter]
    fn learner(&self) -> Option<usize> {
        if self.begun { self.batch.learner(0).map(Seat::index) } else { None }
    }

    /// The form of actions and observations.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_layout(py, &self.layout)
    }

    /// The seed of the episode.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The score of each seat once the episode is over.
    #[getter]
    fn scores(&self) -> Vec<f64> {
        self.scores.clone()
    }

    /// Whether the episode is over.
    #[getter]
    fn is_over(&self) -> bool {
        !self.begun || self.batch.is_over(0)
    }

    /// Whether an illegal action ended the episode.
    #[getter]
    fn was_illegal(&self) -> bool {
        self.ends[2]
    }

    /// The seat whose illegal action ended the episode, if one did.
    #[getter]
    fn offender(&self) -> Option<usize> {
        if self.begun { self.batch.offender(0).map(Seat::index) } else { None }
    }

    /// Returns the score of a seat: the final one once the episode is over, else the one so far.
    fn score(&self, #[pyo3(from_py_with = arguments::seat)] seat: usize) -> PyResult<f64> {
        self.check_begun()?;
        let seat = seat_of(seat, self.layout.learner_seats)?;
        if self.batch.is_over(0) {
            return Ok(self.scores[seat.index()]);
        }
        Ok(self.batch.score(0, seat))
    }

    /// Begins the match of a seed; without a seed, the match that follows the last one.
    ///
    /// Returns what seat 0 sees, and the information that goes with it. A match that is over before
    /// a learner's first turn is skipped.
    #[pyo3(signature = (seed = None))]
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        if seed.is_none() && !self.begun {
            return Err(refuse("there is no match to follow: reset needs a seed"));
        }
        self.scores.fill(0.0);
        self.ends = [false; 3];
        self.work(py, |batch, arrays| match seed {
            Some(seed) => batch.reset(&[seed], arrays, None),
            None => batch.reset_some(&[true], None, arrays, None),
        })?;
        self.begun = true;
        Ok((self.observation(py, 0, false)?, self.information(py)?))
    }

    /// Plays an action for the only seat, and returns what a step returns in Gymnasium.
    fn step<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let last = self.layout.actions as u64 - 1;
        let action = whole("action", action, 0..=last)?;
        self.play(py, &[action])?;
        let [terminated, truncated, _] = self.ends;
        let reward = f64::from(self.rewards[0]);
        Ok((self.observation(py, 0, false)?, reward, terminated, truncated, self.information(py)?))
    }

    /// Plays one action for each seat, which may be any action for seats that do not move. Returns
    /// the rewards, terminated, truncated.
    fn step_together<'py>(
        &mut self,
        py: Python<'py>,
        actions: Vec<i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.play(py, &actions)?;
        let [terminated, truncated, _] = self.ends;
        let rewards = self.rewards.as_slice().into_pyobject(py)?;
        (rewards, terminated, truncated).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("quintain._quintain")?.getattr("_restore_single")?;
        let BatchOptions { encoding, opponents, seat, budget, .. } = &self.options;
        let budget = budget.to_string();
        let saved = if self.begun { self.batch.save().pop().map(to_tuple) } else { None };
        let arguments = (self.name, &self.scenario, encoding, opponents, seat, budget, saved);
        (restore, arguments).into_pyobject(py)
    }

    /// Returns what a seat sees: `board` and `features`; with `own`, it sees itself as seat 0.
    #[pyo3(signature = (seat = 0, own = false))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
        #[pyo3(from_py_with = arguments::own)] own: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.check_begun()?;
        seat_of(seat, self.layout.learner_seats)?;
        let seen = PyDict::new(py);
        let board = match self.own.get(seat) {
            Some(bytes) if own && seat != 0 => {
                let board: Vec<u8> = self.board.iter().map(|b| bytes[usize::from(*b)]).collect();
                self.shape_seen(py, seat, &board)?
            }
            _ => self.shape_seen(py, seat, &self.board)?,
        };
        seen.set_item(intern!(py, "board"), board)?;
        let features = PyArray1::from_slice(py, &self.features);
        seen.set_item(intern!(py, "features"), features)?;
        Ok(seen)
    }

    /// Returns which actions a seat may take: 1 or 0.
    #[pyo3(signature = (seat = 0))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.check_begun()?;
        seat_of(seat, self.layout.learner_seats)?;
        let count = self.layout.actions;
        Ok(PyArray1::from_slice(py, &self.masks[seat * count..(seat + 1) * count]))
    }

    /// Returns whether a seat must move now.
    fn acts(&self, #[pyo3(from_py_with = arguments::seat)] seat: usize) -> PyResult<bool> {
        let seat = seat_of(seat, self.layout.seats)?;
        Ok(self.begun && self.batch.is_acting(0, seat))
    }

    /// Returns whether a seat is still in the game.
    fn lives(&self, #[pyo3(from_py_with = arguments::seat)] seat: usize) -> PyResult<bool> {
        let seat = seat_of(seat, self.layout.seats)?;
        Ok(self.begun && self.batch.is_alive(0, seat))
    }

    /// Returns the position as `ansi`, `svg` or `rgb_array`; as one seat sees it, if a seat is
    /// given.
    #[pyo3(signature = (mode = "ansi", seat = None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::mode)] mode: &str,
        #[pyo3(from_py_with = arguments::optional_seat)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_begun()?;
        let observer = seat.map(|seat| seat_of(seat, self.layout.seats)).transpose()?;
        picture::render(py, &self.batch.scene(0, observer), mode, &[], &[])
    }
}

impl Single {
    /// Works on the state without holding the interpreter, until a signal raises an exception or
    /// the work fails; after that, only a reset with a seed works.
    fn work(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyBatch, Arrays<'_>) -> Result<(), BatchError> + Send,
    ) -> PyResult<()> {
        self.stop.store(false, Ordering::Relaxed);
        let [terminated, truncated, illegal] = &mut self.ends;
        let arrays = Arrays {
            lengths: ArrayLengths::new(&self.layout, true, true),
            board: &mut self.board,
            features: &mut self.features,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            scores: &mut self.scores,
            terminated: std::slice::from_mut(terminated),
            truncated: std::slice::from_mut(truncated),
            illegal: std::slice::from_mut(illegal),
            seeds: std::slice::from_mut(&mut self.seed),
        };
        let batch = self.batch.as_mut();
        let done = match self.options.opponents.is_empty() {
            // No call takes long then.
            true => Ok(work(batch, arrays)),
            false => self.pace.run(py, &self.stop, || work(batch, arrays)),
        };
        let done = done.and_then(|done| done.map_err(refuse));
        if done.is_err() {
            self.begun = false;
        }
        done
    }

    /// Fails if no episode has begun.
    fn check_begun(&self) -> PyResult<()> {
        if self.begun { Ok(()) } else { Err(refuse("no episode has begun: call reset() first")) }
    }

    fn play(&mut self, py: Python<'_>, actions: &[i64]) -> PyResult<()> {
        self.check_begun()?;
        let Layout { learner_seats: seats, actions: count, .. } = self.layout;
        if actions.len() != seats {
            return Err(refuse(format!("{} actions for {seats} seats", actions.len())));
        }
        if self.is_over() {
            return Err(refuse("the episode is over; reset() begins another"));
        }
        let numbers = ActionNumbers::Long(actions);
        if let Some((seat, number)) = numbers.first_beyond(count) {
            return Err(refuse(format!(
                "seat {seat}: action {number}: expected 0 to {}",
                count - 1
            )));
        }
        self.work(py, |batch, arrays| batch.step(numbers, arrays, None))
    }

    /// The board as a seat sees it.
    fn shape_seen<'py>(
        &self,
        py: Python<'py>,
        seat: usize,
        board: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        let row = if self.layout.is_words {
            let bytes = board.len() / self.layout.learner_seats;
            &board[seat * bytes..][..bytes]
        } else {
            board
        };
        shape_board(py, &self.layout, row)
    }

    /// The information dictionary: the mask of seat 0; at the end also the score, and whether an
    /// illegal action ended the episode.
    fn information<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let information = PyDict::new(py);
        information.set_item(intern!(py, "action_mask"), self.mask(py, 0)?)?;
        if self.batch.is_over(0) {
            information.set_item(intern!(py, "score"), self.scores[0])?;
            information.set_item(intern!(py, "illegal"), self.ends[2])?;
        }
        Ok(information)
    }
}
