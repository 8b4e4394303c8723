//! The NumPy arrays of a batch: made once, written by every step.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadwriteArray1, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use quintain_batch::{ArrayLengths, Arrays};
use quintain_core::Layout;

use crate::catalog::refuse;

/// The arrays.
pub(super) struct OutputArrays {
    pub(super) lengths: ArrayLengths,
    pub(super) board: Py<PyArrayDyn<u8>>,
    pub(super) features: Py<PyArrayDyn<i32>>,
    pub(super) masks: Py<PyArrayDyn<i8>>,
    pub(super) rewards: Py<PyArrayDyn<f32>>,
    pub(super) scores: Py<PyArrayDyn<f64>>,
    pub(super) terminated: Py<PyArray1<bool>>,
    pub(super) truncated: Py<PyArray1<bool>>,
    pub(super) illegal: Py<PyArray1<bool>>,
    pub(super) seeds: Py<PyArray1<u64>>,
}

/// The arrays, borrowed while they are written, so that nobody else writes them.
pub(super) struct BorrowedArrays<'py> {
    lengths: ArrayLengths,
    board: PyReadwriteArrayDyn<'py, u8>,
    features: PyReadwriteArrayDyn<'py, i32>,
    masks: PyReadwriteArrayDyn<'py, i8>,
    rewards: PyReadwriteArrayDyn<'py, f32>,
    scores: PyReadwriteArrayDyn<'py, f64>,
    terminated: PyReadwriteArray1<'py, bool>,
    truncated: PyReadwriteArray1<'py, bool>,
    illegal: PyReadwriteArray1<'py, bool>,
    seeds: PyReadwriteArray1<'py, u64>,
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
    ) -> OutputArrays {
        let shape = |is_wanted: bool, of_one: &[usize]| {
            [&[if is_wanted { count } else { 0 }], of_one].concat()
        };
        let (is_seen, is_masked) = (lengths.board > 0, lengths.masks > 0);
        let numbers = shape_of_numbers(count, layout);
        let mask = [&numbers[1..], &[layout.actions]].concat();
        OutputArrays {
            lengths,
            board: PyArrayDyn::zeros(py, shape(is_seen, &layout.board), false).unbind(),
            features: PyArrayDyn::zeros(py, shape(is_seen, &[layout.features.len()]), false)
                .unbind(),
            masks: PyArrayDyn::zeros(py, shape(is_masked, &mask), false).unbind(),
            rewards: PyArrayDyn::zeros(py, numbers.clone(), false).unbind(),
            scores: PyArrayDyn::zeros(py, numbers, false).unbind(),
            terminated: PyArray1::zeros(py, count, false).unbind(),
            truncated: PyArray1::zeros(py, count, false).unbind(),
            illegal: PyArray1::zeros(py, count, false).unbind(),
            seeds: PyArray1::zeros(py, count, false).unbind(),
        }
    }

    /// The arrays that only steps write, with what a position does not tell.
    pub(super) fn of_steps(&self, py: Python<'_>) -> [Py<PyAny>; 5] {
        [
            self.rewards.clone_ref(py).into_any(),
            self.scores.clone_ref(py).into_any(),
            self.terminated.clone_ref(py).into_any(),
            self.truncated.clone_ref(py).into_any(),
            self.illegal.clone_ref(py).into_any(),
        ]
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
