//! PUCT on all states of a batch, with positions that a Python function evaluates.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_batch::{Positions, SearchResults, Searches};
use quintain_core::Layout;
use quintain_search::puct::{Options, Root};

use super::shapes::describe_shape;
use crate::catalog::refuse;

/// The options of a search from what Python gives; the others are the usual ones.
pub(super) fn options_of(
    simulations: u64,
    leaves: u32,
    root: &str,
    considered: u32,
    exploration: Option<f64>,
    noise: Option<f64>,
) -> PyResult<Options> {
    let root = match root {
        "gumbel" => Root::Gumbel,
        "puct" => Root::Puct,
        _ => return Err(refuse(format!("root={root:?}: expected “gumbel” or “puct”"))),
    };
    let usual = Options::default();
    // With Gumbel's draws the root improves on its policy; without them it is greedy.
    let usual_noise = if root == Root::Gumbel { 1.0 } else { 0.0 };
    let exploration = exploration.unwrap_or(usual.exploration);
    let noise = noise.unwrap_or(usual_noise);
    for (name, value, most) in [("exploration", exploration, 100.0), ("noise", noise, 1.0)] {
        if !(0.0..=most).contains(&value) {
            return Err(refuse(format!("{name}={value}: expected a number from 0 to {most}")));
        }
    }
    Ok(Options { simulations, leaves, root, considered, exploration, noise, ..usual })
}

/// Has a function evaluate the positions of all searches until these are over.
pub(super) fn run(
    py: Python<'_>,
    layout: &Layout,
    mut searches: Box<dyn Searches>,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<SearchResults> {
    let of_one = layout.clone().with_one_learner();
    let of_one = if layout.learner_seats == 1 { layout } else { &of_one };
    loop {
        // Other threads may run while the trees are searched.
        let positions = py.detach(|| searches.descend());
        if positions.count == 0 {
            return Ok(searches.finish());
        }
        py.check_signals()?;
        let count = positions.count;
        let answered = evaluate.call1((arrays_of(py, of_one, positions)?,))?;
        let Ok((logits, values)) = answered.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()
        else {
            return Err(PyTypeError::new_err(format!(
                "evaluate: expected a pair of arrays, logits and values, not {}",
                answered.get_type().name()?
            )));
        };
        let logits = floats(py, "logits", &logits, &[count, of_one.actions])?;
        let values = floats(py, "values", &values, &[count])?;
        let (logits, values) = (logits.readonly(), values.readonly());
        let (logits, values) = (logits.as_slice()?, values.as_slice()?);
        py.detach(|| searches.back_up(logits, values));
    }
}

/// Positions as an environment shows them.
fn arrays_of<'py>(
    py: Python<'py>,
    of_one: &Layout,
    positions: Positions,
) -> PyResult<Bound<'py, PyDict>> {
    let Positions { count, board, features, masks, .. } = positions;
    let seen = PyDict::new(py);
    let shape = [&[count], of_one.board.as_slice()].concat();
    seen.set_item(intern!(py, "board"), PyArray1::from_vec(py, board).reshape(shape)?)?;
    let features = PyArray1::from_vec(py, features).reshape([count, of_one.features.len()])?;
    seen.set_item(intern!(py, "features"), features)?;
    let masks = PyArray1::from_vec(py, masks).reshape([count, of_one.actions])?;
    seen.set_item(intern!(py, "action_mask"), masks)?;
    Ok(seen)
}

/// An array of 32-bit floats of this shape, from whatever NumPy can see as one.
fn floats<'py>(
    py: Python<'py>,
    name: &str,
    given: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let kind = numpy.getattr(intern!(py, "float32"))?;
    let made = numpy.call_method1(intern!(py, "ascontiguousarray"), (given, kind))?;
    let array: Bound<'py, PyArrayDyn<f32>> = made.cast_into()?;
    if array.shape() != shape {
        return Err(refuse(format!(
            "{name}: expected an array of shape {}, not {}",
            describe_shape(shape),
            describe_shape(array.shape())
        )));
    }
    if array.readonly().as_slice()?.iter().any(|number| !number.is_finite()) {
        return Err(refuse(format!("{name}: some are not finite numbers")));
    }
    Ok(array)
}

/// What was found, with a row for each state: of the seat that moves, or of every seat where
/// several move at once.
pub(super) fn describe<'py>(
    py: Python<'py>,
    layout: &Layout,
    movers: &[usize],
    found: SearchResults,
) -> PyResult<Bound<'py, PyDict>> {
    let SearchResults { policy, value, action, evaluated, .. } = found;
    let (seats, actions, states) = (layout.seats, layout.actions, movers.len());
    let fields = PyDict::new(py);
    let shapes = |rows: &[usize]| ([rows, &[actions]].concat(), rows.to_vec());
    if layout.is_simultaneous && seats > 1 {
        let (of_policy, of_one) = shapes(&[states, seats]);
        fields.set_item("policy", PyArray1::from_vec(py, policy).reshape(of_policy)?)?;
        fields.set_item("value", PyArray1::from_vec(py, value).reshape(of_one.clone())?)?;
        fields.set_item("action", PyArray1::from_vec(py, action).reshape(of_one)?)?;
    } else {
        let at = || movers.iter().enumerate().map(|(state, seat)| state * seats + seat);
        let policy: Vec<f32> =
            at().flat_map(|row| policy[row * actions..][..actions].iter().copied()).collect();
        let (of_policy, _) = shapes(&[states]);
        fields.set_item("policy", PyArray1::from_vec(py, policy).reshape(of_policy)?)?;
        let value: Vec<f32> = at().map(|row| value[row]).collect();
        fields.set_item("value", PyArray1::from_vec(py, value))?;
        let action: Vec<i64> = at().map(|row| action[row]).collect();
        fields.set_item("action", PyArray1::from_vec(py, action))?;
    }
    fields.set_item("evaluated", evaluated)?;
    Ok(fields)
}
