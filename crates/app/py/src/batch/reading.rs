//! The input that Python passes to a batch in arrays and lists: actions, and the seeds of episodes.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quintain_batch::ActionNumbers;
use quintain_core::Layout;

use super::arrays::shape_of_numbers;
use super::shapes::describe_shape;
use crate::arguments::whole;
use crate::catalog::refuse;

/// Actions in place, while nobody writes to them.
pub(super) enum Actions<'py> {
    Long(PyReadonlyArrayDyn<'py, i64>),
    Int(PyReadonlyArrayDyn<'py, i32>),
    Byte(PyReadonlyArrayDyn<'py, u8>),
}

impl<'py> Actions<'py> {
    pub(super) fn of(actions: &Bound<'py, PyAny>) -> PyResult<Actions<'py>> {
        if let Ok(array) = actions.cast::<PyArrayDyn<i64>>() {
            return Ok(Actions::Long(array.readonly()));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<u8>>() {
            return Ok(Actions::Byte(array.readonly()));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<i32>>() {
            return Ok(Actions::Int(array.readonly()));
        }
        let given = match actions.getattr("dtype") {
            Ok(dtype) => format!("an array of {dtype}"),
            Err(_) => actions.get_type().name()?.to_string(),
        };
        Err(PyTypeError::new_err(format!(
            "actions: expected a NumPy array of int64, int32 or uint8, not {given}"
        )))
    }

    /// The numbers, if there is one for each (state, seat) and all are below the layout's
    /// `actions`.
    pub(super) fn numbers(&self, count: usize, layout: &Layout) -> PyResult<ActionNumbers<'_>> {
        let (numbers, shape) = match self {
            Actions::Long(array) => (ActionNumbers::Long(contiguous(array)?), array.shape()),
            Actions::Int(array) => (ActionNumbers::Int(contiguous(array)?), array.shape()),
            Actions::Byte(array) => (ActionNumbers::Byte(contiguous(array)?), array.shape()),
        };
        let expected = shape_of_numbers(count, layout);
        if shape != expected {
            return Err(refuse(format!(
                "actions: expected an array of shape {}, not {}",
                describe_shape(&expected),
                describe_shape(shape)
            )));
        }
        if let Some((place, number)) = numbers.first_beyond(layout.actions) {
            let seats = layout.learner_seats;
            return Err(refuse(format!(
                "state {}, seat {}: action {number}: expected 0 to {}",
                place / seats,
                place % seats,
                layout.actions - 1
            )));
        }
        Ok(numbers)
    }
}

fn contiguous<'a, T: numpy::Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(refuse("actions: the array is not contiguous; numpy.ascontiguousarray helps"));
    }
    Ok(array.as_slice()?)
}

/// The seeds of `count` states, counting up from the first.
pub(super) fn seeds_from(first: u64, count: usize) -> Vec<u64> {
    (0..count as u64).map(|n| first.wrapping_add(n)).collect()
}

/// The seeds of a reset: from one number, or from a list with one for each state.
pub(super) fn seeds_of(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<u64>> {
    if given.hasattr("__len__")? && given.len().is_ok() {
        let seeds = match given.extract::<Vec<u64>>() {
            Ok(seeds) => seeds,
            // Slower, but says what is wrong.
            Err(_) => {
                let each = given.try_iter()?.enumerate();
                let read = |(n, one): (usize, PyResult<Bound<'_, PyAny>>)| {
                    whole(&format!("seed[{n}]"), &one?, 0..=u64::MAX)
                };
                each.map(read).collect::<PyResult<_>>()?
            }
        };
        if seeds.len() != count {
            return Err(refuse(format!("{} seeds for {count} states", seeds.len())));
        }
        return Ok(seeds);
    }
    Ok(seeds_from(whole("seed", given, 0..=u64::MAX)?, count))
}
