//! What one seat sees of each state, in arrays of its own.

use std::ops::Deref;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_batch::AnyBatch;
use quintain_core::{Layout, Seat, View};

/// The seat whose view is shown unless one is named: the learner's, or the one that moves.
fn usual_seat(states: &dyn AnyBatch, index: usize) -> Seat {
    states.learner(index).or_else(|| states.mover(index)).unwrap_or(Seat::new(0))
}

/// What a seat sees of each of `rows`. `seats` has the seat for every state of the batch.
pub(super) fn observe<'py, S: Deref<Target = Box<dyn AnyBatch>>>(
    py: Python<'py>,
    layout: &Layout,
    rows: &[usize],
    seats: Option<&[Seat]>,
    lock: impl Fn() -> S + Sync,
) -> PyResult<Bound<'py, PyDict>> {
    let of_one = match layout.learner_seats {
        1 => layout.clone(),
        _ => layout.clone().with_one_learner(),
    };
    let (cells, numbers, actions) = (of_one.board_len(), of_one.features.len(), of_one.actions);
    let mut board = vec![0_u8; rows.len() * cells];
    let mut features = vec![0_i32; rows.len() * numbers];
    let mut mask = vec![0_i8; rows.len() * actions];
    py.detach(|| {
        let states = lock();
        for (row, index) in rows.iter().copied().enumerate() {
            let seat = match seats {
                Some(seats) => seats[index],
                None => usual_seat(states.as_ref(), index),
            };
            let mut view = View {
                board: &mut board[row * cells..][..cells],
                features: &mut features[row * numbers..][..numbers],
            };
            states.write_seat(index, seat, &mut view, &mut mask[row * actions..][..actions]);
        }
    });
    let seen = PyDict::new(py);
    let shape = [&[rows.len()], of_one.board.as_slice()].concat();
    seen.set_item(intern!(py, "board"), PyArray1::from_vec(py, board).reshape(shape)?)?;
    let features = PyArray1::from_vec(py, features).reshape([rows.len(), numbers])?;
    seen.set_item(intern!(py, "features"), features)?;
    let mask = PyArray1::from_vec(py, mask).reshape([rows.len(), actions])?;
    seen.set_item(intern!(py, "action_mask"), mask)?;
    Ok(seen)
}
