//! Thousands of states of one game, stepped by one call into NumPy arrays that are made once. The
//! game's own [`Encoding`](quintain_core::Encoding) turns it into numbers; no game is named here.
//!
//! | | |
//! |---|---|
//! | [`making`] | a game's states by its name and its options |
//! | [`arrays`] | the NumPy arrays |
//! | [`observing`] | what one seat sees of each state |
//! | [`reading`] | actions and seeds that Python gives |
//! | [`searching`] | searches whose positions a Python function evaluates |
//! | [`shapes`] | the shapes of what learners see |
//! | [`saving`] | what a pickle consists of |
//! | [`threads`] | who steps |
//! | [`helpers`] | threads that stay awake between two steps |

mod arrays;
mod helpers;
mod making;
mod observing;
mod reading;
mod saving;
mod searching;
mod shapes;
mod threads;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_batch::{AnyBatch, ArrayLengths, Arrays, HelperThreads, draw_actions};
use quintain_core::{Layout, Seat, split_mix};

use self::arrays::{OutputArrays, busy, bytes_of_one, shape_of_numbers};
use self::observing::observe;
use self::reading::{Actions, seats_of, seeds_from, seeds_of, states_of};
use self::saving::{BatchProgress, BatchSettings};
use self::threads::Threads;
use crate::arguments;
use crate::catalog::refuse;
use crate::interrupt::InterruptPacer;
use crate::memory::{self, Room};
use crate::picture;

pub(crate) use self::making::{
    make_batch, optional_opponent, options_of, scenario_of, warn_of_sameness,
};
pub(crate) use self::saving::{PickledEpisode, of_tuple, to_tuple};
pub(crate) use self::shapes::{describe_layout, shape_board};
pub(crate) use self::threads::note_fork;

/// The number of states that are begun before their size is measured; doubled each time after that.
const FIRST_PART: usize = 16;
/// The most states that are begun at once.
const MAX_OF_A_PART: usize = 4096;

/// Many states of a game. Every step writes into the same arrays, so copy what you want to keep.
/// The arrays cannot be written to.
#[pyclass(module = "quintain", frozen, subclass)]
pub(crate) struct Batch {
    states: Mutex<Box<dyn AnyBatch>>,
    layout: Layout,
    name: &'static str,
    scenario: String,
    count: usize,
    threads: Threads,
    /// What it was made of besides game, scenario and count, for pickles.
    made: BatchSettings,
    written: OutputArrays,
    /// The actions drawn last, and where the numbers of the next ones begin.
    drawn: Py<PyArrayDyn<i32>>,
    draws: AtomicU64,
    /// Has the states give up what they do, when it is set.
    stop: Arc<AtomicBool>,
    pace: InterruptPacer,
    /// Some states have taken a step that others have not.
    is_torn: AtomicBool,
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
        #[pyo3(from_py_with = arguments::game)] game: &str,
        #[pyo3(from_py_with = arguments::optional_scenario)] scenario: Option<&str>,
        #[pyo3(from_py_with = arguments::count)] count: usize,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::optional_threads)] threads: Option<usize>,
        #[pyo3(from_py_with = arguments::observe)] observe: bool,
        #[pyo3(from_py_with = arguments::masks)] masks: bool,
        #[pyo3(from_py_with = arguments::optional_encoding)] encoding: Option<&str>,
        #[pyo3(from_py_with = arguments::letters)] letters: bool,
        #[pyo3(from_py_with = optional_opponent)] opponent: Option<Vec<String>>,
        #[pyo3(from_py_with = arguments::optional_seat)] seat: Option<usize>,
        #[pyo3(from_py_with = arguments::budget)] budget: &str,
        #[pyo3(from_py_with = arguments::autoreset)] autoreset: bool,
    ) -> PyResult<Batch> {
        let stop: Arc<AtomicBool> = Arc::default();
        let mut options = options_of(encoding, letters, opponent, seat, budget)?;
        options.autoreset = autoreset;
        options.stop = Some(Arc::clone(&stop));
        let (states, name, scenario) = make_batch(game, scenario, &options)?;
        warn_of_sameness(py, states.as_ref(), name, &scenario)?;
        let layout = states.layout().clone();
        let lengths = ArrayLengths::new(&layout, observe, masks);
        let all = (count as u64).checked_mul(bytes_of_one(&lengths) as u64);
        if memory::free().is_some_and(|free| all.is_none_or(|all| all > free)) {
            return Err(too_many(count, name, &scenario, bytes_of_one(&lengths) as u64));
        }
        let drawn = if masks { shape_of_numbers(count, &layout) } else { vec![0] };
        let made = Batch {
            written: OutputArrays::new(py, count, &layout, lengths)?,
            drawn: PyArrayDyn::zeros(py, drawn, false).unbind(),
            draws: AtomicU64::new(split_mix(seed.wrapping_add(1))),
            states: Mutex::new(states),
            layout,
            name,
            scenario,
            count,
            threads: Threads::start(threads)?,
            made: BatchSettings { threads, observe, masks, options },
            stop,
            pace: InterruptPacer::default(),
            is_torn: AtomicBool::new(false),
        };
        made.begin(py, &seeds_from(seed, count), Room::measure())?;
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

    /// The number of threads that step.
    #[getter]
    fn threads(&self) -> usize {
        self.threads.count
    }

    /// The form of actions and observations.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_layout(py, &self.layout)
    }

    /// The boards: one byte for each cell.
    #[getter]
    fn board(&self, py: Python<'_>) -> Py<PyArrayDyn<u8>> {
        self.written.board.show(py)
    }

    /// The features: 32-bit whole numbers, named in the layout.
    #[getter]
    fn features(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.written.features.show(py)
    }

    /// Which actions each seat may take: 1 or 0.
    #[getter]
    fn masks(&self, py: Python<'_>) -> Py<PyArrayDyn<i8>> {
        self.written.masks.show(py)
    }

    /// The reward of each seat for the last step.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArrayDyn<f32>> {
        self.written.rewards.show(py)
    }

    /// The scores of the episode that ended last.
    #[getter]
    fn scores(&self, py: Python<'_>) -> Py<PyArrayDyn<f64>> {
        self.written.scores.show(py)
    }

    /// Whether the last step ended an episode.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyArrayDyn<bool>> {
        self.written.terminated.show(py)
    }

    /// Whether a limit cut the episode off on the last step.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyArrayDyn<bool>> {
        self.written.truncated.show(py)
    }

    /// Whether an illegal action ended the episode on the last step.
    #[getter]
    fn illegal(&self, py: Python<'_>) -> Py<PyArrayDyn<bool>> {
        self.written.illegal.show(py)
    }

    /// The seed of each state's episode. The workbench begins the same match with this seed.
    #[getter]
    fn seeds(&self, py: Python<'_>) -> Py<PyArrayDyn<u64>> {
        self.written.seeds.show(py)
    }

    /// Starts over: with a seed, state n uses seed + n; with a list, each state uses its own;
    /// without one, each state begins its next match. With `which`, an array of booleans, only the
    /// states that it marks start over. If a match is over before a learner's first turn, its state
    /// goes on to the next one.
    #[pyo3(signature = (seed = None, which = None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::optional_which)] which: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let seeds = seed.map(|seed| seeds_of(seed, self.count)).transpose()?;
        let which = match (seeds, which) {
            (Some(seeds), None) => return self.begin(py, &seeds, None),
            (seeds, which) => (seeds, which.unwrap_or_else(|| vec![true; self.count])),
        };
        let (seeds, which) = which;
        self.check_which(Some(&which))?;
        self.check_whole()?;
        self.work(py, |states, arrays, helpers| {
            states.reset_some(&which, seeds.as_deref(), arrays, helpers).map_err(refuse)
        })
    }

    /// Returns the scenario of a state's episode, as `Game` takes it, with the instance that it
    /// plays if every episode draws its own.
    #[pyo3(signature = (index = None))]
    fn scenario_of(&self, index: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let index = self.index(index)?;
        Ok(scenario_of(&self.scenario, self.lock().as_ref(), index))
    }

    /// The learner's seat in each state, if it plays against others.
    #[getter]
    fn learners(&self, py: Python<'_>) -> PyResult<Option<Py<PyArray1<i64>>>> {
        self.check_whole()?;
        let states = self.lock();
        let seats =
            (0..self.count).map(|index| states.learner(index).map(|seat| seat.index() as i64));
        let seats: Option<Vec<i64>> = seats.collect();
        drop(states);
        Ok(seats.map(|seats| PyArray1::from_vec(py, seats).unbind()))
    }

    /// Plays a turn in every state, given the number of an action for each (state, seat), in an
    /// array of 64- or 32-bit integers or of bytes. Where seats move one after another, one number
    /// for each state is enough. With `which`, an array of booleans, only the states that it marks
    /// take a turn. With `autoreset`, an episode that ends is followed by the next one at once.
    #[pyo3(signature = (actions, which = None))]
    fn step(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::optional_which)] which: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let actions = Actions::of(actions, self.count, &self.layout)?;
        let numbers = actions.numbers(self.count, &self.layout)?;
        self.check_which(which.as_deref())?;
        self.check_whole()?;
        self.work(py, |states, arrays, helpers| {
            let stepped = match &which {
                Some(which) => states.step_some(which, numbers, arrays, helpers),
                None => states.step(numbers, arrays, helpers),
            };
            stepped.map_err(refuse)
        })
    }

    /// Makes the states `targets` copies of the states `sources`, in pairs, as
    /// `array[targets] = array[sources]` does: position, chance, the seeds of the next episodes,
    /// and the rows of all arrays. The states then go on independently.
    fn copy_states(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.check_whole()?;
        if !self.made.options.opponents.is_empty() {
            return Err(refuse(
                "states with opponents cannot be copied: what their players remember has no copy",
            ));
        }
        let (from, to) = (
            states_of("sources", sources, self.count)?,
            states_of("targets", targets, self.count)?,
        );
        if from.len() != to.len() {
            return Err(refuse(format!("{} sources for {} targets", from.len(), to.len())));
        }
        self.work(py, |states, _, _| {
            states.copy_states(&from, &to);
            Ok(())
        })?;
        let index = |states: Vec<usize>| {
            PyArray1::from_vec(py, states.into_iter().map(|state| state as i64).collect())
        };
        let (from, to) = (index(from), index(to));
        for array in self.written.all(py) {
            if array.len()? == self.count {
                array.set_item(&to, array.get_item(&from)?)?;
            }
        }
        Ok(())
    }

    /// Returns what a seat sees of each state, in arrays of its own: `board`, `features` and
    /// `action_mask`, as an environment for that seat shows them. `seats` is one seat for each
    /// state; by default the one that moves, or the learner. With `states`, an array of indices,
    /// the rows are those of these states.
    #[pyo3(signature = (seats = None, states = None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        seats: Option<&Bound<'py, PyAny>>,
        states: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.check_whole()?;
        let rows = match states {
            Some(states) => states_of("states", states, self.count)?,
            None => (0..self.count).collect(),
        };
        let seats =
            seats.map(|seats| seats_of(seats, self.count, self.layout.seats)).transpose()?;
        if seats.is_none() && self.layout.learner_seats > 1 && self.layout.is_simultaneous {
            return Err(refuse(
                "seats: several seats move at once; give the one whose view is wanted, for each \
                 state",
            ));
        }
        observe(py, &self.layout, &rows, seats.as_deref(), || self.lock())
    }

    /// Searches every state by PUCT and returns what was found for the seat that moves, or for
    /// every seat where several move at once: `policy`, `value`, `action`, and how many positions
    /// were `evaluated`. `evaluate` gets the arrays of many positions (`board`, `features`,
    /// `action_mask`) and returns logits of all actions and a value for each.
    #[pyo3(signature = (
        evaluate, simulations = 64, *, leaves = 1, root = "gumbel", considered = 16,
        exploration = None, noise = None, seed = 1
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the search")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        evaluate: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = arguments::simulations)] simulations: u64,
        #[pyo3(from_py_with = arguments::leaves)] leaves: u32,
        #[pyo3(from_py_with = arguments::root)] root: &str,
        #[pyo3(from_py_with = arguments::considered)] considered: u32,
        #[pyo3(from_py_with = arguments::optional_exploration)] exploration: Option<f64>,
        #[pyo3(from_py_with = arguments::optional_noise)] noise: Option<f64>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.check_whole()?;
        let options =
            searching::options_of(simulations, leaves, root, considered, exploration, noise)?;
        // The searches have states of their own, so that `evaluate` may use the batch.
        let (searches, movers) = {
            let states = self.lock();
            let mover = |index| states.mover(index).map_or(0, Seat::index);
            let searches = states.search(&options, seed).map_err(refuse)?;
            (searches, (0..self.count).map(mover).collect::<Vec<_>>())
        };
        let found = searching::run(py, &self.layout, searches, evaluate)?;
        searching::describe(py, &self.layout, &movers, found)
    }

    /// The seat that moves in each state; −1 where the episode is over or seats move at once.
    #[getter]
    fn current_player<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.each(py, |states, index| number_of(states.mover(index)))
    }

    /// The seat whose illegal action ended the episode on the last step; −1 where none did.
    #[getter]
    fn offenders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.each(py, |states, index| number_of(states.offender(index)))
    }

    /// Returns whether one seat of each state is still in the game, and its score so far.
    fn standing<'py>(&self, py: Python<'py>, seats: &Bound<'py, PyAny>) -> PyResult<Standing<'py>> {
        let seats = seats_of(seats, self.count, self.layout.seats)?;
        let alive = self.each(py, |states, index| states.is_alive(index, seats[index]))?;
        Ok((alive, self.each(py, |states, index| states.score(index, seats[index]))?))
    }

    /// Draws an action that the masks allow for every (state, seat), uniformly; 0 if there is none.
    /// Every call returns the same array, of 32-bit numbers; the batch's first seed determines the
    /// draws.
    fn sample(&self, py: Python<'_>) -> PyResult<Py<PyArrayDyn<i32>>> {
        if !self.made.masks {
            return Err(refuse("masks=False: there are no masks to draw actions by"));
        }
        let masks = self.written.masks.bind(py).try_readonly().map_err(busy)?;
        let mut drawn = self.drawn.bind(py).try_readwrite().map_err(busy)?;
        let (masks, drawn) = (masks.as_slice()?, drawn.as_slice_mut()?);
        let first = self.draws.fetch_add(drawn.len() as u64, Ordering::Relaxed);
        py.detach(|| draw_actions(masks, self.layout.actions, first, drawn));
        Ok(self.drawn.clone_ref(py))
    }

    /// Returns a state as `ansi`, `svg` or `rgb_array`.
    #[pyo3(signature = (index = None, mode = "ansi"))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        index: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::mode)] mode: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let index = self.index(index)?;
        let scene = self.lock().scene(index, None);
        picture::render(py, &scene, mode, &[], &[])
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} × {}:{}>", self.count, self.name, self.scenario)
    }

    /// A pickle has what the batch was made of, the actions of the episodes in progress, what the
    /// last step came to, and where its random draws go on.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, own) = (slf.py(), slf.get());
        own.check_whole()?;
        let arrays = own.written.of_steps(py);
        let arrays = arrays.iter().map(|array| array.call_method0("copy"));
        let progress = BatchProgress {
            episodes: own.lock().save(),
            arrays: PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)?,
            draws: Some(own.draws.load(Ordering::Relaxed)),
        };
        let keywords = own.made.keywords(py)?;
        let maker = py.import("functools")?.getattr("partial")?;
        let maker = maker.call((slf.get_type(),), Some(&keywords))?;
        let positional = (own.name, &own.scenario, own.count);
        (maker, positional, progress.into_python(py)?).into_pyobject(py)
    }

    fn __setstate__(&self, py: Python<'_>, state: &Bound<'_, PyTuple>) -> PyResult<()> {
        let BatchProgress { episodes, arrays, draws } = BatchProgress::of_python(state)?;
        if episodes.len() != self.count {
            return Err(refuse(format!("{} episodes for {} states", episodes.len(), self.count)));
        }
        self.work(py, |states, arrays, helpers| {
            states.restore(&episodes, arrays, helpers).map_err(refuse)
        })?;
        let numpy = py.import("numpy")?;
        for (own, saved) in self.written.of_steps(py).iter().zip(arrays.iter()) {
            numpy.call_method1("copyto", (own, saved))?;
        }
        if let Some(draws) = draws {
            self.draws.store(draws, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Whether a seat of each state is still in the game, and its score.
type Standing<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<f64>>);

/// The number of a seat for NumPy.
fn number_of(seat: Option<Seat>) -> i64 {
    seat.map_or(-1, |seat| seat.index() as i64)
}

/// The error if this many states do not fit.
fn too_many(count: usize, name: &str, scenario: &str, each: u64) -> PyErr {
    refuse(format!(
        "count={count}: that many states of {name}:{scenario}, {each} bytes each, do not fit into \
         the free memory"
    ))
}

impl Batch {
    /// The index of a state; 0 if none is given.
    fn index(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        self.check_whole()?;
        let Some(given) = given else { return Ok(0) };
        match given.extract::<usize>() {
            Ok(index) if index < self.count => Ok(index),
            _ => {
                let last = self.count - 1;
                let given = given.repr()?;
                Err(PyIndexError::new_err(format!(
                    "state {given}: the batch has states 0 to {last}"
                )))
            }
        }
    }

    /// Fails unless there is a value for each state.
    fn check_which(&self, which: Option<&[bool]>) -> PyResult<()> {
        match which {
            Some(which) if which.len() != self.count => {
                Err(refuse(format!("which: {} values for {} states", which.len(), self.count)))
            }
            _ => Ok(()),
        }
    }

    /// An array with a value of each state.
    fn each<'py, T: numpy::Element + Send>(
        &self,
        py: Python<'py>,
        value: impl Fn(&dyn AnyBatch, usize) -> T + Sync,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        self.check_whole()?;
        let values: Vec<T> = py.detach(|| {
            let states = self.lock();
            (0..self.count).map(|index| value(states.as_ref(), index)).collect()
        });
        Ok(PyArray1::from_vec(py, values))
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn AnyBatch>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restarts every state on its seed. If `room` is given, fails once the states turn out not
    /// to fit.
    fn begin(&self, py: Python<'_>, seeds: &[u64], room: Option<Room>) -> PyResult<()> {
        self.work(py, |states, mut arrays, helpers| {
            let (mut begun, mut part) = (0, FIRST_PART);
            while begun < seeds.len() {
                let end = seeds.len().min(begun + part);
                let (seeds, arrays) = (&seeds[begun..end], arrays.take(end - begun));
                let done = match begun {
                    0 => states.reset(seeds, arrays, helpers),
                    _ => states.extend(seeds, arrays, helpers),
                };
                done.map_err(refuse)?;
                (begun, part) = (end, MAX_OF_A_PART.min(2 * part));
                if let Some(Err(each)) = room.as_ref().map(|room| room.check(begun, self.count)) {
                    return Err(too_many(self.count, self.name, &self.scenario, each));
                }
            }
            Ok(())
        })
    }

    /// Fails unless all states have taken the same steps.
    fn check_whole(&self) -> PyResult<()> {
        if self.is_torn.load(Ordering::Relaxed) {
            return Err(refuse("a step was interrupted or failed; reset(seed=…) starts over"));
        }
        Ok(())
    }

    /// Works on the arrays without holding the interpreter, until a signal raises an exception.
    fn work(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyBatch, Arrays<'_>, Option<&dyn HelperThreads>) -> PyResult<()>
        + Send,
    ) -> PyResult<()> {
        let mut borrowed = self.written.borrow(py)?;
        let arrays = borrowed.arrays()?;
        self.stop.store(false, Ordering::Relaxed);
        let done = self
            .pace
            .run(py, &self.stop, || work(self.lock().as_mut(), arrays, self.threads.helpers()));
        let done = done.and_then(|done| done);
        self.is_torn.store(done.is_err(), Ordering::Relaxed);
        done
    }
}
