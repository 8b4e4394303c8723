//! Thousands of states of one game, stepped by one call into NumPy arrays that are made once.
//! How a game reads as numbers is the game's own [`Encoding`](quintain_core::Encoding); no
//! game is named here.

mod sample;

use std::ffi::CString;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_core::{
    ActionNumbers, AnyBatch, ArrayLengths, Arrays, BatchOptions, HelperThreads, Layout,
    SavedEpisode,
};
use rayon::ThreadPoolBuilder;

use crate::catalog::{find_game, refuse};
use crate::picture;

/// How the states of a batch or of one environment are asked for.
pub(crate) struct Wanted<'a> {
    pub(crate) game: &'a str,
    pub(crate) scenario: Option<&'a str>,
    pub(crate) encoding: Option<&'a str>,
    pub(crate) letters: bool,
    pub(crate) opponents: Vec<String>,
    pub(crate) seat: Option<usize>,
    pub(crate) budget: &'a str,
    pub(crate) autoreset: bool,
}

/// States of a game by its name, none of them begun; the game's name and the scenario's
/// canonical text. With `autoreset`, an episode that ends is followed by the next at once.
pub(crate) fn make_batch(
    wanted: Wanted<'_>,
) -> PyResult<(Box<dyn AnyBatch>, &'static str, String)> {
    let (entry, scenario) = find_game(wanted.game, wanted.scenario)?;
    let encoding = match wanted.encoding {
        Some(_) if wanted.letters => {
            return Err(refuse("letters=True is encoding=\"letters\": give one of them"));
        }
        None if wanted.letters => Some("letters"),
        named => named,
    };
    let mut options = BatchOptions::default();
    options.encoding = encoding.map(str::to_owned);
    options.autoreset = wanted.autoreset;
    options.opponents = wanted.opponents;
    options.seat = wanted.seat;
    options.budget = wanted.budget.parse().map_err(refuse)?;
    let (batch, text) = entry.batch(&scenario, &options).map_err(refuse)?;
    Ok((batch, entry.name(), text))
}

/// The scenario of a state's episode, as `Game` takes it: with the instance that it plays.
pub(crate) fn scenario_of(scenario: &str, states: &dyn AnyBatch, index: usize) -> String {
    match states.instance(index) {
        None => scenario.to_owned(),
        Some((parameter, value)) => {
            let joined = if scenario.contains('?') { '&' } else { '?' };
            format!("{scenario}{joined}{parameter}={value}")
        }
    }
}

/// Says that all episodes begin alike, where they do.
pub(crate) fn warn_of_sameness(
    py: Python<'_>,
    states: &dyn AnyBatch,
    game: &str,
    scenario: &str,
) -> PyResult<()> {
    if states.depends_on_seed() {
        return Ok(());
    }
    let text = CString::new(format!(
        "{game}:{scenario}: nothing depends on the seed: every episode begins alike, and nothing \
         in it is left to chance. Game(\"{game}\").scenarios lists others"
    ))?;
    let category = py.import("quintain.warning")?.getattr("SeedWarning")?;
    PyErr::warn(py, &category, &text, 2)
}

/// How often this process has been forked off from another: threads do not come along.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Notes that this process has just been forked off.
#[pyfunction(name = "_note_fork")]
pub(crate) fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The most threads that one batch may have.
const MOST_THREADS: usize = 1024;

/// The memory that is free on this machine, where it is known.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
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
    fields.set_item("learner_seats", layout.learner_seats)?;
    fields.set_item("simultaneous", layout.is_simultaneous)?;
    fields.set_item("actions", layout.actions)?;
    fields.set_item("board", &layout.board)?;
    fields.set_item("values", layout.values)?;
    fields.set_item("words", layout.is_words)?;
    fields.set_item("seat_values", &layout.seat_values)?;
    fields.set_item("features", &layout.features)?;
    Ok(fields)
}

/// What a batch was made of.
#[derive(Clone)]
struct Made {
    threads: Option<usize>,
    observe: bool,
    masks: bool,
    encoding: Option<String>,
    opponent: Vec<String>,
    seat: Option<usize>,
    budget: String,
    autoreset: bool,
}

/// What one seat sees as an array of its own: a board as it is; words unpacked to a byte a bit,
/// a row for each word and a column for each player.
pub(crate) fn shape_board<'py>(
    py: Python<'py>,
    layout: &Layout,
    row: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    if !layout.is_words {
        let flat = PyArray1::from_slice(py, row);
        return Ok(flat.reshape([layout.board[0], layout.board[1]])?.into_any());
    }
    let (words, _) = row.as_chunks::<{ size_of::<u64>() }>();
    let bits = words.iter().flat_map(|word| {
        let word = u64::from_ne_bytes(*word);
        (0..layout.seats).map(move |player| (word >> player & 1) as u8)
    });
    let flat = PyArray1::from_vec(py, bits.collect());
    Ok(flat.reshape([words.len(), layout.seats])?.into_any())
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
    /// What it was made of besides game, scenario and count, for pickles.
    made: Made,
    /// The processes that its threads are in; see [`FORKS`].
    forks: u32,
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
    /// The actions drawn last, and where the numbers of the next ones begin.
    drawn: Py<PyArrayDyn<i32>>,
    draws: AtomicU64,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, scenario = None, count = 1024, *, seed = 1, threads = None, observe = true,
        masks = true, encoding = None, letters = false, opponent = None, seat = None, budget = "",
        autoreset = true
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
        opponent: Option<Players>,
        seat: Option<usize>,
        budget: &str,
        autoreset: bool,
    ) -> PyResult<Batch> {
        let opponents = opponent.map_or_else(Vec::new, Players::all);
        if count == 0 {
            return Err(refuse("count: a batch needs at least one state"));
        }
        if let Some(threads) = threads
            && !(1..=MOST_THREADS).contains(&threads)
        {
            return Err(refuse(format!("threads={threads}: expected 1 to {MOST_THREADS}")));
        }
        let made = Made {
            threads,
            observe,
            masks,
            encoding: if letters {
                Some("letters".to_owned())
            } else {
                encoding.map(str::to_owned)
            },
            opponent: opponents.clone(),
            seat,
            budget: budget.to_owned(),
            autoreset,
        };
        let wanted =
            Wanted { game, scenario, encoding, letters, opponents, seat, budget, autoreset };
        let (batch, name, scenario) = make_batch(wanted)?;
        warn_of_sameness(py, batch.as_ref(), name, &scenario)?;
        let layout = batch.layout().clone();
        let lengths = ArrayLengths::new(&layout, observe, masks);
        let ArrayLengths { board, features, masks: mask_bytes, seats: rewarded } = lengths;
        let of_one = (board + 4 * features + mask_bytes + 12 * rewarded + 11) as u64;
        let all = (count as u64).checked_mul(of_one);
        if free_memory().is_some_and(|free| all.is_none_or(|all| all > free)) {
            return Err(refuse(format!(
                "count={count}: the arrays of as many states of {name}:{scenario}, {of_one} bytes \
                 each, do not fit into the memory that is free"
            )));
        }
        let threads = threads.unwrap_or_else(rayon::current_num_threads).max(1);
        let helpers = match threads {
            1 => None,
            several => {
                let pool = ThreadPoolBuilder::new().num_threads(several - 1).build();
                Some(Threads(pool.map_err(|error| refuse(format!("no threads: {error}")))?))
            }
        };
        let seats: &[usize] = if layout.learner_seats == 1 { &[] } else { &[layout.learner_seats] };
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
            drawn: PyArrayDyn::zeros(py, shape(masks, seats), false).unbind(),
            draws: AtomicU64::new(sample::mix(seed)),
            inner: Mutex::new(batch),
            layout,
            lengths,
            name,
            scenario,
            count,
            threads,
            made,
            forks: FORKS.load(Ordering::Relaxed),
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

    /// Begins anew: with a seed, state n on seed + n; with a list, on these; without one, the
    /// next match of each state. With `which`, an array of truth values, only some states.
    #[pyo3(signature = (seed = None, which = None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        which: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let from = |first: u64| (0..self.count as u64).map(|n| first.wrapping_add(n)).collect();
        let seeds: Option<Vec<u64>> = match seed {
            None => None,
            Some(one) if one.extract::<u64>().is_ok() => Some(from(one.extract()?)),
            Some(several) => Some(several.extract()?),
        };
        if let Some(seeds) = &seeds
            && seeds.len() != self.count
        {
            return Err(refuse(format!("{} seeds for {} states", seeds.len(), self.count)));
        }
        let which = which.unwrap_or_else(|| vec![true; self.count]);
        if which.len() != self.count {
            return Err(refuse(format!("which: {} values for {} states", which.len(), self.count)));
        }
        self.work(py, |states, arrays, helpers| {
            states.reset_some(&which, seeds.as_deref(), arrays, helpers);
        })
    }

    /// The scenario of a state's episode, as `Game` takes it: with the instance that it plays,
    /// where every episode draws its own.
    #[pyo3(signature = (index = 0))]
    fn scenario_of(&self, index: usize) -> PyResult<String> {
        self.check_index(index)?;
        Ok(scenario_of(&self.scenario, self.lock_batch().as_ref(), index))
    }

    /// The seat that the learner has in each state, where others play against it.
    #[getter]
    fn learners(&self, py: Python<'_>) -> Option<Py<PyArray1<i64>>> {
        let states = self.lock_batch();
        let seats =
            (0..self.count).map(|index| states.learner(index).map(|seat| seat.index() as i64));
        let seats: Option<Vec<i64>> = seats.collect();
        drop(states);
        seats.map(|seats| PyArray1::from_vec(py, seats).unbind())
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
            let given = match actions.getattr("dtype") {
                Ok(dtype) => format!("an array of {dtype}"),
                Err(_) => actions.get_type().name()?.to_string(),
            };
            return Err(PyTypeError::new_err(format!(
                "actions: expected a NumPy array of int64, int32 or uint8, not {given}"
            )));
        };
        let seats = self.layout.learner_seats;
        let expected = if seats == 1 { vec![self.count] } else { vec![self.count, seats] };
        let shape: Vec<usize> = actions.getattr("shape")?.extract()?;
        if shape != expected {
            return Err(refuse(format!(
                "actions: expected an array of shape {}, not {}",
                describe_shape(&expected),
                describe_shape(&shape)
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

    /// Draws an action that the masks allow for every (state, seat), uniformly; 0 where there is
    /// none. The array is the same every time; the draws follow from the batch's first seed.
    fn sample(&self, py: Python<'_>) -> PyResult<Py<PyArrayDyn<i32>>> {
        if self.lengths.masks == 0 {
            return Err(refuse("masks=False: there are no masks to draw actions by"));
        }
        let masks = self.masks.bind(py).try_readonly().map_err(busy)?;
        let mut drawn = self.drawn.bind(py).try_readwrite().map_err(busy)?;
        let (masks, drawn) = (masks.as_slice()?, drawn.as_slice_mut()?);
        let first = self.draws.fetch_add(drawn.len() as u64, Ordering::Relaxed);
        py.detach(|| {
            let each = masks.chunks_exact(self.layout.actions).zip(drawn).zip(first..);
            for ((mask, out), number) in each {
                *out = sample::draw_allowed(mask, sample::mix(number)) as i32;
            }
        });
        Ok(self.drawn.clone_ref(py))
    }

    /// A state as `ansi`, `svg` or `rgb_array`.
    #[pyo3(signature = (index = 0, mode = "ansi"))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        mode: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_index(index)?;
        let scene = self.lock_batch().scene(index, None);
        picture::render(py, &scene, mode, &[], &[])
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} × {}:{}>", self.count, self.name, self.scenario)
    }

    /// A pickle has what the batch was made of, the actions of the episodes in progress, and
    /// what the last step came to.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, own) = (slf.py(), slf.get());
        let keywords = PyDict::new(py);
        let Made { threads, observe, masks, encoding, opponent, seat, budget, autoreset } =
            own.made.clone();
        keywords.set_item("threads", threads)?;
        keywords.set_item("observe", observe)?;
        keywords.set_item("masks", masks)?;
        keywords.set_item("encoding", encoding)?;
        if !opponent.is_empty() {
            keywords.set_item("opponent", opponent)?;
        }
        keywords.set_item("seat", seat)?;
        keywords.set_item("budget", budget)?;
        keywords.set_item("autoreset", autoreset)?;
        let saved: Vec<Saved> = own.lock_batch().save().into_iter().map(to_tuple).collect();
        let arrays = PyTuple::new(
            py,
            own.step_arrays(py)
                .iter()
                .map(|array| array.call_method0(py, "copy"))
                .collect::<PyResult<Vec<_>>>()?,
        )?;
        let kind = slf.get_type();
        let positional = (own.name, &own.scenario, own.count);
        let maker = py.import("functools")?.getattr("partial")?.call((kind,), Some(&keywords))?;
        (maker, positional, (saved, arrays)).into_pyobject(py)
    }

    fn __setstate__(
        &self,
        py: Python<'_>,
        state: (Vec<Saved>, Bound<'_, PyTuple>),
    ) -> PyResult<()> {
        let (saved, arrays) = state;
        let saved: Vec<SavedEpisode> = saved.into_iter().map(of_tuple).collect();
        if saved.len() != self.count {
            return Err(refuse(format!("{} episodes for {} states", saved.len(), self.count)));
        }
        let mut restored = Ok(());
        self.work(py, |states, arrays, _| restored = states.restore(&saved, arrays))?;
        restored.map_err(|index| refuse(format!("state {index}: its episode cannot be played")))?;
        let numpy = py.import("numpy")?;
        for (own, saved) in self.step_arrays(py).iter().zip(arrays.iter()) {
            numpy.call_method1("copyto", (own, saved))?;
        }
        Ok(())
    }
}

/// A saved episode as Python pickles it: the first seed, the episodes since, the seed, the actions.
pub(crate) type Saved = (u64, u64, u64, Vec<u8>);

pub(crate) fn to_tuple(saved: SavedEpisode) -> Saved {
    (saved.origin, saved.renewals, saved.seed, saved.actions)
}

pub(crate) fn of_tuple((origin, renewals, seed, actions): Saved) -> SavedEpisode {
    SavedEpisode { origin, renewals, seed, actions }
}

/// One player or several, in text.
#[derive(FromPyObject)]
pub(crate) enum Players {
    One(String),
    Several(Vec<String>),
}

impl Players {
    pub(crate) fn all(self) -> Vec<String> {
        match self {
            Players::One(player) => vec![player],
            Players::Several(players) => players,
        }
    }
}

/// A shape as Python writes it.
fn describe_shape(shape: &[usize]) -> String {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    if sides.len() == 1 { format!("({},)", sides[0]) } else { format!("({})", sides.join(", ")) }
}

impl Batch {
    /// The arrays that a step alone writes.
    fn step_arrays(&self, py: Python<'_>) -> [Py<PyAny>; 5] {
        [
            self.rewards.clone_ref(py).into_any(),
            self.scores.clone_ref(py).into_any(),
            self.terminated.clone_ref(py).into_any(),
            self.truncated.clone_ref(py).into_any(),
            self.illegal.clone_ref(py).into_any(),
        ]
    }

    fn check_index(&self, index: usize) -> PyResult<()> {
        if index < self.count {
            return Ok(());
        }
        let last = self.count - 1;
        Err(PyIndexError::new_err(format!("state {index}: the batch has states 0 to {last}")))
    }

    fn lock_batch(&self) -> MutexGuard<'_, Box<dyn AnyBatch>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The threads that help; none in a process that was forked off since: they stayed behind.
    fn helpers(&self) -> Option<&dyn HelperThreads> {
        let here = self.forks == FORKS.load(Ordering::Relaxed);
        self.helpers.as_ref().filter(|_| here).map(|threads| threads as &dyn HelperThreads)
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
        let mut board = self.board.bind(py).try_readwrite().map_err(busy)?;
        let mut features = self.features.bind(py).try_readwrite().map_err(busy)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(busy)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(busy)?;
        let mut scores = self.scores.bind(py).try_readwrite().map_err(busy)?;
        let mut terminated = self.terminated.bind(py).try_readwrite().map_err(busy)?;
        let mut truncated = self.truncated.bind(py).try_readwrite().map_err(busy)?;
        let mut illegal = self.illegal.bind(py).try_readwrite().map_err(busy)?;
        let mut seeds = self.seeds.bind(py).try_readwrite().map_err(busy)?;
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
            work(locked.as_mut(), arrays, self.helpers());
        });
        Ok(())
    }
}

/// The arrays are being written.
fn busy(_: numpy::BorrowError) -> PyErr {
    refuse("this batch is being stepped by another thread: give every thread a batch of its own")
}

fn contiguous<'a, T: numpy::Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(refuse("actions: the array is not contiguous; numpy.ascontiguousarray helps"));
    }
    Ok(array.as_slice()?)
}
