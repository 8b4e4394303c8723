//! The input that Python passes to a batch in arrays and lists: actions, and the seeds of episodes.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quintain_batch::ActionNumbers;
use quintain_core::{Layout, Seat};

use super::arrays::shape_of_numbers;
use super::shapes::describe_shape;
use crate::arguments::whole;
use crate::catalog::refuse;

/// Actions in place, while nobody writes to them.
pub(super) enum Actions<'py> {
    Long(PyReadonlyArrayDyn<'py, i64>),
    Int(PyReadonlyArrayDyn<'py, i32>),
    Byte(PyReadonlyArrayDyn<'py, u8>),
    /// One number for each state, repeated for each seat.
    Repeated(Vec<i64>),
}

impl<'py> Actions<'py> {
    /// Reads a NumPy array, or what NumPy can see as one, such as a tensor.
    pub(super) fn of(
        actions: &Bound<'py, PyAny>,
        count: usize,
        layout: &Layout,
    ) -> PyResult<Actions<'py>> {
        let read = match Actions::of_array(actions) {
            Some(read) => read,
            None => Actions::of_array(&as_array(actions)?).ok_or_else(|| wrong_kind(actions))?,
        };
        Ok(read.repeated(count, layout))
    }

    fn of_array(actions: &Bound<'py, PyAny>) -> Option<Actions<'py>> {
        if let Ok(array) = actions.cast::<PyArrayDyn<i64>>() {
            return Some(Actions::Long(array.readonly()));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<u8>>() {
            return Some(Actions::Byte(array.readonly()));
        }
        let array = actions.cast::<PyArrayDyn<i32>>().ok()?;
        Some(Actions::Int(array.readonly()))
    }

    /// Where seats move one after another, one number for each state is enough.
    fn repeated(self, count: usize, layout: &Layout) -> Actions<'py> {
        fn repeat<T: numpy::Element + Copy + Into<i64>>(
            array: &PyReadonlyArrayDyn<'_, T>,
            seats: usize,
        ) -> Vec<i64> {
            let numbers = array.as_array();
            numbers.iter().flat_map(|n| std::iter::repeat_n((*n).into(), seats)).collect()
        }
        let seats = layout.learner_seats;
        if layout.is_simultaneous || seats == 1 || self.shape() != [count] {
            return self;
        }
        Actions::Repeated(match &self {
            Actions::Long(array) => repeat(array, seats),
            Actions::Int(array) => repeat(array, seats),
            Actions::Byte(array) => repeat(array, seats),
            Actions::Repeated(_) => return self,
        })
    }

    fn shape(&self) -> &[usize] {
        match self {
            Actions::Long(array) => array.shape(),
            Actions::Int(array) => array.shape(),
            Actions::Byte(array) => array.shape(),
            Actions::Repeated(_) => &[],
        }
    }

    /// The numbers, if there is one for each (state, seat) and all are below the layout's
    /// `actions`.
    pub(super) fn numbers(&self, count: usize, layout: &Layout) -> PyResult<ActionNumbers<'_>> {
        let numbers = match self {
            Actions::Long(array) => ActionNumbers::Long(contiguous(array)?),
            Actions::Int(array) => ActionNumbers::Int(contiguous(array)?),
            Actions::Byte(array) => ActionNumbers::Byte(contiguous(array)?),
            Actions::Repeated(numbers) => ActionNumbers::Long(numbers),
        };
        let (expected, shape) = (shape_of_numbers(count, layout), self.shape());
        if shape != expected && !matches!(self, Actions::Repeated(_)) {
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

/// The error for what is no array of actions.
fn wrong_kind(actions: &Bound<'_, PyAny>) -> PyErr {
    let given = match actions.getattr("dtype") {
        Ok(dtype) => format!("an array of {dtype}"),
        Err(_) => actions.get_type().to_string(),
    };
    let given = given.trim_start_matches("<class '").trim_end_matches("'>");
    PyTypeError::new_err(format!(
        "actions: expected a NumPy array of int64, int32 or uint8, not {given}"
    ))
}

/// What NumPy sees of an object that shows itself as an array (a tensor of PyTorch, an array of
/// JAX).
fn as_array<'py>(actions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !actions.hasattr("__array__")? {
        return Err(wrong_kind(actions));
    }
    actions.py().import("numpy")?.call_method1("asarray", (actions,))
}

/// Whole numbers from 0 to `most`, in an array or a list.
fn numbers_of(name: &str, given: &Bound<'_, PyAny>, most: usize) -> PyResult<Vec<usize>> {
    if let Ok(array) = given.cast::<PyArray1<i64>>() {
        let numbers = array.readonly();
        let within = |number: &i64| usize::try_from(*number).ok().filter(|number| *number <= most);
        if let Some(read) = numbers.as_array().iter().map(within).collect() {
            return Ok(read);
        }
    }
    // Slower, but says what is wrong.
    let each = given
        .try_iter()
        .map_err(|_| PyTypeError::new_err(format!("{name}: expected an array of whole numbers")))?;
    let read = |(n, one): (usize, PyResult<Bound<'_, PyAny>>)| {
        whole(&format!("{name}[{n}]"), &one?, 0..=most as u64)
    };
    each.enumerate().map(read).collect()
}

/// The indices of states.
pub(super) fn states_of(
    name: &str,
    given: &Bound<'_, PyAny>,
    count: usize,
) -> PyResult<Vec<usize>> {
    numbers_of(name, given, count - 1)
}

/// A seat for each state.
pub(super) fn seats_of(
    given: &Bound<'_, PyAny>,
    count: usize,
    seats: usize,
) -> PyResult<Vec<Seat>> {
    let numbers = numbers_of("seats", given, seats - 1)?;
    if numbers.len() != count {
        return Err(refuse(format!("seats: {} values for {count} states", numbers.len())));
    }
    Ok(numbers.into_iter().map(Seat::new).collect())
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
