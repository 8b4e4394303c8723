//! The shapes of what learners see, as described to Python.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_core::Layout;

/// Describes a layout to Python.
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

/// What one seat sees, as a separate array: a byte board as it is; words unpacked to one byte per
/// bit, with a row for each word and a column for each player.
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

/// A shape in Python's notation.
pub(super) fn describe_shape(shape: &[usize]) -> String {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    if sides.len() == 1 { format!("({},)", sides[0]) } else { format!("({})", sides.join(", ")) }
}
