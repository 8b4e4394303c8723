//! Thousands of states of one game, stepped by one call into NumPy arrays that are made once.
//! How a game reads as numbers is the game's own [`Encoding`](quintain_core::Encoding); no
//! game is named here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_core::{ActionNumbers, AnyBatch, ArrayLengths, Arrays, HelperThreads, Layout};
use rayon::ThreadPoolBuilder;

use crate::catalog::{find_game, refuse};
use crate::picture;

/// The states of a game by its name, none of them begun; the game's name and the scenario's
/// canonical text. With `autoreset`, an episode that ends is followed by the next at once.
pub(crate) fn make_batch(
    game: &str,
    scenario: Option<&str>,
    encoding: Option<&str>,
    letters: bool,
    autoreset: bool,
) -> PyResult<(Box<dyn AnyBatch>, &'static str, String)> {
    let (entry, scenario) = find_game(game, scenario)?;
    let encoding = match encoding {
        Some(_) if letters => {
            return Err(refuse("letters=True is encoding=\"letters\": give one of them"));
        }
        None if letters => Some("letters"),
        named => named,
    };
    let (batch, text) = entry.batch(&scenario, encoding, autoreset).map_err(refuse)?;
    Ok((batch, entry.name(), text))
}

/// The threads of a batch: whoever calls works too.
struct Threads(rayon::ThreadPool);

impl HelperThreads for Threads {
    fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        self.0.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, helper| work(helper.index() + 1));
            work(0);
        });
    }
}

/// What a layout tells Python.
pub(crate) fn describe_layout<'py>(
    py: Python<'py>,
    layout: &Layout,
) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("seats", layout.seats)?;
    fields.set_item("together", layout.is_simultaneous)?;
    fields.set_item("actions", layout.actions)?;
    fields.set_item("board", &layout.board)?;
    fields.set_item("values", layout.values)?;
    fields.set_item("words", layout.is_words)?;
    fields.set_item("features", &layout.features)?;
    Ok(fields)
}

/// Many states of a game. Every step writes into the same arrays; copy what is to be kept.
#[pyclass(module = "quintain", frozen, subclass)]
pub(crate) struct Batch {
    inner: Mutex<Box<dyn AnyBatch>>,
    layout: Layout,
    lengths: ArrayLengths,
    name: &'static str,
    scenario: String,
    count: usize,
    threads: usize,
    /// One less than the threads: whoever calls works too.
    helpers: Option<Threads>,
    board: Py<PyArrayDyn<u8>>,
    features: Py<PyArrayDyn<i32>>,
    masks: Py<PyArrayDyn<i8>>,
    rewards: Py<PyArrayDyn<f32>>,
    scores: Py<PyArrayDyn<f64>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    illegal: Py<PyArray1<bool>>,
    seeds: Py<PyArray1<u64>>,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, scenario = None, count = 1024, *, seed = 1, threads = None, observe = true,
        masks = true, encoding = None, letters = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the constructor")]
    fn new(
        py: Python<'_>,
        game: &str,
        scenario: Option<&str>,
        count: usize,
        seed: u64,
        threads: Option<usize>,
        observe: bool,
        masks: bool,
        encoding: Option<&str>,
        letters: bool,
    ) -> PyResult<Batch> {
        if count == 0 {
            return Err(refuse("count: a batch needs at least one state"));
        }
        let (batch, name, scenario) = make_batch(game, scenario, encoding, letters, true)?;
        let layout = batch.layout().clone();
        let lengths = ArrayLengths::new(&layout, observe, masks);
        let threads = threads.unwrap_or_else(rayon::current_num_threads).max(1);
        let helpers = match threads {
            1 => None,
            several => {
                let pool = ThreadPoolBuilder::new().num_threads(several - 1).build();
                Some(Threads(pool.map_err(|error| refuse(format!("no threads: {error}")))?))
            }
        };
        let seats: &[usize] = if layout.seats == 1 { &[] } else { &[layout.seats] };
        let shape = |wanted: bool, of_one: &[usize]| {
            let first = if wanted { count } else { 0 };
            [&[first], of_one].concat()
        };
        let mask: Vec<usize> = [seats, &[layout.actions]].concat();
        let made = Batch {
            board: PyArrayDyn::zeros(py, shape(observe, &layout.board), false).unbind(),
            features: PyArrayDyn::zeros(py, shape(observe, &[layout.features.len()]), false)
                .unbind(),
            masks: PyArrayDyn::zeros(py, shape(masks, &mask), false).unbind(),
            rewards: PyArrayDyn::zeros(py, shape(true, seats), false).unbind(),
            scores: PyArrayDyn::zeros(py, shape(true, seats), false).unbind(),
            terminated: PyArray1::zeros(py, count, false).unbind(),
            truncated: PyArray1::zeros(py, count, false).unbind(),
            illegal: PyArray1::zeros(py, count, false).unbind(),
            seeds: PyArray1::zeros(py, count, false).unbind(),
            inner: Mutex::new(batch),
            layout,
            lengths,
            name,
            scenario,
            count,
            threads,
            helpers,
        };
        made.begin(py, &(0..count as u64).map(|n| seed.wrapping_add(n)).collect::<Vec<_>>())?;
        Ok(made)
    }

    /// The game's name.
    #[getter]
    fn game(&self) -> &str {
        self.name
    }

    /// The scenario, in its canonical text.
    #[getter]
    fn scenario(&self) -> &str {
        &self.scenario
    }

    /// The number of states.
    fn __len__(&self) -> usize {
        self.count
    }

    /// Threads that step.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// The form of actions and observations.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_layout(py, &self.layout)
    }

    /// The boards: a byte a cell.
    #[getter]
    fn board(&self, py: Python<'_>) -> Py<PyArrayDyn<u8>> {
        self.board.clone_ref(py)
    }

    /// The features: 32-bit whole numbers, named in the layout.
    #[getter]
    fn features(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.features.clone_ref(py)
    }

    /// Which actions each seat may take: 1 or 0.
    #[getter]
    fn masks(&self, py: Python<'_>) -> Py<PyArrayDyn<i8>> {
        self.masks.clone_ref(py)
    }

    /// What the last step was worth to each seat.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArrayDyn<f32>> {
        self.rewards.clone_ref(py)
    }

    /// The scores of the episode that ended last.
    #[getter]
    fn scores(&self, py: Python<'_>) -> Py<PyArrayDyn<f64>> {
        self.scores.clone_ref(py)
    }

    /// Whether the last step ended an episode.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.terminated.clone_ref(py)
    }

    /// Whether a limit cut the episode off on the last step.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.truncated.clone_ref(py)
    }

    /// Whether an illegal action ended the episode on the last step.
    #[getter]
    fn illegal(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.illegal.clone_ref(py)
    }

    /// The seed of each state's episode: the match that the workbench begins on that seed.
    #[getter]
    fn seeds(&self, py: Python<'_>) -> Py<PyArray1<u64>> {
        self.seeds.clone_ref(py)
    }

    /// Begins anew: with a seed, state n on seed + n; with a list, on these.
    #[pyo3(signature = (seed = None))]
    fn reset(&self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let from = |first: u64| (0..self.count as u64).map(|n| first.wrapping_add(n)).collect();
        let seeds: Vec<u64> = match seed {
            None => self.seeds.bind(py).to_vec()?,
            Some(one) if one.extract::<u64>().is_ok() => from(one.extract()?),
            Some(several) => several.extract()?,
        };
        if seeds.len() != self.count {
            return Err(refuse(format!("{} seeds for {} states", seeds.len(), self.count)));
        }
        self.begin(py, &seeds)
    }

    /// Plays a turn in every state: an action for each (state, seat), by number, in an array of
    /// 64- or 32-bit whole numbers or of bytes. What ended begins anew at once.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let long;
        let int;
        let byte;
        let numbers = if let Ok(array) = actions.cast::<PyArrayDyn<i64>>() {
            long = array.readonly();
            ActionNumbers::Long(contiguous(&long)?)
        } else if let Ok(array) = actions.cast::<PyArrayDyn<u8>>() {
            byte = array.readonly();
            ActionNumbers::Byte(contiguous(&byte)?)
        } else if let Ok(array) = actions.cast::<PyArrayDyn<i32>>() {
            int = array.readonly();
            ActionNumbers::Int(contiguous(&int)?)
        } else {
            return Err(PyTypeError::new_err(
                "actions: expected a NumPy array of int64, int32 or uint8",
            ));
        };
        let seats = self.layout.seats;
        if numbers.len() != self.count * seats {
            return Err(refuse(format!(
                "{} actions for {} states of {seats} seats",
                numbers.len(),
                self.count
            )));
        }
        if let Some((place, number)) = numbers.first_beyond(self.layout.actions) {
            return Err(refuse(format!(
                "state {}, seat {}: action {number}: expected 0 to {}",
                place / seats,
                place % seats,
                self.layout.actions - 1
            )));
        }
        self.work(py, |states, arrays, helpers| states.step(numbers, arrays, helpers))
    }

    /// A state as `ansi`, `svg` or `rgb_array`.
    #[pyo3(signature = (index = 0, mode = "ansi"))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        mode: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        if index >= self.count {
            return Err(PyIndexError::new_err(format!(
                "state {index}: the batch has states 0 to {}",
                self.count - 1
            )));
        }
        let scene = self.lock_batch().scene(index, None);
        picture::render(py, &scene, mode, &[], &[])
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} × {}:{}>", self.count, self.name, self.scenario)
    }
}

impl Batch {
    fn lock_batch(&self) -> MutexGuard<'_, Box<dyn AnyBatch>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, py: Python<'_>, seeds: &[u64]) -> PyResult<()> {
        self.work(py, |states, arrays, helpers| states.reset(seeds, arrays, helpers))
    }

    /// Works on the arrays without holding the interpreter.
    fn work(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyBatch, Arrays<'_>, Option<&dyn HelperThreads>) + Send,
    ) -> PyResult<()> {
        let mut board = self.board.bind(py).try_readwrite()?;
        let mut features = self.features.bind(py).try_readwrite()?;
        let mut masks = self.masks.bind(py).try_readwrite()?;
        let mut rewards = self.rewards.bind(py).try_readwrite()?;
        let mut scores = self.scores.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut illegal = self.illegal.bind(py).try_readwrite()?;
        let mut seeds = self.seeds.bind(py).try_readwrite()?;
        let arrays = Arrays {
            lengths: self.lengths,
            board: board.as_slice_mut()?,
            features: features.as_slice_mut()?,
            masks: masks.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            scores: scores.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            illegal: illegal.as_slice_mut()?,
            seeds: seeds.as_slice_mut()?,
        };
        py.detach(|| {
            let mut locked = self.lock_batch();
            work(
                locked.as_mut(),
                arrays,
                self.helpers.as_ref().map(|threads| threads as &dyn HelperThreads),
            );
        });
        Ok(())
    }
}

fn contiguous<'a, T: numpy::Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(refuse("actions: the array is not contiguous; numpy.ascontiguousarray helps"));
    }
    Ok(array.as_slice()?)
}
