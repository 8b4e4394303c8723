//! What a seat sees, as the arrays of environments, and their numbered actions as actions of
//! matches: with these, a policy that was trained on arrays can take a seat.

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_batch::AnyBatch;
use quintain_core::{Layout, View};

use crate::arguments::{self, seat_of, whole};
use crate::batch::{describe_layout, make_batch, options_of, shape_board};
use crate::catalog::refuse;
use crate::json::from_python;

/// Encodes observations of a game on a scenario as its environments do: a seat sees itself as
/// seat 0.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Encoder {
    states: Box<dyn AnyBatch>,
    layout: Layout,
    name: &'static str,
    scenario: String,
    encoding: Option<String>,
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (game, scenario = None, *, encoding = None))]
    fn new(
        #[pyo3(from_py_with = arguments::game)] game: &str,
        #[pyo3(from_py_with = arguments::optional_scenario)] scenario: Option<&str>,
        #[pyo3(from_py_with = arguments::optional_encoding)] encoding: Option<&str>,
    ) -> PyResult<Encoder> {
        let options = options_of(encoding, false, None, None, "")?;
        let (states, name, scenario) = make_batch(game, scenario, &options)?;
        let layout = states.layout().clone().with_one_learner();
        Ok(Encoder { states, layout, name, scenario, encoding: options.encoding })
    }

    /// The form of actions and observations.
    #[getter]
    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe_layout(py, &self.layout)
    }

    /// Returns the arrays of an observation in JSON form: `board`, `features`, `action_mask`.
    #[pyo3(signature = (observation, seat = 0))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        observation: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (seat, seen) = (seat_of(seat, self.layout.seats)?, from_python(observation)?);
        let mut board = vec![0; self.layout.board_len()];
        let mut features = vec![0; self.layout.features.len()];
        let mut mask = vec![0; self.layout.actions];
        let mut view = View { board: &mut board, features: &mut features };
        self.states.encode(&seen, seat, &mut view, &mut mask).map_err(refuse)?;
        let arrays = PyDict::new(py);
        let board = shape_board(py, &self.layout, &board)?;
        arrays.set_item(intern!(py, "board"), board)?;
        arrays.set_item(intern!(py, "features"), PyArray1::from_vec(py, features))?;
        arrays.set_item(intern!(py, "action_mask"), PyArray1::from_vec(py, mask))?;
        Ok(arrays)
    }

    /// Returns in text the action of this number, for a seat with this observation.
    #[pyo3(signature = (observation, number, seat = 0))]
    fn decode(
        &self,
        observation: &Bound<'_, PyAny>,
        number: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<String> {
        let last = self.layout.actions as u64 - 1;
        let number = whole("action", number, 0..=last)?;
        let (seat, seen) = (seat_of(seat, self.layout.seats)?, from_python(observation)?);
        self.states.decode(&seen, seat, number).map_err(refuse)
    }

    fn __repr__(&self) -> String {
        format!("<Encoder of {}:{}>", self.name, self.scenario)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, own) = (slf.py(), slf.get());
        let keywords = PyDict::new(py);
        keywords.set_item("encoding", &own.encoding)?;
        let maker = py.import("functools")?.getattr("partial")?;
        let maker = maker.call((slf.get_type(),), Some(&keywords))?;
        (maker, (own.name, &own.scenario)).into_pyobject(py)
    }
}
