//! The NumPy arrays of a batch: made once, written by every step. Users get views that they cannot
//! write to: a step rewrites only what has changed.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use quintain_batch::{ArrayLengths, Arrays};
use quintain_core::Layout;

use crate::catalog::refuse;

/// One array, and the view of it that users get.
pub(super) struct OutputArray<T> {
    written: Py<PyArrayDyn<T>>,
    shown: Py<PyArrayDyn<T>>,
}

impl<T: Element> OutputArray<T> {
    /// An array of zeros.
    fn new(py: Python<'_>, shape: Vec<usize>) -> PyResult<OutputArray<T>> {
        let written = PyArrayDyn::zeros(py, shape, false);
        let shown: Bound<'_, PyArrayDyn<T>> = written.call_method0("view")?.cast_into()?;
        shown.getattr("flags")?.setattr("writeable", false)?;
        Ok(OutputArray { written: written.unbind(), shown: shown.unbind() })
    }

    /// What users get: always the same object.
    pub(super) fn show(&self, py: Python<'_>) -> Py<PyArrayDyn<T>> {
        self.shown.clone_ref(py)
    }

    /// The array itself, which can be written.
    pub(super) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArrayDyn<T>> {
        self.written.bind(py)
    }
}

/// The arrays.
pub(super) struct OutputArrays {
    pub(super) lengths: ArrayLengths,
    pub(super) board: OutputArray<u8>,
    pub(super) features: OutputArray<i32>,
    pub(super) masks: OutputArray<i8>,
    pub(super) rewards: OutputArray<f32>,
    pub(super) scores: OutputArray<f64>,
    pub(super) terminated: OutputArray<bool>,
    pub(super) truncated: OutputArray<bool>,
    pub(super) illegal: OutputArray<bool>,
    pub(super) seeds: OutputArray<u64>,
}

/// The arrays, borrowed while they are written, so that nobody else writes them.
pub(super) struct BorrowedArrays<'py> {
    lengths: ArrayLengths,
    board: PyReadwriteArrayDyn<'py, u8>,
    features: PyReadwriteArrayDyn<'py, i32>,
    masks: PyReadwriteArrayDyn<'py, i8>,
    rewards: PyReadwriteArrayDyn<'py, f32>,
    scores: PyReadwriteArrayDyn<'py, f64>,
    terminated: PyReadwriteArrayDyn<'py, bool>,
    truncated: PyReadwriteArrayDyn<'py, bool>,
    illegal: PyReadwriteArrayDyn<'py, bool>,
    seeds: PyReadwriteArrayDyn<'py, u64>,
}

/// The shape of an array with a number for each state, and for each seat if there are several.
pub(super) fn shape_of_numbers(count: usize, layout: &Layout) -> Vec<usize> {
    match layout.learner_seats {
        1 => vec![count],
        seats => vec![count, seats],
    }
}

/// The number of bytes in the arrays per state.
pub(super) fn bytes_of_one(lengths: &ArrayLengths) -> usize {
    let ArrayLengths { board, features, masks, seats } = *lengths;
    let numbers = seats * (size_of::<f32>() + size_of::<f64>() + size_of::<i32>());
    board + size_of::<i32>() * features + masks + numbers + size_of::<u64>() + 3
}

/// The error if the arrays are being written.
pub(super) fn busy(_: numpy::BorrowError) -> PyErr {
    refuse("this batch is being stepped by another thread: give every thread a batch of its own")
}

impl OutputArrays {
    /// Makes the arrays of `count` states, all zero.
    pub(super) fn new(
        py: Python<'_>,
        count: usize,
        layout: &Layout,
        lengths: ArrayLengths,
    ) -> PyResult<OutputArrays> {
        let shape = |is_wanted: bool, of_one: &[usize]| {
            [&[if is_wanted { count } else { 0 }], of_one].concat()
        };
        let (is_seen, is_masked) = (lengths.board > 0, lengths.masks > 0);
        let numbers = shape_of_numbers(count, layout);
        let mask = [&numbers[1..], &[layout.actions]].concat();
        Ok(OutputArrays {
            lengths,
            board: OutputArray::new(py, shape(is_seen, &layout.board))?,
            features: OutputArray::new(py, shape(is_seen, &[layout.features.len()]))?,
            masks: OutputArray::new(py, shape(is_masked, &mask))?,
            rewards: OutputArray::new(py, numbers.clone())?,
            scores: OutputArray::new(py, numbers)?,
            terminated: OutputArray::new(py, vec![count])?,
            truncated: OutputArray::new(py, vec![count])?,
            illegal: OutputArray::new(py, vec![count])?,
            seeds: OutputArray::new(py, vec![count])?,
        })
    }

    /// The arrays that only steps write, with what a position does not tell.
    pub(super) fn of_steps<'py>(&self, py: Python<'py>) -> [Bound<'py, PyAny>; 5] {
        [
            self.rewards.bind(py).as_any().clone(),
            self.scores.bind(py).as_any().clone(),
            self.terminated.bind(py).as_any().clone(),
            self.truncated.bind(py).as_any().clone(),
            self.illegal.bind(py).as_any().clone(),
        ]
    }

    /// All arrays.
    pub(super) fn all<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let mut all = self.of_steps(py).to_vec();
        all.push(self.board.bind(py).as_any().clone());
        all.push(self.features.bind(py).as_any().clone());
        all.push(self.masks.bind(py).as_any().clone());
        all.push(self.seeds.bind(py).as_any().clone());
        all
    }

    /// Borrows all arrays to write to them.
    pub(super) fn borrow<'py>(&self, py: Python<'py>) -> PyResult<BorrowedArrays<'py>> {
        Ok(BorrowedArrays {
            lengths: self.lengths,
            board: self.board.bind(py).try_readwrite().map_err(busy)?,
            features: self.features.bind(py).try_readwrite().map_err(busy)?,
            masks: self.masks.bind(py).try_readwrite().map_err(busy)?,
            rewards: self.rewards.bind(py).try_readwrite().map_err(busy)?,
            scores: self.scores.bind(py).try_readwrite().map_err(busy)?,
            terminated: self.terminated.bind(py).try_readwrite().map_err(busy)?,
            truncated: self.truncated.bind(py).try_readwrite().map_err(busy)?,
            illegal: self.illegal.bind(py).try_readwrite().map_err(busy)?,
            seeds: self.seeds.bind(py).try_readwrite().map_err(busy)?,
        })
    }
}

impl BorrowedArrays<'_> {
    /// The arrays that a step writes to.
    pub(super) fn arrays(&mut self) -> PyResult<Arrays<'_>> {
        Ok(Arrays {
            lengths: self.lengths,
            board: self.board.as_slice_mut()?,
            features: self.features.as_slice_mut()?,
            masks: self.masks.as_slice_mut()?,
            rewards: self.rewards.as_slice_mut()?,
            scores: self.scores.as_slice_mut()?,
            terminated: self.terminated.as_slice_mut()?,
            truncated: self.truncated.as_slice_mut()?,
            illegal: self.illegal.as_slice_mut()?,
            seeds: self.seeds.as_slice_mut()?,
        })
    }
}
